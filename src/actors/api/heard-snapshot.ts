/** A snapshot as a handle shows it: the durable view of an actor, with the questions that XState answers about one. */
import { matchesState, type EventObject, type StateValue } from 'xstate';
import { type ActorResult } from '../model/results.ts';
import { type ActorSnapshot } from '../world/actor-view.ts';

/** A durable view, and the types of declared events that its state handles. */
export interface SnapshotNews {
  readonly view: ActorSnapshot;
  readonly accepts: readonly string[];
}

/** The questions about a snapshot. */
export interface SnapshotQueries<Event extends EventObject = EventObject> {
  /** Whether the state value is this one, or this is a part of it, as in XState. */
  matches(value: StateValue): boolean;
  hasTag(tag: string): boolean;
  /**
   * Whether the state has a transition for a declared event of this type. Guards are not evaluated: they are code of
   * the machine, which a reader in another thread or process does not have.
   */
  can(event: Event): boolean;
}

/** A durable snapshot with the questions about it. */
export type HeardSnapshot<
  Snapshot extends ActorSnapshot = ActorSnapshot,
  Event extends EventObject = EventObject,
> = Snapshot & SnapshotQueries<Event>;

class Queries implements SnapshotQueries {
  declare readonly value: unknown;
  declare readonly tags: readonly string[];
  readonly #accepts: readonly string[];

  constructor({ view, accepts }: SnapshotNews) {
    Object.assign(this, view);
    this.#accepts = accepts;
  }

  matches(value: StateValue): boolean {
    return this.value !== null && matchesState(value, this.value as StateValue);
  }

  hasTag(tag: string): boolean {
    return this.tags.includes(tag);
  }

  can({ type }: EventObject): boolean {
    return this.#accepts.includes(type);
  }
}

/** Returns the snapshot of a view. */
export function heardSnapshot(news: SnapshotNews): HeardSnapshot {
  // All handles on an actor in this process show the same object.
  return Object.freeze(new Queries(news)) as unknown as HeardSnapshot;
}

/** Returns the last snapshot of an actor that is gone: as it ended, or `stopped` where it was taken away before. */
export function lastSnapshot({ view }: SnapshotNews): HeardSnapshot {
  const status = view.status === 'done' || view.status === 'error' ? view.status : 'stopped';
  return heardSnapshot({ view: { ...view, status }, accepts: [] });
}

/** The last news of an ended actor of which only the result is left: neither its context nor its state value is. */
export function newsOf({ address, agent, life, status, output, error, sequence }: ActorResult): SnapshotNews {
  const left = { value: null, context: undefined, tags: [], effectId: `${life}` };
  const ended = status === 'done' || status === 'stopped' ? status : 'error';
  return { view: { ...left, address, agent, status: ended, output, error, sequence }, accepts: [] };
}
