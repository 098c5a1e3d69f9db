/** The readers' view of one actor: its durable snapshot, and notifications of durable changes. */
import { type SnapshotView, type StepEngine } from '../model/step-engine.ts';
import { type Cell, type Observer } from './cell.ts';
import { effectIdOf } from '../model/state.ts';

/** An actor as of the last durable epoch in which it changed. */
export interface ActorSnapshot extends Omit<SnapshotView, 'status'> {
  /** The status. `suspended`: the actor lives and takes no turns; `error` has the reason. */
  readonly status: SnapshotView['status'] | 'suspended';
  readonly address: string;
  readonly agent: string;
  /** Number of changes so far. */
  readonly sequence: number;
  /** The effect id of the actor's birth. It stays the same over restarts, restores and retries. */
  readonly effectId: string;
}

/** The view of an actor without a snapshot. */
const UNSEEN = { value: null, context: undefined, tags: [], output: undefined };

/** Ends the subscription that it was returned for. */
export interface Subscription {
  unsubscribe(): void;
}

/** Adds an observer of an actor, until it is unsubscribed. */
export function observe(cell: Cell, observer: Observer): Subscription {
  (cell.observers ??= new Set()).add(observer);
  return { unsubscribe: () => void cell.observers?.delete(observer) };
}

/** The status of an actor for readers; `active` while its birth is not durable. */
export function statusOf({ durable }: Cell): ActorSnapshot['status'] {
  if (durable?.suspension !== undefined) return 'suspended';
  if (durable?.snapshot === undefined || durable.state.status === 'starting') return 'active';
  return durable.state.status;
}

/** The durable view of a cell; undefined while its birth is not durable. */
export function viewOf(engine: StepEngine, cell: Cell): ActorSnapshot | undefined {
  if (cell.durable === undefined) return undefined;
  const { state, snapshot, suspension } = cell.durable;
  const { address, agent } = cell.identity;
  const effectId = effectIdOf(cell.identity);
  const { value, context, tags, output } = snapshot === undefined ? UNSEEN : engine.view(cell.definition, snapshot);
  const [status, error] = [statusOf(cell), suspension ?? state.error];
  return { status, value, context, tags, output, error, address, agent, effectId, sequence: state.seq };
}
