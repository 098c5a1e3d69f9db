/** A client's knowledge of a remote actor: the view that the gateway shows, shaped like a snapshot of XState. */
import { type ActorView } from '../gateway/protocol/actor-view.ts';
import { type AgentShape, type ContextIn, type OutputIn, type ValueIn, type ValuePart } from './contract.ts';

/**
 * XState's four statuses: a suspended actor is `active` with `isSuspended`; an actor that was removed, or may not be
 * seen, is `stopped`.
 */
type SnapshotStatus<Output> =
  | { readonly status: 'active'; readonly output: undefined; readonly error: undefined }
  | { readonly status: 'done'; readonly output: Output; readonly error: undefined }
  | { readonly status: 'error'; readonly output: undefined; readonly error: unknown }
  | { readonly status: 'stopped'; readonly output: undefined; readonly error: undefined };

interface Asking<A> {
  readonly address: string;
  /** Whether the actor is in a state: the value equals its state value or is a part of it. */
  matches(value: ValuePart<ValueIn<A>>): boolean;
  hasTag(tag: string): boolean;
  /** Whether the present state accepts events of a type, ignoring guards. */
  accepts(type: string): boolean;
  /** The same for an event, as on a host's snapshot: by its type, without guards. */
  can(event: { readonly type: string }): boolean;
  /** Whether no actor lives at the address yet, as the gateway says. False before the gateway has said anything. */
  readonly isUnborn: boolean;
  /** The view as received; undefined before the first. */
  readonly view: ActorView | undefined;
  /** The reason why the actor is suspended or cannot be seen. */
  readonly reason: unknown;
  readonly isSuspended: boolean;
  /** Number of state changes of the actor; 0 if unknown. */
  readonly sequence: number;
}

/** The snapshot of a remote actor before any view was received. */
export type UnknownSnapshot<A> = Asking<A> &
  SnapshotStatus<never> & { readonly isKnown: false; readonly context: undefined; readonly value: undefined };

/** The snapshot of a remote actor after a view was received. */
export type KnownSnapshot<A> = Asking<A> &
  SnapshotStatus<OutputIn<A>> & { readonly isKnown: true; readonly context: ContextIn<A>; readonly value: ValueIn<A> };

/** The snapshot of a remote actor, whether a view was received or not. */
export type RemoteSnapshot<A = AgentShape> = UnknownSnapshot<A> | KnownSnapshot<A>;

export interface Gone {
  /** The error that ended the subscription. */
  readonly reason: unknown;
}

/**
 * The snapshot of a view, which is null while no actor lives at the address. Its identity changes only with the view,
 * so that comparing snapshots detects changes.
 */
export function snapshotOf<A>(address: string, shown: ActorView | null | undefined, gone?: Gone): RemoteSnapshot<A> {
  const view = shown ?? undefined;
  const accepts = (type: string) => view?.accepts.includes(type) ?? false;
  const isSuspended = view?.status === 'suspended';
  const status = gone !== undefined ? 'stopped' : view === undefined || isSuspended ? 'active' : view.status;
  const snapshot = {
    address,
    view,
    isKnown: view !== undefined,
    isUnborn: shown === null && gone === undefined,
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
    accepts,
    can: ({ type }: { readonly type: string }) => accepts(type),
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
