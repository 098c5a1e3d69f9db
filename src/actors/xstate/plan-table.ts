/**
 * The plans of one definition: the positions of its machine, the candidates for an event at each, and the microsteps
 * from there. Each is recorded from XState (plan-probe.ts) when it is first needed, and kept, at most PLANS_MAX in all.
 * Beyond that the XState engine takes the steps, so a machine with endless configurations is only slower.
 */
import { type AnyStateMachine, type AnyStateNode, assign, spawnChild, stopChild } from 'xstate';
import { PATTERN_LOOKUPS_MAX, PLANS_MAX } from '../../limits.ts';
import { type Guard, guardOf } from './plan-guards.ts';
import { deepFrozen } from './closed-snapshot.ts';
import { Done, Finish } from './plan-ends.ts';
import { type Operation } from './plan-operation.ts';
import { Defer, operationsOf, Settle } from './plan-operations.ts';
import { isBelow, type Mark, Probe, type Recording, type Transition } from './plan-probe.ts';
import { type HistoryValue, type Place } from './plan-snapshot.ts';
import { type XstateDefinition } from './definition.ts';
import { type ConfigurationTable } from '../model/step-engine.ts';
import { fixed } from '../../unfreezable.ts';

/** The plan of a microstep. */
export interface Plan {
  readonly operations: readonly Operation[];
  readonly next: Position;
  /** Whether XState creates a new snapshot for the microstep, whatever the operations do. */
  readonly moves: boolean;
  /** The transitions taken together; empty for the initial step. */
  readonly transitions: readonly Transition[];
}

export interface Candidate {
  readonly transition: Transition;
  readonly guard: Guard | undefined;
  /** The plan of taking this transition alone; null if there is none, undefined until it is needed. */
  plan: Plan | null | undefined;
}

/** The candidates of one state node. */
export interface Asked {
  readonly candidates: readonly Candidate[];
  /**
   * Index of the first of the asked nodes that lies inside this one. This node is asked only if none from there on took
   * the event.
   */
  readonly from: number;
}

export interface Selection {
  readonly asked: readonly Asked[];
  /** All candidates in one list, if only the first that accepts is taken (no parallel regions). */
  readonly row: readonly Candidate[] | undefined;
}

const NOBODY: Selection = { asked: [], row: [] };

/** A tree of the microsteps from one position, by the transitions taken. */
interface Branch {
  plan: Plan | null | undefined;
  readonly next: Map<Transition, Branch>;
}

/** A place with its cached facts. There is one object per definition, configuration and history. */
export class Position implements Place {
  readonly plans: Plans;
  readonly nodes: readonly AnyStateNode[];
  readonly history: HistoryValue;
  readonly value: unknown;
  readonly tags: ReadonlySet<string>;
  readonly selections = new Map<string, Selection>();
  readonly branch: Branch = { plan: undefined, next: new Map() };
  /** The eventless transitions, one list per active leaf that has some. */
  eventless: readonly (readonly Candidate[])[] = [];
  /** The configuration's number in the table used last, and that table. */
  configuration = 0;
  numberedIn: ConfigurationTable | undefined;

  constructor(
    plans: Plans,
    { nodes, history }: Pick<Place, 'nodes' | 'history'>,
    { value, tags }: Pick<Place, 'value' | 'tags'>,
  ) {
    this.plans = plans;
    this.nodes = nodes;
    this.history = history;
    this.value = value;
    this.tags = tags;
  }

  get machine(): AnyStateMachine {
    return this.plans.machine;
  }
}

export interface Beginning {
  /** The position of the snapshot that the actions of the initial step see. */
  readonly position: Position;
  readonly plan: Plan;
  readonly context: object;
}

export class Plans {
  readonly machine: AnyStateMachine;
  readonly microstepsMax: number;
  readonly #probe: Probe;
  readonly #positions = new Map<string, Position>();
  /** One object per history, so that histories are compared by identity. */
  readonly #histories = new Map<string, HistoryValue>();
  readonly #numbers = new Map<AnyStateNode, number>();
  readonly #exact = new Set<string>();
  readonly #hasPatterns: boolean;
  readonly #isEverEventless: boolean;
  /** Selections for event types that only patterns match; cleared after PATTERN_LOOKUPS_MAX look-ups. */
  #byPattern = new Map<Position, Map<string, Selection>>();
  #patternLookups = 0;
  #beginning: Beginning | null | undefined;
  #size = 0;

