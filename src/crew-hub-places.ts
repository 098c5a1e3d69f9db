/**
 * The places of sessions for hubs: connects the machines that judge changed files with the host that keeps trees of
 * files (src/spokes/worktrees.ts is such a host).
 */
import { fromPromise } from 'xstate';
import { type EffectFacts, effectOf } from './actors/model/ref.ts';
import { type RecoveryWork } from './machines/hub/hub.ts';
import { nothingToDo } from './machines/hub/spoke.ts';
import { type looked, type SessionWork, type WorkOutcome } from './machines/hub/spoke-state.ts';
import { type WorkPlace } from './machines/hub/work-place.ts';
import { handled } from './user-code.ts';

/** Places in which sessions work. All of it may be asked for twice, after the end of a host for example. */
export interface SessionPlaces {
  /** The directory in which a session works. */
  directoryOf(place: WorkPlace): Promise<string>;
  /** Makes the place of a session anew, unless it is to be kept; with the changes that another session has left. */
  begin(place: WorkPlace, options: { readonly keeps: boolean; readonly from: string | null }): Promise<void>;
  /** The files that a session has changed; null if nobody can tell. */
  changes(place: WorkPlace): Promise<readonly Changed[] | null>;
  /** Puts the changes of a session into the workspace, whole or not at all. */
  apply(place: WorkPlace): Promise<{ readonly conflict: string | null }>;
  /** Gives up a place, and keeps its changes without those of some files. Resolves to where they are kept. */
  release(place: WorkPlace, without?: readonly string[]): Promise<string | null>;
}

/** Looks for errors in the place of a session, a line each; null if nobody can tell. */
export type FindErrors = (place: WorkPlace, effect: EffectFacts, signal: AbortSignal) => Promise<string[] | null>;

type Changed = NonNullable<WorkOutcome['changed']>[number];

type Looked = Readonly<Partial<Record<keyof (typeof looked)['shape'], unknown>>>;

/** Makes the place of a session whose work begins, but for what a try before it has to mend there. */
export function beginPlace(places: SessionPlaces, work: SessionWork): Promise<void> {
  return places.begin(work, { keeps: work.problems.length > 0, from: work.from ?? null });
}

/** The facts about the place of a session whose work is over. */
export async function lookAt(places: SessionPlaces, place: WorkPlace): Promise<Looked> {
  const changed = await places.changes(place);
  if (place.isIsolated) {
    // Without its record nobody can tell what is in the tree, and another try makes a new one.
    if (changed === null) throw new Error(`the tree of ${place.session} is gone`);
    return { changed, isHeld: changed.length > 0 };
  }
  await places.release(place);
  return { changed, isShared: true };
}

/** The ports of hubs and spokes to the places of sessions. Without any, work happens in the workspace itself. */
export function placePorts(places: SessionPlaces | undefined, check: FindErrors | undefined) {
  return {
    check: fromPromise<unknown, WorkPlace>(async ({ input, self, signal }) => ({
      files: null,
      errors: check === undefined ? null : await handled(check(input, effectOf(self), signal)),
    })),
    ...(places === undefined ? withoutPlaces : portsOf(places)),
  };
}

const withoutPlaces = {
  look: fromPromise<unknown, WorkPlace>(() => Promise.resolve({})),
  // Nothing waits to be applied, and a recovery keeps what is there.
  apply: nothingToDo,
  release: fromPromise<unknown, WorkPlace>(() => Promise.resolve({ patch: null })),
  survey: fromPromise<unknown, WorkPlace>(() => Promise.resolve({ files: null })),
  settleFiles: fromPromise<unknown, RecoveryWork>(({ input: { move } }) =>
    move.kind === 'keep' ? Promise.resolve() : Promise.reject(new Error('this host gives up no changes: keep them')),
  ),
};

function portsOf(places: SessionPlaces) {
  return {
    look: fromPromise<unknown, WorkPlace>(({ input }) => handled(lookAt(places, input))),
    apply: fromPromise<unknown, WorkPlace>(({ input }) => handled(places.apply(input))),
    release: fromPromise<unknown, WorkPlace>(async ({ input }) => ({ patch: await handled(places.release(input)) })),
    survey: fromPromise<unknown, WorkPlace>(async ({ input }) => {
      const changed = await places.changes(input);
      return { files: changed?.map(({ path }) => path) ?? null };
    }),
    settleFiles: fromPromise<unknown, RecoveryWork>(async ({ input: { move, ...place } }) => {
      // The user's own files are never given up by a program: who wants that does it by hand.
      if (!place.isIsolated && move.kind !== 'keep')
        throw new Error(`${place.session} worked among your own files: give its changes up by hand, and keep the rest`);
      // Changes that are given up stay in the patch, out of which they can be had again.
      await handled(places.release(place, move.kind === 'discard' ? move.files : []));
    }),
  };
}
