/** The recommendation of an agent for a task: points, rank, fallback, filters, and what its authors wrote down. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgentProfile,
  type RecommendRequest,
  recommendResultSchema,
} from '../../../src/machines/agents/profile.ts';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../../../src/machines/agents/recommend.ts';
import { indexBuilder, indexFor } from '../../../src/machines/agents/retrieval.ts';
import { authoredFactors, preparedProfile, preparedTask, sumOf } from '../../../src/machines/agents/score.ts';
import { profile, registries, requests, STANDARD } from '../../support/machines/profiles.ts';

const ask = (profiles: readonly AgentProfile[], request: RecommendRequest) => recommend(indexFor(profiles), request);
const shipped = indexFor(SHIPPED_PROFILES);
const first = (task: string, rest: Partial<RecommendRequest> = {}) => recommend(shipped, { task, ...rest });

/** The points of an agent, and its factors as `kind points`. */
function explained(profiles: readonly AgentProfile[], request: RecommendRequest, agentId: string) {
  const { explanation = [] } = ask(profiles, { explain: true, maxResults: 10, ...request });
  const found = explanation.find((each) => each.agentId === agentId);
  return found && { points: found.points, factors: found.factors.map(({ kind, points }) => `${kind} ${points}`) };
}

/** Points that authors gave, without those of retrieval. */
const authored = (one: AgentProfile, task: string) => sumOf(authoredFactors(preparedProfile(one), preparedTask(task)));

describe('the invariants of selection', () => {
  it('AC-015, AC-021: SEL-001, the same registry and request give the same bytes, in any order of registration', () => {
    fc.assert(
      fc.property(registries, requests, fc.infiniteStream(fc.nat()), (profiles, request, noise) => {
        const shuffled = profiles
          .map((one) => ({ one, place: noise.next().value as number }))
          .sort((a, b) => a.place - b.place)
          .map(({ one }) => one);
        const told = JSON.stringify(ask(profiles, request));
        expect(JSON.stringify(ask(shuffled, request))).toBe(told);
        expect(JSON.stringify(ask(profiles, request))).toBe(told);
      }),
    );
  });

  it('AC-016, AC-021: SEL-002, confidence is from 0 to 1, and points outside are told before clamping', () => {
    fc.assert(
      fc.property(registries, requests, (profiles, request) => {
        expect(recommendResultSchema.safeParse(ask(profiles, request)).success).toBe(true);
      }),
    );
    const outside: [string, number][] = [];
    const both = {
      exampleTasks: ['paint the old bridge'],
      keywords: ['paint', 'bridge'],
      primaryIntents: ['paint bridge'],
    };
    const index = indexFor([profile('ann', both), STANDARD]);
    const { confidence } = recommend(index, { task: 'paint the old bridge', mode: 'rules' }, (...told) =>
      outside.push(told),
    );
    expect({ confidence, outside }).toEqual({ confidence: 0.9, outside: [] });
    const three = indexFor([profile('ann', { ...both, primaryIntents: ['paint', 'bridge'] }), STANDARD]);
    const clamped = recommend(three, { task: 'paint the old bridge', mode: 'rules' }, (...told) => outside.push(told));
    expect({ confidence: clamped.confidence, outside }).toEqual({ confidence: 1, outside: [['ann', 1_500]] });
  });

  it('AC-017, AC-021: SEL-003, results are in order of confidence, ties in order of agent ids', () => {
    fc.assert(
      fc.property(registries, requests, (profiles, request) => {
        const { recommended, confidence, alternatives } = ask(profiles, request);
        const all = [{ agentId: recommended, confidence }, ...alternatives];
        for (const [index, { confidence: next }] of all.slice(1).entries())
          expect(all[index]!.confidence).toBeGreaterThanOrEqual(next);
        expect(new Set(all.map(({ agentId }) => agentId)).size).toBe(all.length);
        expect(alternatives.length).toBeLessThanOrEqual((request.maxResults ?? 3) - 1);
      }),
    );
    const same = { exampleTasks: ['Light a lantern'] };
    const { recommended, alternatives } = ask(
      [profile('bea', same), profile('Zoe', same), profile('ann', same), STANDARD],
      {
        task: 'light a lantern now',
      },
    );
    expect([recommended, ...alternatives.map(({ agentId }) => agentId)]).toEqual(['Zoe', 'ann', 'bea']);
  });

  it('AC-017: agents whose points are all above 1,000 keep the order of their points, not of their names', () => {
    const words = ['paint', 'old', 'bridge', 'river', 'stone', 'tower'];
    const rich = (count: number) => ({ exampleTasks: [words.join(' ')], primaryIntents: words.slice(0, count) });
    const { recommended, confidence, alternatives } = ask(
      [profile('ann', rich(3)), profile('bea', rich(4)), STANDARD],
      {
        task: words.join(' '),
        mode: 'rules',
      },
    );
    expect({ recommended, confidence, next: alternatives[0] }).toMatchObject({
      recommended: 'bea',
      confidence: 1,
      next: { agentId: 'ann', confidence: 1 },
    });
  });

  it('AC-018, AC-021: SEL-004, there is always a result: standard with 0.5 where nothing matches', () => {
    fc.assert(
      fc.property(registries, requests, (profiles, request) => {
        const { recommended, confidence } = ask(profiles, request);
        const { enabled } = profiles.find(({ agentId }) => agentId === recommended)!;
        expect(enabled && (recommended !== 'standard' || confidence === 0.5)).toBe(true);
      }),
    );
    expect(ask([], { task: 'anything' })).toMatchObject({ recommended: 'standard', confidence: 0.5, alternatives: [] });
  });

  it('AC-019, AC-021: SEL-005, an example gives 600 if equal, 400 if a part, the best one once', () => {
    const one = profile('ann', { exampleTasks: ['Paint the bridge', 'Paint the bridge over the river', 'Cross it'] });
    expect(authored(one, 'paint THE bridge!')).toBe(600);
    expect(authored(one, 'please paint the bridge today')).toBe(400);
    expect(authored(one, 'the bridge over the river')).toBe(400);
    expect(authored(one, 'bridge')).toBe(0);
    expect(authored(one, 'the')).toBe(0);
    expect(authored(one, 'repaint the bridges')).toBe(0);
    expect(authored(one, 'over the')).toBe(0);
  });

  it('AC-020, AC-021: SEL-006, an exclusion takes 500 once, and other signals may outweigh it', () => {
    const one = profile('ann', { notForTasks: ['Paint the bridge', 'the bridge today'], keywords: ['paint'] });
    expect(authored(one, 'paint the bridge today')).toBe(-500);
    expect(ask([one, STANDARD], { task: 'paint the bridge today' })).toMatchObject({ recommended: 'standard' });
    const strong = profile('bea', { ...one.selectionMetadata, primaryIntents: ['paint', 'bridge', 'today'] });
    const { recommended, confidence } = ask([strong, STANDARD], { task: 'paint the bridge today', mode: 'rules' });
    expect({ recommended, confidence }).toEqual({ recommended: 'bea', confidence: 0.55 });
  });

  it('AC-022: results are frozen, to the last factor', () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect(isFrozen(first('Review this pull request', { explain: true }))).toBe(true);
    expect(isFrozen(first('zzzz', { explain: true }))).toBe(true);
  });
});

