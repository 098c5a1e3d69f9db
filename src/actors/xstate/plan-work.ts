/**
 * The state of a step that plans take: the next snapshot, the event, the internal queue, and the effects so far. An
 * engine uses one object for all its steps, since a step never yields; snapshot and effects are new for each step.
 */
import { assign, type EventObject } from 'xstate';
import { type Effect } from '../model/step-engine.ts';
import type { Transition } from './plan-probe.ts';
import { type Place, PlanSnapshot } from './plan-snapshot.ts';
import { type Ref } from '../model/ref.ts';
import { type Action, described } from './step-effects.ts';
import { spawning } from './owed-values.ts';
import { added, type Family, isLarge, wrapped } from './family.ts';
import { type OpenStep, type Scope } from './step.ts';

/** An action with the `resolve` that XState calls: XState's own, and wrapped ones. */
export interface BuiltIn {
  readonly type: string;
  resolve(scope: object, snapshot: object, args: object, params: unknown, action: object, extra: object): Resolved;
  execute?(scope: object, params: unknown): void;
}

type Resolved = [
  snapshot: { readonly context: unknown; readonly children: Family },
  params: unknown,
  actions: readonly unknown[] | undefined,
];

/** The first argument of actions. */
export interface ActionArgs {
  readonly context: unknown;
  readonly event: EventObject;
  readonly self: Ref;
  readonly system: object;
}

/** A send whose receiver is looked up again at the end of the list of actions. */
interface Retry {
  readonly receiver: () => unknown;
  /** Index of the effect. */
  readonly at: number;
}

/** The shared empty list. It is never changed. */
const NONE: Effect[] = [];

export class Work {
  readonly step: OpenStep;
  readonly scope: Scope;
  snapshot!: PlanSnapshot;
  event!: EventObject;
  effects: Effect[] = NONE;
  /** Whether XState would have made a new snapshot in the present microstep. */
  isTouched = false;
  isAssigning = false;
  /**
   * The transitions of each microstep. Only the first `#taken` entries are valid: emptying the array would allocate it
   * again in every turn.
   */
  readonly #microsteps: (readonly Transition[])[] = [];
  #taken = 0;
  readonly queue: EventObject[] = [];
  /** The extra argument that XState passes to its own actions. */
  readonly extra: { readonly internalQueue: EventObject[]; deferredActorIds: readonly string[] | undefined };
  #retries: Retry[] | undefined;
  /** This step's own copy of the children, which it may change. */
  #family: Family | undefined;

  constructor(step: OpenStep) {
    this.step = step;
    this.scope = step.machineScope;
    this.extra = { internalQueue: this.queue, deferredActorIds: undefined };
  }

  begin(place: Place, { context, children }: { context: unknown; children: Family }, event: EventObject): void {
    this.snapshot = new PlanSnapshot(place, context, children);
    this.event = event;
    this.effects = NONE;
    this.isTouched = false;
    this.extra.deferredActorIds = undefined;
    this.#retries = undefined;
    this.#family = undefined;
    this.#taken = 0;
    if (this.queue.length > 0) this.queue.length = 0;
  }

  end(): void {
    this.isAssigning = false;
  }

  took(transitions: readonly Transition[]): void {
    this.#microsteps[this.#taken++] = transitions;
  }

  /** Drops the microsteps: XState repeats the step and reports its own. */
  tookNothing(): void {
    this.#taken = 0;
  }

  tellMicrosteps(tell: (transitions: readonly Transition[]) => void): void {
    for (let i = 0; i < this.#taken; i++) tell(this.#microsteps[i]!);
  }

  args(): ActionArgs {
    return { context: this.snapshot.context, event: this.event, self: this.scope.self, system: this.scope.system };
  }

  /**
   * The `spawn` that `assign` passes to its functions. XState spawns the child, by resolving an assignment that does
   * nothing else.
   */
  readonly spawn = spawning((src: unknown, options: unknown): unknown => {
    let born: unknown;
    const assignment = ({ spawn }: { spawn: (src: unknown, options: unknown) => unknown }) => {
      born = spawn(src, options);
      return {};
    };
    const action = wrapped(assign(assignment as never)) as BuiltIn;
    const [next] = action.resolve(this.scope, this.snapshot, this.args(), undefined, action, this.extra);
    // A call after the assignment has ended spawns nothing, as in XState.
    if (this.isAssigning) this.snapshot.children = next.children;
    return born;
  });

  /** Applies the new snapshot of an action. */
  take(next: Resolved[0]): void {
    if (next === this.snapshot) return;
    this.snapshot.context = next.context;
    this.snapshot.children = next.children;
    this.isTouched = true;
  }

  /** Adds a spawned child, which replaces one of the same id. */
  addChild(id: string, child: object): void {
    const { snapshot } = this;
    if (isLarge(snapshot.children)) snapshot.children = added(snapshot.children, { [id]: child });
    else {
      if (snapshot.children !== this.#family) snapshot.children = this.#family = { ...snapshot.children };
      this.#family[id] = child;
    }
    this.isTouched = true;
  }

  add(effect: Effect): void {
    // Most steps have at most two effects, and an array that grows by push allocates room for seventeen.
    const { effects } = this;
    if (effects.length === 0) this.effects = [effect];
    else if (effects.length === 1) this.effects = [effects[0]!, effect];
    else effects.push(effect);
  }

  describe(action: Action): void {
    const effect = described(action);
    if (effect !== undefined) this.add(effect);
  }

  /** Lets the list of actions send to these children from here on, though it spawns them later. */
  defer(ids: readonly string[]): void {
    this.extra.deferredActorIds = ids;
    this.#retries = [];
  }

  /** Records that the last effect may be for a child that is not spawned yet. */
  mayRetry(receiver: () => unknown): void {
    this.#retries?.push({ receiver, at: this.effects.length - 1 });
  }

  /** Ends the list of actions: looks up the receivers that were missing. */
  settle(): void {
    for (const { receiver, at } of this.#retries ?? []) {
      const to = receiver() as object;
      const effect = this.effects[at]!;
      if ('to' in effect) this.effects[at] = { ...effect, to };
    }
    this.extra.deferredActorIds = undefined;
    this.#retries = undefined;
  }
}
