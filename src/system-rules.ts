/**
 * Checks the options of createSystem before they are used: the known keys, the kind of value of each, and whether the
 * tree names known agents. Ranges are checked where an option is read.
 */
import { anAgent, aPromptFunction, promptly } from './actors/api/agent-rules.ts';
import { type AnyAgent } from './actors/model/agent.ts';
import { BosunError } from './errors.ts';
import {
  aCount,
  aFlag,
  aFunction,
  anObject,
  anything,
  aText,
  aTime,
  closedObject,
  listOf,
  needed,
  objectWith,
  oneOf,
  type OptionRule,
  type OptionRules,
  problemOfOptions,
  rule,
} from './option-rules.ts';
import { type ScrubOptions } from './persistence/upkeep/scrubber.ts';
import { type BossSpec, parseTree } from './supervisor/child-spec.ts';
import { unknownAgent } from './supervisor/named-agents.ts';
import { type SystemOptions } from './system-options.ts';
import { disown } from './user-code.ts';
import { type SpreadOptions } from './workers/options.ts';

const CLOCK_METHODS = ['wallMs', 'monotonicMs', 'setTimeout', 'defer'] as const;
const scrub = closedObject<ScrubOptions>({ intervalMs: aTime, records: aCount });
const aClock = promptly(objectWith('a clock', ...CLOCK_METHODS), ...CLOCK_METHODS);

const SYSTEM_RULES: OptionRules<SystemOptions> = {
  agents: needed('list the agents that its actors may run', listOf(anAgent)),
  resolveAgent: aPromptFunction,
  store: needed(
    "give it levelStore('./data'), or memoryStore() to keep nothing",
    objectWith('a store, such as levelStore(directory) or memoryStore()', 'open', 'close', 'get', 'scan', 'write'),
  ),
  durability: oneOf('disk', 'process', 'memory'),
  outageMs: aTime,
  journal: anObject,
  recoverTo: rule('the number of an epoch', (value) => Number.isSafeInteger(value) && (value as number) >= 0),
  secretKey: aText,
  previousSecretKeys: listOf(aText),
  tree: anObject,
  clock: aClock,
  random: promptly(objectWith('a source of chance, with next()', 'next'), 'next'),
  scrub: (value) => (value === false ? undefined : scrub(value)),
  hold: aFlag,
  residentActors: rule('a number of actors from 1', (value) => typeof value === 'number' && value >= 1),
  epochMs: aTime,
  trustWallClock: aFlag,
  caution: aFlag,
  stepEngine: oneOf('plan', 'xstate'),
  turnOrder: objectWith('an order of turns', 'next', 'messages', 'endsSlice'),
  log: aFunction,
};

/** The names of the options of createSystem. */
export const SYSTEM_OPTIONS: readonly string[] = Object.keys(SYSTEM_RULES);

const threads: OptionRule = closedObject<SpreadOptions['workers']>({
  count: needed('say how many threads', anything),
  module: needed("give the URL of the module with the agents: new URL('./agents.js', import.meta.url)", anything),
  exported: aText,
  directory: needed('say where the stores are', aText),
  intensity: rule('a whole number from 0', (value) => Number.isSafeInteger(value) && (value as number) >= 0),
  periodMs: aTime,
  resourceLimits: anObject,
  execArgv: listOf(aText),
});

const SPREAD_RULES: OptionRules<SpreadOptions> = { workers: threads, log: aFunction };

/** Checks the options of a system. Throws BOSUN_CONFIG_INVALID. */
export function checkSystemOptions(options: unknown): asserts options is SystemOptions {
  refuse(problemOfOptions(options, SYSTEM_RULES));
}

/**
 * Returns the options of a system with workers; undefined if they name none. Options that belong to each worker are
 * refused. Throws BOSUN_CONFIG_INVALID.
 */
export function spreadOptionsIn(options: unknown): SpreadOptions | undefined {
  if (typeof options !== 'object' || options === null || !('workers' in options)) return undefined;
  const own = Object.keys(options).find((key) => key in SYSTEM_RULES && !(key in SPREAD_RULES));
  refuse(own && `${own}: belongs in the module that the workers load, not beside workers`);
  refuse(problemOfOptions(options, SPREAD_RULES));
  return options as SpreadOptions;
}

/**
 * Returns the tree with its defaults. Throws BOSUN_CHILD_SPEC_INVALID, and BOSUN_AGENT_UNKNOWN for an agent that the
 * system does not have, except on hold, where nothing runs.
 */
export function checkedTree(
  { tree = {}, hold = false }: Pick<SystemOptions, 'tree' | 'hold'>,
  agents: { named(name: string): AnyAgent | undefined; known(): Iterable<AnyAgent> },
): BossSpec {
  // An input is admitted when its actor starts, if at all.
  disown(tree);
  const root = parseTree(tree);
  if (hold) return root;
  const names = [...agents.known()].map(({ name }) => name);
  const problem = unknownAgent(root, { isKnown: (name) => agents.named(name) !== undefined, names });
  if (problem === undefined) return root;
  const place = problem.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  throw new BosunError(
    'BOSUN_AGENT_UNKNOWN',
    `createSystem: ${place.slice(1)}: ${problem.message}; its agents are ${names.join(', ') || 'none'}`,
  );
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `createSystem: ${problem}`);
}
