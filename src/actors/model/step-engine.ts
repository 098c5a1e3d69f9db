/**
 * The step engine: what the kernel asks of a statechart library, and nothing more. A step is pure: it gives the next
 * snapshot and a description of what should happen, and has no effect of its own. One implementation drives XState
 * (xstate/engine.ts); a faster one of the same results takes its place where it can (plan-engine.ts).
 */
import { type AnyActorLogic, type EventObject } from 'xstate';
import { type EffectPolicy } from './effect-policy.ts';
import { type Configuration } from './ports.ts';
import { type Priorities } from './priorities.ts';
import { type Ref } from './ref.ts';
import { type ActorState, type Change } from './state.ts';
import { type MigrationSteps, type StoredState } from './version-rules.ts';
import { type Timing } from './timing.ts';

/**
 * Sent to an actor that its Boss ends, and that handles it: it has the time of its child spec to come to its own end.
 */
export const SHUTDOWN = 'bosun.shutdown';

export type LogicKind = 'machine' | 'promise' | 'callback' | 'observable' | 'transition' | 'custom';

/** Anything XState calls a snapshot. Only the engine looks inside. */
export interface Snapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly output?: unknown;
  readonly error?: unknown;
  readonly context?: unknown;
}

/** A piece of actor logic prepared for hosting. One per agent and per named child logic of a machine. */
export interface Definition {
  /** Agent name, or `parent>src` for the children of a machine. */
  readonly name: string;
  readonly kind: LogicKind;
  /** Structural hash of a machine: states, transitions, invokes; not the bodies of guards and actions. */
  readonly hash: string;
  readonly version: number;
  /** Runs something outside turns: promise, callback, observable, or custom logic with a start. */
  readonly isEffect: boolean;
  /** What the agent says about its timers and schedules. */
  readonly timing: Timing;
  /** Machines: some state handles `bosun.shutdown`, so that its Boss gives it time to end. */
  readonly endsByItself: boolean;
  /** Logic that the machine names `src`; undefined when it names none. */
  child(src: string): Definition | undefined;
  /** By the version that it leads to: how a state stored by the version before becomes one of that version. */
  readonly steps: MigrationSteps;
  readonly configurations: ConfigurationTable;
  /** Effects: what the agent declares of them, if anything. */
  readonly policy: EffectPolicy | undefined;
  /** What is done about a message that crashed its actor too often, once it is among the dead letters. */
  readonly poison: PoisonPolicy;
  /** What becomes of events for which its mailbox has no room. */
  readonly overflow: Overflow;
  /** Of each actor so many turns are kept in the store; 0 for none. */
  readonly keptTurns: number;
  /** The levels that the agent declares of its events; undefined where it declares none. */
  readonly priorities: Priorities | undefined;
  /** The agent, or the one whose child it is, marks something as secret. */
  readonly isSecret: boolean;
  /** Machines: custom actions that the agent declares durable, by name. */
  readonly durable: ReadonlyMap<string, DurableAction> | undefined;
}

/**
 * `dead-letter`: the actor goes on with the next message. `suspend`: it waits to be resumed. `stop`: it ends, as by a
 * normal exit.
 */
export type PoisonPolicy = 'dead-letter' | 'suspend' | 'stop';

/**
 * What becomes of an event that comes to a full mailbox. `wait`: an actor that sent it takes no turn until there is
 * room. `refuse`: it becomes a dead letter. `drop-oldest`: the oldest unread one does, and it is taken. Hosts are
 * refused under the first two.
 */
export type OverflowPolicy = 'wait' | 'refuse' | 'drop-oldest';

/** When the mailbox is full for actors, and what happens then. */
export interface Overflow {
  readonly policy: OverflowPolicy;
  readonly messages: number;
}

/** A custom action that is recorded with its turn and run until it returned without a throw. */
export interface DurableAction {
  readonly exec: ActionFunction;
  readonly policy: EffectPolicy;
}

/** As the machine has it. May return a promise, which then is what counts. */
type ActionFunction = (info: object, params: unknown) => unknown;

