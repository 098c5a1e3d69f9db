/**
 * A machine's step while it is taken by plans: the snapshot in the making, the event, the internal queue, and the
 * effects so far. One for all steps of an engine, since a step never yields; the snapshot and the list of effects are
 * new for each.
 */
import { assign, type EventObject } from 'xstate';
import { type Effect } from '../model/step-engine.ts';
import type { Transition } from './plan-probe.ts';
import { type Place, PlanSnapshot } from './plan-snapshot.ts';
import { type Ref } from '../model/ref.ts';
import { type Action, described } from './step-effects.ts';
import { type Family, wrapped } from './family.ts';
import { type OpenStep, type Scope } from './step.ts';

/** What XState calls with `resolve`: its own actions, and others' of the same make. */
export interface BuiltIn {
  readonly type: string;
  resolve(scope: object, snapshot: object, args: object, params: unknown, action: object, extra: object): Resolved;
  /** Sends to an actor that is spawned later in the same list of actions. */
  retryResolve?(scope: object, snapshot: object, params: unknown): void;
  execute?(scope: object, params: unknown): void;
}

type Resolved = [
  snapshot: { readonly context: unknown; readonly children: Family },
  params: unknown,
  actions: readonly unknown[] | undefined,
];

/** First argument of actions. */
export interface ActionArgs {
  readonly context: unknown;
  readonly event: EventObject;
  readonly self: Ref;
  readonly system: object;
}

interface Retry {
  readonly action: BuiltIn;
  readonly params: unknown;
  /** Index of the effect. */
  readonly at: number;
}

/** Never changed. */
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
   * What was taken together, microstep by microstep; the first so many. An array that is emptied would be made anew for
   * every turn.
   */
  readonly #microsteps: (readonly Transition[])[] = [];
  #taken = 0;
  readonly queue: EventObject[] = [];
  /** What XState gives its own actions besides. */
  readonly extra: { readonly internalQueue: EventObject[]; deferredActorIds: readonly string[] | undefined };
  #retries: Retry[] | undefined;

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
    this.#taken = 0;
    if (this.queue.length > 0) this.queue.length = 0;
  }

  end(): void {
    this.isAssigning = false;
  }

  took(transitions: readonly Transition[]): void {
    this.#microsteps[this.#taken++] = transitions;
  }

  /** The step is taken by XState after all, which tells of its own. */
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
   * What `assign` gives its functions. XState itself spawns: an assignment that does nothing else is resolved in its
   * place.
   */
  readonly spawn = (src: unknown, options: unknown): unknown => {
    let born: unknown;
    const assignment = ({ spawn }: { spawn: (src: unknown, options: unknown) => unknown }) => {
      born = spawn(src, options);
      return {};
    };
    const action = wrapped(assign(assignment as never)) as BuiltIn;
    const [next] = action.resolve(this.scope, this.snapshot, this.args(), undefined, action, this.extra);
    // Called later, by whoever kept it, it gives birth to nobody, as in XState.
    if (this.isAssigning) this.snapshot.children = next.children;
    return born;
  };

  /** Takes over what an action has made of the snapshot. */
  take(next: Resolved[0]): void {
    if (next === this.snapshot) return;
    this.snapshot.context = next.context;
    this.snapshot.children = next.children;
    this.isTouched = true;
  }

  add(effect: Effect): void {
    // Most steps have two effects or fewer; a list that grows takes room for seventeen.
    const { effects } = this;
    if (effects.length === 0) this.effects = [effect];
    else if (effects.length === 1) this.effects = [effects[0]!, effect];
    else effects.push(effect);
  }

  describe(action: Action): void {
    const effect = described(action);
    if (effect !== undefined) this.add(effect);
  }

  /** From here on the list of actions may send to these children, though they are spawned later in it. */
  defer(ids: readonly string[]): void {
    this.extra.deferredActorIds = ids;
    this.#retries = [];
  }

  /** The effect described last may be for a child that is not there yet. */
  mayRetry(action: BuiltIn, params: unknown): void {
    this.#retries?.push({ action, params, at: this.effects.length - 1 });
  }

  /** The list of actions ends. */
  settle(): void {
    for (const { action, params, at } of this.#retries ?? []) {
      action.retryResolve!(this.scope, this.snapshot, params);
      const effect = this.effects[at]!;
      if ('to' in effect) this.effects[at] = { ...effect, to: (params as { to: object }).to };
    }
    this.extra.deferredActorIds = undefined;
    this.#retries = undefined;
  }
}
