/**
 * Packs: the vocabulary of a field of work, with its agent types, its risk orders, the change of a figure that makes
 * dependents run again, its priorities, its regimes, the dimensions of its contexts and the words of its gates. A plan
 * names a pack, declares words of its own, or both; otherwise it has the neutral pack. Data and its rules; pure.
 */
import { z } from 'zod';
import { didYouMean } from '../../near-names.ts';
import { type GateWords } from '../people/gates/gate-presets.ts';
import { type AgentTypes, SEED_AGENT_TYPES } from './coordinator/agent-registry.ts';
import { type Regimes } from './credibility/regime.ts';
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
  /** Regimes of the outside world, in their order. Without any, the regime is unknown. */
  readonly regimes?: Regimes | undefined;
  /** The dimensions that a context may have. Left out: any five. */
  readonly contextDimensions?: readonly string[] | undefined;
  /** Words of preset gates, in place of the neutral ones. Plans take them up when they are read. */
  readonly gates?: GateWords;
}

/** The neutral pack: risk, confidence and views, and the three urgencies under their own names. */
export const NEUTRAL: Pack = {
  agentTypes: {},
  riskOrders: { risk: 'highest', confidence: 'lowest', view: ['sceptical', 'neutral', 'optimistic'] },
  measures: { confidence: { threshold: 0.15, of: 'points' }, risk: { threshold: 0.1, of: 'points' } },
  priorities: { 'critical-path': 'critical-path', ordinary: 'ordinary', supporting: 'supporting' },
};

/** Equity research as the seed defines it (CA-003, CA-038, CA-105, CA-107, CA-113, CA-122, CA-135, CA-137). */
const FINANCE: Required<Pack> = {
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
  // Volatility in points of the VIX, the change of the leading index as a share, its rate in percent.
  regimes: [
    { name: 'HIGH_VOLATILITY', when: { volatility: { above: 30 } } },
    { name: 'BULL_HIGH_RATES', when: { indexChange: { above: 0.1 }, rate: { atLeast: 3 } } },
    { name: 'BULL_LOW_RATES', when: { indexChange: { above: 0.1 } } },
    { name: 'BEAR_HIGH_RATES', when: { indexChange: { below: 0 }, rate: { atLeast: 3 }, volatility: { above: 25 } } },
    { name: 'BEAR_LOW_RATES', when: { indexChange: { below: 0 } } },
    { name: 'NORMAL' },
  ],
  contextDimensions: ['sector', 'metricType', 'timeHorizon', 'size', 'growthStage'],
  gates: { G1: { title: 'Screening', onTimeout: 'top 10' }, G2: { onTimeout: 'standard checklist' } },
};

/** The packs by name. */
export const PACKS = { finance: FINANCE } as const satisfies Readonly<Record<string, Pack>>;

export const packName = z.enum(['finance']) satisfies z.ZodType<keyof typeof PACKS>;

/** The words of a pack that are lists: the last one counts whole. Plans of older builds have none of them. */
type Lists = Pick<Pack, 'regimes' | 'contextDimensions'>;

/** The lists without absent keys, so that a plan without these words equals one of an older build. */
function listsOf({ regimes, contextDimensions }: Partial<Pack>): Lists {
  return { ...(regimes && { regimes }), ...(contextDimensions && { contextDimensions }) };
}

/** Merges packs; if several define a name or a list, the last of them counts. */
export function joined(...packs: readonly Partial<Pack>[]): Pack {
  const all = <Key extends keyof Pack>(key: Key): Pack[Key] =>
    Object.assign({}, ...packs.map((pack) => pack[key])) as Pack[Key];
  return {
    agentTypes: all('agentTypes'),
    riskOrders: all('riskOrders'),
    measures: all('measures'),
    priorities: all('priorities'),
    ...(Object.assign({}, ...packs.map(listsOf)) as Lists),
  };
}

/** The words of a plan file: the name of a pack, and declarations of its own. */
interface DeclaredWords extends Omit<Pack, 'agentTypes' | 'gates'> {
  readonly pack?: keyof typeof PACKS | undefined;
  readonly agentTypes: Readonly<Record<string, { subtasks: Record<string, number>; halfLifeYears: number }>>;
}

/** The pack of a plan: the named one with the plan's own declarations; undefined if there are no words at all. */
export function packOf({ pack, agentTypes, measures, priorities, riskOrders, ...lists }: DeclaredWords) {
  const declared = Object.entries(agentTypes).map(([type, { subtasks, halfLifeYears }]) => {
    const parts = Object.entries(subtasks).map(([subtask, minutes]) => ({ name: subtask, minutes }));
    return [type, { capacity: null, subtasks: parts, halfLifeYears }] as const;
  });
  const own = { agentTypes: Object.fromEntries(declared), measures, priorities, riskOrders, ...listsOf(lists) };
  const isSilent = Object.values(own).every((words) => Object.keys(words ?? []).length === 0);
  if (pack === undefined && isSilent) return undefined;
  return joined(pack === undefined ? {} : PACKS[pack], own);
}

/**
 * A pack as the build kept it that wrote `held`: without lists of a named pack that `held` lacks. Lists of the plan's
 * own stay, and make it another plan.
 */
export function inFormOf(held: Pack | undefined, given: Pack | undefined): Pack | undefined {
  if (held === undefined || given === undefined) return given;
  const isLater = ([key, list]: [string, unknown]) =>
    !Object.hasOwn(held, key) &&
    Object.values(PACKS).some((pack) => JSON.stringify(pack[key as keyof Lists]) === JSON.stringify(list));
  const kept = Object.entries(given).filter((words) => !isLater(words));
  return Object.fromEntries(kept) as unknown as Pack;
}

/** The first undeclared word of a challenge, as a problem; undefined if there is none. */
export function undeclaredIn(
  { priorities, measures, contextDimensions }: Pack,
  { priority, dependents, context }: Pick<Challenge, 'priority' | 'dependents' | 'context'>,
): string | undefined {
  const problemOf = (noun: string, given: string, names: readonly string[]): string[] =>
    names.includes(given)
      ? []
      : [`unknown ${noun} "${given}"${didYouMean(given, names) || `; there are ${names.join(', ')}`}`];
  const measured = dependents.flatMap(({ measure }) => problemOf('measure', measure, Object.keys(measures)));
  const placed = Object.keys(context).flatMap((dimension) =>
    problemOf('context dimension', dimension, contextDimensions ?? [dimension]),
  );
  return [...problemOf('priority', priority, Object.keys(priorities)), ...measured, ...placed][0];
}
