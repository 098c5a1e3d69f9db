/**
 * How a snapshot of XState and the durable state of an actor correspond: what a step changed, and the way back.
 * Part of the one place that knows XState's internals (see xstate-definition.ts).
 */
import { type AnyStateMachine, type AnyStateNode } from 'xstate';
import { BosunError } from '../errors.ts';
import { type Definition, type Snapshot } from './engine.ts';
import { type Ref } from './ref.ts';
import { type ActorState, type StateChange } from './state.ts';
import { nodesById, valueOf, type XstateDefinition } from './xstate-definition.ts';
import { type Family, grown, marked } from './xstate-family.ts';

export interface MachineSnapshot extends Snapshot {
  readonly machine: AnyStateMachine;
  readonly value: unknown;
  readonly _nodes: readonly AnyStateNode[];
  readonly historyValue: Record<string, AnyStateNode[]>;
  readonly tags: ReadonlySet<string>;
  children: Record<string, object>;
  context: unknown;
}

export function changeOf(definition: XstateDefinition, before: Snapshot | undefined, after: Snapshot): StateChange {
  if (after === before) return {};
  const change: StateChange = {};
  if (before?.status !== after.status) change.status = after.status;
  if (after.output !== undefined && after.output !== before?.output) change.output = { value: after.output };
  if (after.error !== undefined && after.error !== before?.error) change.error = { value: after.error };
  if (definition.kind === 'machine') machineChange(change, definition, before as MachineSnapshot | undefined, after as MachineSnapshot);
  else change.context = { value: definition.logic.getPersistedSnapshot(after as never) };
  return change;
}

/** Makes a snapshot hold what was admitted. */
export function adopt(definition: Definition, snapshot: Snapshot, state: ActorState): Snapshot {
  if (definition.kind === 'machine') {
    const machineSnapshot = snapshot as MachineSnapshot;
    machineSnapshot.context = state.context;
    machineSnapshot.children = grown(machineSnapshot.children as Family);
  }
  // How custom logic relates a snapshot to its persisted form is its own affair.
  else if (definition.kind !== 'custom') adoptParts(snapshot, state);
  return snapshot;
}

export function restoreOther({ logic, kind }: XstateDefinition, state: ActorState, scope: object): Snapshot {
  const persisted = { ...(state.context as object) };
  const restored = logic.restoreSnapshot?.(persisted as never, scope as never) ?? persisted;
  if (kind === 'custom') return restored as Snapshot;
  const { output, error } = state;
  return { ...restored, status: statusOf(state), output, error } as Snapshot;
}

function machineChange(
  change: StateChange,
  definition: Definition,
  before: MachineSnapshot | undefined,
  after: MachineSnapshot,
): void {
  if (after._nodes !== before?._nodes) {
    const id = definition.configurations.intern(after._nodes);
    if (before === undefined || definition.configurations.intern(before._nodes) !== id) change.configuration = id;
  }
  if (after.historyValue !== before?.historyValue && (before !== undefined || Object.keys(after.historyValue).length > 0)) {
    change.history = Object.fromEntries(
      Object.entries(after.historyValue).map(([id, nodes]) => [id, nodes.map((node) => node.id)]),
    );
  }
  if (after.context !== before?.context) contextChange(change, before?.context, after.context);
}

function contextChange(change: StateChange, before: unknown, after: unknown): void {
  // Symbol keys are seen by admission only, which refuses them.
  if (!isRecord(before) || !isRecord(after) || Object.getOwnPropertySymbols(after).length > 0) {
    change.context = { value: after };
    return;
  }
  const keys = Object.keys(after);
  let kept = 0;
  let set: Record<string, unknown> | undefined;
  for (const key of keys) {
    const isKept = Object.hasOwn(before, key);
    if (isKept) kept += 1;
    if (isKept && Object.is(after[key], before[key])) continue;
    put((set ??= {}), key, after[key]);
  }
  if (set !== undefined) change.set = set;
  if (kept < Object.keys(before).length) change.unset = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
}

/** Such that a key named __proto__ reaches admission, and is refused there. */
function put(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  else record[key] = value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Throws BOSUN_AGENT_UNREADABLE where the machine no longer has the states. */
export function restoreMachine(
  definition: XstateDefinition,
  state: ActorState,
  children: Readonly<Record<string, Ref>>,
  address: string,
): Snapshot {
  const machine = definition.logic as AnyStateMachine;
  const ids = state.configuration === null ? undefined : definition.configurations.nodes(state.configuration);
  const unreadable = (what: string) =>
    new BosunError('BOSUN_AGENT_UNREADABLE', `${address}: ${what} is not in the current ${definition.name}`, {
      details: { address, agent: definition.name },
    });
  if (ids === undefined) throw unreadable(`configuration ${state.configuration}`);
  const byId = nodesById(machine);
  const nodeOf = (id: string): AnyStateNode => {
    const node = byId.get(id);
    if (node === undefined) throw unreadable(`state "${id}"`);
    return node;
  };
  const nodes = ids.map(nodeOf);
  const history = Object.entries(state.history ?? {}).map(([id, remembered]) => [id, remembered.map(nodeOf)]);
  // XState makes the object, with its methods; the configuration is then set exactly, order included.
  const made = machine.resolveState({ value: valueOf(machine.root, new Set(nodes)) as never, context: {} as never });
  return Object.assign(made, {
    _nodes: nodes,
    // XState may have left a configuration that is not one (a history state right under a parallel one does); it stays as it was.
    tags: new Set(nodes.flatMap((node) => node.tags as string[])),
    context: state.context,
    status: statusOf(state),
    output: state.output,
    error: state.error,
    children: marked({ ...children }),
    historyValue: Object.fromEntries(history) as Record<string, AnyStateNode[]>,
  }) as unknown as Snapshot;
}

/** What can be shown of a state that no machine of today's code stands for. It takes no turns. */
export function storedSnapshot(definition: Definition, state: ActorState): Snapshot {
  const { context, output, error } = state;
  const status = statusOf(state);
  if (definition.kind !== 'machine') return { ...(context as object), status, output, error };
  const value = state.configuration === null ? undefined : definition.configurations.at(state.configuration)?.value;
  return { status, value, context, output, error, tags: new Set(), children: {} } as Snapshot;
}

/** Makes a snapshot of XState's own logic hold what was admitted. What it holds besides (a subscription) stays. */
function adoptParts(snapshot: Snapshot, state: ActorState): void {
  const { context, input } = (state.context ?? {}) as { context?: unknown; input?: unknown };
  const { output, error } = state;
  Object.assign(snapshot, { output, error }, 'context' in snapshot && { context }, 'input' in snapshot && { input });
}

function statusOf({ status }: ActorState): Snapshot['status'] {
  return status === 'starting' ? 'active' : status;
}