/** A child that the step gave birth to. */
export interface Birth {
  readonly life: number;
  readonly childId: string;
  readonly src: string;
  readonly definition: Definition;
  readonly input: unknown;
  readonly systemId: string | null;
  readonly syncSnapshot: boolean;
  readonly ref: Ref;
}

export type Effect =
  | { readonly kind: 'send'; readonly to: object; readonly event: EventObject }
  | {
      readonly kind: 'arm';
      readonly id: string | undefined;
      readonly delayMs: number;
      /** The name in the machine's `delays`; null for a delay that has none. */
      readonly delay: string | null;
      readonly to: object;
      readonly event: EventObject;
    }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'emit'; readonly event: EventObject }
  | { readonly kind: 'log'; readonly label: string | undefined; readonly value: unknown }
  /** A custom action of the user: runs after the epoch. `info` is its first argument. */
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly exec: ActionFunction;
      readonly info: object;
      readonly params: unknown;
    }
  /** One that is durable: recorded, then run until it has succeeded. */
  | { readonly kind: 'durable'; readonly name: string; readonly event: EventObject; readonly params: unknown }
  /** An action that the kernel itself performs, for Bosses. */
  | { readonly kind: 'command'; readonly name: string; readonly params: unknown };

export interface Step {
  readonly snapshot: Snapshot;
  readonly effects: readonly Effect[];
  readonly births: readonly Birth[];
  /** Children that the machine no longer has. */
  readonly dropped: readonly Ref[];
}

/** Transitions that a step took together, as the engine has them. */
export type Taken = readonly object[];

/** A transition that a step took. */
export interface TakenTransition {
  /** Its id in the chart of the machine. */
  readonly edge: string;
  /** Id of the state node that it belongs to. */
  readonly from: string;
  /** As the machine has it: a type, a pattern, the empty text for `always`. */
  readonly event: string;
  /** Which of the transitions that the node has for it, from 0. */
  readonly index: number;
  /** Ids of its targets; none for one that stays where it is. */
  readonly to: readonly string[];
}

export interface StepEngine {
  /** Told of the transitions that a machine takes together, while it is set. */
  onMicrostep: ((taken: Taken) => void) | undefined;
  /** What it told of. */
  described(taken: Taken): readonly TakenTransition[];
  /** Takes the initial step. Throws what the user's code threw. */
  initial(definition: Definition, self: Ref, input: unknown): Step;
  /** Takes one step. Throws what the user's code threw; then nothing has happened. */
  transition(definition: Definition, self: Ref, snapshot: Snapshot, event: EventObject): Step;
  /** What differs, not yet admitted. An empty object when nothing durable does. */
  changeOf(definition: Definition, before: Snapshot | undefined, after: Snapshot): Change;
  /** Makes the snapshot hold the admitted values of the state that was derived from it. */
  adopt(definition: Definition, snapshot: Snapshot, state: ActorState): Snapshot;
  /** Rebuilds a snapshot from its durable form. Throws BOSUN_AGENT_UNREADABLE. */
  restore(definition: Definition, self: Ref, state: ActorState, children: Readonly<Record<string, Ref>>): Snapshot;
  /** What can be shown of a state that no code of today stands for. Takes no steps. */
  stored(definition: Definition, state: ActorState): Snapshot;
  /**
   * Stands a stored state up in a machine of another structure, and says what its states want running that does not run
   * yet. Throws where the value is not one of the machine, and what the user's code for inputs and delays threw.
   */
  enter(definition: Definition, self: Ref, stored: Standing, running: Running): Entry;
  /** The state value of a machine; null for other logic. */
  valueOf(definition: Definition, snapshot: Snapshot): unknown;
  /** The part of a snapshot that observers may have: plain, no functions. */
  view(definition: Definition, snapshot: Snapshot): SnapshotView;
}

/** `plan`: plan-engine.ts. `xstate`: xstate/engine.ts. They give the same results. */
export type StepEngineName = 'plan' | 'xstate';

/** A step engine with what effects are hosted by. */
export interface HostEngine extends StepEngine {
  /** What user code sees as `system`. */
  readonly system: object;
  /** Runs user code of an effect: its start, an event it receives, its stop. Outside of steps. */
  effectScope(self: Ref, emit: (event: EventObject) => void): Parameters<NonNullable<AnyActorLogic['start']>>[1];
}

