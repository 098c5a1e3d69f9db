/**
 * The step engine: the interface of a statechart library as the kernel needs it. A step is pure: it returns the next
 * snapshot and a description of the effects, and performs none. One implementation drives XState (xstate/engine.ts); a
 * faster one with the same results replaces it where possible (plan-engine.ts).
 */
import { type AnyActorLogic, type EventObject } from 'xstate';
import { type EffectPolicy } from './effect-policy.ts';
import { type Configuration } from './ports.ts';
import { type Priorities } from './priorities.ts';
import { type RecordPolicies } from './records.ts';
import { type KeepPolicy } from './keep-bounds.ts';
import { type Ref } from './ref.ts';
import { type ActorState, type Change, type Identity, identityOf } from './state.ts';
import { type MigrationSteps, type StoredState } from './version-rules.ts';
import { type Timing } from './timing.ts';

/**
 * The event sent to an actor that handles it when its Boss ends it: the actor has the time of its child spec to end by
 * itself.
 */
export const SHUTDOWN = 'bosun.shutdown';

export type LogicKind = 'machine' | 'promise' | 'callback' | 'observable' | 'transition' | 'custom';

/** Any snapshot in XState's sense. Only the engine looks inside. */
export interface Snapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly output?: unknown;
  readonly error?: unknown;
  readonly context?: unknown;
}

/** Actor logic prepared for hosting. There is one per agent and per named child logic of a machine. */
export interface Definition {
  /** Agent name, or `parent>src` for the children of a machine. */
  readonly name: string;
  readonly kind: LogicKind;
  /** Structural hash of a machine: states, transitions, invokes; not the bodies of guards and actions. */
  readonly hash: string;
  readonly version: number;
  /** Whether it runs outside turns: promise, callback, observable, or custom logic with a start. */
  readonly isEffect: boolean;
  /** The agent's options for its timers and schedules. */
  readonly timing: Timing;
  /** Machines: whether some state handles `bosun.shutdown`, so that the Boss gives it time to end. */
  readonly endsByItself: boolean;
  /** Returns the logic that the machine names `src`; undefined when there is none. */
  child(src: string): Definition | undefined;
  /** Migration steps by the version that each leads to, from a state stored by the version before. */
  readonly steps: MigrationSteps;
  readonly configurations: ConfigurationTable;
  /** Effects: the policy that the agent declares, if any. */
  readonly policy: EffectPolicy | undefined;
  /** The action taken after a message has crashed its actor too often and has become a dead letter. */
  readonly poison: PoisonPolicy;
  /** The policy for events that find the mailbox full. */
  readonly overflow: Overflow;
  /** The number of turns kept in the store of each actor; 0 for none. */
  readonly keptTurns: number;
  /** The policies of the agent's records; undefined if it declares none. */
  readonly records: RecordPolicies | undefined;
  /** How many results of ended actors of the agent are kept; undefined if none are, as of children of a machine. */
  readonly ended: KeepPolicy | undefined;
  /** The priorities of the agent's events; undefined if it declares none. */
  readonly priorities: Priorities | undefined;
  /** Whether the agent, or the agent whose child this is, marks any value as secret. */
  readonly isSecret: boolean;
  /** Machines: the durable custom actions, by name. */
  readonly durable: ReadonlyMap<string, DurableAction> | undefined;
}

/**
 * The action taken after a message has crashed its actor too often. `dead-letter`: the actor goes on with the next
 * message. `suspend`: it waits to be resumed. `stop`: it ends as by a normal exit.
 */
export type PoisonPolicy = 'dead-letter' | 'suspend' | 'stop';

/**
 * The policy for an event that arrives at a full mailbox. `wait`: an actor that sent it takes no turn until there is
 * room. `refuse`: it becomes a dead letter. `drop-oldest`: the oldest unread event becomes a dead letter, and the new
 * one is taken. Hosts are refused under the first two.
 */
export type OverflowPolicy = 'wait' | 'refuse' | 'drop-oldest';

/** The number of messages at which a mailbox is full for actors, and the policy from there on. */
export interface Overflow {
  readonly policy: OverflowPolicy;
  readonly messages: number;
}

