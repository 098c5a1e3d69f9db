/**
 * Ended actors, newest first, live: the newest one is asked for often, and the first page when there is another one.
 * Pages behind it are loaded when somebody asks for them, and stay as they are.
 */
import { useEffect, useState } from 'preact/hooks';
import { type ClientError } from '../../client/client-error.ts';
import { call } from '../link.ts';
import { useAnswer } from '../use.ts';
import { type RunPages, withFirst } from './runs.ts';

export const EVERY_MS = 2_000;

/** Interval of reading the first page although nothing has ended: results are removed when they are old. */
const IDLE_MS = 30_000;

const PAGE = 50;

interface EndedRuns {
  /** undefined until loaded. */
  readonly pages: RunPages | undefined;
  readonly error: ClientError | undefined;
  /** Loads the next page. */
  readonly more: () => void;
}

/** The ended actors that a filter leaves; none if it is undefined. */
export function useEndedRuns(which: Readonly<Record<string, unknown>> | undefined): EndedRuns {
  const of = JSON.stringify(which);
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly pages: RunPages } | undefined>(undefined);
  const method = which && 'run.list';
  const { result: newest, error } = useAnswer<RunPages>(method, { ...which, limit: 1 }, EVERY_MS);
  const { result: first } = useAnswer<RunPages>(
    newest && method,
    { ...which, limit: PAGE },
    IDLE_MS,
    newest?.runs[0]?.cursor,
  );
  const known = loaded?.of === of ? loaded.pages : undefined;
  useEffect(() => {
    if (first !== undefined)
      setLoaded((before) => ({ of, pages: withFirst(first, before?.of === of ? before.pages : undefined) }));
  }, [of, first]);
  const more = () => {
    void call<RunPages>('run.list', { ...which, limit: PAGE, from: known!.next }).then(
      ({ runs, next }) =>
        setLoaded((before) =>
          // Another page may have been joined meanwhile.
          before?.of === of && before.pages.next === known!.next
            ? { of, pages: { runs: [...before.pages.runs, ...runs], next } }
            : before,
        ),
      // A broken connection is shown by the page, and the button stays.
      () => {},
    );
  };
  return { pages: known, error, more };
}