describe('points of the mode rules', () => {
  const one = profile(
    'ann',
    {
      primaryIntents: ['weld', 'solder'],
      keywords: ['iron', 'steel plate'],
      antiKeywords: ['wood'],
      negativeIntents: ['sing'],
      redirectWhen: [{ phrase: 'call the police', suggest: 'bea' }],
    },
    {
      capabilities: ['metal-work', 'forging'],
      expertise: ['bridges', 'cold forging'],
      role: 'Chief Smith',
      description: 'hammer anvil tongs bellows furnace chisel',
      team: 'north',
    },
  );
  const points = (task: string, rest: Partial<RecommendRequest> = {}) =>
    explained([one, STANDARD], { task, mode: 'rules', ...rest }, 'ann');

  it.each([
    ['weld', 300, ['primaryIntent 300']],
    ['weld and solder', 600, ['primaryIntent 300', 'primaryIntent 300']],
    ['steel plates', 150, ['keyword 150']],
    ['metal work', 100, ['capability 100']],
    ['cold forging', 250, ['capability 100', 'expertise 150']],
    ['smith', 100, ['role 100']],
    ['anvil tongs bellows', 150, ['description 150']],
    ['hammer anvil tongs bellows furnace chisel', 250, ['description 250']],
    ['weld wood', 100, ['antiKeyword -200', 'primaryIntent 300']],
    ['weld, solder, then sing', 300, ['negativeIntent -300', 'primaryIntent 300', 'primaryIntent 300']],
    ['weld, solder, call the police', 100, ['redirect -500', 'primaryIntent 300', 'primaryIntent 300']],
  ])('AC-027: "%s" has %i', (task, sum, factors) => {
    expect(points(task)).toEqual({ points: sum, factors });
  });

  it('AC-027: two words of a description count for nothing, and fewer than 100 points are no match', () => {
    expect(points('anvil tongs')).toBeUndefined();
    expect(points('ironing steel')).toBeUndefined();
  });

  it('AC-027, AC-030: required capabilities add 250 and the team 100 to those that pass', () => {
    const rest = { requiredCapabilities: ['Metal-Work'], team: 'NORTH' };
    expect(points('weld', rest)).toEqual({
      points: 650,
      factors: ['primaryIntent 300', 'requiredCapabilities 250', 'team 100'],
    });
    expect(points('weld', { requiredCapabilities: ['metal'] })).toBeUndefined();
  });

  it('AC-028: case, punctuation, spaces and simple plurals do not matter, parts of words do', () => {
    for (const task of ['  WELD!! ', 'we weld, daily', 'Weld?', 'welds']) expect(points(task)?.points).toBe(300);
    expect(points('welding')).toBeUndefined();
  });

  it('AC-028, CN-012: a reason tells the three heaviest factors, an explanation all with their evidence', () => {
    const { reason, explanation } = ask([one, STANDARD], {
      task: 'weld iron with a smith who can solder',
      mode: 'rules',
      explain: true,
    });
    expect(reason).toBe('intent "weld"; intent "solder"; keyword "iron"');
    expect(explanation![0]).toEqual({
      agentId: 'ann',
      points: 850,
      factors: [
        { kind: 'primaryIntent', points: 300, evidence: 'weld' },
        { kind: 'primaryIntent', points: 300, evidence: 'solder' },
        { kind: 'keyword', points: 150, evidence: 'iron' },
        { kind: 'role', points: 100, evidence: 'Chief Smith' },
      ],
    });
  });
});

