/**
 * Packs: the vocabulary of a field of work, with its agent types, its risk orders, the change of a figure that makes
 * dependents run again, and its priorities. A plan names a pack, declares words of its own, or both; otherwise it has
 * the neutral pack. Data and one rule; pure.
 */
import { z } from 'zod';
import { didYouMean } from '../../near-names.ts';
import { type AgentTypes, SEED_AGENT_TYPES } from './coordinator/agent-registry.ts';
import { type Challenge } from './debates/challenge.ts';
import { type RiskOrder } from './debates/conservative-default.ts';
import { type Measures } from './debates/downstream-impact.ts';
import { type DebateUrgency } from './debates/routing.ts';

/** Names, measures and orders of one field of work, named by a plan. */
export interface Pack {
  readonly agentTypes: AgentTypes;
  /** Risk orders by kind of value. */
  readonly riskOrders: Readonly<Record<string, RiskOrder>>;
  readonly measures: Measures;
  /** Urgency of a debate by name of priority. */
  readonly priorities: Readonly<Record<string, DebateUrgency>>;
}

/** The neutral pack: risk, confidence and views, and the three urgencies under their own names. */
export const NEUTRAL: Pack = {
  agentTypes: {},
  riskOrders: { risk: 'highest', confidence: 'lowest', view: ['sceptical', 'neutral', 'optimistic'] },
  measures: { confidence: { threshold: 0.15, of: 'points' }, risk: { threshold: 0.1, of: 'points' } },
  priorities: { 'critical-path': 'critical-path', ordinary: 'ordinary', supporting: 'supporting' },
};

/** Equity research as the seed defines it (CA-003, CA-038, CA-105, CA-122, CA-135). */
const FINANCE: Pack = {
  agentTypes: SEED_AGENT_TYPES,
  riskOrders: {
    'target-price': 'lowest',
    margin: 'lowest',
    growth: 'lowest',
    'discount-rate': 'highest',
    rating: ['sell', 'underweight', 'hold', 'overweight', 'buy'],
  },
  // Any change of a rating makes it run again.
  measures: { target_price: { threshold: 0.1, of: 'share' }, rating: { threshold: 0, of: 'points' } },
  priorities: { valuation: 'ordinary' },
};

/** The packs by name. */
export const PACKS = { finance: FINANCE } as const satisfies Readonly<Record<string, Pack>>;

export const packName = z.enum(['finance']) satisfies z.ZodType<keyof typeof PACKS>;

/** Merges packs; if several define a name, the last of them counts. */
export function joined(...packs: readonly Partial<Pack>[]): Pack {
  const all = <Key extends keyof Pack>(key: Key): Pack[Key] =>
    Object.assign({}, ...packs.map((pack) => pack[key])) as Pack[Key];
  return {
    agentTypes: all('agentTypes'),
    riskOrders: all('riskOrders'),
    measures: all('measures'),
    priorities: all('priorities'),
  };
}

/** The first undeclared word of a challenge, as a problem; undefined if there is none. */
export function undeclaredIn(
  { priorities, measures }: Pack,
  { priority, dependents }: Pick<Challenge, 'priority' | 'dependents'>,
): string | undefined {
  const problemOf = (noun: string, given: string, known: object): string[] => {
    const names = Object.keys(known);
    return names.includes(given)
      ? []
      : [`unknown ${noun} "${given}"${didYouMean(given, names) || `; there are ${names.join(', ')}`}`];
  };
  const measured = dependents.flatMap(({ measure }) => problemOf('measure', measure, measures));
  return [...problemOf('priority', priority, priorities), ...measured][0];
}
