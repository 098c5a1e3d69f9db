/**
 * The step engine over XState 5: hosts ActorLogic on a scope and a system of our own, shaped so that XState 6's host
 * interface can replace it. Neither createActor (it runs effects inside the transition) nor the public transition()
 * (it builds an actor on every call) is used. Limits: see docs/xstate-support.md.
 */
import { type Actor, type AnyActorLogic, type EventObject } from 'xstate';
import { BosunError } from '../errors.ts';
import {
  type Birth,
  type Definition,
  type Effect,
  type Entry,
  type Running,
  type Snapshot,
  type SnapshotView,
  type Standing,
  type Step,
  type StepEngine,
} from './engine.ts';
import { invokedAddress } from './address.ts';
import { Ref } from './ref.ts';
import { type ActorState, type StateChange } from './state.ts';
import { type DelayLookUp, type XstateDefinition } from './xstate-definition.ts';
import { type Family, type Growth, growthOf, marked } from './xstate-family.ts';
import { type Inspected, takenBy } from './xstate-inspection.ts';
import { enterMachine } from './xstate-migration.ts';
import { adopt, changeOf, type MachineSnapshot, restoreMachine, restoreOther, storedSnapshot } from './xstate-state.ts';

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

/** What XState makes for a child: never started here, only described by. */
type Handle = Actor<AnyActorLogic>;

interface Action {
  readonly type: string;
  readonly info: object;
  readonly params: unknown;
  readonly exec?: (info: object, params: unknown) => unknown;
  /** Ours: the name of its delay. */
  delay?: string;
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

/** XState's ActorScope. A step reads `id` and `sessionId` seldom, so they are looked up when it does. */
class Scope {
  self: Ref;
  readonly system: object;
  readonly logger: (...args: unknown[]) => void;
  /** XState replaces it for the length of a microstep. */
  actionExecutor: (action: Action) => void;

  constructor(self: Ref, system: object, logger: (...args: unknown[]) => void, actionExecutor: (action: Action) => void) {
    this.self = self;
    this.system = system;
    this.logger = logger;
    this.actionExecutor = actionExecutor;
  }

  get id(): string {
    return this.self.id;
  }

  get sessionId(): string {
    return this.self.sessionId;
  }

  // What XState defers are the executions of its own actions; the kernel performs those from their descriptions.
  defer(): void {}
  readonly emit: (event: EventObject) => void = () => {};
  stopChild(): void {}
}

const NOTHING: readonly never[] = [];
const NO_FAMILY = { births: NOTHING, dropped: NOTHING };

export class XstateEngine implements StepEngine {
  readonly #host: EngineHost;
  onMicrostep: StepEngine['onMicrostep'];
  /** The stand-in for XState's actor system; also what user code sees as `system`. */
  readonly system: object;
  /** The scope of all steps of machines: a step never yields, and what XState makes of it dies with the step. */
  readonly #stepScope: Scope;
  #actions: Action[] = [];
  /** Of the definition that steps. */
  #lookUp: DelayLookUp = { name: null };
  /** System ids taken (a handle) or freed (null) by the step under way. */
  #names = new Map<string, object | null>();

  constructor(host: EngineHost) {
    this.#host = host;
    this.system = this.#createSystem();
    this.#stepScope = this.#scope(undefined as never);
  }

  initial(definition: Definition, self: Ref, input: unknown): Step {
    const { logic } = definition as XstateDefinition;
    const scope = this.#begin(definition, self);
    try {
      const snapshot = logic.getInitialSnapshot(scope as never, input as never) as Snapshot;
      // XState swallows a throw of the initial step into the snapshot.
      if (snapshot.status === 'error') throw snapshot.error;
      return this.#described(definition, self, undefined, snapshot);
    } finally {
      this.#end();
    }
  }

  transition(definition: Definition, self: Ref, before: Snapshot, event: EventObject): Step {
    const { logic } = definition as XstateDefinition;
    const scope = this.#begin(definition, self);
    try {
      const snapshot = logic.transition(before as never, event as never, scope as never) as Snapshot;
      return this.#described(definition, self, before, snapshot);
    } finally {
      this.#end();
    }
  }