describe('retrieval', () => {
  it('finds other forms of a word, and nothing for words without meaning', () => {
    const profiles = [profile('ann', { exampleTasks: ['Deploy the service to a cluster'] }), STANDARD];
    for (const task of ['deploying services', 'a deployment', 'our clusters'])
      expect(ask(profiles, { task }).recommended).toBe('ann');
    for (const task of ['the', 'to a', 'of the and to', '42', '???', '🙂', 'x'])
      expect(ask(profiles, { task })).toMatchObject({ recommended: 'standard', confidence: 0.5 });
  });

  it('tolerates a wrong letter in a long word that no profile has', () => {
    const profiles = [profile('ann', { keywords: ['kubernetes'] }), STANDARD];
    expect(ask(profiles, { task: 'kubernets' }).recommended).toBe('ann');
    expect(ask(profiles, { task: 'kubarmets' }).recommended).toBe('standard');
  });

  it('gives at most 900 points, so that an equal example outweighs a similar one', () => {
    fc.assert(
      fc.property(registries, requests, (profiles, request) => {
        const { explanation = [] } = ask(profiles, { ...request, mode: 'blended', explain: true });
        for (const { points, factors } of explanation) {
          const found = factors.filter(({ kind }) => kind === 'retrieval');
          expect(found.length <= 1 && found.every((factor) => factor.points > 0 && factor.points < 900)).toBe(true);
          expect(factors.reduce((sum, factor) => sum + factor.points, 0)).toBe(points);
        }
      }),
    );
  });

  it('leaves out no agent that a comparison with every agent would recommend', () => {
    fc.assert(
      fc.property(registries, requests, (profiles, request) => {
        // Ten results of nine agents: nothing is cut off early.
        const whole = ask(profiles, { ...request, maxResults: 10 });
        const some = ask(profiles, request);
        expect(some.recommended).toBe(whole.recommended);
        expect(some.alternatives).toEqual(whole.alternatives.slice(0, (request.maxResults ?? 3) - 1));
      }),
    );
  });

  it('is the same for an index made in one step and one made in slices', () => {
    const builder = indexBuilder(SHIPPED_PROFILES);
    let index = builder.add(5);
    while (index === undefined) index = builder.add(5);
    for (const task of ['fix the slow page', 'train it', 'who pays?'])
      expect(recommend(index, { task, explain: true })).toEqual(recommend(shipped, { task, explain: true }));
  });
});