/** A custom action that is recorded with its turn and run until it has returned without throwing. */
export interface DurableAction {
  readonly exec: ActionFunction;
  readonly policy: EffectPolicy;
}

/** A custom action of a machine. If it returns a promise, the promise decides whether the action succeeds. */
type ActionFunction = (info: object, params: unknown) => unknown;

/** A child born in the step. */
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

/** The identity of a machine's child. Field by field, because spreads cost as much as the rest of a birth. */
export function identityOfBirth(birth: Birth, parent: number, effectId: string): Identity {
  const { life, ref, src, definition, childId, systemId, syncSnapshot, input } = birth;
  return identityOf({
    life,
    address: ref.address,
    agent: src,
    definition: definition.hash,
    version: definition.version,
    parent,
    bond: 'invoked',
    childId,
    systemId,
    syncSnapshot,
    effectId,
    input,
  });
}

export type Effect =
  | { readonly kind: 'send'; readonly to: object; readonly event: EventObject }
  | {
      readonly kind: 'arm';
      readonly id: string | undefined;
      readonly delayMs: number;
      /** The name in the machine's `delays`; null for an unnamed delay. */
      readonly delay: string | null;
      readonly to: object;
      readonly event: EventObject;
    }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'emit'; readonly event: EventObject }
  | { readonly kind: 'log'; readonly label: string | undefined; readonly value: unknown }
  /** A custom action of the user, run after the epoch. `info` is its first argument. */
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly exec: ActionFunction;
      readonly info: object;
      readonly params: unknown;
    }
  /** A durable action: recorded, then run until it has succeeded. */
  | { readonly kind: 'durable'; readonly name: string; readonly event: EventObject; readonly params: unknown }
  /** An action of a Boss that the kernel performs. */
  | { readonly kind: 'command'; readonly name: string; readonly params: unknown };

export interface Step {
  readonly snapshot: Snapshot;
  readonly effects: readonly Effect[];
  readonly births: readonly Birth[];
  /** Children that the machine no longer has. */
  readonly dropped: readonly Ref[];
}

/** The transitions of one microstep, in the engine's own form. */
export type Taken = readonly object[];

/** A transition that a step took. */
export interface TakenTransition {
  /** The id of the transition in the chart of the machine. */
  readonly edge: string;
  /** The id of the source state node. */
  readonly from: string;
  /** The event descriptor as the machine has it: a type, a pattern, the empty text for `always`. */
  readonly event: string;
  /** The index among the node's transitions for this descriptor, from 0. */
  readonly index: number;
  /** The ids of its targets; empty for a transition without a target. */
  readonly to: readonly string[];
}

export interface StepEngine {
  /** A listener for the transitions of each microstep, called while it is set. */
  onMicrostep: ((taken: Taken) => void) | undefined;
  /** Describes transitions passed to `onMicrostep`. */
  described(taken: Taken): readonly TakenTransition[];
  /** Takes the initial step. Throws what the user's code threw. */
  initial(definition: Definition, self: Ref, input: unknown): Step;
  /** Takes one step. Throws what the user's code threw; nothing has happened then. */
  transition(definition: Definition, self: Ref, snapshot: Snapshot, event: EventObject): Step;
  /** Returns the difference between two snapshots, not yet admitted; an empty object when nothing durable differs. */
  changeOf(definition: Definition, before: Snapshot | undefined, after: Snapshot): Change;
  /** Replaces the values in a snapshot by the admitted values of the state derived from it. */
  adopt(definition: Definition, snapshot: Snapshot, state: ActorState): Snapshot;
  /** Makes the snapshot of a machine immutable before user code gets it; any other stays as it is. */
  closed(definition: Definition, snapshot: Snapshot): Snapshot;
  /** Rebuilds a snapshot from its durable form. Throws BOSUN_AGENT_UNREADABLE. */
  restore(definition: Definition, self: Ref, state: ActorState, children: Readonly<Record<string, Ref>>): Snapshot;
  /** A read-only snapshot of a stored state that no current code matches. It takes no steps. */
  stored(definition: Definition, state: ActorState): Snapshot;
  /**
   * Enters a machine of another structure in a stored state, and says which children and timers its states need that do
   * not run yet. Throws if the machine does not have the state value, and passes on errors that the user's code for
   * inputs and delays throws.
   */
  enter(definition: Definition, self: Ref, stored: Standing, running: Running): Entry;
  /** The state value of a machine; null for other logic. */
  valueOf(definition: Definition, snapshot: Snapshot): unknown;
  /** The part of a snapshot for observers: plain data without functions. */
  view(definition: Definition, snapshot: Snapshot): SnapshotView;
}