  /** Runs user code of an effect: its start, an event it receives, its stop. Outside of steps. */
  effectScope(self: Ref, emit: (event: EventObject) => void): Parameters<NonNullable<AnyActorLogic['start']>>[1] {
    return Object.assign(this.#scope(self), { emit }) as never;
  }

  changeOf(definition: Definition, before: Snapshot | undefined, after: Snapshot): StateChange {
    return changeOf(definition as XstateDefinition, before, after);
  }

  adopt(definition: Definition, snapshot: Snapshot, state: ActorState): Snapshot {
    return adopt(definition, snapshot, state);
  }

  restore(definition: Definition, self: Ref, state: ActorState, children: Readonly<Record<string, Ref>>): Snapshot {
    return definition.kind === 'machine'
      ? restoreMachine(definition as XstateDefinition, state, children, self.address)
      : restoreOther(definition as XstateDefinition, state, this.#scope(self));
  }

  stored(definition: Definition, state: ActorState): Snapshot {
    return storedSnapshot(definition, state);
  }

  enter(definition: Definition, self: Ref, stored: Standing, running: Running): Entry {
    return enterMachine(definition as XstateDefinition, stored, running, { self, system: this.system });
  }

  view(definition: Definition, snapshot: Snapshot): SnapshotView {
    const { status, context, output, error } = snapshot;
    if (definition.kind !== 'machine') return { status, value: null, context, tags: [], output, error };
    const { value, tags } = snapshot as MachineSnapshot;
    return { status, value: value ?? null, context, tags: [...(tags ?? [])], output, error };
  }

  /** Machines share one scope; other logic is code of the user, who may keep what it is given. */
  #begin(definition: Definition, self: Ref): Scope {
    const scope = definition.kind === 'machine' ? this.#stepScope : this.#scope(self);
    scope.self = self;
    this.#lookUp = (definition as XstateDefinition).lookUp;
    this.#lookUp.name = null;
    return scope;
  }

  #described(definition: Definition, self: Ref, before: Snapshot | undefined, snapshot: Snapshot): Step {
    const { births, dropped } =
      definition.kind === 'machine'
        ? this.#family(definition, self, before as MachineSnapshot | undefined, snapshot as MachineSnapshot)
        : NO_FAMILY;
    return { snapshot, births, dropped, effects: this.#actions.length === 0 ? NOTHING : this.#actions.flatMap(describe) };
  }

  #end(): void {
    if (this.#actions.length > 0) this.#actions = [];
    if (this.#names.size > 0) this.#names = new Map();
  }

  /**
   * Who was born and who is gone, by comparing the children before and after: that also sees `spawn` inside `assign`,
   * for which XState describes no action. Handles of the newborn are replaced by references in the snapshot.
   */
  #family(definition: Definition, self: Ref, before: MachineSnapshot | undefined, after: MachineSnapshot) {
    if (after.children === before?.children) return NO_FAMILY;
    const growth = growthOf(after.children as Family);
    if (growth !== undefined && growth.base === before?.children) return this.#added(definition, self, growth);
    const births: Birth[] = [];
    const dropped: Ref[] = [];
    const previous = before?.children ?? {};
    const stopped = this.#stopped();
    this.#keepUnnamed(definition, after, stopped);
    for (const child of stopped) if (!(child instanceof Ref)) this.#stillborn(self, child as Handle);
    for (const [key, child] of Object.entries(after.children)) {
      if (child instanceof Ref) continue;
      // Born and stopped within one step, it never lived.
      if (child === undefined || stopped.has(child)) delete after.children[key];
      else births.push(this.#birth(definition, self, child as Handle));
    }
    for (const { childId, ref } of births) after.children[childId] = ref;
    const gone = Object.entries(previous).filter(([key, child]) => after.children[key] !== child);
    for (const ref of [...stopped, ...gone.map(([, child]) => child)]) {
      if (ref instanceof Ref && gone.some(([, child]) => child === ref) && !dropped.includes(ref)) dropped.push(ref);
    }
    // Object keys that look like numbers lose their place; lives are given out in the order of the spawns.
    births.sort((a, b) => a.life - b.life);
    marked(after.children as Family);
    return { births, dropped };
  }

  /** The step has only added to a large family: what was there before is not looked at. */
  #added(definition: Definition, self: Ref, { base, fresh }: Growth) {
    const births: Birth[] = [];
    const dropped: Ref[] = [];
    const stopped = this.#stopped();
    this.#keepUnnamed(definition, { children: fresh }, stopped);
    for (const child of Object.values(fresh)) births.push(this.#birth(definition, self, child as Handle));
    for (const { childId, ref } of births) {
      fresh[childId] = ref;
      if (base[childId] instanceof Ref) dropped.push(base[childId]);
    }
    births.sort((a, b) => a.life - b.life);
    return { births, dropped };
  }

  /** Children that the step stops, in its order. */
  #stopped(): ReadonlySet<object> {
    const stops = this.#actions.filter(({ type, params }) => type === 'xstate.stopChild' && params !== undefined);
    return new Set(stops.map(({ params }) => params as object));
  }

  /** XState keeps every spawnChild without id under the key "undefined", so that a second one hides the first. */
  #keepUnnamed(definition: Definition, after: Pick<MachineSnapshot, 'children'>, stopped: ReadonlySet<object>): void {
    if ((after.children['undefined'] as Handle | undefined)?.id !== 'undefined') delete after.children['undefined'];
    for (const { type, params } of this.#actions) {
      if (type !== 'xstate.spawnChild') continue;
      const { actorRef: handle, src } = params as { actorRef?: Handle; src: unknown };
      if (handle === undefined) throw new BosunError('BOSUN_AGENT_INVALID', `${definition.name} has no "${String(src)}" in setup({ actors })`);
      if (handle.options.id === undefined && !stopped.has(handle)) after.children[handle.id] = handle;
    }
  }

