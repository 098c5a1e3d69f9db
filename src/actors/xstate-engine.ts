/**
 * The step engine over XState 5: hosts ActorLogic on a scope and a system of our own, shaped so that XState 6's host
 * interface can replace it. Neither createActor (it runs effects inside the transition) nor the public transition()
 * (it builds an actor on every call) is used. Limits: see docs/xstate-support.md.
 */
import { type Actor, type AnyActorLogic, type AnyStateMachine, type AnyStateNode, type EventObject } from 'xstate';
import { BosunError } from '../errors.ts';
import {
  type Birth,
  type Definition,
  type Effect,
  type Snapshot,
  type SnapshotView,
  type Step,
  type StepEngine,
} from './engine.ts';
import { invokedAddress } from './address.ts';
import { Ref } from './ref.ts';
import { type ActorState, type StateChange } from './state.ts';
import { nodesById, type XstateDefinition } from './xstate-definition.ts';

/** What the engine asks of the kernel while a step is under way. */
export interface EngineHost {
  nextLife(): number;
  ref(life: number, address: string): Ref;
  named(systemId: string): Ref | undefined;
  allNamed(): Record<string, Ref>;
  /** System ids held by a child and everything below it: they are free once it is stopped. */
  namesUnder(child: Ref): readonly string[];
  /** Somebody sent outside the described effects: an effect, a reference in user code, a custom action. */
  relay(from: object | undefined, to: object, event: EventObject): void;
  log(...args: unknown[]): void;
}

interface MachineSnapshot extends Snapshot {
  readonly machine: AnyStateMachine;
  readonly value: unknown;
  readonly _nodes: readonly AnyStateNode[];
  readonly historyValue: Record<string, AnyStateNode[]>;
  readonly tags: ReadonlySet<string>;
  children: Record<string, object>;
  context: unknown;
}

interface Action {
  readonly type: string;
  readonly info: object;
  readonly params: unknown;
  readonly exec?: (info: object, params: unknown) => void;
}

/** Actions whose names begin so are performed by the kernel (see supervision.ts); machines of users may not use them. */
export const KERNEL_ACTION_PREFIX = 'bosun.';

const XSTATE_PREFIX = 'xstate.';

/** Provisional children of steps, to the reference of the actor that was born for them. */
const handles = new WeakMap<object, Ref>();

/** The reference that an object stands for: itself, or that of the child whose provisional handle it is. */
export function refOf(object: object | undefined): Ref | undefined {
  return object instanceof Ref ? object : object && handles.get(object);
}

export class XstateEngine implements StepEngine {
  readonly #host: EngineHost;
  /** The stand-in for XState's actor system; also what user code sees as `system`. */
  readonly system: object;
  #actions: Action[] = [];
  /** System ids taken (a handle) or freed (null) by the step under way. */
  #names = new Map<string, object | null>();

  constructor(host: EngineHost) {
    this.#host = host;
    this.system = this.#createSystem();
  }