describe('filters', () => {
  it('AC-030: team, exclusions and required capabilities leave out all others but the fallback', () => {
    fc.assert(
      fc.property(registries, requests, (profiles, request) => {
        const { recommended, alternatives, reason } = ask(profiles, request);
        const isFallback = reason.startsWith('nothing matched');
        for (const agentId of [recommended, ...alternatives.map((each) => each.agentId)]) {
          if (isFallback) continue;
          const one = profiles.find((each) => each.agentId === agentId)!;
          expect(one.enabled).toBe(true);
          expect(request.excludeAgents ?? []).not.toContain(agentId);
          if (request.team !== undefined) expect(one.team).toBe(request.team);
          expect(one.capabilities ?? []).toEqual(expect.arrayContaining(request.requiredCapabilities ?? []));
        }
      }),
    );
  });

  it('AC-018, AC-030: the fallback ignores filters, and its reason says so', () => {
    const { recommended, reason } = first('zzzz', { excludeAgents: ['standard'], team: 'nobody' });
    expect({ recommended, reason }).toEqual({
      recommended: 'standard',
      reason: 'nothing matched: standard is the agent for any other task, although the filters leave it out',
    });
  });

  it.each([
    [{ task: '' }, 'task: '],
    [{ task: 'x'.repeat(2_001) }, 'task: '],
    [{ task: 'x', maxResults: 0 }, 'maxResults: '],
    [{ task: 'x', maxResults: 11 }, 'maxResults: '],
    [{ task: 'x', maxResults: 1.5 }, 'maxResults: '],
    [{ task: 'x', requiredCapabilities: Array<string>(11).fill('a') }, 'requiredCapabilities: '],
    [{ task: 'x', excludeAgents: Array<string>(21).fill('a') }, 'excludeAgents: '],
  ])('AC-006, AC-014: %o is refused with the name of the field', (request, place) => {
    expect(() => recommend(shipped, request)).toThrow(
      expect.objectContaining({
        code: 'BOSUN_CALL_INVALID',
        message: expect.stringContaining(place) as string,
      }) as Error,
    );
  });

  it('AC-006, AC-014: requests at the bounds are answered, and 3 results are the default', () => {
    const request = {
      task: 'review '.repeat(285).slice(0, 2_000),
      requiredCapabilities: Array<string>(10).fill('code-review'),
      excludeAgents: Array<string>(20).fill('ceo'),
      maxResults: 10,
    };
    expect(recommend(shipped, request).recommended).toBe('reviewer');
    expect(first('write a test for the page').alternatives).toHaveLength(2);
    expect(first('write a test for the page', { maxResults: 1 }).alternatives).toEqual([]);
  });
});

describe('the shipped agents', () => {
  it('AC-E01: "Review this pull request" is the reviewer\'s, with at least 0.6', () => {
    expect(first('Review this pull request')).toMatchObject({ recommended: 'reviewer' });
    expect(first('Review this pull request').confidence).toBeGreaterThanOrEqual(0.6);
  });

  it('AC-E02: "Build an API endpoint" is backend\'s, with at least 0.6', () => {
    expect(first('Build an API endpoint')).toMatchObject({ recommended: 'backend' });
    expect(first('Build an API endpoint').confidence).toBeGreaterThanOrEqual(0.6);
  });

  it.each(['Write new code', 'Fix this bug'])(
    'AC-E03, AC-031: "%s" takes 500 from the reviewer, and goes to who writes code',
    (task) => {
      const reviewer = SHIPPED_PROFILES.find(({ agentId }) => agentId === 'reviewer')!;
      expect(authoredFactors(preparedProfile(reviewer), preparedTask(task))).toContainEqual({
        kind: 'notForTask',
        points: -500,
        evidence: task,
      });
      expect(['backend', 'frontend', 'fullstack']).toContain(first(task).recommended);
    },
  );

  it.each([
    ['Design UI components', 'frontend'],
    ['Create mobile app', 'mobile'],
  ])('AC-E04, AC-031: "%s" takes 500 from backend, and goes to %s', (task, agent) => {
    const backend = SHIPPED_PROFILES.find(({ agentId }) => agentId === 'backend')!;
    expect(authoredFactors(preparedProfile(backend), preparedTask(task)).map(({ points }) => points)).toContain(-500);
    expect(first(task).recommended).toBe(agent);
  });

  it('AC-E05: nonsense goes to standard with 0.5 and no alternatives', () => {
    for (const task of ['qwrtz plmkj', '🙂🙂', 'a', 'the of and to'])
      expect(first(task)).toMatchObject({ recommended: 'standard', confidence: 0.5, alternatives: [] });
  });

  it.each(['blended', 'rules'] as const)(
    'AC-029: each of their examples ranks its agent first, in the mode %s',
    (mode) => {
      const wrong = SHIPPED_PROFILES.flatMap(({ agentId, selectionMetadata }) =>
        selectionMetadata!
          .exampleTasks!.filter((task) => first(task, { mode }).recommended !== agentId)
          .map((task) => `${agentId}: ${task}`),
      );
      expect(wrong).toEqual([]);
    },
  );

  it.each([
    ['Divide a growing system into services and name their boundaries', 'architecture'],
    ['Decide which technology all teams adopt for the next years', 'cto'],
    ['Add an endpoint and an index on the orders table', 'backend'],
    ['Style the header and make the layout responsive', 'frontend'],
    ['Build the comment feature from the page to the database', 'fullstack'],
    ['Review this diff before I merge', 'reviewer'],
    ['Model the threats against our login', 'security'],
    ['Write regression tests for the cart', 'quality'],
    ['Summarise recent papers on caching with sources', 'researcher'],
    ['Prepare the board meeting with investors', 'ceo'],
  ])('AC-001: have one owner where areas overlap: "%s" is for %s', (task, agent) => {
    expect(first(task).recommended).toBe(agent);
  });
});
