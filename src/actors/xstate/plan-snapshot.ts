/**
 * Snapshots of the plan engine, with the fields of XState's own. The parts that depend on the configuration alone
 * (nodes, value, tags, history) are shared by all actors in that configuration, and so can be compared by identity.
 */
import { type AnyStateMachine, type AnyStateNode, createMachine } from 'xstate';
import { type Snapshot } from '../model/step-engine.ts';
import { type Family } from './family.ts';
import { type MachineSnapshot } from './machine-state.ts';

export type HistoryValue = Readonly<Record<string, readonly AnyStateNode[]>>;

/** The position of a machine: its active nodes and its history. */
export interface Place {
  readonly machine: AnyStateMachine;
  readonly nodes: readonly AnyStateNode[];
  readonly history: HistoryValue;
  readonly value: unknown;
  readonly tags: ReadonlySet<string>;
}

/** The shared empty family of machines without children. */
export const NO_CHILDREN: Family = Object.freeze({});

/** A machine's snapshot. Only the step that creates it and `adopt` change it. */
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

  /** The place of a snapshot; undefined unless this engine created it. */
  static placeOf(snapshot: Snapshot): Place | undefined {
    return #place in snapshot ? snapshot.#place : undefined;
  }
}

/**
 * A snapshot with XState's methods, which guards such as `stateIn` call: the snapshot itself, or a copy where it has
 * lost them.
 */
export function withMethods(snapshot: MachineSnapshot): MachineSnapshot {
  return 'matches' in snapshot
    ? snapshot
    : Object.assign(Object.create(PlanSnapshot.prototype) as MachineSnapshot, snapshot);
}

/** Borrows XState's methods (`matches`, `can`, `hasTag`, `getMeta`, `toJSON`) from a snapshot that XState created. */
for (const [name, method] of Object.entries(createMachine({}).resolveState({ value: {}, context: {} }))) {
  if (typeof method === 'function')
    Object.defineProperty(PlanSnapshot.prototype, name, { value: method, configurable: true, writable: true });
}