  initial(definition: Definition, self: Ref, input: unknown): Step {
    const { logic } = definition as XstateDefinition;
    return this.#step(definition, self, undefined, (scope) => {
      const snapshot = logic.getInitialSnapshot(scope, input as never) as Snapshot;
      // XState swallows a throw of the initial step into the snapshot.
      if (snapshot.status === 'error') throw snapshot.error;
      return snapshot;
    });
  }

  transition(definition: Definition, self: Ref, snapshot: Snapshot, event: EventObject): Step {
    const { logic } = definition as XstateDefinition;
    return this.#step(definition, self, snapshot, (scope) => logic.transition(snapshot as never, event as never, scope));
  }

  /** Runs user code of an effect: its start, an event it receives, its stop. Outside of steps. */
  effectScope(self: Ref, emit: (event: EventObject) => void): Parameters<NonNullable<AnyActorLogic['start']>>[1] {
    return { ...this.#scope(self), emit } as never;
  }

  changeOf(definition: Definition, before: Snapshot | undefined, after: Snapshot): StateChange {
    if (after === before) return {};
    const change: StateChange = {};
    if (before?.status !== after.status) change.status = after.status;
    if (after.output !== undefined && after.output !== before?.output) change.output = { value: after.output };
    if (after.error !== undefined && after.error !== before?.error) change.error = { value: after.error };
    if (definition.kind !== 'machine') {
      change.context = { value: (definition as XstateDefinition).logic.getPersistedSnapshot(after as never) };
      return change;
    }
    machineChange(change, definition, before as MachineSnapshot | undefined, after as MachineSnapshot);
    return change;
  }

  adopt(definition: Definition, snapshot: Snapshot, state: ActorState): Snapshot {
    if (definition.kind === 'machine') (snapshot as MachineSnapshot).context = state.context;
    return snapshot;
  }

  restore(definition: Definition, self: Ref, state: ActorState, children: Readonly<Record<string, Ref>>): Snapshot {
    const { logic } = definition as XstateDefinition;
    if (definition.kind !== 'machine') {
      const persisted = state.context as never;
      return (logic.restoreSnapshot ? logic.restoreSnapshot(persisted, this.#scope(self) as never) : persisted) as Snapshot;
    }
    return restoreMachine(definition, logic as AnyStateMachine, state, children, self);
  }

  view(definition: Definition, snapshot: Snapshot): SnapshotView {
    const { status, context, output, error } = snapshot;
    if (definition.kind !== 'machine') return { status, value: null, context: context ?? null, tags: [], output, error };
    const { value, tags } = snapshot as MachineSnapshot;
    return { status, value: value ?? null, context, tags: [...(tags ?? [])], output, error };
  }

  #step(definition: Definition, self: Ref, before: Snapshot | undefined, take: (scope: never) => Snapshot): Step {
    this.#actions = [];
    this.#names = new Map();
    try {
      const snapshot = take(this.#scope(self) as never);
      const { births, dropped } =
        definition.kind === 'machine'
          ? this.#family(definition, self, before as MachineSnapshot | undefined, snapshot as MachineSnapshot)
          : { births: [], dropped: [] };
      return { snapshot, births, dropped, effects: this.#actions.flatMap(describe) };
    } finally {
      this.#actions = [];
      this.#names = new Map();
    }
  }

  /**
   * Who was born and who is gone, by comparing the children before and after: that also sees `spawn` inside `assign`,
   * for which XState describes no action. Handles of the newborn are replaced by references in the snapshot.
   */
  #family(definition: Definition, self: Ref, before: MachineSnapshot | undefined, after: MachineSnapshot) {
    const births: Birth[] = [];
    const dropped: Ref[] = [];
    const previous = before?.children ?? {};
    if (after.children === previous) return { births, dropped };
    for (const key of Object.keys(after.children)) {
      const child = after.children[key];
      if (child === undefined || child instanceof Ref) continue;
      const birth = this.#birth(definition, self, child as Actor<AnyActorLogic>);
      births.push(birth);
      // A spawnChild without id is kept under the key "undefined" by XState; give it the id it has.
      if (key !== birth.childId) delete after.children[key];
      after.children[birth.childId] = birth.ref;
    }
    for (const [key, child] of Object.entries(previous)) {
      if (after.children[key] !== child) dropped.push(child as Ref);
    }
    return { births, dropped };
  }

  #birth(definition: Definition, self: Ref, handle: Actor<AnyActorLogic>): Birth {
    const src: unknown = handle.src;
    const child = typeof src === 'string' ? definition.child(src) : undefined;
    if (typeof src !== 'string' || child === undefined) {
      throw new BosunError('BOSUN_AGENT_INVALID', `${definition.name} spawns inline logic; name it in setup({ actors })`);
    }
    const life = Number(handle.sessionId);
    const ref = this.#host.ref(life, invokedAddress(self.address, handle.id));
    handles.set(handle, ref);
    // A custom action of the same step may hold the handle instead of the reference.
    handle.getSnapshot = () => ref.getSnapshot() as never;
    return {
      life,
      childId: handle.id,
      src,
      definition: child,
      input: handle.options.input as unknown,
      systemId: handle.systemId ?? null,
      syncSnapshot: (handle as unknown as { _syncSnapshot?: boolean })._syncSnapshot === true,
      ref,
    };
  }

  #scope(self: Ref): object {
    return {
      self,
      id: self.id,
      sessionId: self.sessionId,
      system: this.system,
      logger: this.#host.log,
      // What XState defers are the executions of its own actions; the kernel performs those from their descriptions.
      defer() {},
      emit() {},
      stopChild() {},
      actionExecutor: (action: Action) => {
        if (action.type === 'xstate.stopChild') this.#freeNames(action.params as object | undefined);
        this.#actions.push(action);
      },
    };
  }

  #freeNames(child: object | undefined): void {
    const ref = refOf(child);
    if (ref !== undefined) for (const name of this.#host.namesUnder(ref)) this.#names.set(name, null);
    for (const [name, holder] of this.#names) if (holder !== null && holder === child) this.#names.set(name, null);
  }

  #takeName(systemId: string, handle: object): void {
    const staged = this.#names.get(systemId);
    const taken = staged === undefined ? this.#host.named(systemId) !== undefined : staged !== null && staged !== handle;
    if (taken) throw new Error(`Actor with system ID '${systemId}' already exists.`);
    this.#names.set(systemId, handle);
  }

  #named(systemId: string): object | undefined {
    const staged = this.#names.get(systemId);
    return staged === undefined ? this.#host.named(systemId) : (staged ?? undefined);
  }

  #createSystem(): object {
    const host = this.#host;
    return {
      get: (systemId: string) => this.#named(systemId),
      getAll: () => host.allNamed(),
      inspect: () => ({ unsubscribe() {} }),
      getSnapshot: () => ({ _scheduledEvents: {} }),
      start() {},
      scheduler: { schedule() {}, cancel() {}, cancelAll() {} },
      // The session id of a provisional child is the life that it will have.
      _bookId: () => String(host.nextLife()),
      _register: (sessionId: string) => sessionId,
      _unregister() {},
      _set: (systemId: string, handle: object) => this.#takeName(systemId, handle),
      _relay: (from: object | undefined, to: object, event: EventObject) => host.relay(from, to, event),
      _sendInspectionEvent() {},
      _snapshot: { _scheduledEvents: {} },
      _clock: { setTimeout() {}, clearTimeout() {} },
      _logger: (...args: unknown[]) => host.log(...args),
    };
  }
}

