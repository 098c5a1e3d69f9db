/** Limits of sessions and runs in a test system: money and tokens, the size of a prompt, and the guard of circles. */
import { afterEach, describe, expect, it } from 'vitest';
import { type EffectFacts } from '../../../src/actors/model/ref.ts';
import { hubMigrations } from '../../../src/machines/hub/hub-migrations.ts';
import { ABILITIES } from '../../../src/machines/hub/prompt.ts';
import { type Role } from '../../../src/machines/hub/roles.ts';
import {
  COGNITION_TASKS,
  GOOD_WORK,
  handoff,
  HubRoom,
  type HubRoomOptions,
  type TestWork,
} from '../../support/machines/hub-room.ts';

let room: HubRoom;
afterEach(() => room.test.system.stop());

async function start(options: Partial<HubRoomOptions> = {}): Promise<HubRoom> {
  return (room = await HubRoom.start({ work: GOOD_WORK, ...options }));
}

const use = (facts: EffectFacts, used: object) => facts.tellParent({ type: 'session.usage', ...used } as never);
const never = () => new Promise<never>(() => {});

describe('a session that is given an amount', () => {
  it.each([
    ['costUsd', { costUsd: 2, tokens: 0 }, '3 $'],
    ['tokens', { costUsd: 0, tokens: 2 }, '3 tokens'],
  ])('CN-016: hands off at once when it has used more %s', async (kind, each, limit) => {
    let isAborted = false;
    const uses: TestWork = async (_, facts, signal) => {
      signal.addEventListener('abort', () => (isAborted = true));
      await use(facts, each);
      await use(facts, each);
      await never();
    };
    await start({ work: { ...GOOD_WORK, Executor: uses }, agents: { Executor: { [kind]: 3 } } });
    expect(isAborted).toBe(true);
    expect(await room.lineage()).toMatchObject([
      {
        outcome: 'blocked',
        data: { budget_exceeded: true, blockers: [`it has used more than the ${limit} given`] },
      },
    ]);
    expect(await room.sessions()).toMatchObject([{ outcome: 'budgetExceeded', usage: { [kind]: 4 } }]);
    expect(room.run()).toMatchObject({
      status: 'asking',
      because: `Executor has used up its budget: it has used more than the ${limit} given. Is the work to be divided?`,
    });
    expect(room.hub().context.budget).toMatchObject({ spent: { [kind]: 4 }, reserved: {} });
  });

  it('CN-016: may use all of it, and a share of the run where its agent is given none', async () => {
    const uses: TestWork = async (_, facts) => {
      for (let part = 0; part < 10; part++) await use(facts, { costUsd: 0.1, tokens: 10 });
      return handoff('done', 'Reviewer');
    };
    const limits = { costUsd: 2, tokens: 200, concurrent: 2 };
    await start({ work: { ...GOOD_WORK, Executor: uses, Reviewer: never }, order: { limits } });
    expect(await room.sessions()).toMatchObject([{ outcome: 'done', usage: { tokens: 100 } }]);
    expect(room.hub().context.budget.reserved).toEqual({ 'R-1-2': { costUsd: expect.closeTo(0.5), tokens: 50 } });
  });

  it('keeps its hand-off, whatever it uses behind that', async () => {
    const handsOff: TestWork = async (_, facts) => {
      const said = { to: 'Coordinator', ...handoff('done', 'Reviewer').handoff };
      await facts.ask({ to: facts.parent!, event: { type: 'session.handoff', said } });
      await use(facts, { costUsd: 5, tokens: 0 });
      return {};
    };
    await start({ work: { ...GOOD_WORK, Executor: handsOff }, agents: { Executor: { costUsd: 1 } } });
    expect(await room.sessions()).toMatchObject([{ outcome: 'done', usage: { costUsd: 5 } }, {}, {}, {}]);
    expect(room.run()).toMatchObject({ status: 'completed', spentUsd: 5 });
  });

  it('CN-016: has done its work if it says at its end what it used, and people are asked', async () => {
    await start({
      work: { ...GOOD_WORK, Executor: () => ({ ...handoff('done', 'Reviewer'), usage: { tokens: 900 } }) },
      agents: { Executor: { tokens: 500 } },
      order: { limits: { tokens: 800 } },
    });
    expect(await room.sessions()).toMatchObject([{ outcome: 'done' }]);
    expect(room.run()).toMatchObject({
      status: 'asking',
      because: 'the budget of 800 tokens does not cover Reviewer.',
    });
    await room.answer({ choice: 'spawn', role: 'Reviewer', extraTokens: 200 });
    expect(room.run()).toMatchObject({ status: 'completed', spentTokens: 900 });
  });

  it('CN-016: keeps the money of a store of an earlier build', async () => {
    await start();
    const old = { budget: { costUsdMax: 5, spentUsd: 2, reserved: { 'R-1-2': 1 } } };
    expect(hubMigrations[3]({ value: 'waiting', context: old })).toEqual({
      value: 'waiting',
      context: {
        budget: {
          max: { costUsd: 5, tokens: null },
          spent: { costUsd: 2, tokens: 0 },
          reserved: { 'R-1-2': { costUsd: 1, tokens: null } },
        },
      },
    });
  });
});

