/**
 * How an actor was before and after a turn, as far as that is known: by the turns beside it, and by those that its
 * agent keeps. Pure.
 */
import { type ContextChange, stepsOf } from './history.ts';
import type { KeptTurnView, TurnView } from '../../gateway/protocol/views.ts';

export interface Around {
  /** State value before the turn; undefined where it is not known. */
  readonly valueBefore: unknown;
  /** What of the context differs from before; null where the turn, or the one before it, is not kept. */
  readonly changes: readonly ContextChange[] | null;
  /** The turn as it is kept; undefined where it is not. */
  readonly kept: KeptTurnView | undefined;
}

export interface KnownTurns {
  /** Those that are shown, in their order. */
  readonly turns: readonly TurnView[];
  /** Those that the actor keeps, in their order. */
  readonly kept: readonly KeptTurnView[];
}

export function aroundOf(turn: TurnView, { turns, kept }: KnownTurns): Around {
  const at = kept.findIndex((one) => isTurn(one, turn));
  const step = at < 0 ? undefined : stepsOf(kept.slice(Math.max(0, at - 1), at + 1)).at(-1);
  const changes = step?.changes ?? null;
  // A first turn has nothing before it, even where the same address was another's.
  if (turn.kind === 'spawn') return { valueBefore: undefined, changes, kept: kept[at] };
  const before =
    changes === null
      ? turns.findLast((one) => one.address === turn.address && one.life === turn.life && one.number < turn.number)
      : kept[at - 1];
  return { valueBefore: before?.value, changes, kept: kept[at] };
}

/** Numbers of kept turns count for each actor, those of a trace for the system. */
function isTurn(kept: KeptTurnView, { life, sequence, atMs, kind, event }: TurnView): boolean {
  return (
    kept.life === life &&
    kept.sequence === sequence &&
    kept.atMs === atMs &&
    kept.kind === kind &&
    kept.event?.type === event?.type
  );
}