  /** A context may refer to a child that was stopped in the step that spawned it: then to a life that was never lived. */
  #stillborn(self: Ref, handle: Handle): void {
    const ref = this.#host.ref(Number(handle.sessionId), invokedAddress(self.address, handle.id));
    handles.set(handle, ref);
    handle.getSnapshot = () => ref.getSnapshot() as never;
  }

  #birth(definition: Definition, self: Ref, handle: Handle): Birth {
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

  #scope(self: Ref): Scope {
    return new Scope(self, this.system, this.#host.log, (action) => {
      if (action.type === 'xstate.stopChild') this.#freeNames(action.params as object | undefined);
      if (this.#lookUp.name !== null) this.#name(action);
      this.#actions.push(action);
    });
  }

  /** XState describes an action as soon as it has looked up its delay, so the last name looked up is this one's. */
  #name(action: Action): void {
    action.delay = this.#lookUp.name!;
    this.#lookUp.name = null;
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
      _sendInspectionEvent: (inspected: Inspected) => void this.onMicrostep?.(takenBy(inspected)),
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
      return describeSend(action, params as unknown as SendParams, action.info as { self: Ref });
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

function describeSend(action: Action, { to, event, id, delay }: SendParams, { self }: { self: Ref }): Effect[] {
  const { type } = action;
  const target = type === 'xstate.raise' ? self : to!;
  if (typeof delay === 'number') return [{ kind: 'arm', id, delayMs: delay, delay: action.delay ?? null, to: target, event }];
  return type === 'xstate.raise' ? [] : [{ kind: 'send', to: target, event }];
}

function describeCustom({ type, info, params, exec }: Action): Effect[] {
  // Births and stops are seen by comparing children; everything else of XState's own is known above.
  if (type.startsWith(XSTATE_PREFIX)) return [];
  if (type.startsWith(KERNEL_ACTION_PREFIX)) return [{ kind: 'command', name: type, params }];
  return exec === undefined ? [] : [{ kind: 'call', name: type, exec, info, params }];
}
