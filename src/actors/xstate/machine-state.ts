/**
 * Converts between a snapshot of XState and the durable state of an actor: the changes of a step, and the way back.
 * Part of the one place that knows XState's internals (see xstate/definition.ts).
 */
import { type AnyStateMachine, type AnyStateNode, stopChild } from 'xstate';
import { BosunError } from '../../errors.ts';
import { disown, due } from '../../user-code.ts';
import { changesBetween, isTable, ownTable, table, type Table } from '../../table.ts';
import { type Definition, type Snapshot } from '../model/step-engine.ts';
import { type Ref } from '../model/ref.ts';
import { isProxy, isRecord } from '../model/plain-values.ts';
import { type ActorState, Change, type RowChanges } from '../model/state.ts';
import { type XstateDefinition } from './definition.ts';
import { nodesById, valueOf } from './machine-facts.ts';
import { type Family, grown, marked } from './family.ts';

export interface MachineSnapshot extends Snapshot {
  readonly machine: AnyStateMachine;
  readonly value: unknown;
  readonly _nodes: readonly AnyStateNode[];
  readonly historyValue: Record<string, AnyStateNode[]>;
  readonly tags: ReadonlySet<string>;
  children: Record<string, object>;
  context: unknown;
  output?: unknown;
}

/** The number of the snapshot's configuration in the definition's table. */
export type Numbering = (definition: Definition, snapshot: MachineSnapshot) => number;

export const numberByNodes: Numbering = ({ configurations }, { _nodes }) => configurations.intern(_nodes);

export function changeOf(
  definition: XstateDefinition,
  before: Snapshot | undefined,
  after: Snapshot,
  numberOf = numberByNodes,
): Change {
  const change = new Change();
  if (after === before) return change;
  if (definition.kind === 'custom') checkCustom(definition, after);
  if (before?.status !== after.status) change.status = after.status;
  if (after.output !== undefined && after.output !== before?.output) change.output = { value: after.output };
  if (after.error !== undefined && after.error !== before?.error) change.error = { value: after.error };
  if (definition.kind === 'machine')
    machineChange(
      change,
      definition,
      { before: before as MachineSnapshot | undefined, after: after as MachineSnapshot },
      numberOf,
    );
  else change.context = { value: definition.logic.getPersistedSnapshot(after as never) };
  return change;
}

/** Puts the admitted values into a snapshot. */
export function adopt(definition: Definition, snapshot: Snapshot, state: ActorState): Snapshot {
  if (definition.kind === 'machine') return adoptMachine(snapshot as MachineSnapshot, state);
  // Only custom logic itself knows how its snapshot relates to the persisted form.
  if (definition.kind !== 'custom') adoptParts(snapshot, state);
  return snapshot;
}

/** Also where nothing differs: an assignment of what is there already makes a context anew, which nobody has frozen. */
function adoptMachine(given: MachineSnapshot, state: ActorState): MachineSnapshot {
  const { context } = state;
  // A machine that ends with an error keeps that in its state alone.
  const output = state.output === undefined ? given.output : state.output;
  const children = grown(given.children as Family);
  if (given.context === context && given.output === output && given.children === children) return given;
  const prototype = Object.getPrototypeOf(given) as object;
  const snapshot = Object.isFrozen(given) ? Object.assign(Object.create(prototype) as MachineSnapshot, given) : given;
  snapshot.context = context;
  snapshot.output = output;
  snapshot.children = children;
  return snapshot;
}

export function restoreOther(definition: XstateDefinition, state: ActorState, scope: object): Snapshot {
  const { logic, kind } = definition;
  const persisted = { ...(state.context as object) };
  const restored = logic.restoreSnapshot?.(persisted as never, scope as never) ?? persisted;
  if (kind === 'custom') return checkCustom(definition, restored);
  const { output, error } = state;
  return { ...restored, status: statusOf(state), output, error } as Snapshot;
}

/** The fields of a snapshot that the kernel and readers use. */
const LOOKED_AT = ['status', 'context', 'output', 'error'] as const;

