/** The registry of agents: what it takes and refuses, and what of it survives. */
import { beforeEach, describe, expect, it } from 'vitest';
import { agentRegistry, AGENTS, registeredIn, registryChild } from '../../../src/machines/agents/agent-registry.ts';
import { SHIPPED_PROFILES } from '../../../src/machines/agents/profiles/shipped.ts';
import { profileProblem, rosterOf, runsOf, SHIPPED_ROSTER } from '../../../src/machines/agents/roster.ts';
import { AGENT_PROFILE_BYTES_MAX, AGENT_PROFILES_MAX } from '../../../src/machines/limits.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { profile, STANDARD } from '../../support/machines/profiles.ts';

let test: TestSystem;
const options = () => ({ agents: [agentRegistry], tree: { children: [registryChild()] } });

beforeEach(async () => {
  test = await startTestSystem(options());
  return () => test.system.stop();
});

const order = (event: object) => test.system.ask(AGENTS, event as never);
const rows = () => registeredIn(test.shard.actor(AGENTS, agentRegistry).snapshot().context);
const rowOf = (id: string) => rows().find(({ profile: { agentId } }) => agentId === id);
const ann = profile('ann', { exampleTasks: ['Paint the bridge'] });

describe('the registry of agents', () => {
  it('AC-005, CN-017: begins with the 22 of the package, and knows their source', () => {
    expect(rows().map(({ profile: { agentId } }) => agentId)).toEqual(SHIPPED_PROFILES.map(({ agentId }) => agentId));
    expect(new Set(rows().map(({ source }) => source))).toEqual(new Set(['package']));
  });

  it('CN-017: takes, switches and removes profiles, tells watchers, and keeps it all over a crash', async () => {
    const told: string[] = [];
    await test.system.onEmitted((_, event) =>
      told.push(`${event.type} ${(event as unknown as { agentId: string }).agentId}`),
    );
    const taken = { taken: true, problems: [] };
    expect(await order({ type: 'agent.put', profile: ann, source: 'ann.md' })).toEqual(taken);
    expect(await order({ type: 'agent.disable', agentId: 'ann' })).toEqual(taken);
    expect(await order({ type: 'agent.remove', agentId: 'ceo' })).toEqual(taken);
    await test.system.idle();
    const { digest } = test.shard.actor(AGENTS, agentRegistry).snapshot().context;
    await test.crash();
    await test.restart(options());
    expect(rowOf('ann')).toEqual({ profile: { ...ann, enabled: false }, source: 'ann.md' });
    expect(rowOf('ceo')).toBeUndefined();
    expect(test.shard.actor(AGENTS, agentRegistry).snapshot().context.digest).toBe(digest);
    expect(await order({ type: 'agent.enable', agentId: 'ann' })).toEqual(taken);
    expect(rowOf('ann')!.profile.enabled).toBe(true);
    expect(told.slice(0, 3)).toEqual(['agent.registered ann', 'agent.disabled ann', 'agent.removed ceo']);
  });

  it.each([
    [
      { type: 'agent.remove', agentId: 'standard' },
      'standard cannot be removed: it is the agent for tasks that no other one fits',
    ],
    [
      { type: 'agent.disable', agentId: 'standard' },
      'standard cannot be disabled: it is the agent for tasks that no other one fits',
    ],
    [
      { type: 'agent.put', profile: { ...STANDARD, enabled: false }, replace: true },
      'standard cannot be disabled: it is the agent for tasks that no other one fits',
    ],
    [{ type: 'agent.remove', agentId: 'nobody' }, 'no agent nobody is registered'],
    [{ type: 'agent.enable', agentId: 'nobody' }, 'no agent nobody is registered'],
    [
      { type: 'agent.put', profile: { ...ann, agentId: 'reviewer' } },
      'reviewer is registered from package: put it with replace',
    ],
  ])('AC-018, AC-022: refuses %o in words, and nothing changes', async (event, problem) => {
    const before = rows();
    expect(await order(event)).toEqual({ taken: false, problems: [problem] });
    expect(rows()).toEqual(before);
  });

  it('AC-022: refuses what its schema does not know, before it becomes a turn', async () => {
    const broken = { type: 'agent.put', profile: { ...ann, agentId: '1' } };
    await expect(order(broken)).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
  });

  it('AC-022: replaces a profile where that is said, and takes the same one twice', async () => {
    const mine = { ...ann, agentId: 'reviewer' };
    const put = { type: 'agent.put', profile: mine, source: 'mine.md', replace: true };
    for (let times = 0; times < 2; times++) expect(await order(put)).toEqual({ taken: true, problems: [] });
    expect(rowOf('reviewer')).toEqual({ profile: mine, source: 'mine.md' });
  });

  it('accepts a profile of the maximum size, and refuses one that is a byte larger', async () => {
    const sized = (bytes: number) => {
      const parts = [20_000, 20_000].map((count) => 'ü'.repeat(count / 2));
      const base = profile('big', {}, { systemPrompt: parts.join('') });
      const spare = bytes - new TextEncoder().encode(JSON.stringify(base)).length;
      const lines = Array.from({ length: Math.floor(spare / 104) }, (_, index) => String(index).padStart(100, 'x'));
      const filled = { ...base, expertise: lines.slice(0, 20) };
      const left = bytes - new TextEncoder().encode(JSON.stringify(filled)).length;
      return {
        ...filled,
        systemPrompt: `${base.systemPrompt}${'y'.repeat(Math.min(left, 12_000))}`,
        description: `x${'z'.repeat(Math.max(0, left - 12_000))}`,
      };
    };
    for (const [bytes, taken] of [
      [AGENT_PROFILE_BYTES_MAX, true],
      [AGENT_PROFILE_BYTES_MAX + 1, false],
    ] as const) {
      const big = sized(bytes);
      expect(new TextEncoder().encode(JSON.stringify(big)).length).toBe(bytes);
      expect(profileProblem(big) === undefined).toBe(taken);
    }
    expect(await order({ type: 'agent.put', profile: sized(50_000) })).toEqual({ taken: true, problems: [] });
  });
});

