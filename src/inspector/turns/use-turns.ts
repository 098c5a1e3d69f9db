/** The latest turns of a subtree, live: remembered ones are fetched once per connection, new ones are followed. */
import { useEffect, useState } from 'preact/hooks';
import { type ClientError } from '../../client/client-error.ts';
import { call, followTurns, lines } from '../link.ts';
import { after } from '../time.ts';
import { continuedWith, openedWith, TURNS_ASKED_MAX, type TurnWindow } from './turn-window.ts';
import type { TurnView } from '../../gateway/protocol/views.ts';

/** Turns that arrive within this time are rendered together: a busy system takes thousands a second. */
const GATHER_MS = 200;

interface Seen {
  readonly address: string;
  readonly window: TurnWindow | undefined;
  readonly error: ClientError | undefined;
}

export function useTurns(address: string): Omit<Seen, 'address'> {
  const [seen, setSeen] = useState<Seen>({ address, window: undefined, error: undefined });
  const line = lines.value;
  useEffect(() => {
    const gathered: TurnView[] = [];
    let isOpened = false;
    let isOver = false;
    let stopGathering: (() => void) | undefined;
    const show = () => {
      stopGathering = undefined;
      const taken = gathered.splice(0);
      setSeen((before) =>
        before.window === undefined ? before : { ...before, window: continuedWith(before.window, taken) },
      );
    };
    // Subscribe before fetching, so that no turn is missed in between.
    const stop = followTurns(address, (turn) => {
      gathered.push(turn);
      if (isOpened) stopGathering ??= after(GATHER_MS, show);
    });
    call<{ readonly turns: readonly TurnView[] }>('actor.turns', { address, limit: TURNS_ASKED_MAX }).then(
      ({ turns }) => {
        if (isOver) return;
        isOpened = true;
        const taken = gathered.splice(0);
        setSeen((before) => ({
          address,
          error: undefined,
          window: continuedWith(
            openedWith(turns, before.address === address ? (before.window?.turns ?? []) : []),
            taken,
          ),
        }));
      },
      (error: unknown) =>
        !isOver &&
        setSeen((before) => ({
          address,
          window: before.address === address ? before.window : undefined,
          error: error as ClientError,
        })),
    );
    return () => {
      isOver = true;
      stop();
      stopGathering?.();
    };
  }, [address, line]);
  return seen.address === address ? seen : { window: undefined, error: undefined };
}
