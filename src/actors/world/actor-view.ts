/** The readers' view of one actor: its durable snapshot, and notifications of durable changes. */
import { type SnapshotView, type StepEngine } from '../model/step-engine.ts';
import { type Cell } from './cell.ts';
import { type Observer } from './observer.ts';
import { type ActorState, effectIdOf } from '../model/state.ts';

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

/** The number of changes of a state, and the checksum chain over them: two states with the same are the same. */
export interface Chain {
  readonly seq: number;
  /** Unsigned 32 bits. */
  readonly hash: number;
}

/** The chain as of the last durable epoch; undefined while the birth is not durable. */
export function chainOf({ durable }: Cell): Chain | undefined {
  return durable?.state;
}

/** Whether readers see an effect that runs, or waits for its next try. */
export function isUnderWay({ definition, durable }: Cell): boolean {
  return definition.isEffect && durable?.state.status === 'active';
}

/** The version of the code that an actor was stored by, and how often it was begun, as readers see it. */
export function beginningsOf({ identity, state, durable }: Cell): Pick<ActorState, 'incarnation' | 'attempt'> & {
  readonly version: number;
} {
  const { incarnation, attempt } = durable?.state ?? state;
  return { version: identity.version, incarnation, attempt };
}

/**
 * Whether an actor and, for a Boss, those below it have begun, as readers see it. A suspended one need not begin.
 */
export function stands(cell: Cell | undefined): boolean {
  if (cell?.durable === undefined) return false;
  if (cell.suspension !== undefined) return true;
  if (cell.durable.state.status === 'starting') return false;
  return !cell.role.supervises || [...cell.children.values()].every(stands);
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