/** What is seen of a machine that has failed in its first step. */
const UNBEGUN = { context: undefined, output: undefined, children: {} };

/** The snapshot of an actor that has failed. What it could be asked (`matches`, `hasTag`) it still can. */
export function failedSnapshot(snapshot: Snapshot | undefined, error: unknown): Snapshot {
  const empty = Object.create(
    snapshot === undefined ? Object.prototype : (Object.getPrototypeOf(snapshot) as object),
  ) as object;
  return Object.assign(empty, snapshot ?? UNBEGUN, { status: 'error' as const, error });
}

/** What a migration gives, and what is kept from before. */
export interface Standing extends StoredState<unknown> {
  readonly history: ActorState['history'];
}

/** What of an actor runs already. */
export interface Running {
  /** Whether a child of this id runs this logic. */
  child(id: string, src: string): boolean;
  timer(id: string): boolean;
}

/** How a machine is entered from outside. */
export interface Entry {
  readonly configuration: number;
  readonly history: Readonly<Record<string, readonly string[]>> | null;
  /** All children that the states now active invoke. */
  readonly invokes: ReadonlySet<string>;
  /** All timers of the delayed transitions of the states now active. */
  readonly afters: ReadonlySet<string>;
  /** Of those, what does not run yet. */
  readonly births: readonly Omit<Birth, 'life' | 'ref'>[];
  readonly arms: readonly {
    readonly id: string;
    readonly delayMs: number;
    readonly delay: string | null;
    readonly event: EventObject;
  }[];
}

/** A snapshot as data: what reads, subscriptions and `xstate.snapshot.*` events carry. */
export interface SnapshotView {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** The state value of a machine; null for other logic. */
  readonly value: unknown;
  readonly context: unknown;
  readonly tags: readonly string[];
  readonly output: unknown;
  readonly error: unknown;
}

/** A state node, as far as a configuration is concerned. */
export interface ConfigurationNode {
  readonly id: string;
}

/** Configurations that begin with the same nodes. Walking it by the nodes themselves needs no text to compare. */
interface Branch {
  readonly next: Map<ConfigurationNode, Branch>;
  id: number | undefined;
}

/** Numbers the configurations (lists of active state nodes) of one machine in the order they were first seen. */
export class ConfigurationTable {
  readonly #ids = new Map<string, number>();
  readonly #lists: Configuration[] = [];
  readonly #seen: Branch = { next: new Map(), id: undefined };
  #written = 0;
  /** What is kept of a configuration beside its nodes. Undefined while only the store knows the machine. */
  describe: ((nodes: readonly string[]) => Omit<Configuration, 'nodes'>) | undefined;

  intern(nodes: readonly ConfigurationNode[]): number {
    let branch = this.#seen;
    for (const node of nodes) {
      let next = branch.next.get(node);
      if (next === undefined) branch.next.set(node, (next = { next: new Map(), id: undefined }));
      branch = next;
    }
    return (branch.id ??= this.#number(nodes.map(({ id }) => id)));
  }

  nodes(id: number): readonly string[] | undefined {
    return this.#lists[id]?.nodes;
  }

  at(id: number): Configuration | undefined {
    return this.#lists[id];
  }

  /** Loads what is on disk. Only on an empty table. */
  load(lists: readonly Configuration[]): void {
    for (const { nodes } of lists) this.#number(nodes);
    this.#lists.splice(0, lists.length, ...lists);
    this.#written = lists.length;
  }

  get hasNew(): boolean {
    return this.#written < this.#lists.length;
  }

  /** Entries not handed out yet, for the epoch in the making. */
  takeNew(): (Configuration & { id: number })[] {
    const fresh = this.#lists
      .slice(this.#written)
      .map(({ nodes }, index) => ({ id: this.#written + index, nodes, ...this.describe?.(nodes) }));
    for (const { id, ...configuration } of fresh) this.#lists[id] = configuration;
    this.#written = this.#lists.length;
    return fresh;
  }

  #number(ids: readonly string[]): number {
    const key = ids.join('\n');
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#lists.length;
    this.#ids.set(key, id);
    this.#lists.push({ nodes: ids });
    return id;
  }
}