/** The name of a step engine: `plan` is plan-engine.ts, `xstate` is xstate/engine.ts. Their results are the same. */
export type StepEngineName = 'plan' | 'xstate';

/** A step engine that can also host effects. */
export interface HostEngine extends StepEngine {
  /** The object that user code sees as `system`. */
  readonly system: object;
  /** The scope in which user code of an effect runs (its start, an event it receives, its stop), outside of steps. */
  effectScope(self: Ref, emit: (event: EventObject) => void): Parameters<NonNullable<AnyActorLogic['start']>>[1];
}

/** The visible snapshot of a machine that failed in its first step. */
const UNBEGUN = { context: undefined, output: undefined, children: {} };

/** The snapshot of a failed actor. It still answers `matches` and `hasTag`. */
export function failedSnapshot(snapshot: Snapshot | undefined, error: unknown): Snapshot {
  return copyOf(snapshot ?? UNBEGUN, 'error', error);
}

/** The snapshot of an actor that is active again. It answers as before. */
export function resumedSnapshot(snapshot: Snapshot): Snapshot {
  const isActive = snapshot.status === 'active' && snapshot.error === undefined;
  return isActive ? snapshot : copyOf(snapshot, 'active', undefined);
}

/** A copy of a snapshot in another status. It keeps the class, whose methods machines and readers call. */
function copyOf(snapshot: object, status: Snapshot['status'], error: unknown): Snapshot {
  const empty = Object.create(Object.getPrototypeOf(snapshot) as object) as object;
  return Object.assign(empty, snapshot, { status, error });
}

/** A state returned by a migration, with the history kept from before. */
export interface Standing extends StoredState<unknown> {
  readonly history: ActorState['history'];
}

/** The parts of an actor that already run. */
export interface Running {
  /** Whether a child with this id runs this logic. */
  child(id: string, src: string): boolean;
  timer(id: string): boolean;
}

/** The entry of a machine into a state from outside. */
export interface Entry {
  readonly configuration: number;
  readonly history: Readonly<Record<string, readonly string[]>> | null;
  /** All children that the active states invoke. */
  readonly invokes: ReadonlySet<string>;
  /** All timers of the delayed transitions of the active states. */
  readonly afters: ReadonlySet<string>;
  /** Children of `invokes` that do not run yet; `arms` are the timers of `afters` that do not. */
  readonly births: readonly Omit<Birth, 'life' | 'ref'>[];
  readonly arms: readonly {
    readonly id: string;
    readonly delayMs: number;
    readonly delay: string | null;
    readonly event: EventObject;
  }[];
}

/** A snapshot as data, for reads, subscriptions and `xstate.snapshot.*` events. */
export interface SnapshotView {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** The state value of a machine; null for other logic. */
  readonly value: unknown;
  readonly context: unknown;
  readonly tags: readonly string[];
  readonly output: unknown;
  readonly error: unknown;
}

/** A state node, reduced to its part in a configuration. */
export interface ConfigurationNode {
  readonly id: string;
}

/** A node of a trie of configurations: walking it by state nodes needs no string to compare. */
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
  /** Describes a configuration for the store, beside its nodes. Undefined while only the store knows the machine. */
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

  /** Loads the stored configurations. Only for an empty table. */
  load(lists: readonly Configuration[]): void {
    for (const { nodes } of lists) this.#number(nodes);
    this.#lists.splice(0, lists.length, ...lists);
    this.#written = lists.length;
  }

  get hasNew(): boolean {
    return this.#written < this.#lists.length;
  }

  /** Returns new entries for the epoch in the making, each once. */
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
