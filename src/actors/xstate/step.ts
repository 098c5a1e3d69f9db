/**
 * The step under way, as XState sees it: the scope and the system it is given, what it describes meanwhile, and the
 * system ids it takes. One for all steps of an engine, since a step never yields. Part of the one place that knows
 * XState's internals (see xstate/definition.ts).
 */
import { type EventObject } from 'xstate';
import { type Definition, type StepEngine } from '../model/step-engine.ts';
import { type Ref } from '../model/ref.ts';
import { type FamilyChange, familyChange, refOf } from './births.ts';
import { type XstateDefinition } from './definition.ts';
import { type DelayLookUp } from './hosting.ts';
import { type Action } from './step-effects.ts';
import { type Family } from './family.ts';
import { type Inspected } from './microsteps.ts';

/** The services of the kernel during a step. */
export interface EngineHost {
  nextLife(): number;
  ref(life: number, address: string): Ref;
  named(systemId: string): Ref | undefined;
  allNamed(): Record<string, Ref>;
  /** The system ids held by a child and its descendants. They become free when the child stops. */
  namesUnder(child: Ref): readonly string[];
  /** Relays a send outside the described effects: by an effect, a reference in user code, a custom action. */
  relay(from: object | undefined, to: object, event: EventObject): void;
  log(...args: unknown[]): void;
}

/** XState's ActorScope. Steps seldom read `id` and `sessionId`, so these are computed on access. */
export class Scope {
  self: Ref;
  readonly system: object;
  readonly logger: (...args: unknown[]) => void;
  /** Receives described actions. XState replaces the function during a microstep. */
  actionExecutor: (action: Action) => void;

  constructor(
    self: Ref,
    system: object,
    logger: (...args: unknown[]) => void,
    actionExecutor: (action: Action) => void,
  ) {
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

  // XState defers only executions of its own actions, which the kernel performs from their descriptions.
  defer(): void {}
  readonly emit: (event: EventObject) => void = () => {};
  stopChild(): void {}
}

export class OpenStep {
  readonly #host: EngineHost;
  /** The stand-in for XState's actor system. User code sees it as `system`. */
  readonly system: object;
  /** The scope shared by all steps of machines: XState keeps no reference to it after a step. */
  readonly machineScope: Scope;
  /** The actions described through the scope, in order. */
  actions: Action[] = [];
  /** A listener for microsteps; see StepEngine. */
  onMicrostep: StepEngine['onMicrostep'];
  /** The delay look-up of the definition that takes the step. */
  #lookUp: DelayLookUp = { name: null };
  /** System ids taken (a handle) or freed (null). */
  #names = new Map<string, object | null>();

  constructor(host: EngineHost) {
    this.#host = host;
    this.system = this.#createSystem();
    this.machineScope = this.scope(undefined as never);
  }

  /** Begins a step. Machines share one scope; other logic may keep its scope, so it gets a new one. */
  begin(definition: Definition, self: Ref): Scope {
    const scope = definition.kind === 'machine' ? this.machineScope : this.scope(self);
    scope.self = self;
    this.#lookUp = (definition as XstateDefinition).lookUp;
    this.#lookUp.name = null;
    return scope;
  }

  end(): void {
    if (this.actions.length > 0) this.actions = [];
    if (this.#names.size > 0) this.#names = new Map();
  }

  scope(self: Ref): Scope {
    return new Scope(self, this.system, this.#host.log, (action) => {
      if (action.type === 'xstate.stopChild') this.#freeNames(action.params as object | undefined);
      const delay = this.takeDelay();
      if (delay !== null) action.delay = delay;
      this.actions.push(action);
    });
  }

  /**
   * Takes the name of the delay looked up last. XState describes an action right after looking up its delay, so the
   * name belongs to that action.
   */
  takeDelay(): string | null {
    const { name } = this.#lookUp;
    if (name !== null) this.#lookUp.name = null;
    return name;
  }

  /** Assigns the life of the next child. */
  nextLife(): number {
    return this.#host.nextLife();
  }

  /**
   * Computes the change of a machine's children.
   *
   * @param before The children before the step; undefined for its initial step.
   */
  familyChange(
    definition: Definition,
    self: Ref,
    before: Family | undefined,
    after: { children: Family },
  ): FamilyChange {
    const ref = (life: number, address: string) => this.#host.ref(life, address);
    return familyChange({ definition, self, actions: this.actions, ref }, before, after);
  }

  #freeNames(child: object | undefined): void {
    const ref = refOf(child);
    if (ref !== undefined) for (const name of this.#host.namesUnder(ref)) this.#names.set(name, null);
    for (const [name, holder] of this.#names) if (holder !== null && holder === child) this.#names.set(name, null);
  }

  #takeName(systemId: string, handle: object): void {
    const staged = this.#names.get(systemId);
    const taken =
      staged === undefined ? this.#host.named(systemId) !== undefined : staged !== null && staged !== handle;
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
      // The session id of a provisional child is its future life.
      _bookId: () => String(host.nextLife()),
      _register: (sessionId: string) => sessionId,
      _unregister() {},
      _set: (systemId: string, handle: object) => this.#takeName(systemId, handle),
      _relay: (from: object | undefined, to: object, event: EventObject) => host.relay(from, to, event),
      _sendInspectionEvent: ({ _transitions }: Inspected) => void (_transitions && this.onMicrostep?.(_transitions)),
      _snapshot: { _scheduledEvents: {} },
      _clock: { setTimeout() {}, clearTimeout() {} },
      _logger: (...args: unknown[]) => host.log(...args),
    };
  }
}
