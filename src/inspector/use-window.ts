/** Hooks for windows: procedures whose answers are topics. */
import { useEffect, useState } from 'preact/hooks';
import type { crewProcedures } from '../crew-procedures.ts';
import { type ClientError } from '../client/client-error.ts';
import { type WindowName } from '../client/contract.ts';
import { windowTopic } from '../client/remote-window.ts';
import type { WindowPage } from '../gateway/protocol/window-page.ts';
import { type Live, share } from './link.ts';
import { useTopic } from './use.ts';
import { type WindowRows, windowRows, WindowPages } from './window-pages.ts';

/** The procedures that the page watches. */
type Watched = typeof crewProcedures;
type Name = WindowName<Watched>;
type Given<Of extends Name> = Watched[Of]['params']['_zod']['input'];
type Answer<Of extends Name> = Watched[Of]['result']['_zod']['output'];

/** The names of those whose answers are pages. */
type PagedName = { [Of in Name]: Answer<Of> extends WindowPage ? Of : never }[Name];
type RowOf<Of extends PagedName> = Answer<Of> extends WindowPage<infer Row> ? Row : never;

/** The answer of a procedure, live; of none if `params` is undefined. */
export function useWatched<Of extends Name>(name: Of, params: Given<Of> | undefined): Live<Answer<Of>> {
  return useTopic<Answer<Of>>(params === undefined ? undefined : windowTopic(name, params));
}

interface ShownWindow<Row> {
  /** The rows as far as they are loaded; undefined before the first page. */
  readonly window: WindowRows<Row> | undefined;
  readonly error: Error | undefined;
}

/** The first pages of a window, live; of none if `name` is undefined. */
export function useWindow<Of extends PagedName>(name: Of | undefined, pages: number): ShownWindow<RowOf<Of>> {
  const [shown, setShown] = useState<ShownWindow<RowOf<Of>>>({ window: undefined, error: undefined });
  const [followed, setFollowed] = useState<WindowPages<RowOf<Of>> | undefined>(undefined);
  useEffect(() => {
    if (name === undefined) return undefined;
    const following = new WindowPages<RowOf<Of>>({
      topicOf: (after) => windowTopic(name, { after }),
      share,
      changed: (loaded, error) => setShown({ window: windowRows(loaded), error }),
    });
    setFollowed(following);
    return () => following.stop();
  }, [name]);
  useEffect(() => followed?.show(pages), [followed, pages]);
  return shown;
}

/** Whether a window cannot be watched because its gateway does not offer the procedure. */
export function isNotOffered(error: Error | undefined): boolean {
  return (error as ClientError | undefined)?.code === 'BOSUN_CALL_INVALID';
}
