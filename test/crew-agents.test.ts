/** The registry of agents at the doors of a gateway: the same answers everywhere, by reads alone. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../src/client/client.ts';
import { agentProcedures, crewOf, registryOf } from '../src/crew.ts';
import { createGateway, type Gateway } from '../src/gateway/network/server.ts';
import { agentRegistry, AGENTS } from '../src/machines/agents/agent-registry.ts';
import { capabilitiesOf } from '../src/machines/agents/capabilities.ts';
import { type RecommendRequest } from '../src/machines/agents/profile.ts';
import { SHIPPED_PROFILES } from '../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../src/machines/agents/recommend.ts';
import { indexFor } from '../src/machines/agents/retrieval.ts';
import { startTestSystem, type TestSystem } from '../src/testing/test-system.ts';
import { linesOf, Workspace } from './support/cli/workspace.ts';
import { ERAS, overHttp, toldBy } from './support/gateway/mcp-clients.ts';
import { profile } from './support/machines/profiles.ts';
import { SELECTION_CASES } from './support/machines/selection-cases.ts';
import { byEffort } from './support/effort.ts';

/** A call that took a turn or made an epoch would show at the first. */
const CALLS = byEffort({ quick: 100, ci: 1_000 });

const TOKEN = 'token-of-ada-0123456789';
const READER = 'token-of-a-reader-0123456789';
const OTHER = 'token-of-somebody-else-01';
const tokens = [
  { id: 'ada', token: TOKEN },
  { id: 'eve', token: READER, scopes: ['actor:read'] as const },
  { id: 'bob', token: OTHER, addresses: ['orders/*'] },
];
const UNBOUND = { burst: 1e6, perSecond: 1e6 };
const UNBOUND_TOOLS = { perSecond: 1e6, perMinute: 1e6, allPerMinute: 1e6 };
const procedures = agentProcedures();
let work: Workspace;
let test: TestSystem;
let gateway: Gateway;
let url: string;

beforeEach(async () => {
  work = new Workspace();
  test = await startTestSystem(registryOf());
  gateway = createGateway(test.system, { port: 0, procedures, tokens, rate: UNBOUND, mcpRate: UNBOUND_TOOLS });
  ({ url } = await gateway.listen());
});
afterEach(async () => {
  await gateway.close();
  await test.system.stop();
  await work[Symbol.asyncDispose]();
});

async function http(path: string, body?: object, token = TOKEN) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { headers, ...post });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const ask = (request: object, token?: string) => http('/v1/agents/recommend', request, token);
const epochs = () => test.store.writes;
const sequence = async () => (await http('/v1/actors/agents')).body['sequence'];

