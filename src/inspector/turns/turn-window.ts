/**
 * The last turns of a subtree as the page holds them: what the gateway remembers, and what is taken from then on. Pure.
 */
import type { TurnView } from '../../gateway/protocol/views.ts';

/** Turns that are shown: as many as one looks through, and as a drawing takes without a delay. */
export const TURNS_SHOWN_MAX = 200;

/** Turns that are asked for, so that it can be said how many there are before those. */
export const TURNS_ASKED_MAX = 1_000;

export interface TurnWindow {
  /** Oldest first. */
  readonly turns: readonly TurnView[];
  /** Turns before those. */
  readonly earlier: number;
  /** There may be more than `earlier`. */
  readonly isAtLeast: boolean;
}

/**
 * @param answer What `actor.turns` gave, oldest first, asked for {@link TURNS_ASKED_MAX}.
 * @param seen Turns that were shown before. They may have been those of another run, whose numbers mean nothing now.
 */
export function openedWith(answer: readonly TurnView[], seen: readonly TurnView[]): TurnWindow {
  const known = new Map(seen.map((turn) => [turn.number, turn]));
  const turns = answer.map((turn) => fuller(turn, known.get(turn.number)));
  return bounded({ turns, earlier: 0, isAtLeast: answer.length >= TURNS_ASKED_MAX });
}

/** @param taken In their order; some may be in the window already, by their names only. */
export function continuedWith(window: TurnWindow, taken: readonly TurnView[]): TurnWindow {
  const last = window.turns.at(-1)?.number ?? 0;
  const whole = new Map(taken.map((turn) => [turn.number, turn]));
  return bounded({
    ...window,
    turns: [
      ...window.turns.map((turn) => fuller(turn, whole.get(turn.number))),
      ...taken.filter(({ number }) => number > last),
    ],
  });
}

function bounded({ turns, earlier, isAtLeast }: TurnWindow): TurnWindow {
  const dropped = Math.max(0, turns.length - TURNS_SHOWN_MAX);
  return { turns: turns.slice(dropped), earlier: earlier + dropped, isAtLeast };
}

/** Of two accounts of a turn the one that says more. */
function fuller(turn: TurnView, other: TurnView | undefined): TurnView {
  if (other === undefined || !isSame(turn, other)) return turn;
  return turn.change === null && turn.sent.length === 0 ? other : turn;
}

function isSame(one: TurnView, other: TurnView): boolean {
  return (
    one.number === other.number && one.life === other.life && one.sequence === other.sequence && one.atMs === other.atMs
  );
}
