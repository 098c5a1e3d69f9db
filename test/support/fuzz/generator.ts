/**
 * Random machines and events for them, from a seed. A seed gives the same machine everywhere. Probabilities are set so
 * that every feature occurs often (the run's coverage counters show it) and most machines survive most of their events.
 * Left out: history states directly under parallel ones, with which XState itself reaches invalid configurations; and
 * systemId, promises, callbacks and observables.
 */
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import {
  type ActionSpec,
  COUNTING_BY,
  EVENT_TYPES,
  type GuardSpec,
  type InvokeSpec,
  type MachineSpec,
  type NodeSpec,
  type TransitionSpec,
} from './machine-spec.ts';

const DEPTH_MAX = 4;
/** Rows are set more often than deleted, so that tables grow over several leaves. */
const SHELVED = ['set', 'set', 'set', 'fill', 'update', 'delete', 'move', 'clear', 'replace'] as const;

const RAISED = ['R0', 'R1', 'x.r'];
/** Events between machines of a family, in addition to those of hosts. */
export const SPOKEN = ['S0', 'S1', 'A', 'x.y'];
const DELAYS = ['soon', 'late', 'byContext'];

interface Shape {
  readonly depth: number;
  readonly kids: Readonly<Record<string, MachineSpec>>;
  readonly isKid: boolean;
}

/** A machine, in two of five cases with children that may have children in turn. */
export function randomMachine(random: SeededRandom): MachineSpec {
  const isFamily = random.next() < 0.4;
  return machineOf(random, isFamily ? 2 : 0, false);
}

function machineOf(random: SeededRandom, generations: number, isKid: boolean): MachineSpec {
  const kids: Record<string, MachineSpec> = {};
  if (generations > 0) {
    kids['kidA'] = machineOf(random, random.next() < 0.3 ? generations - 1 : 0, true);
    if (random.next() < 0.3) kids['kidB'] = machineOf(random, 0, true);
  }
  const depth = isKid ? 2 : 2 + random.integer(DEPTH_MAX - 1);
  return new Generator(random, { depth, kids: generations > 0 ? kids : {}, isKid }).machine(generations > 0);
}

class Generator {
  readonly #random: SeededRandom;
  readonly #shape: Shape;
  #count = 0;
  /** Every id that a transition may target. */
  readonly #ids: string[] = [];
  readonly #parallels: NodeSpec[] = [];
  readonly #histories = new Set<string>();
  /** Ids of children that are sent events. */
  readonly #children: string[] = [];
  #hasChildren = false;

  constructor(random: SeededRandom, shape: Shape) {
    this.#random = random;
    this.#shape = shape;
  }