const STATUSES: ReadonlySet<unknown> = new Set<Snapshot['status']>(['active', 'done', 'error', 'stopped']);

/**
 * Checks that reading a snapshot of custom logic cannot run user code, since the user's object is kept as it is. Throws
 * BOSUN_VALUE_REFUSED.
 */
export function checkCustom({ name }: Definition, given: unknown): Snapshot {
  const snapshot = due(given, `the snapshot of ${name}`);
  const refuse = (what: string) => {
    disown(snapshot);
    return new BosunError('BOSUN_VALUE_REFUSED', `the snapshot of ${name} ${what}`);
  };
  if (typeof snapshot !== 'object' || snapshot === null) throw refuse('is not an object');
  for (let at: object | null = snapshot; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    if (isProxy(at)) throw refuse('is a proxy');
    const keys = at === snapshot ? Reflect.ownKeys(at) : LOOKED_AT.filter((key) => Object.hasOwn(at as object, key));
    const getter = keys.find((key) => Object.getOwnPropertyDescriptor(at, key)!.get !== undefined);
    if (getter !== undefined) throw refuse(`has a getter, ${String(getter)}`);
  }
  if (!STATUSES.has((snapshot as Snapshot).status)) throw refuse(`has a status other than ${[...STATUSES].join(', ')}`);
  return snapshot as Snapshot;
}

function machineChange(
  change: Change,
  definition: Definition,
  { before, after }: { before: MachineSnapshot | undefined; after: MachineSnapshot },
  numberOf: Numbering,
): void {
  if (after._nodes !== before?._nodes) {
    const id = numberOf(definition, after);
    if (before === undefined || numberOf(definition, before) !== id) change.configuration = id;
  }
  if (
    after.historyValue !== before?.historyValue &&
    (before !== undefined || Object.keys(after.historyValue).length > 0)
  ) {
    change.history = Object.fromEntries(
      Object.entries(after.historyValue).map(([id, nodes]) => [id, nodes.map((node) => node.id)]),
    );
  }
  if (after.context !== before?.context) contextChange(change, before?.context, after.context);
}

function contextChange(change: Change, before: unknown, after: unknown): void {
  // The value check refuses symbol keys, so it must see the whole context.
  if (!isRecord(before) || !isRecord(after) || Object.getOwnPropertySymbols(after).length > 0) {
    change.context = { value: after };
    return;
  }
  let kept = 0;
  let isOurs = true;
  let set: Record<string, unknown> | undefined;
  // `for in` allocates no list of keys.
  for (const key in after) {
    if (!Object.hasOwn(after, key)) continue;
    const value = after[key];
    const isKept = Object.hasOwn(before, key);
    if (isKept) kept += 1;
    if (isKept && Object.is(value, before[key])) continue;
    if (!isTable(value)) put((set ??= {}), key, value);
    else {
      const own = ownTable(value);
      isOurs &&= own === value;
      const rows = rowChanges(isKept ? before[key] : undefined, own);
      if (rows.isNew) put((set ??= {}), key, NO_ROWS);
      if (rows.changes.set.length + rows.changes.unset.length > 0) put((change.rows ??= {}), key, rows.changes);
    }
  }
  change.set = set;
  if (kept < keyCount(before)) change.unset = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  // `assign` made this object anew and its tables are ours, so the state may keep the object itself.
  if (isOurs) change.made = after;
}

function keyCount(record: object): number {
  let count = 0;
  for (const key in record) if (Object.hasOwn(record, key)) count += 1;
  return count;
}

const NO_ROWS = table<unknown>();

/** The rows by which two tables differ. If the tables share no row, the change starts from an empty table. */
function rowChanges(before: unknown, after: Table<unknown>): { readonly isNew: boolean; readonly changes: RowChanges } {
  const set: [key: string, row: unknown][] = [];
  const unset: string[] = [];
  for (const [key, row] of changesBetween(isTable(before) ? before : NO_ROWS, after)) {
    if (row === undefined) unset.push(key);
    else set.push([key, row]);
  }
  const isNew = !isTable(before) || (unset.length > 0 && set.length === after.size);
  return { isNew, changes: { size: after.size, set, unset: isNew ? [] : unset } };
}

