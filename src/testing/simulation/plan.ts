/**
 * The plan of a run: steps with everything that was drawn for them, so that one can be taken out and the others stay
 * what they are. Drawn from a seed, shrunk, and written into tokens.
 */
import { type EventObject } from 'xstate';
import type { Shape } from './definition.ts';
import { drawFault, type Fault, type FaultKind, ratesOf } from './faults.ts';
import { chanceOf } from './keyed-chance.ts';
import { type SeededRandom } from '../seeded-random.ts';

/** An event for an actor. With `ask`, the client waits for its reply. */
export interface ClientSend {
  readonly address: string;
  readonly event: EventObject;
  readonly ask?: boolean;
}

export type Deed =
  | { readonly kind: 'send'; readonly sends: readonly ClientSend[] }
  | { readonly kind: 'advance'; readonly ms: number }
  | Fault;

export type Step = Deed & {
  /** Identifies the step. It keeps its id when other steps are removed. */
  readonly id: number;
  /** The seed for the order of turns in this step; 0 for the usual order. */
  readonly order: number;
  /** Rounds of deferred work that run before the next step; null to run until the system is idle. */
  readonly rounds: number | null;
};

/** The outcome of one call of an effect. */
export interface Fate {
  /** Milliseconds until the world has carried out the call, and milliseconds until the answer has arrived. */
  readonly latencyMs: number;
  readonly outcome: 'done' | 'fails' | 'losesAnswer' | 'hangs';
}

export interface Plan {
  readonly seed: number;
  readonly steps: readonly Step[];
  /**
   * Fates by call (`charge of o1, 2`). Calls that are not listed succeed at once. Undefined: each fate is drawn when
   * its call is made.
   */
  readonly fates?: Readonly<Record<string, Fate>>;
}

/**
 * Names a call of an effect in `fates`.
 *
 * @param count The number of the call among those of the same actor and effect, from 1.
 */
export function callOf(site: string, count: number): string {
  return `${site}, ${count}`;
}

/** The earlier calls of the same actor and effect, in order. */
export function callsBefore(call: string): string[] {
  const at = call.lastIndexOf(', ');
  const count = Number(call.slice(at + 2));
  return Array.from({ length: count - 1 }, (_, index) => callOf(call.slice(0, at), index + 1));
}

/** The percentage of steps that advance time. The others send events, unless they are faults. */
const ADVANCES = 30;

/** The probability that a seed reorders turns at all, and then that a step does. */
const ODD_ORDER = 0.7;

/** Most events sent in one step by the default clients. */
const BURST_MAX = 4;

const ORDERS = 2 ** 30;

export function drawPlan(shape: Shape, seed: number): Plan {
  const { steps: stepsMax, workers, faults } = shape;
  const chance = chanceOf(seed, 'plan');
  const rates = Object.entries(ratesOf(faults, workers, chance)) as [FaultKind, number][];
  const isOdd = chance.next() < ODD_ORDER;
  const count = Math.max(1, Math.ceil(stepsMax * chance.pick([0.1, 0.3, 1])));
  const steps = Array.from({ length: count }, (_, id): Step => {
    const own = chanceOf(seed, 'step', id);
    const deed = drawDeed(shape, rates, own);
    const order = isOdd && own.next() < ODD_ORDER ? 1 + own.integer(ORDERS) : 0;
    return { ...deed, id, order, rounds: own.pick([0, 1, 2, 3, null, null]) };
  });
  return { seed, steps };
}

function drawDeed(shape: Shape, rates: readonly (readonly [FaultKind, number])[], chance: SeededRandom): Deed {
  let at = chance.next() * 100;
  for (const [kind, rate] of rates) {
    at -= rate;
    if (at < 0) return drawFault(kind, shape.workers, chance);
  }
  if (chance.next() * 100 < ADVANCES) return { kind: 'advance', ms: chance.pick(shape.times) };
  return { kind: 'send', sends: drawSends(shape, chance) };
}

function drawSends(shape: Shape, chance: SeededRandom): readonly ClientSend[] {
  const { clients, targets } = shape;
  const draw = (agent: string, type?: string) => shape.draw(agent, type, chance);
  if (clients !== undefined) return clients({ chance, actors: targets, draw });
  return Array.from({ length: 1 + chance.integer(BURST_MAX) }, () => {
    const { address, agent } = chance.pick(targets);
    return { address, event: draw(agent) };
  });
}