describe('a roster', () => {
  it.each([
    [{ does: { kind: 'command', run: 'npx eslint .' } as const }, 'x.md', 'command: npx eslint .'],
    [{ does: { kind: 'function', name: 'review' } as const }, 'call', 'function: review'],
    [{}, '.claude/agents/x.md', 'file: .claude/agents/x.md'],
    [{}, 'team.yaml', 'profile only'],
  ])('says what runs an agent: %o of %s', (rest, source, runs) => {
    expect(runsOf({ profile: profile('ann', {}, rest), source })).toBe(runs);
  });

  it('merges its sources in order, records the source of each profile, and always has the fallback agent', () => {
    const own = { source: 'own.yaml', profiles: [profile('ceo'), profile('zoe')] };
    const roster = rosterOf([SHIPPED_ROSTER, own]);
    expect(roster).toHaveLength(23);
    expect(roster.filter(({ source }) => source === 'own.yaml').map((row) => row.profile.agentId)).toEqual([
      'ceo',
      'zoe',
    ]);
    expect(rosterOf([own]).map((row) => `${row.profile.agentId} of ${row.source}`)).toEqual([
      'standard of package',
      'ceo of own.yaml',
      'zoe of own.yaml',
    ]);
  });

  it.each([
    [[profile('zoe'), profile('zoe')], 'own has the agent zoe twice'],
    [[{ ...STANDARD, enabled: false }], 'own: standard cannot be disabled'],
    [
      Array.from({ length: AGENT_PROFILES_MAX }, (_, index) => profile(`a${index}`)),
      '10001 agents are more than the 10000',
    ],
  ])('AC-018, AC-022: is refused in words: %#', (profiles, words) => {
    expect(() => rosterOf([{ source: 'own', profiles }])).toThrow(
      expect.objectContaining({
        code: 'BOSUN_PROFILE_INVALID',
        message: expect.stringContaining(words) as string,
      }) as Error,
    );
  });
});
