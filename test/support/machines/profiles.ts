/** Profiles for tests: made by hand, or arbitrary ones for properties. */
import * as fc from 'fast-check';
import { type AgentProfile, AGENT_CATEGORIES, type SelectionMetadata } from '../../../src/machines/agents/profile.ts';

/** A profile of which only some fields matter. */
export function profile(agentId: string, meta: SelectionMetadata = {}, rest: Partial<AgentProfile> = {}): AgentProfile {
  return { agentId, description: 'x', enabled: true, ...rest, selectionMetadata: meta };
}

/** The fallback, which says nothing that a task could match. */
export const STANDARD = profile('standard', { agentCategory: 'generalist' });

/** Few words, so that tasks and profiles often meet. */
const WORDS = ['red', 'green', 'bridge', 'tower', 'paint', 'cross', 'river', 'stone', 'old', 'the', 'of', 'lamp'];

const text = (min: number, max: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: min, maxLength: max }).map((words) => words.join(' '));
const texts = fc.array(text(1, 4), { maxLength: 4 });

const metadata = fc.record(
  {
    primaryIntents: texts,
    negativeIntents: texts,
    keywords: texts,
    antiKeywords: texts,
    exampleTasks: texts,
    notForTasks: texts,
    redirectWhen: fc.array(fc.record({ phrase: text(1, 3), suggest: fc.constant('standard') }), { maxLength: 2 }),
    agentCategory: fc.constantFrom(...AGENT_CATEGORIES),
  },
  { requiredKeys: [] },
);

const anyProfile = (agentId: string) =>
  fc.record({
    agentId: fc.constant(agentId),
    description: text(1, 8),
    capabilities: fc.uniqueArray(fc.constantFrom('painting', 'building', 'crossing'), { maxLength: 3 }),
    team: fc.constantFrom('north', 'south'),
    enabled: fc.boolean(),
    selectionMetadata: metadata,
  });

/** Registries of up to eight agents and the fallback. */
export const registries = fc
  .uniqueArray(fc.constantFrom('ann', 'bea', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal'), { maxLength: 8 })
  .chain((ids) => fc.tuple(...ids.map(anyProfile)))
  .map((profiles): AgentProfile[] => [...profiles, STANDARD]);

/** Requests whose words such profiles have. */
export const requests = fc.record(
  {
    task: text(1, 10),
    team: fc.constantFrom('north', 'south', 'west'),
    requiredCapabilities: fc.uniqueArray(fc.constantFrom('painting', 'building', 'flying'), { maxLength: 2 }),
    excludeAgents: fc.uniqueArray(fc.constantFrom('ann', 'bea', 'standard'), { maxLength: 2 }),
    maxResults: fc.integer({ min: 1, max: 10 }),
    mode: fc.constantFrom('blended' as const, 'rules' as const),
    explain: fc.boolean(),
  },
  { requiredKeys: ['task'] },
);
