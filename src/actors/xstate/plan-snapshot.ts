/**
 * Snapshots of the plan engine: they have what XState's have, but what depends on the configuration alone (nodes,
 * value, tags, history) is shared by all actors that stand there, so that two of them are compared by identity.
 */
import { type AnyStateMachine, type AnyStateNode, createMachine } from 'xstate';
import { type Snapshot } from '../model/step-engine.ts';
import { type Family } from './family.ts';
import { type MachineSnapshot } from './machine-state.ts';

export type HistoryValue = Readonly<Record<string, readonly AnyStateNode[]>>;

/** Where a machine stands: its active nodes and what its history states remember. */
export interface Place {
  readonly machine: AnyStateMachine;
  readonly nodes: readonly AnyStateNode[];
  readonly history: HistoryValue;
  readonly value: unknown;
  readonly tags: ReadonlySet<string>;
}

/** Of every machine that has none. */
export const NO_CHILDREN: Family = Object.freeze({});

/** Changed only by the step that makes it, and once by `adopt`. */
export class PlanSnapshot implements MachineSnapshot {
  status: Snapshot['status'] = 'active';
  output: unknown = undefined;
  error: unknown = undefined;
  readonly machine: AnyStateMachine;
  context: unknown;
  _nodes: readonly AnyStateNode[];
  value: unknown;
  tags: ReadonlySet<string>;
  children: Family;
  historyValue: MachineSnapshot['historyValue'];
  #place: Place;

  constructor(place: Place, context: unknown, children: Family) {
    this.machine = place.machine;
    this.context = context;
    this._nodes = place.nodes;
    this.value = place.value;
    this.tags = place.tags;
    this.children = children;
    this.historyValue = place.history as MachineSnapshot['historyValue'];
    this.#place = place;
  }

  moveTo(place: Place): void {
    this._nodes = place.nodes;
    this.value = place.value;
    this.tags = place.tags;
    this.historyValue = place.history as MachineSnapshot['historyValue'];
    this.#place = place;
  }

  /** Undefined for a snapshot that this engine has not made. */
  static placeOf(snapshot: Snapshot): Place | undefined {
    return #place in snapshot ? snapshot.#place : undefined;
  }
}

/** `matches`, `can`, `hasTag`, `getMeta`, `toJSON`: XState's own, taken from a snapshot of its making. */
for (const [name, method] of Object.entries(createMachine({}).resolveState({ value: {}, context: {} }))) {
  if (typeof method === 'function')
    Object.defineProperty(PlanSnapshot.prototype, name, { value: method, configurable: true, writable: true });
}
