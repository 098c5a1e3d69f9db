/**
 * The state of an actor before and after a turn, as far as known from neighbouring turns and from those that its agent
 * keeps. Pure.
 */
import { type ContextChange, stepsOf } from './history.ts';
import type { KeptTurnView, TurnView } from '../../gateway/protocol/views.ts';

export interface Around {
  /** State value before the turn; undefined if unknown. */
  readonly valueBefore: unknown;
  /** Changes of the context; null if the turn, or the one before it, is not kept. */
  readonly changes: readonly ContextChange[] | null;
  /** The kept turn; undefined if it is not kept. */
  readonly kept: KeptTurnView | undefined;
}

export interface KnownTurns {
  /** The shown turns, in order. */
  readonly turns: readonly TurnView[];
  /** The turns that the actor keeps, in order. */
  readonly kept: readonly KeptTurnView[];
}

export function aroundOf(turn: TurnView, { turns, kept }: KnownTurns): Around {
  const at = kept.findIndex((one) => isTurn(one, turn));
  const step = at < 0 ? undefined : stepsOf(kept.slice(Math.max(0, at - 1), at + 1)).at(-1);
  const changes = step?.changes ?? null;
  // A first turn has none before it, even if another actor lived at the address earlier.
  if (turn.kind === 'spawn') return { valueBefore: undefined, changes, kept: kept[at] };
  const before =
    changes === null
      ? turns.findLast((one) => one.address === turn.address && one.life === turn.life && one.number < turn.number)
      : kept[at - 1];
  return { valueBefore: before?.value, changes, kept: kept[at] };
}

/**
 * Whether a kept turn is the given one. Kept turns are numbered per actor, traced turns per system, so numbers cannot
 * be compared.
 */
function isTurn(kept: KeptTurnView, { life, sequence, atMs, kind, event }: TurnView): boolean {
  return (
    kept.life === life &&
    kept.sequence === sequence &&
    kept.atMs === atMs &&
    kept.kind === kind &&
    kept.event?.type === event?.type
  );
}
