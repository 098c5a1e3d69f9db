/**
 * Gives random machines values beyond JSON to hold, change, compare and pass on, with a chance of its own, so that a
 * seed stays the machine that it was. A family is laden as a whole, since its members tell each other what they hold.
 */
import { SeededRandom } from '../../../src/testing/seeded-random.ts';
import { type ActionSpec, type GuardSpec, HOLDS, type MachineSpec, type TransitionSpec } from './machine-spec.ts';
import { rewritten, standsAlone, withAction } from './rewrite.ts';
import { SPOKEN } from './generator.ts';
import { randomValue } from './value-spec.ts';

/** The share of machines that are laden. */
const MACHINES = 0.15;
/** The share of a laden machine's places for actions that have one that works on values. */
const PLACES = 0.4;
/** The shares of its transitions that have a guard on values, and of its events that carry one. */
const GUARDS = 0.12;
const CARGOES = 0.6;
/** The share of its places for actions that tell something to an actor that it holds a reference to. */
const PEERS = { root: 0.05, kid: 0.25 };

/** The share of events from outside to a laden machine that carry a value. */
export const OUTSIDE_CARGOES = 0.4;

/** Keeps the draws apart from those for the machine itself. With 27, the machines of the named seeds are not laden. */
const SALT = 27;

export function laden(spec: MachineSpec, seed: number): MachineSpec {
  const random = new SeededRandom(seed ^ SALT);
  return random.next() < MACHINES ? new Loading(random).machine(spec) : spec;
}

class Loading {
  readonly #random: SeededRandom;
  #peers = PEERS.root;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  machine(spec: MachineSpec, peers = PEERS.root): MachineSpec {
    const kids = Object.entries(spec.kids).map(([name, kid]) => [name, this.machine(kid, PEERS.kid)] as const);
    this.#peers = peers;
    const root = rewritten(spec.root, {
      actions: (actions) => this.#actions(actions),
      transition: (transition) => this.#transition(transition),
      hasInvokes: true,
    });
    return { root, kids: Object.fromEntries(kids), load: randomValue(this.#random) };
  }

  #actions(given: readonly ActionSpec[]): readonly ActionSpec[] {
    const actions = given.map((action) => this.#withCargo(action));
    if (standsAlone(actions)) return actions;
    if (this.#random.next() < this.#peers) return [...actions, this.#wordToPeer()];
    if (this.#random.next() >= PLACES) return actions;
    return withAction(actions, this.#random.integer(actions.length + 1), this.#hold());
  }

  #withCargo(action: ActionSpec): ActionSpec {
    if (action.do === 'queue') return { ...action, then: action.then.map((inner) => this.#withCargo(inner)) };
    if ((action.do !== 'tell' && action.do !== 'raise' && action.do !== 'emit') || this.#random.next() >= CARGOES)
      return action;
    const isDownward = action.do === 'tell' && action.to !== 'parent' && action.to !== 'self';
    const cargo = this.#random.pick(['held', 'held', isDownward ? 'refs' : 'held', 'kept'] as const);
    return { ...action, cargo };
  }

  #wordToPeer(): ActionSpec {
    const tell: ActionSpec = { do: 'tell', to: 'peer', type: this.#random.pick(SPOKEN), cargo: 'held' };
    return { do: 'queue', check: { is: 'fuel' }, then: [{ do: 'burn' }, tell] };
  }

  #hold(): ActionSpec {
    const how = this.#random.pick(HOLDS);
    return { do: 'hold', how, ...(how === 'make' && { value: randomValue(this.#random) }) };
  }

  #transition(transition: TransitionSpec): TransitionSpec {
    if (this.#random.next() >= GUARDS) return transition;
    const ask: GuardSpec = { is: 'held', ask: this.#random.pick(['same', 'later', 'odd']) };
    const guard: GuardSpec = this.#random.next() < 0.5 ? ask : { is: 'not', of: ask };
    return { ...transition, guard: transition.guard ? { is: 'and', of: [transition.guard, guard] } : guard };
  }
}
