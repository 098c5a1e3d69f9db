/** What is known of a remote actor: the view that the gateway shows, shaped like a snapshot of XState. */
import { type ActorView } from '../gateway/protocol/actor-view.ts';
import { type AgentShape, type ContextIn, type OutputIn, type ValueIn, type ValuePart } from './contract.ts';

/**
 * XState's four: a suspended actor is `active`, and `isSuspended`; one that was removed, or may not be seen, is
 * `stopped`.
 */
type SnapshotStatus<Output> =
  | { readonly status: 'active'; readonly output: undefined; readonly error: undefined }
  | { readonly status: 'done'; readonly output: Output; readonly error: undefined }
  | { readonly status: 'error'; readonly output: undefined; readonly error: unknown }
  | { readonly status: 'stopped'; readonly output: undefined; readonly error: undefined };

interface Asking<A> {
  readonly address: string;
  /** Whether the state, or a parent of it, is active. */
  matches(value: ValuePart<ValueIn<A>>): boolean;
  hasTag(tag: string): boolean;
  /** Whether the present state takes such an event, guards aside. */
  accepts(type: string): boolean;
  /** The view as it came; undefined while nothing has. */
  readonly view: ActorView | undefined;
  /** What an actor is suspended for, or why it cannot be seen. */
  readonly reason: unknown;
  readonly isSuspended: boolean;
  /** Changes of the actor so far; 0 where none is known. */
  readonly sequence: number;
}

/** Nothing has come yet. */
export type UnknownSnapshot<A> = Asking<A> &
  SnapshotStatus<never> & { readonly isKnown: false; readonly context: undefined; readonly value: undefined };

export type KnownSnapshot<A> = Asking<A> &
  SnapshotStatus<OutputIn<A>> & { readonly isKnown: true; readonly context: ContextIn<A>; readonly value: ValueIn<A> };

export type RemoteSnapshot<A = AgentShape> = UnknownSnapshot<A> | KnownSnapshot<A>;

export interface Gone {
  /** Why there is nothing further to see. */
  readonly reason: unknown;
}

/** One object for each view: whoever compares snapshots sees a change only where there is one. */
export function snapshotOf<A>(address: string, view: ActorView | undefined, gone?: Gone): RemoteSnapshot<A> {
  const isSuspended = view?.status === 'suspended';
  const status = gone !== undefined ? 'stopped' : view === undefined || isSuspended ? 'active' : view.status;
  const snapshot = {
    address,
    view,
    isKnown: view !== undefined,
    isSuspended,
    status,
    context: view?.context ?? undefined,
    value: view?.value ?? undefined,
    output: status === 'done' ? view?.output : undefined,
    error: status === 'error' ? view?.error : undefined,
    reason: gone === undefined ? (isSuspended ? view.error : undefined) : gone.reason,
    sequence: view?.sequence ?? 0,
    matches: (wanted: unknown) => fits(view?.value, wanted),
    hasTag: (tag: string) => view?.tags.includes(tag) ?? false,
    accepts: (type: string) => view?.accepts.includes(type) ?? false,
  };
  return snapshot as unknown as RemoteSnapshot<A>;
}

function fits(value: unknown, wanted: unknown): boolean {
  if (typeof wanted === 'string') return value === wanted || (isRecord(value) && Object.hasOwn(value, wanted));
  return (
    isRecord(wanted) &&
    isRecord(value) &&
    Object.keys(wanted).every((key) => Object.hasOwn(value, key) && fits(value[key], wanted[key]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