describe('a Worker', () => {
  it('HS-006, HS-036: is not begun with a prompt above its 50,000 tokens, and says so', async () => {
    const agents = { Worker: { writes: { files: ['a.ts'], newIn: [] }, task: '7 '.repeat(49_000) } };
    await start({
      work: { ...GOOD_WORK, Worker: never },
      agents,
      order: { start: 'Worker', task: '7 '.repeat(9_000) },
    });
    expect(room.begun).toEqual([]);
    expect(await room.lineage()).toMatchObject([
      { from: 'Worker', outcome: 'blocked', data: { blockers: [expect.stringMatching(/^prompt: .* 50000 at most/)] } },
    ]);
  });
});

describe('the guard of circles', () => {
  const CIRCLE = {
    Executor: () => handoff('blocked', 'Revisionist'),
    Revisionist: () => handoff('fixed', 'Executor'),
  } as const;
  const ends = async (role: Role) => (await room.sessions()).filter((one) => one.role === role).length;

  it('DC-012: asks at the third equal end, and counts anew behind the answer', async () => {
    await start({ work: { ...GOOD_WORK, ...CIRCLE } });
    for (const asked of [1, 2, 3]) {
      expect([asked, room.run().status, room.hub().context.gates]).toEqual([asked, 'asking', asked]);
      expect(await ends('Executor')).toBe(3 * asked);
      await room.answer({ choice: 'spawn', role: 'Executor' });
    }
  });

  it('DC-012: asks about outcomes that go back as about those that fail', async () => {
    await start({
      work: {
        Architect: () => handoff('more-research', 'Researcher'),
        Researcher: () => handoff('complete', 'Architect'),
      },
      order: { start: 'Architect' },
    });
    expect(room.run()).toMatchObject({ status: 'asking', because: expect.stringContaining('"more-research"') });
    expect(await ends('Architect')).toBe(3);
  });

  it('DC-012: counts the ends of a nested hub, and not those of its sessions', async () => {
    const analyses: TestWork = async (_, facts) => {
      for (const key of ['a', 'b'])
        await facts.ask({
          to: facts.parent!,
          event: { type: 'session.spawn', role: 'Executor', task: key, key, waits: true },
          timeoutMs: 60_000,
        });
      return handoff('docs', 'Researcher', { data: { blockers: ['nothing is written down'] } });
    };
    await start({
      work: {
        Analyst: analyses,
        Executor: CIRCLE.Executor,
        Researcher: () => handoff('continues', 'Analyst'),
      },
      order: { start: 'Analyst' },
    });
    expect(room.run()).toMatchObject({ status: 'asking', because: expect.stringContaining('Analyst ended "docs"') });
    expect([await ends('Analyst'), await ends('Executor')]).toEqual([3, 6]);
  });
});

describe('Cognition', () => {
  it.each(COGNITION_TASKS)(
    'HS-041: is asked to %s, and hands its findings to the hub',
    async (ability, task, found) => {
      await start({
        work: {
          ...GOOD_WORK,
          Cognition: ({ prompt }) =>
            handoff('analysed', 'Executor', {
              data: { findings: { asked: /## Task\n(.*)/.exec(prompt)![1], analysis: found } },
            }),
        },
        order: { start: 'Cognition', task },
      });
      const { prompt } = room.prompts[0]!;
      expect(prompt).toContain(ABILITIES);
      expect(prompt).toContain(`${ability}: `);
      expect(await room.lineage()).toMatchObject([
        { from: 'Cognition', to: 'Coordinator', data: { findings: { asked: task, analysis: found } } },
        ...[{ from: 'Executor' }, {}, {}],
      ]);
      // The next one gets the analysis as data.
      expect(room.prompts[1]!.prompt).toContain(JSON.stringify({ asked: task, analysis: found }));
      expect(room.run().status).toBe('completed');
    },
  );
});
