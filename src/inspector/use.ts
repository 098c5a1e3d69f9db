/** Hooks for views: topics while they are shown, and answers to calls that are polled. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ClientError } from '../client/client-error.ts';
import { call, lines, type Live, phase, share } from './link.ts';
import { every } from './time.ts';

const NOTHING = signal<Live<unknown>>({ view: undefined, isFresh: false, error: undefined });

/** Subscribes to a topic; to nothing if it is undefined. */
export function useTopic<View>(topic: string | undefined): Live<View> {
  const [live, setLive] = useState<
    { readonly topic: string; readonly signal: Pick<Signal<Live<unknown>>, 'value'> } | undefined
  >(undefined);
  useEffect(() => {
    if (topic === undefined) return undefined;
    const { live: shared, release } = share(topic);
    setLive({ topic, signal: shared });
    return release;
  }, [topic]);
  // A signal of the previous topic must not be shown.
  return (live !== undefined && live.topic === topic ? live.signal : NOTHING).value as Live<View>;
}

export interface Polled<Result> {
  readonly result: Result | undefined;
  readonly error: ClientError | undefined;
  /** Repeats the call now. */
  readonly again: () => void;
}

/**
 * A read call, repeated while the view is shown; undefined `method`: no call.
 *
 * @param version A text that differs when the answer may have changed: then the call is repeated at once.
 */
export function useAnswer<Result>(
  method: string | undefined,
  params: Readonly<Record<string, unknown>>,
  everyMs: number,
  version = '',
): Polled<Result> {
  const [answer, setAnswer] = useState<Omit<Polled<Result>, 'again'> & { readonly key: string }>({
    key: '',
    result: undefined,
    error: undefined,
  });
  const [round, setRound] = useState(0);
  const key = JSON.stringify([method, params]);
  const line = lines.value;
  useEffect(() => {
    if (method === undefined) return undefined;
    let isOver = false;
    const ask = () => {
      if (document.visibilityState === 'hidden' || (phase.value.name !== 'live' && phase.value.name !== 'catching up'))
        return;
      call<Result>(method, params).then(
        (result) => !isOver && setAnswer({ key, result, error: undefined }),
        (error: unknown) =>
          !isOver &&
          setAnswer((before) => ({
            key,
            result: before.key === key ? before.result : undefined,
            error: error as ClientError,
          })),
      );
    };
    ask();
    const stop = every(everyMs, ask);
    return () => {
      isOver = true;
      stop();
    };
  }, [key, line, round, everyMs, version]);
  const again = useMemo(() => () => setRound((before) => before + 1), []);
  return answer.key === key ? { ...answer, again } : { result: undefined, error: undefined, again };
}
