/** Checks the options of simulation: the known keys, and the kind of each. */
import { BosunError } from '../../errors.ts';
import {
  aCount,
  aFunction,
  aTime,
  closedObject,
  listOf,
  needed,
  oneOf,
  type OptionRule,
  type OptionRules,
  problemOfOptions,
  recordOf,
  rule,
} from '../../option-rules.ts';
import type { SimulationOptions } from './definition.ts';
import { FAULT_KINDS, type FaultKind } from './faults.ts';
import { type EffectModel } from './outside.ts';
import { BUILT_IN_PROPERTIES, type Model, type Property } from './properties.ts';

const aChance = rule('a chance from 0 to 1', (value) => typeof value === 'number' && value >= 0 && value <= 1);
const aRate = rule('a number of steps in a hundred', (value) => typeof value === 'number' && value >= 0);
export const aRange = rule('two numbers, the lesser first', isRange);

const rates = closedObject(
  Object.fromEntries(FAULT_KINDS.map((kind) => [kind, aRate])) as Record<FaultKind, OptionRule>,
);
const profile = oneOf('calm', 'default', 'hostile', 'swarm');

const effect = closedObject<EffectModel<unknown>>({
  run: needed('say what the outside does, as a function', aFunction),
  latencyMs: aRange,
  fails: aChance,
  losesAnswer: aChance,
  hangs: aChance,
});

const aProperty = rule('a property, as always, finally_, leadsTo and sometimes make it', (value) =>
  ['always', 'finally', 'leadsTo', 'sometimes'].includes((value as Partial<Property> | null)?.kind ?? ''),
);

const SIMULATION_RULES: OptionRules<SimulationOptions> = {
  system: needed('return agents and tree from a function', aFunction),
  world: aFunction,
  effects: recordOf(effect),
  clients: aFunction,
  faults: (value) => (typeof value === 'string' ? profile(value) : rates(value)),
  steps: aCount,
  actors: aCount,
  times: listOf(aTime),
  healMs: aTime,
  properties: listOf(aProperty),
  model: closedObject<Model<unknown>>({
    init: needed('return the state before the first send', aFunction),
    apply: needed('return the state after a send', aFunction),
    check: needed('say whether the system is as the state has it', aFunction),
  }),
  tolerates: listOf(oneOf(...BUILT_IN_PROPERTIES)),
};

/**
 * Checks the options of a simulation.
 *
 * @throws BOSUN_CONFIG_INVALID for an option that is unknown or invalid.
 */
export function checkSimulationOptions(options: unknown): void {
  const problem = problemOfOptions(options, SIMULATION_RULES);
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `simulation: ${problem}`);
}

function isRange(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [from, to] = value as unknown[];
  return typeof from === 'number' && typeof to === 'number' && from <= to;
}
