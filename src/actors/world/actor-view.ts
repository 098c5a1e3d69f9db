/** What readers see of one actor: its durable snapshot, and word of every durable change. */
import { type SnapshotView, type StepEngine } from '../model/step-engine.ts';
import { type Cell, type Observer } from './cell.ts';

/** What an actor looked like at the last durable epoch in which it changed. */
export interface ActorSnapshot extends Omit<SnapshotView, 'status'> {
  /** `suspended`: it lives and takes no turns; `error` says why. */
  readonly status: SnapshotView['status'] | 'suspended';
  readonly address: string;
  readonly agent: string;
  /** Changes so far. */
  readonly sequence: number;
  /** Of the birth: stable over restarts, restores and retries. */
  readonly effectId: string;
}

export interface Subscription {
  unsubscribe(): void;
}

/** Tells an observer of what happens to an actor, until it is unsubscribed. */
export function observe(cell: Cell, observer: Observer): Subscription {
  (cell.observers ??= new Set()).add(observer);
  return { unsubscribe: () => void cell.observers?.delete(observer) };
}

/** The durable view of a cell; undefined while its birth is not durable. */
export function viewOf(engine: StepEngine, cell: Cell): ActorSnapshot | undefined {
  if (cell.durable === undefined) return undefined;
  const { state, snapshot, suspension } = cell.durable;
  const { address, agent, effectId } = cell.identity;
  const facts = { address, agent, effectId, sequence: state.seq };
  if (snapshot === undefined) {
    const status = suspension === undefined ? 'active' : 'suspended';
    return {
      ...facts,
      status,
      value: null,
      context: undefined,
      tags: [],
      output: undefined,
      error: suspension ?? state.error,
    };
  }
  const view = engine.view(cell.definition, snapshot);
  const status = state.status === 'starting' ? 'active' : state.status;
  if (suspension !== undefined) return { ...view, ...facts, status: 'suspended', error: suspension };
  return { ...view, ...facts, status, error: state.error };
}