  /** Makes the plans of a machine. Throws XState's error if the machine cannot be entered. */
  constructor({ logic }: XstateDefinition) {
    this.machine = logic as AnyStateMachine;
    this.microstepsMax = (this.machine.options as { maxIterations: number }).maxIterations;
    this.#probe = new Probe(this.machine);
    this.#number(this.machine.root);
    const nodes = [...this.#numbers.keys()];
    const descriptors = nodes.flatMap(({ transitions }) => [...transitions.keys()]);
    for (const descriptor of descriptors) this.#exact.add(descriptor);
    this.#hasPatterns = descriptors.some((descriptor) => descriptor === '*' || descriptor.endsWith('.*'));
    this.#isEverEventless = nodes.some(({ always }) => always !== undefined && always.length > 0);
  }

  /** The number of entries kept, and of look-ups by pattern. */
  get size(): { readonly kept: number; readonly byPattern: number } {
    return { kept: this.#size, byPattern: this.#patternLookups };
  }

  /** The position for a configuration; undefined if there is no room for it or XState cannot compute its value. */
  positionOf(nodes: readonly AnyStateNode[], history: HistoryValue): Position | undefined {
    const historyKey = this.#historyKeyOf(history);
    const key = `${this.#listed(nodes)}\n${historyKey}`;
    const known = this.#positions.get(key);
    if (known !== undefined || this.#isFull) return known;
    const position = orNull(() => this.#made(nodes, history, historyKey)) ?? undefined;
    if (position === undefined) return undefined;
    this.#positions.set(key, position);
    this.#size += 1;
    return position;
  }

  /** The candidates for an event of this type; null if XState must select. */
  selection(position: Position, type: string): Selection | null {
    if (!this.#exact.has(type)) return this.#hasPatterns ? this.#selectionByPattern(position, type) : NOBODY;
    let selection = position.selections.get(type);
    if (selection === undefined) {
      const worked = this.#isFull ? null : orNull(() => this.#selection(position, type));
      if (worked === null) return null;
      position.selections.set(type, (selection = worked));
      this.#size += 1;
    }
    return selection;
  }

  planOf(position: Position, candidate: Candidate): Plan | null {
    if (candidate.plan === undefined) candidate.plan = this.plan(position, [candidate.transition]);
    return candidate.plan;
  }

  /**
   * The plan of a microstep; null if XState must take it.
   *
   * @param transitions In the order in which XState selects them.
   */
  plan(position: Position, transitions: readonly Transition[]): Plan | null {
    let { branch } = position;
    for (const transition of transitions) {
      let next = branch.next.get(transition);
      if (next === undefined) {
        if (this.#isFull) return null;
        branch.next.set(transition, (next = { plan: undefined, next: new Map() }));
        this.#size += 1;
      }
      branch = next;
    }
    if (branch.plan === undefined)
      branch.plan = orNull(() => this.#compiled(position, this.#probe.microstep(position, transitions), transitions));
    return branch.plan;
  }

  /** The plan of the initial step; null if XState must take it. */
  get beginning(): Beginning | null {
    if (this.#beginning === undefined) this.#beginning = orNull(() => this.#begin());
    return this.#beginning;
  }

  #made(nodes: readonly AnyStateNode[], history: HistoryValue, historyKey: string): Position {
    let shared = this.#histories.get(historyKey);
    if (shared === undefined) this.#histories.set(historyKey, (shared = frozenHistory(history)));
    const { value, tags } = this.#probe.appearance(nodes);
    const position = new Position(
      this,
      { nodes: Object.freeze([...nodes]), history: shared },
      { value: deepFrozen(value), tags: fixed(new Set(tags)) },
    );
    const candidates = (node: AnyStateNode) =>
      node.always!.map((transition) => this.#candidate(transition, transition.guard));
    if (this.#isEverEventless)
      position.eventless = this.#probe.eventless(position).map((chain) => chain.flatMap(candidates));
    return position;
  }

  #begin(): Beginning | null {
    const position = this.positionOf([this.machine.root], {});
    const recording = this.#probe.initial();
    const plan = position && recording && this.#compiled(position, recording, []);
    if (position === undefined || !plan) return null;
    const { context } = this.machine.config as { context?: unknown };
    if (typeof context !== 'function') return { position, plan, context: (context as object | undefined) || {} };
    // As in XState, the function's result is assigned to an empty context.
    const assignment = ({ spawn, event, self }: Record<'spawn' | 'event' | 'self', unknown>): unknown =>
      (context as (args: object) => unknown)({ spawn, input: (event as { input: unknown }).input, self });
    const first = operationsOf(this.machine, [assign(assignment as never)]);
    return { position, context: {}, plan: { ...plan, operations: [...first, ...plan.operations] } };
  }

  #compiled(position: Position, { marks, isDone, next }: Recording, transitions: readonly Transition[]): Plan | null {
    const to = next === null ? position : this.positionOf(next.nodes, next.history);
    if (to === undefined) return null;
    const operations = marks.flatMap((mark, index) => this.#operations(mark, marks[index + 1]));
    const isFinished = marks.some(({ what }) => what === 'finish');
    if (isDone && !isFinished) operations.push(new Finish(this.machine, undefined));
    return { operations, next: to, moves: next !== null, transitions };
  }

  #operations(mark: Mark, following: Mark | undefined): Operation[] {
    const { machine } = this;
    switch (mark.what) {
      case 'exit': {
        const { node, isLast } = mark;
        return operationsOf(
          machine,
          isLast ? node.exit : [...node.exit, ...node.invoke.map(({ id }) => stopChild(id))],
        );
      }
      case 'content':
        return operationsOf(machine, mark.transition.actions);
      case 'enter': {
        const { node } = mark;
        const spawns = node.invoke.map((invoke) =>
          spawnChild(invoke.src as never, { ...invoke, syncSnapshot: Boolean(invoke.onSnapshot) } as never),
        );
        const initial = following?.what === 'initial' ? node.initial.actions : [];
        const operations = operationsOf(machine, [...node.entry, ...spawns, ...initial]);
        return spawns.length === 0
          ? operations
          : [new Defer(node.invoke.map(({ id }) => id)), ...operations, new Settle()];
      }
      // The initial actions are performed at the end of the list of the entry.
      case 'initial':
        return [];
      case 'done':
        return [new Done(mark.type, mark.final)];
      case 'finish':
        return [new Finish(machine, mark)];
    }
  }

  #selection(position: Position, type: string): Selection {
    const asked: { node: AnyStateNode; transitions: Transition[] }[] = [];
    for (const transition of this.#probe.candidates(position, type)) {
      const last = asked.at(-1);
      if (last?.node === transition.source) last.transitions.push(transition);
      else asked.push({ node: transition.source, transitions: [transition] });
    }
    const nodes = asked.map(({ node, transitions }, index) => {
      const inside = asked.findIndex((other, at) => at < index && isBelow(other.node, node));
      // XState ignores a falsy guard here, though not for eventless transitions.
      const candidates = transitions.map((transition) => this.#candidate(transition, transition.guard || undefined));
      return { candidates, from: inside === -1 ? index : inside };
    });
    const isRow = nodes.every(({ from }) => from === 0);
    return { asked: nodes, row: isRow ? nodes.flatMap(({ candidates }) => candidates) : undefined };
  }

  #selectionByPattern(position: Position, type: string): Selection | null {
    let known = this.#byPattern.get(position);
    const selection = known?.get(type);
    if (selection !== undefined) return selection;
    this.#patternLookups += 1;
    if (this.#patternLookups > PATTERN_LOOKUPS_MAX) {
      this.#byPattern = new Map();
      this.#patternLookups = 1;
      known = undefined;
    }
    if (known === undefined) this.#byPattern.set(position, (known = new Map<string, Selection>()));
    const worked = orNull(() => this.#selection(position, type));
    if (worked !== null) known.set(type, worked);
    return worked;
  }

  #candidate(transition: Transition, guard: unknown): Candidate {
    return { transition, guard: guard === undefined ? undefined : guardOf(this.machine, guard), plan: undefined };
  }

  get #isFull(): boolean {
    return this.#size >= PLANS_MAX;
  }

  #number(node: AnyStateNode): void {
    this.#numbers.set(node, this.#numbers.size);
    for (const child of Object.values(node.states as Record<string, AnyStateNode>)) this.#number(child);
  }

  #listed(nodes: readonly AnyStateNode[]): string {
    return nodes.map((node) => this.#numbers.get(node)).join();
  }

  #historyKeyOf(history: HistoryValue): string {
    return Object.entries(history)
      .map(([id, remembered]) => `${id}=${this.#listed(remembered)}`)
      .join('\n');
  }
}

/** The answer; null if XState throws. XState then takes the step itself and throws again if the step gets there. */
function orNull<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}

function frozenHistory(history: HistoryValue): HistoryValue {
  return Object.freeze(
    Object.fromEntries(Object.entries(history).map(([id, nodes]) => [id, Object.freeze([...nodes])])),
  );
}
