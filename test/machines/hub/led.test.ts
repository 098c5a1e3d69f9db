/** Hubs in which a function decides, and nested hubs: what comes back, what is refused, and crashes anywhere. */
import { afterEach, describe, expect, it } from 'vitest';
import { type EffectFacts } from '../../../src/actors/model/ref.ts';
import { type SessionReturned } from '../../../src/machines/hub/handoff.ts';
import { type Role } from '../../../src/machines/hub/roles.ts';
import { GOOD_WORK, handoff, HubRoom, type HubRoomOptions, type TestWork } from '../../support/machines/hub-room.ts';

const CHAIN = ['Executor->Coordinator(Reviewer)', 'Reviewer->Coordinator(Tester)', 'Tester->Coordinator(Archivist)'];
const DAY_MS = 24 * 60 * 60_000;

let room: HubRoom;
afterEach(() => room.test.system.stop());

const never: TestWork = () => new Promise(() => {});

/** Asks the session's actor as its tools do. */
function order<Reply>(facts: EffectFacts, event: object): Promise<Reply> {
  return facts.ask({ to: facts.parent!, event: event as { type: string }, timeoutMs: DAY_MS }) as Promise<Reply>;
}

type Reply = Partial<SessionReturned> & {
  readonly taken: boolean;
  readonly status?: string;
  readonly because?: string;
  readonly code?: string;
};

/** Spawns a session and waits until it has closed. */
function run(facts: EffectFacts, role: Role, more: object = {}): Promise<Reply> {
  return order(facts, { type: 'session.spawn', role, task: `as ${role}`, waits: true, key: role, ...more });
}

/** Spawns as is recommended, until nobody is. */
const follows: TestWork = async (_, facts) => {
  for (let role: Role | null = 'Executor'; role !== null; )
    role = (await run(facts, role)).handoff?.recommended ?? null;
};

const LED = { order: { decides: { kind: 'function', name: 'Coordinator' } } };

async function led(lead: TestWork, work: HubRoomOptions['work'] = GOOD_WORK, more: Partial<HubRoomOptions> = {}) {
  return (room = await HubRoom.start({ work: { ...work, Coordinator: lead }, ...LED, ...more }));
}

describe('a hub in which a function decides', () => {
  it('HS-016: spawns, reads what comes back, and completes when the function has returned', async () => {
    await led(follows);
    expect(await room.chain()).toEqual(CHAIN);
    expect(room.run()).toMatchObject({ status: 'completed', sessions: 4 });
    expect((await room.sessions()).map(({ session, parent, depth }) => [session, parent, depth])).toEqual([
      ['R-1-1', 'R-1', 1],
      ['R-1-2', 'R-1', 1],
      ['R-1-3', 'R-1', 1],
      ['R-1-4', 'R-1', 1],
      ['R-1', 'R-1', 0],
    ]);
  });

  it('HS-012, HS-035: has each spawn decided on the last hand-off of that time', async () => {
    await led(follows);
    const spawned = (await room.log()).filter(({ kind }) => kind === 'spawned');
    expect(spawned.map(({ seq, role }) => [seq, role])).toEqual([
      [0, 'Executor'],
      [1, 'Reviewer'],
      [2, 'Tester'],
      [3, 'Archivist'],
    ]);
  });

  it('HS-E01: gives the same lineage wherever the power is cut, and spawns nobody twice', async () => {
    for (let cut = 1, isCut = true; isCut; cut++) {
      ({ room, isCut } = await HubRoom.startCut({ work: { ...GOOD_WORK, Coordinator: follows }, ...LED }, cut));
      expect([cut, await room.chain()]).toEqual([cut, CHAIN]);
      expect((await room.sessions()).map(({ session }) => session)).toEqual([
        ...['R-1-1', 'R-1-2', 'R-1-3', 'R-1-4', 'R-1'],
      ]);
      expect(room.run().status).toBe('completed');
      expect(cut).toBeLessThan(500);
      if (isCut) await room.test.system.stop();
    }
  });

  it('has a failed function fail the run, and ends what it has spawned', async () => {
    await led(
      async (_, facts) => {
        await order(facts, { type: 'session.spawn', role: 'Executor', task: 'write' });
        throw new Error('the plan makes no sense');
      },
      { Executor: never },
    );
    expect(room.run()).toMatchObject({ status: 'failed', because: 'the plan makes no sense' });
    expect(await room.sessions()).toMatchObject([
      { role: 'Executor', outcome: 'interrupted' },
      { role: 'Coordinator' },
    ]);
  });

  it('refuses the key of one role for another, and says why a session has failed', async () => {
    const replies: Reply[] = [];
    await led(
      async (_, facts) => {
        const failing = { key: 'a', role: 'Executor' as const };
        replies.push(await run(facts, 'Executor', failing), await run(facts, 'Tester', { key: 'a' }));
      },
      { Executor: () => Promise.reject(Object.assign(new Error('no api key'), { errorType: 'configuration_error' })) },
    );
    expect(replies).toMatchObject([
      { outcome: 'failed', summary: 'no api key', handoff: null },
      {
        taken: false,
        because: 'not-prepared',
        problems: [expect.stringContaining('the Executor R-1-1: use another key')],
      },
    ]);
    expect((await room.log()).map(({ text }) => text)).toContain('closed: failed: no api key');
  });

  it('HS-056: counts the same spawn again as the first one, while that is open', async () => {
    const replies: Reply[] = [];
    await led(
      async (_, facts) => {
        const spawn = { type: 'session.spawn', role: 'Executor', task: 'write' };
        replies.push(await order(facts, spawn), await order(facts, spawn), await order(facts, { ...spawn, task: 'b' }));
        await never(_, facts, new AbortController().signal);
      },
      { Executor: never },
    );
    expect(replies).toMatchObject([
      { session: 'R-1-1', status: 'open' },
      { session: 'R-1-1', code: 'SPAWN_REJECT_DUPLICATE_DEBOUNCE' },
      { session: 'R-1-2' },
    ]);
  });

  it('tells a caller that waits long enough that the session is open still, and waits again by its id', async () => {
    const replies: Reply[] = [];
    let finish = () => {};
    await led(
      async (_, facts) => {
        const spawn = { type: 'session.spawn', role: 'Executor', task: 'write', waits: true, waitMs: 40_000 };
        replies.push(await order(facts, spawn));
        replies.push(await order(facts, { ...spawn, prepared: replies[0]!.session }));
        replies.push(await order(facts, { ...spawn, prepared: replies[0]!.session }));
      },
      {
        Executor: () =>
          new Promise((resolve) => (finish = () => resolve({ ...handoff('done', 'Reviewer'), summary: 'written' }))),
      },
    );
    await room.test.advance(40_000);
    expect(replies).toMatchObject([{ session: 'R-1-1', status: 'open' }]);
    finish();
    await room.test.settle();
    const closed = { session: 'R-1-1', status: 'closed', outcome: 'done', summary: 'written' };
    expect(replies.slice(1)).toMatchObject([closed, closed]);
    expect(room.run()).toMatchObject({ status: 'completed', sessions: 1 });
  });
});

