/** The latest turns of a subtree held by the page: those that the gateway remembers, and new ones. Pure. */
import type { TurnView } from '../../gateway/protocol/views.ts';

/** Number of turns shown: as many as a user looks through, and as are drawn without delay. */
export const TURNS_SHOWN_MAX = 200;

/** Number of turns requested, to show how many precede the shown ones. */
export const TURNS_ASKED_MAX = 1_000;

export interface TurnWindow {
  /** The shown turns, oldest first. */
  readonly turns: readonly TurnView[];
  /** Number of turns before the shown ones. */
  readonly earlier: number;
  /** Whether there may be more than `earlier`. */
  readonly isAtLeast: boolean;
}

/**
 * The window after a (re)connect.
 *
 * @param answer The answer of `actor.turns`, oldest first, with the limit {@link TURNS_ASKED_MAX}.
 * @param seen Turns shown before. They may be of another run of the server, with other numbers.
 */
export function openedWith(answer: readonly TurnView[], seen: readonly TurnView[]): TurnWindow {
  const known = new Map(seen.map((turn) => [turn.number, turn]));
  const turns = answer.map((turn) => fuller(turn, known.get(turn.number)));
  return bounded({ turns, earlier: 0, isAtLeast: answer.length >= TURNS_ASKED_MAX });
}

/**
 * The window with new turns.
 *
 * @param taken New turns in order; some may be in the window already, without contents.
 */
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

/** The more complete of two records of a turn. */
function fuller(turn: TurnView, other: TurnView | undefined): TurnView {
  if (other === undefined || !isSame(turn, other)) return turn;
  return turn.change === null && turn.sent.length === 0 ? other : turn;
}

function isSame(one: TurnView, other: TurnView): boolean {
  return (
    one.number === other.number && one.life === other.life && one.sequence === other.sequence && one.atMs === other.atMs
  );
}