describe('agents at a gateway', () => {
  it('AC-007, AC-023, AC-041: have one answer at HTTP, WebSocket, MCP and command line, for 50 tasks', async () => {
    const client = createClient(url.replace('http', 'ws'), { WebSocket, token: TOKEN });
    const call = client.procedures<typeof procedures>()['agents.recommend']!;
    const tools = await overHttp('of 2026', `${url}/mcp`, TOKEN);
    const index = indexFor(SHIPPED_PROFILES);
    for (const [number, { request }] of SELECTION_CASES.filter((_, at) => at % 5 === 0)
      .slice(0, 50)
      .entries()) {
      const right = recommend(index, request);
      const said = JSON.stringify(right);
      expect(JSON.stringify((await ask(request)).body)).toBe(said);
      expect(JSON.stringify(await call(request as never))).toBe(said);
      expect(JSON.stringify(toldBy(await tools.call('agent_recommend', { ...request })))).toBe(said);
      if (number % 10 > 0) continue;
      const { out } = await work.bosun(['agents', 'recommend', request.task, '--json', '--url', url, '--token', TOKEN]);
      expect(out).toBe(`${JSON.stringify(right)}\n`);
    }
    client.close();
    await tools.close();
  });

  it.each(ERAS)('AC-023, AC-025, AC-041: are two tools of MCP that only read, for clients %s', async (era) => {
    const client = await overHttp(era, `${url}/mcp`, TOKEN);
    const tools = (await client.tools()).filter(({ name }) => name.startsWith('agent_'));
    expect(tools.map(({ name, annotations }) => ({ name, annotations }))).toEqual(
      ['agent_recommend', 'agent_capabilities'].map((name) => ({
        name,
        annotations: expect.objectContaining({ readOnlyHint: true, idempotentHint: true }) as object,
      })),
    );
    for (const { request } of SELECTION_CASES.slice(0, 5))
      expect(toldBy(await client.call('agent_recommend', { ...request }))).toEqual(
        recommend(indexFor(SHIPPED_PROFILES), request),
      );
    expect(toldBy(await client.call('agent_capabilities', { category: 'review' }))).toEqual(
      capabilitiesOf(SHIPPED_PROFILES, { category: 'review' }),
    );
    for (const broken of [{ task: 'x'.repeat(2_001) }, { task: 'x', maxResults: 0 }, { task: 'x', maxResults: 11 }])
      expect(await client.call('agent_recommend', broken)).toMatchObject({ isError: true });
    await client.close();
  });

  it('AC-008, AC-025, AC-041: have the same capabilities as the rules', async () => {
    for (const request of [{}, { category: 'review' }, { category: 'all', includeDisabled: true }] as const)
      expect((await http('/v1/agents/capabilities', request)).body).toEqual(capabilitiesOf(SHIPPED_PROFILES, request));
  });

  it('AC-023, AC-025: take no turn and make no epoch, however often they are called', async () => {
    await ask({ task: 'x' });
    const before = { epochs: epochs(), sequence: await sequence() };
    expect(before.sequence).toEqual(expect.any(Number));
    for (let calls = 0; calls < CALLS / 2; calls++) {
      await ask({ task: `review change ${calls}` }, READER);
      await http('/v1/agents/capabilities', {}, READER);
    }
    expect({ epochs: epochs(), sequence: await sequence() }).toEqual(before);
  });

  it.each<[RecommendRequest]>([
    [{ task: '' }],
    [{ task: 'x'.repeat(2_001) }],
    [{ task: 'x', maxResults: 0 }],
    [{ task: 'x', maxResults: 11 }],
  ])('AC-006, AC-014: refuse a request out of bounds with a typed error: %#', async (request) => {
    expect(await ask(request)).toMatchObject({ status: 400, body: { error: { code: 'BOSUN_CALL_INVALID' } } });
  });

  it('AC-022: answer while the registry is suspended', async () => {
    await test.system.admin.suspend(AGENTS, { by: 'ada' });
    expect((await ask({ task: 'Review this pull request' })).body).toMatchObject({ recommended: 'reviewer' });
    await test.system.admin.resume(AGENTS, { by: 'ada' });
  });

  it('see a change at once, which only an administrator may make', async () => {
    const ann = profile('ann', { exampleTasks: ['Polish the brass lantern'] });
    const task = { task: 'Polish the brass lantern' };
    expect(await http('/v1/profiles', { profile: ann }, READER)).toMatchObject({ status: 403 });
    expect((await http('/v1/profiles', { profile: ann })).body).toEqual({ taken: true, problems: [] });
    expect((await ask(task)).body).toMatchObject({ recommended: 'ann' });
    expect((await http('/v1/profiles/ann/disable', {})).body).toEqual({ taken: true, problems: [] });
    expect((await ask(task)).body['recommended']).not.toBe('ann');
    expect((await http('/v1/profiles/ann/remove', {})).body).toEqual({ taken: true, problems: [] });
    expect((await http('/v1/profiles/standard/remove', {})).body).toMatchObject({ taken: false });
  });

  it('are read with the rights of the caller', async () => {
    expect(await ask({ task: 'x' }, OTHER)).toMatchObject({
      status: 403,
      body: { error: { code: 'BOSUN_FORBIDDEN' } },
    });
  });

  it('AC-003: are listed and shown with their source, and an unknown one is refused with the nearest', async () => {
    const { agents } = (await http('/v1/profiles')).body as { agents: unknown[] };
    expect(agents).toHaveLength(22);
    expect(agents[0]).toEqual({
      agentId: 'aerospace-scientist',
      role: 'Aerospace Scientist',
      team: 'research',
      category: 'specialist',
      enabled: true,
      source: 'package',
      runs: 'profile only',
    });
    expect((await http('/v1/profiles/reviewer')).body).toMatchObject({
      profile: { agentId: 'reviewer' },
      source: 'package',
    });
    expect((await http('/v1/profiles/reviewr')).body).toMatchObject({
      error: { code: 'BOSUN_CALL_INVALID', message: 'there is no agent reviewr; did you mean "reviewer"?' },
    });
    expect((await http('/v1/profiles-guard')).body).toMatchObject({ status: 'PASS' });
  });

  it('are published as cards and a catalog', async () => {
    const { skills } = (await http('/.well-known/agent-card.json')).body as {
      skills: { id: string; examples: string[] }[];
    };
    expect(skills).toHaveLength(22);
    const one = (await http('/v1/profiles/reviewer/card')).body;
    expect(one).toMatchObject({ name: 'Rex', version: '1.0.0', skills: [{ id: 'reviewer', name: 'Code Reviewer' }] });
    const { entries } = (await http('/.well-known/ai-catalog.json')).body as { entries: { url: string }[] };
    expect(entries.map((entry) => entry.url)).toContain('/v1/profiles/reviewer/card');
  });

  it('AC-023, AC-037, AC-038, AC-039: are two tools, recommend first, which say that they only read', async () => {
    const tools = Object.entries(procedures).filter(([name]) => /^agents\.(recommend|capabilities)$/.test(name));
    expect(tools.map(([name, { does, scope }]) => [name, does, scope])).toEqual([
      ['agents.recommend', 'nothing', 'actor:read'],
      ['agents.capabilities', 'nothing', 'actor:read'],
    ]);
    const { paths } = (await http('/openapi.json')).body as { paths: Record<string, unknown> };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/v1/agents/recommend', '/v1/agents/capabilities']));
  });
});