describe('a prepared spawn', () => {
  const request = { agent_name: 'Cognition', workspace_id: '/shop', plan_id: 'WP-1', prompt: 'think' };

  it('HS-056: counts for 20 minutes', async () => {
    const replies: Reply[] = [];
    let goOn = () => {};
    const lead: TestWork = async (_, facts) => {
      const prepare = () => order<{ prep_config: { session_id: string } }>(facts, { type: 'session.prepare', request });
      const launch = async ({ prep_config: { session_id } }: Awaited<ReturnType<typeof prepare>>) =>
        replies.push(await order(facts, { type: 'session.spawn', role: 'Cognition', prepared: session_id }));
      const [one, other] = [await prepare(), await prepare()];
      const isTime = new Promise<void>((resolve) => (goOn = resolve));
      await launch(one);
      await isTime;
      await launch(other);
    };
    await led(lead, { Cognition: never });
    await room.test.advance(20 * 60_000 + 1);
    goOn();
    await room.test.settle();
    expect(replies).toMatchObject([{ taken: true }, { taken: false, because: 'not-prepared' }]);
  });
});

describe('a nested hub', () => {
  /** The work of an Analyst that has one Researcher look, and hands off to the hub above it. */
  const analyses =
    (replies: Reply[]): TestWork =>
    async (_, facts) => {
      replies.push(await run(facts, 'Researcher'));
      replies.push(await run(facts, 'Runner'));
      return handoff('steps', 'Executor', { data: { findings: replies[0]!.handoff } });
    };
  const researches: TestWork = () => handoff('complete', 'Architect', { data: { findings: 'a race' } });
  const work = (replies: Reply[]) => ({
    ...{ ...GOOD_WORK, Analyst: analyses(replies), Researcher: researches, Runner: never },
  });
  const order = { start: 'Analyst' };

  it('HS-001, HS-013: spawns spokes only, gets control back, and hands off to the hub above', async () => {
    const replies: Reply[] = [];
    room = await HubRoom.start({ work: work(replies), order });
    expect(replies).toMatchObject([
      {
        taken: true,
        session: 'R-1-2',
        outcome: 'done',
        handoff: { recommended: 'Architect', data: { findings: 'a race' } },
      },
      { taken: false, because: 'hub-in-hub' },
    ]);
    expect(await room.chain()).toEqual(['Researcher->Analyst(Architect)', 'Analyst->Coordinator(Executor)', ...CHAIN]);
    expect((await room.sessions()).find(({ role }) => role === 'Researcher')).toMatchObject({
      ...{ parent: 'R-1-1', depth: 2 },
    });
    expect(room.run().status).toBe('completed');
  });

  it('leaves the same lineage wherever the power is cut', async () => {
    for (let cut = 1, isCut = true; isCut; cut += 3) {
      ({ room, isCut } = await HubRoom.startCut({ work: work([]), order }, cut));
      const chain = await room.chain();
      expect([cut, chain.length, chain.slice(2)]).toEqual([cut, 5, CHAIN]);
      if (isCut) await room.test.system.stop();
    }
  });

  it('has its open sessions stopped when it has closed before them', async () => {
    const leaves: TestWork = async (_, facts) => {
      await run(facts, 'Researcher', { waits: false });
      return handoff('steps', 'Executor');
    };
    room = await HubRoom.start({ work: { ...GOOD_WORK, Analyst: leaves, Researcher: never }, order });
    expect((await room.sessions()).find(({ role }) => role === 'Researcher')).toMatchObject({ outcome: 'interrupted' });
    expect(room.run().status).toBe('completed');
  });
});
