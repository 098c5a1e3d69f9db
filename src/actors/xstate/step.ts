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

/** XState's ActorScope. A step reads `id` and `sessionId` seldom, so they are looked up when it does. */
export class Scope {
  self: Ref;
  readonly system: object;
  readonly logger: (...args: unknown[]) => void;
  /** XState replaces it for the length of a microstep. */
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

  // What XState defers are the executions of its own actions; the kernel performs those from their descriptions.
  defer(): void {}
  readonly emit: (event: EventObject) => void = () => {};
  stopChild(): void {}
}

export class OpenStep {
  readonly #host: EngineHost;
  /** The stand-in for XState's actor system; also what user code sees as `system`. */
  readonly system: object;
  /** The scope of all steps of machines: what XState makes of it dies with the step. */
  readonly machineScope: Scope;
  /** What has been described by way of the scope, in order. */
  actions: Action[] = [];
  /** See StepEngine. */
  onMicrostep: StepEngine['onMicrostep'];
  /** Of the definition that steps. */
  #lookUp: DelayLookUp = { name: null };
  /** System ids taken (a handle) or freed (null). */
  #names = new Map<string, object | null>();

  constructor(host: EngineHost) {
    this.#host = host;
    this.system = this.#createSystem();
    this.machineScope = this.scope(undefined as never);
  }

  /** Machines share one scope; other logic is code of the user, who may keep what it is given. */
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
   * The named delay looked up last: XState describes an action as soon as it has looked up its delay, so it is that
   * one's.
   */
  takeDelay(): string | null {
    const { name } = this.#lookUp;
    if (name !== null) this.#lookUp.name = null;
    return name;
  }

  /** @param before Children that the machine had; undefined for its initial step. */
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
      // The session id of a provisional child is the life that it will have.
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