  machine(hasChildren: boolean): MachineSpec {
    this.#hasChildren = hasChildren;
    const root = this.#node(0);
    if (Object.keys(root.states).length === 0 && this.#chance(0.9)) this.#fill(root, 0);
    if (hasChildren) this.#invokeAt(root, 'k0');
    this.#connect(root, { isRoot: true, reachable: hasChildren ? ['k0'] : [] });
    if (this.#chance(0.5)) root.hasOutput = true;
    return { root, kids: this.#shape.kids };
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #node(depth: number): NodeSpec {
    const id = `s${this.#count++}`;
    if (depth > 0) this.#ids.push(id);
    const node: NodeSpec = {
      id,
      states: {},
      entry: [],
      exit: [],
      on: {},
      always: [],
      after: {},
      onDone: [],
      invoke: [],
      tags: [],
    };
    if (depth < this.#shape.depth && this.#chance(depth === 0 ? 0.95 : 0.36)) this.#fill(node, depth);
    if (this.#chance(0.15)) node.tags = [`t${this.#random.integer(3)}`];
    return node;
  }

  /** Makes a node compound or parallel. */
  #fill(node: NodeSpec, depth: number): void {
    const size = this.#chance(0.7) ? 2 : 3;
    for (let i = 0; i < size; i++) node.states[`k${i}`] = this.#node(depth + 1);
    if (this.#chance(depth === 0 ? 0.2 : 0.3)) {
      node.type = 'parallel';
      this.#parallels.push(node);
      return;
    }
    node.initial = `k${this.#random.integer(size)}`;
    if (this.#chance(0.15)) node.initialActions = [this.#plain()];
    if (this.#chance(depth === 0 ? (this.#shape.isKid ? 0.5 : 0.15) : 0.4)) {
      const id = this.#leaf();
      node.states['fin'] = {
        ...emptyNode(id),
        type: 'final',
        entry: this.#actions(0.2),
        ...(this.#chance(0.4) && { hasOutput: true }),
      };
    }
    if (depth > 0 && this.#chance(0.35)) this.#history(node, size);
  }

  #history(node: NodeSpec, size: number): void {
    const target = this.#chance(0.3) ? node.states[`k${this.#random.integer(size)}`]!.id : undefined;
    const history = this.#chance(0.5) ? 'deep' : 'shallow';
    const id = this.#leaf();
    this.#histories.add(id);
    node.states['hist'] = {
      ...emptyNode(id),
      type: 'history',
      history,
      ...(target !== undefined && { target }),
    };
  }

  #leaf(): string {
    const id = `s${this.#count++}`;
    this.#ids.push(id);
    return id;
  }

  #invokeAt(node: NodeSpec, id: string): void {
    const src = this.#chance(0.2) ? 'sum' : this.#random.pick(Object.keys(this.#shape.kids));
    this.#children.push(id);
    const invoke: InvokeSpec = {
      id,
      src,
      ...(this.#chance(0.6) && { onDone: [this.#braked(this.#transition())] }),
      ...(this.#chance(0.6) && { onError: [this.#braked(this.#transition())] }),
      ...(src !== 'sum' &&
        this.#chance(0.15) && {
          onSnapshot: [{ target: [], guard: { is: 'fuel' }, actions: [{ do: 'burn' }, this.#plain()] }],
        }),
    };
    node.invoke = [...node.invoke, invoke];
  }

  /** Gives a node and those below it their transitions and actions. */
  #connect(node: NodeSpec, place: { isRoot: boolean; reachable: readonly string[] }): void {
    if (node.type === 'final' || node.type === 'history') return;
    let { reachable } = place;
    if (this.#hasChildren && !place.isRoot && this.#chance(0.12)) {
      const id = `i${node.id}`;
      this.#invokeAt(node, id);
      reachable = [...reachable, id];
    }
    node.entry = [...node.entry, ...this.#actions(0.3), ...this.#words(0.12, reachable)];
    node.exit = [...node.exit, ...this.#actions(0.25), ...this.#words(0.08, reachable)];
    for (const type of [
      ...EVENT_TYPES.slice(0, -1),
      ...RAISED,
      ...(this.#hasChildren || this.#shape.isKid ? ['S0', 'S1'] : []),
    ]) {
      if (this.#chance(place.isRoot ? 0.35 : 0.25)) node.on[type] = this.#candidates(reachable);
      else if (this.#chance(0.03)) node.on[type] = null;
    }
    if (this.#chance(0.12)) node.on['x.*'] = this.#candidates(reachable);
    if (this.#chance(0.1)) node.on['*'] = this.#candidates(reachable).map((transition) => this.#braked(transition));
    if (this.#chance(0.1)) node.always = [this.#eventless()];
    if (this.#chance(0.2)) node.after[this.#delay()] = [this.#transition()];
    if (Object.keys(node.states).length > 0 && this.#chance(0.5)) node.onDone = [this.#transition()];
    if (place.isRoot) this.#accidents(node);
    for (const child of Object.values(node.states)) this.#connect(child, { isRoot: false, reachable });
  }

  /** Adds failures: rare in each machine, or all machines would be dead before their last event. */
  #accidents(root: NodeSpec): void {
    const often = this.#shape.isKid ? 0.4 : 0.05;
    const type = this.#random.pick(['B', 'C', 'S1']);
    if (this.#chance(often)) {
      root.on[type] = [
        { target: [], guard: { is: 'mod', by: 3 }, actions: [{ do: 'boom' }] },
        ...(root.on[type] ?? []),
      ];
    } else if (this.#chance(often)) {
      root.on[type] = [{ target: [], guard: { is: 'bad' }, actions: [] }, ...(root.on[type] ?? [])];
    } else if (this.#chance(often)) {
      root.on[type] = [
        { target: [], guard: { is: 'mod', by: 5 }, actions: [{ do: 'badAssign' }] },
        ...(root.on[type] ?? []),
      ];
    } else if (this.#chance(0.02)) {
      root.on[type] = [{ target: [], guard: { is: 'mod', by: 5 }, actions: [this.#plain(), { do: 'throw' }] }];
    }
  }

  #candidates(reachable: readonly string[]): TransitionSpec[] {
    const first = this.#transition(reachable);
    return first.guard !== undefined && this.#chance(0.4) ? [first, this.#transition(reachable)] : [first];
  }

  #transition(reachable: readonly string[] = []): TransitionSpec {
    const actions = [
      ...(this.#chance(0.7) ? [{ do: 'refill' } as const] : []),
      ...this.#actions(0.5),
      ...this.#words(0.3, reachable),
    ];
    const guard = this.#chance(0.35) ? this.#guard() : undefined;
    return { target: this.#target(0.7), ...(guard && { guard }), actions, ...(this.#chance(0.2) && { reenter: true }) };
  }

  /**
   * Limits transitions that may restart an ended child: some children end as soon as they start, and must not loop for
   * ever.
   */
  #braked({ guard, actions, ...rest }: TransitionSpec): TransitionSpec {
    const fuel: GuardSpec = { is: 'fuel' };
    return {
      ...rest,
      guard: guard === undefined ? fuel : { is: 'and', of: [fuel, guard] },
      actions: [...actions, { do: 'burn' }],
    };
  }

  #eventless(): TransitionSpec {
    // XState starts the first child of a state that is re-entered through its history at once (child-20).
    const target = this.#target(0.9).filter((id) => !this.#histories.has(id));
    if (this.#chance(0.1))
      return { target, guard: { is: 'mod', by: COUNTING_BY }, actions: [{ do: 'add', key: 'n', by: 1 }] };
    const guard: GuardSpec = { is: 'and', of: [{ is: 'fuel' }, this.#guard()] };
    return { target, guard, actions: [{ do: 'burn' }, ...this.#actions(0.4)] };
  }

  #target(probability: number): string[] {
    if (!this.#chance(probability) || this.#ids.length === 0) return [];
    const parallel = this.#parallels.length > 0 && this.#chance(0.15) ? this.#random.pick(this.#parallels) : undefined;
    if (parallel === undefined) return [this.#random.pick(this.#ids)];
    return Object.values(parallel.states)
      .filter(({ type }) => type !== 'history')
      .slice(0, 2)
      .map((region) => this.#below(region));
  }

  #below(node: NodeSpec): string {
    const states = Object.values(node.states).filter(({ type }) => type !== 'history');
    return states.length === 0 || this.#chance(0.2) ? node.id : this.#below(this.#random.pick(states));
  }

  #guard(): GuardSpec {
    const roll = this.#random.integer(9);
    if (roll < 2) return { is: 'even' };
    if (roll < 4) return { is: 'odd' };
    if (roll === 4) return { is: 'below', x: 20 + this.#random.integer(60) };
    if (roll === 5) return { is: 'mod', by: 2 + this.#random.integer(3) };
    if (roll === 6) return { is: 'not', of: this.#guard() };
    if (roll === 7) return { is: this.#chance(0.5) ? 'and' : 'or', of: [this.#guard(), this.#guard()] };
    return this.#ids.length === 0 ? { is: 'even' } : { is: 'in', state: this.#random.pick(this.#ids) };
  }

  #actions(probability: number): ActionSpec[] {
    if (!this.#chance(probability)) return [];
    return Array.from({ length: 1 + this.#random.integer(2) }, () =>
      this.#chance(0.75) ? this.#plain() : this.#fuelled(...this.#echo()),
    );
  }

  /** An action that cannot cause an event. */
  #plain(): ActionSpec {
    switch (this.#random.integer(11)) {
      case 9:
      case 10:
        return { do: 'shelve', how: this.#random.pick(SHELVED) };
      case 0:
      case 1:
        return { do: 'add', key: this.#random.pick(['n', 'm']), by: 1 + this.#random.integer(5) };
      case 2:
        return { do: 'mix' };
      case 3:
        return { do: 'note', params: this.#chance(0.5) ? 'static' : 'dynamic' };
      case 4:
        return { do: 'inline' };
      case 5:
        return { do: 'emit' };
      case 6:
        return { do: 'log', ...(this.#chance(0.5) && { label: 'label' }) };
      case 7:
        return { do: 'cancel', id: `d${this.#random.integer(3)}` };
      default:
        return {
          do: 'queue',
          check: this.#guard(),
          then: [{ do: 'add', key: 'm', by: 1 }, { do: 'emit' }, { do: 'inline' }],
        };
    }
  }

  /** Actions that cause an event of the same machine. */
  #echo(): ActionSpec[] {
    const roll = this.#random.next();
    const type = this.#random.pick(RAISED);
    if (roll < 0.4) return [{ do: 'raise', type }];
    if (roll < 0.55) return [{ do: 'tell', to: 'self', type }];
    const id = `d${this.#random.integer(4)}`;
    const delay = this.#delay();
    const delayed =
      roll < 0.85 ? ({ do: 'raise', type, delay } as const) : ({ do: 'tell', to: 'self', type, delay } as const);
    if (this.#chance(0.3)) return [delayed];
    // A timer set twice under one id is an intended difference.
    return [...(this.#chance(0.8) ? [{ do: 'cancel', id } as const] : []), { ...delayed, id }];
  }

  #fuelled(...then: readonly ActionSpec[]): ActionSpec {
    return { do: 'queue', check: { is: 'fuel' }, then: [{ do: 'burn' }, ...then] };
  }

  /** Actions that send events to others of the family. */
  #words(probability: number, reachable: readonly string[]): ActionSpec[] {
    if (!this.#chance(probability)) return [];
    if (this.#shape.isKid && this.#chance(0.6)) {
      const delay = this.#chance(0.15) ? { delay: this.#delay(), id: 'p' } : {};
      return [this.#fuelled({ do: 'tell', to: 'parent', type: this.#random.pick(SPOKEN), ...delay })];
    }
    if (!this.#hasChildren) return [];
    const roll = this.#random.next();
    if (roll < 0.2) return this.#spawning();
    if (roll < 0.3) return [{ do: 'stop', to: `p${this.#random.integer(2)}` }];
    if (roll < 0.45) {
      const id = `p${this.#random.integer(2)}`;
      const check: GuardSpec = { is: 'and', of: [{ is: 'live', id }, { is: 'fuel' }] };
      return [{ do: 'queue', check, then: [{ do: 'burn' }, { do: 'tell', to: id, type: this.#random.pick(SPOKEN) }] }];
    }
    if (reachable.length === 0) return [];
    const to = this.#random.pick(reachable);
    if (roll < 0.6) return [this.#fuelled({ do: 'forward', to })];
    const delay = this.#chance(0.1) ? { delay: this.#delay(), id: 'c' } : {};
    return [this.#fuelled({ do: 'tell', to, type: this.#random.pick(SPOKEN), ...delay })];
  }

  #spawning(): ActionSpec[] {
    const id = `p${this.#random.integer(2)}`;
    const src = this.#random.pick([...Object.keys(this.#shape.kids), 'sum']);
    const spawn: ActionSpec = { do: this.#chance(0.7) ? 'spawn' : 'spawnInAssign', src, id };
    const first: ActionSpec = { do: 'queue', check: { is: 'not', of: { is: 'live', id } }, then: [spawn] };
    return [
      this.#chance(0.3) ? { do: 'queue', check: { is: 'live', id }, then: [{ do: 'stop', to: id }, spawn] } : first,
    ];
  }

  #delay(): string {
    return this.#chance(0.3) ? this.#random.pick(DELAYS) : String(1 + this.#random.integer(97));
  }
}

function emptyNode(id: string): NodeSpec {
  return { id, states: {}, entry: [], exit: [], on: {}, always: [], after: {}, onDone: [], invoke: [], tags: [] };
}