describe('a registry beside a plan', () => {
  it('CN-017: is a child of the crew, with the sources that the host names', async () => {
    const plan = { version: 1, plan: 'p', stages: { add: { agent: 'add' } }, items: { one: {} } } as const;
    const roster = [{ source: 'own', profiles: [profile('ann')] }];
    const crew = await startTestSystem(crewOf(plan, { add: async () => 1 }, { roster }));
    const { context } = crew.shard.actor(AGENTS, agentRegistry).snapshot();
    expect([...context.profiles.keys()]).toEqual(['ann', 'standard']);
    await crew.system.stop();
  });
});

describe('the command line with a running registry', () => {
  const door = () => ['--url', url, '--token', TOKEN];

  it('never answers from the package in place of a named system that has no registry', async () => {
    const without = createGateway(test.system, { port: 0 });
    const { url: named } = await without.listen();
    const { code, out, err } = await work.bosun(['agents', 'list', '--url', named]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('has no registry of agents: serve it with a roster, or leave out --url');
    await without.close();
  });

  it('imports agent files into the registry, and replaces agents of other sources only with --force', async () => {
    work.write('lamp.md', '---\nname: lamp-keeper\ndescription: Keeps lamps alight.\n---\nYou keep lamps.\n');
    work.write('mine.yaml', '{ agentId: reviewer, description: Mine. }');
    expect((await work.bosun(['agents', 'import', 'lamp.md', ...door()])).out).toBe('lamp-keeper  registered\n');
    const refused = await work.bosun(['agents', 'import', 'mine.yaml', '--json', ...door()]);
    expect(refused.code).toBe(1);
    expect(linesOf(refused.out)).toEqual([
      { agentId: 'reviewer', taken: false, problems: ['reviewer is registered from package: put it with replace'] },
    ]);
    const forced = await work.bosun(['agents', 'import', 'mine.yaml', '--force', ...door()]);
    expect(forced).toMatchObject({ code: 0, out: 'reviewer  registered\n' });
    const { out } = await work.bosun(['agents', 'show', 'reviewer', ...door()]);
    expect(out).toMatch(/^source +mine\.yaml$/m);
  });
});
