/** What selection costs: processor time of a recommendation and of an index, in registries of three sizes. */
import { describe, expect, it } from 'vitest';
import { type AgentProfile } from '../../../src/machines/agents/profile.ts';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../../../src/machines/agents/recommend.ts';
import { indexBuilder, indexFor, type ProfileIndex } from '../../../src/machines/agents/retrieval.ts';
import { AGENT_PROFILES_MAX, INDEX_SLICE_PROFILES } from '../../../src/machines/limits.ts';
import { LONG } from '../../support/effort.ts';
import { SELECTION_CASES } from '../../support/machines/selection-cases.ts';
import { processorTimeOf } from '../../support/processor-time.ts';

/** Room for a slow machine over the goals of a quiet one. */
const SLACK = 4;

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

/** Milliseconds of processor time for a recommendation, on average. */
async function costOf(index: ProfileIndex, count: number): Promise<number> {
  const tasks = SELECTION_CASES.filter(({ kind }) => kind !== 'filter').slice(0, count);
  for (const { request } of tasks.slice(0, 5)) recommend(index, request);
  const { tookMs } = await processorTimeOf(() => tasks.forEach(({ request }) => recommend(index, request)));
  return tookMs / tasks.length;
}

describe('a recommendation', LONG, () => {
  it.each([
    [22, 2, 150],
    [1_000, 5, 50],
  ])('AC-023: among %i agents takes %i ms of processor time on average', async (size, goalMs, count) => {
    expect(await costOf(indexFor(registry(size)), count)).toBeLessThan(goalMs * SLACK);
  });
});

describe('ten thousand agents', LONG, () => {
  it('AC-023: have an index that is made in slices, and a recommendation takes 30 ms of processor time', async () => {
    const builder = indexBuilder(registry(AGENT_PROFILES_MAX));
    const slices: number[] = [];
    let index: ProfileIndex | undefined;
    while (index === undefined) {
      const { result, tookMs } = await processorTimeOf(() => builder.add(INDEX_SLICE_PROFILES));
      slices.push(tookMs);
      index = result;
    }
    slices.sort((a, b) => a - b);
    expect(slices[Math.floor(slices.length * 0.9)]).toBeLessThan(10 * SLACK);
    expect(slices.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(3_000 * SLACK);
    expect(await costOf(index, 20)).toBeLessThan(30 * SLACK);
  });
});
