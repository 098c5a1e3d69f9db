/** Agent selection as a client of a gateway sees it: what is registered, and which agent is recommended. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentProcedures, registryOf } from '../src/crew.ts';
import { createGateway, type Gateway } from '../src/gateway/network/server.ts';
import { type AgentProfile, AGENT_CATEGORIES, type RecommendResult } from '../src/machines/agents/profile.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { SELECTION_CASES } from './support/machines/selection-cases.ts';

let test: TestSystem;
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  test = await startTestSystem(registryOf());
  const rate = { burst: 1e6, perSecond: 1e6 };
  gateway = createGateway(test.system, { port: 0, procedures: agentProcedures(), rate });
  ({ url } = await gateway.listen());
});
afterAll(async () => {
  await gateway.close();
  await test.system.stop();
});

async function http<Answer>(path: string, body?: object): Promise<{ readonly status: number; readonly body: Answer }> {
  const headers = { 'content-type': 'application/json' };
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { headers, ...post });
  return { status: response.status, body: (await response.json()) as Answer };
}

const recommended = async (task: string, more: object = {}) =>
  (await http<RecommendResult>('/v1/agents/recommend', { task, ...more })).body;
const shown = async (id: string) => (await http<{ profile: AgentProfile }>(`/v1/profiles/${id}`)).body.profile;
const ids = async () =>
  (await http<{ agents: { agentId: string }[] }>('/v1/profiles')).body.agents.map(({ agentId }) => agentId);
const profiles = async () => Promise.all((await ids()).map(shown));
describe('the registry at a gateway', () => {
  it('AC-004: has the 22 agents of the package, and each can be shown', async () => {
    expect(await ids()).toHaveLength(22);
    expect((await profiles()).map(({ agentId }) => agentId)).toEqual(await ids());
  });

  it('AC-032, AC-011: has three to five examples and exclusions of each agent, and its category', async () => {
    for (const { selectionMetadata: meta = {} } of await profiles()) {
      for (const list of [meta.exampleTasks!, meta.notForTasks!]) expect([3, 4, 5]).toContain(list.length);
      expect(AGENT_CATEGORIES).toContain(meta.agentCategory);
    }
    for (const [id, category] of [
      ...['ceo', 'cto', 'architecture'].map((one) => [one, 'orchestrator']),
      ...['backend', 'frontend', 'devops'].map((one) => [one, 'implementer']),
      ...['reviewer', 'security', 'quality'].map((one) => [one, 'reviewer']),
      ['standard', 'generalist'],
    ] as const)
      expect((await shown(id!)).selectionMetadata!.agentCategory, id).toBe(category);
  });

  it.each([
    [
      'AC-E06',
      'reviewer',
      'Review this pull request; Check this code for bugs; Analyze code quality; ' +
        'Find security vulnerabilities in this file; Review architecture of this module',
      'Write new code; Fix this bug; Implement this feature; Design system architecture',
    ],
    [
      'AC-E07',
      'backend',
      'Build an API endpoint; Optimize this database query; Implement a microservice; ' +
        'Add caching to this service; Create a REST API',
      'Review code; Write documentation; Design UI components; Create mobile app',
    ],
  ])('%s: shows the examples and exclusions of %s', async (_, agentId, examples, exclusions) => {
    const { exampleTasks, notForTasks } = (await shown(agentId)).selectionMetadata!;
    expect([exampleTasks!.join('; '), notForTasks!.join('; ')]).toEqual([examples, exclusions]);
  });

  it('AC-033, AC-E08: shows a scope in every system prompt, whose suggestions are registered', async () => {
    const known = await ids();
    for (const { systemPrompt = '', agentId } of await profiles()) {
      expect(systemPrompt, agentId).toContain('## Scope');
      const suggested = [...systemPrompt.matchAll(/→ suggest: (.*)$/gm)].flatMap(([, names]) => names!.split(', '));
      expect(suggested.length, agentId).toBeGreaterThan(0);
      expect(suggested.filter((name) => !known.includes(name))).toEqual([]);
    }
    const { systemPrompt } = await shown('reviewer');
    for (const line of ['Writing new code → suggest: backend, frontend', 'Documentation → suggest: writer'])
      expect(systemPrompt).toContain(line);
  });

  it('AC-002, AC-034, AC-040: names no ability like an agent, and the two renamed ones anew', async () => {
    const all = await profiles();
    const used = all.flatMap(({ abilities = {} }) => [
      ...(abilities.core ?? []),
      ...Object.values(abilities.taskBased ?? {}).flat(),
    ]);
    const known = await ids();
    expect(used.filter((name) => known.includes(name) || name === 'code-review')).toEqual([]);
    expect(used).toEqual(expect.arrayContaining(['security-practices', 'review-checklist']));
    expect((await http('/v1/profiles-guard')).body).toMatchObject({ status: 'PASS' });
  });

  it('AC-010: takes all fields of selection at their bounds, and refuses one more', async () => {
    const lines = (count: number, chars = 5) =>
      Array.from({ length: count }, (_, index) => `${index} `.padEnd(chars, 'x'));
    const meta = {
      primaryIntents: lines(20),
      secondarySignals: lines(20),
      negativeIntents: lines(20),
      keywords: lines(50),
      antiKeywords: lines(50),
      redirectWhen: [{ phrase: 'a phrase', suggest: 'backend' }],
      exampleTasks: lines(10, 200),
      notForTasks: lines(10, 200),
      agentCategory: 'specialist',
    };
    const put = (selectionMetadata: object) =>
      http('/v1/profiles', {
        profile: { agentId: 'bounds', description: 'Bounds.', selectionMetadata },
        replace: true,
      });
    for (const over of [
      { exampleTasks: lines(11) },
      { notForTasks: lines(1, 201) },
      { keywords: lines(51) },
      { primaryIntents: lines(21) },
      { agentCategory: 'nobody' },
    ])
      expect((await put({ ...meta, ...over })).status).toBe(400);
    expect((await put(meta)).body).toMatchObject({ taken: true });
    expect((await shown('bounds')).selectionMetadata).toEqual(meta);
    expect((await http('/v1/profiles/bounds/remove', {})).body).toMatchObject({ taken: true });
  });
});

describe('a recommendation at a gateway', () => {
  it.each([
    ['AC-E01', 'Review this pull request', 'reviewer'],
    ['AC-E02', 'Build an API endpoint', 'backend'],
  ])('%s: of "%s" is %s, with at least 0.6', async (_, task, agent) => {
    const { recommended: first, confidence } = await recommended(task);
    expect([first, confidence >= 0.6]).toEqual([agent, true]);
  });

  it.each([
    ['AC-E03', 'Write new code', 'reviewer', ['backend', 'frontend', 'fullstack']],
    ['AC-E03', 'Fix this bug', 'reviewer', ['backend', 'frontend', 'fullstack']],
    ['AC-E04', 'Design UI components', 'backend', ['frontend']],
    ['AC-E04', 'Create mobile app', 'backend', ['mobile']],
  ])('%s: of "%s" is not %s, whose exclusion it is', async (_, task, not, agents) => {
    expect(agents).toContain((await recommended(task)).recommended);
    expect((await shown(not)).selectionMetadata!.notForTasks).toContain(task);
  });

  it('AC-019, AC-020: has 600 for an equal example, 400 for a part, and -500 for an exclusion', async () => {
    const pointsIn = async (task: string) =>
      Object.fromEntries(
        (await recommended(task, { explain: true })).explanation![0]!.factors.map(({ kind, points }) => [kind, points]),
      );
    expect(await pointsIn('review THIS pull request!')).toMatchObject({ exampleExact: 600 });
    expect(await pointsIn('Please review this pull request of mine')).toMatchObject({ examplePart: 400 });
    // Other signals outweigh what the exclusion takes: the agent can still be chosen.
    const task = 'Review this pull request and write new code';
    const { explanation } = await recommended(task, { explain: true, maxResults: 10 });
    expect(explanation!.find(({ agentId }) => agentId === 'reviewer')!.factors).toContainEqual({
      kind: 'notForTask',
      points: -500,
      evidence: 'Write new code',
    });
  });

  it('AC-016, AC-017, AC-021: is in order of confidence, each from 0 to 1, and the same at each repeat', async () => {
    for (const { request } of SELECTION_CASES.filter((_, at) => at % 12 === 0)) {
      const { task } = request;
      const result = await recommended(task, { maxResults: 10 });
      const all = [result.confidence, ...result.alternatives.map(({ confidence }) => confidence)];
      expect(all).toEqual(all.toSorted((a, b) => b - a));
      expect(all.every((one) => one >= 0 && one <= 1)).toBe(true);
      expect(await recommended(task, { maxResults: 10 })).toEqual(result);
    }
  });

  it('AC-018, AC-E05: gives standard with 0.5 for nonsense, which can be neither removed nor disabled', async () => {
    const fallback = { recommended: 'standard', confidence: 0.5, alternatives: [] };
    expect(await recommended('qwrtz')).toMatchObject(fallback);
    for (const order of ['remove', 'disable'])
      expect((await http(`/v1/profiles/standard/${order}`, {})).body).toMatchObject({ taken: false });
    expect(await recommended('qwrtz', { excludeAgents: ['standard'] })).toMatchObject(fallback);
  });

  it('AC-029, AC-064: names for each example its agent, and for no exclusion the agent that leaves it', async () => {
    for (const { agentId, selectionMetadata: meta } of await profiles()) {
      for (const task of meta!.exampleTasks!) expect((await recommended(task)).recommended, task).toBe(agentId);
      for (const task of meta!.notForTasks!) expect((await recommended(task)).recommended, task).not.toBe(agentId);
    }
  });

  it.each([
    ['Divide a growing system into services and name their boundaries', 'architecture'],
    ['Decide which technology all teams adopt for the next years', 'cto'],
    ['Build the comment feature from the page to the database', 'fullstack'],
    ['Model the threats against our login', 'security'],
    ['Summarise recent papers on caching with sources', 'researcher'],
  ])('AC-001: has one owner where areas overlap: "%s" is for %s', async (task, agent) => {
    expect((await recommended(task)).recommended).toBe(agent);
  });

  it('AC-026: has capabilities that say the same both ways round', async () => {
    const { body } = await http<{
      capabilities: string[];
      agentsByCapability: Record<string, string[]>;
      capabilitiesByAgent: Record<string, string[]>;
    }>('/v1/agents/capabilities', {});
    expect(body.capabilities).toEqual([...new Set(body.capabilities)].sort());
    const pairs = (map: Record<string, string[]>) =>
      Object.entries(map).flatMap(([one, others]) => others.map((other) => [one, other] as const));
    const there = pairs(body.agentsByCapability).map(([capability, agent]) => `${agent} ${capability}`);
    const back = pairs(body.capabilitiesByAgent).map(([agent, capability]) => `${agent} ${capability}`);
    expect(there.sort()).toEqual(back.sort());
    expect(there.length).toBeGreaterThan(22);
  });
});
