/**
 * Gives random machines actions that record, with a chance of its own, so that a seed stays the machine that it was:
 * the named seeds of the fuzz are faults of the past. Only the machine of an agent records, not its children.
 */
import { SeededRandom } from '../../../src/testing/seeded-random.ts';
import { type ActionSpec, type MachineSpec, type NodeSpec, RECORD_NAMES, type TransitionSpec } from './machine-spec.ts';

/** The share of machines that record, and of their places for actions that have one. */
const MACHINES = 0.6;
const PLACES = 0.3;

/** Actions that throw stand alone, or what was done before them would be judged otherwise. */
const ALONE: ReadonlySet<ActionSpec['do']> = new Set(['boom', 'throw', 'badAssign']);

export function recording(spec: MachineSpec, seed: number): MachineSpec {
  const random = new SeededRandom(seed);
  return random.next() < MACHINES ? { ...spec, root: new Recording(random).node(spec.root) } : spec;
}

class Recording {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  node(node: NodeSpec): NodeSpec {
    if (node.type === 'history') return node;
    return {
      ...node,
      states: mapped(node.states, (child) => this.node(child)),
      entry: this.#actions(node.entry),
      exit: this.#actions(node.exit),
      on: mapped(node.on, (transitions) => transitions && this.#transitions(transitions)),
      always: this.#transitions(node.always),
      after: mapped(node.after, (transitions) => this.#transitions(transitions)),
      onDone: this.#transitions(node.onDone),
      ...(node.initialActions && { initialActions: this.#actions(node.initialActions) }),
    };
  }

  #transitions(transitions: readonly TransitionSpec[]): TransitionSpec[] {
    return transitions.map((transition) => ({ ...transition, actions: this.#actions(transition.actions) }));
  }

  #actions(actions: readonly ActionSpec[]): readonly ActionSpec[] {
    if (this.#random.next() >= PLACES || actions.some((action) => ALONE.has(action.do))) return actions;
    const place = this.#random.integer(actions.length + 1);
    const queue = actions[place];
    if (queue?.do === 'queue') return actions.with(place, { ...queue, then: [...queue.then, this.#record()] });
    return actions.toSpliced(place, 0, this.#record());
  }

  #record(): ActionSpec {
    return { do: 'record', name: this.#random.pick(RECORD_NAMES) };
  }
}

function mapped<T, U>(record: Readonly<Record<string, T>>, map: (item: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, map(item)]));
}
