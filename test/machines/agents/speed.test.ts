/** Costs of selection: a recommendation and an index, in registries of three sizes. */
import { describe, expect, it } from 'vitest';
import { type AgentProfile } from '../../../src/machines/agents/profile.ts';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../../../src/machines/agents/recommend.ts';
import { indexBuilder, indexFor, type ProfileIndex } from '../../../src/machines/agents/retrieval.ts';
import { AGENT_PROFILES_MAX, INDEX_SLICE_PROFILES } from '../../../src/machines/limits.ts';
import { LONG } from '../../support/effort.ts';
import { SELECTION_CASES } from '../../support/machines/selection-cases.ts';
import { costOf, costsOf, REFERENCE_MS } from '../../support/processor-time.ts';

/** Room over the goals of a quiet machine. */
const SLACK = 4;

/** The largest cost in references whose goal is so many milliseconds of a quiet machine. */
const bound = (goalMs: number) => (SLACK * goalMs) / REFERENCE_MS;

/** A registry of a size: the shipped profiles again and again, each time with words of its own. */
function registry(size: number): AgentProfile[] {
  return Array.from({ length: size }, (_, index) => {
    const one = SHIPPED_PROFILES[index % SHIPPED_PROFILES.length]!;
    if (index < SHIPPED_PROFILES.length) return one;
    const meta = one.selectionMetadata!;
    const keywords = [...meta.keywords!.slice(0, 40), `topic${index}`];
    return { ...one, agentId: `${one.agentId}-${index}`, selectionMetadata: { ...meta, keywords } };
  });
}

/** The cost of a recommendation, on average. */
async function recommending(index: ProfileIndex, count: number): Promise<number> {
  const tasks = SELECTION_CASES.filter(({ kind }) => kind !== 'filter').slice(0, count);
  for (const { request } of tasks.slice(0, 5)) recommend(index, request);
  const { cost } = await costOf(() => tasks.forEach(({ request }) => recommend(index, request)));
  return cost / tasks.length;
}

describe('a recommendation', LONG, () => {
  it.each([
    [22, 2, 150],
    [1_000, 5, 50],
  ])('AC-023: among %i agents takes %i ms of a quiet core on average', async (size, goalMs, count) => {
    expect(await recommending(indexFor(registry(size)), count)).toBeLessThan(bound(goalMs));
  });
});

describe('ten thousand agents', LONG, () => {
  it('AC-023: have an index that is made in slices, and a recommendation takes 30 ms of a quiet core', async () => {
    const builder = indexBuilder(registry(AGENT_PROFILES_MAX));
    let index: ProfileIndex | undefined;
    function* slices() {
      while (index === undefined) yield () => (index = builder.add(INDEX_SLICE_PROFILES));
    }
    const costs = (await costsOf(slices())).map(({ cost }) => cost).sort((a, b) => a - b);
    expect(costs[Math.floor(costs.length * 0.9)]).toBeLessThan(bound(10));
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThan(bound(3_000));
    expect(await recommending(index!, 20)).toBeLessThan(bound(30));
  });
});