/** Turns XState's executable action into the kernel's words. */
function describe(action: Action): Effect[] {
  const params = action.params as Record<string, unknown> | undefined;
  switch (action.type) {
    case 'xstate.raise':
    case 'xstate.sendTo':
      return describeSend(action.type, params as unknown as SendParams, action.info as { self: Ref });
    case 'xstate.cancel':
      return [{ kind: 'cancel', id: String(params?.['sendId']) }];
    case 'xstate.emit':
      return [{ kind: 'emit', event: params?.['event'] as EventObject }];
    case 'xstate.log':
      return [{ kind: 'log', label: params?.['label'] as string | undefined, value: params?.['value'] }];
    default:
      return describeCustom(action);
  }
}

interface SendParams {
  readonly to?: object;
  readonly event: EventObject;
  readonly id?: string;
  readonly delay?: number;
}

function describeSend(type: string, { to, event, id, delay }: SendParams, { self }: { self: Ref }): Effect[] {
  const target = type === 'xstate.raise' ? self : to!;
  if (typeof delay === 'number') return [{ kind: 'arm', id, delayMs: delay, to: target, event }];
  return type === 'xstate.raise' ? [] : [{ kind: 'send', to: target, event }];
}

function describeCustom({ type, info, params, exec }: Action): Effect[] {
  // Births and stops are seen by comparing children; everything else of XState's own is known above.
  if (type.startsWith(XSTATE_PREFIX)) return [];
  if (type.startsWith(KERNEL_ACTION_PREFIX)) return [{ kind: 'command', name: type, params }];
  return exec === undefined ? [] : [{ kind: 'call', name: type, run: () => exec(info, params) }];
}

function machineChange(
  change: StateChange,
  definition: Definition,
  before: MachineSnapshot | undefined,
  after: MachineSnapshot,
): void {
  if (after._nodes !== before?._nodes) {
    const id = definition.configurations.intern(after._nodes.map((node) => node.id));
    if (before === undefined || definition.configurations.intern(before._nodes.map((node) => node.id)) !== id) {
      change.configuration = id;
    }
  }
  if (after.historyValue !== before?.historyValue && (before !== undefined || Object.keys(after.historyValue).length > 0)) {
    change.history = Object.fromEntries(
      Object.entries(after.historyValue).map(([id, nodes]) => [id, nodes.map((node) => node.id)]),
    );
  }
  if (after.context !== before?.context) contextChange(change, before?.context, after.context);
}

function contextChange(change: StateChange, before: unknown, after: unknown): void {
  if (!isRecord(before) || !isRecord(after)) {
    change.context = { value: after };
    return;
  }
  const set: Record<string, unknown> = {};
  let changed = false;
  for (const key of Object.keys(after)) {
    if (Object.is(after[key], before[key]) && key in before) continue;
    // Through defineProperty, so that a key named __proto__ reaches admission and is refused there.
    Object.defineProperty(set, key, { value: after[key], enumerable: true, configurable: true, writable: true });
    changed = true;
  }
  if (changed) change.set = set;
  const unset = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  if (unset.length > 0) change.unset = unset;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function restoreMachine(
  definition: Definition,
  machine: AnyStateMachine,
  state: ActorState,
  children: Readonly<Record<string, Ref>>,
  self: Ref,
): Snapshot {
  const ids = state.configuration === null ? undefined : definition.configurations.nodes(state.configuration);
  const unreadable = (what: string) =>
    new BosunError('BOSUN_AGENT_UNREADABLE', `${self.address}: ${what} is not in the current ${definition.name}`, {
      details: { address: self.address, agent: definition.name },
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
    context: state.context,
    status: state.status === 'starting' ? 'active' : state.status,
    output: state.output,
    error: state.error,
    children: { ...children },
    historyValue: Object.fromEntries(history) as Record<string, AnyStateNode[]>,
  }) as unknown as Snapshot;
}

/** The state value that the active nodes below `node` amount to. */
function valueOf(node: AnyStateNode, active: ReadonlySet<AnyStateNode>): unknown {
  const children = Object.values(node.states as Record<string, AnyStateNode>).filter((child) => active.has(child));
  if (node.type === 'parallel') return Object.fromEntries(children.map((child) => [child.key, valueOf(child, active)]));
  const [child] = children;
  if (child === undefined) return {};
  const below = valueOf(child, active);
  const isLeaf = typeof below === 'object' && below !== null && Object.keys(below).length === 0;
  return isLeaf && child.type !== 'parallel' ? child.key : { [child.key]: below };
}