/** Sets a key, even one named __proto__, so that the value check sees and refuses it. */
function put<Value>(record: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  else record[key] = value;
}

/** Restores the snapshot of a machine. Throws BOSUN_AGENT_UNREADABLE if the machine no longer has the states. */
export function restoreMachine(
  definition: XstateDefinition,
  state: ActorState,
  children: Readonly<Record<string, Ref>>,
  address: string,
): Snapshot {
  const machine = definition.logic as AnyStateMachine;
  const { nodes, history } = standingNodes(definition, state, address);
  // XState creates the object with its methods; its nodes are then replaced by the stored ones, in their order.
  const made = machine.resolveState({ value: valueOf(machine.root, new Set(nodes)) as never, context: {} as never });
  const restored = Object.assign(made, {
    _nodes: nodes,
    context: state.context,
    status: statusOf(state),
    output: state.output,
    error: state.error,
    children: marked({ ...children }),
    historyValue: history,
  });
  // XState can produce an illegal configuration (a history state directly below a parallel one does); it is kept as
  // stored.
  return Object.assign(restored, appearanceOf(restored)) as unknown as Snapshot;
}

/** The value and tags that XState computes for the active nodes of a snapshot. */
export function appearanceOf(snapshot: object): Pick<MachineSnapshot, 'value' | 'tags'> {
  // Resolving an action that changes the snapshot makes XState create a new one, with value and tags.
  const action = stopChild('nobody') as unknown as {
    resolve(
      scope: object,
      snapshot: object,
      args: object,
      params: undefined,
      action: object,
      extra: object,
    ): [MachineSnapshot];
  };
  const [{ value, tags }] = action.resolve({}, snapshot, {}, undefined, action, {});
  return { value, tags };
}

/**
 * The active nodes, and the nodes that history states remember. Throws BOSUN_AGENT_UNREADABLE if the machine no longer
 * has one of them.
 */
export function standingNodes(
  definition: XstateDefinition,
  state: ActorState,
  address: string,
): { nodes: AnyStateNode[]; history: Record<string, AnyStateNode[]> } {
  const ids = state.configuration === null ? undefined : definition.configurations.nodes(state.configuration);
  const unreadable = (what: string) =>
    new BosunError('BOSUN_AGENT_UNREADABLE', `${address}: ${what} is not in the current ${definition.name}`, {
      details: { address, agent: definition.name },
    });
  if (ids === undefined) throw unreadable(`configuration ${state.configuration}`);
  const byId = nodesById(definition.logic as AnyStateMachine);
  const nodeOf = (id: string): AnyStateNode => {
    const node = byId.get(id);
    if (node === undefined) throw unreadable(`state "${id}"`);
    return node;
  };
  const history = Object.entries(state.history ?? {}).map(([id, remembered]) => [id, remembered.map(nodeOf)]);
  return { nodes: ids.map(nodeOf), history: Object.fromEntries(history) as Record<string, AnyStateNode[]> };
}

/** A read-only snapshot of a stored state that no machine in the code matches. It takes no turns. */
export function storedSnapshot(definition: Definition, state: ActorState): Snapshot {
  const { context, output, error } = state;
  const status = statusOf(state);
  if (definition.kind !== 'machine') return { ...(context as object), status, output, error };
  const value = state.configuration === null ? undefined : definition.configurations.at(state.configuration)?.value;
  return { status, value, context, output, error, tags: new Set(), children: {} } as Snapshot;
}

/** Puts the admitted values into a snapshot of XState's own logic. Other fields, such as a subscription, stay. */
function adoptParts(snapshot: Snapshot, state: ActorState): void {
  const { context, input } = (state.context ?? {}) as { context?: unknown; input?: unknown };
  const { output, error } = state;
  Object.assign(snapshot, { output, error }, 'context' in snapshot && { context }, 'input' in snapshot && { input });
}

export function statusOf({ status }: ActorState): Snapshot['status'] {
  return status === 'starting' ? 'active' : status;
}
