/** Sessions that have handed off by an order, and then fail, hang or use too much: what is on record stands. */
import { afterEach, describe, expect, it } from 'vitest';
import { GOOD_WORK, handoff, HubRoom, type HubRoomOptions, type TestWork } from '../../support/machines/hub-room.ts';

let room: HubRoom;
afterEach(() => room.test.system.stop());

/** A run whose Executor hands off by an order, and then does something else. */
async function start(ends: () => unknown, options: Partial<HubRoomOptions> = {}): Promise<void> {
  const handsOff: TestWork = async (_, facts) => {
    const said = { to: 'Coordinator', ...handoff('done', 'Reviewer').handoff };
    await facts.ask({ to: facts.parent!, event: { type: 'session.handoff', said } });
    return ends();
  };
  room = await HubRoom.start({ work: { ...GOOD_WORK, Executor: handsOff }, ...options });
}

describe('a session that has handed off', () => {
  it('HS-015: is not run again when its work fails behind that', async () => {
    await start(() => Promise.reject(new Error('the connection is lost')));
    await room.test.advance(60_000);
    expect(room.begun).toEqual(['R-1-1', 'R-1-2', 'R-1-3', 'R-1-4']);
    expect((await room.sessions())[0]).toMatchObject({ outcome: 'done', handoff: 1, isForced: false });
    expect(room.run().status).toBe('completed');
  });

  it('HS-015: comes back with the hand-off on record when its time is over behind that', async () => {
    await start(() => new Promise(() => {}), { agents: { Executor: { timeoutMs: 30_000 } } });
    await room.test.advance(30_000);
    expect(await room.lineage()).toMatchObject([{ outcome: 'done', data: { budget_exceeded: false } }]);
    expect(room.hub().context.last).toMatchObject({ session: 'R-1-1', outcome: 'budgetExceeded', said: 'done' });
    expect(room.run().status).toBe('asking');
  });
});

describe('a session in a tree of its own that hands off by an order', () => {
  const agents = { Executor: { isIsolated: true, writes: { files: ['src/**'], newIn: [] } } };
  const replies: object[] = [];

  /** A run whose Executor hands off and completes by orders, with what is found in its tree. */
  async function startIn(look: () => object, ends?: () => unknown): Promise<string[]> {
    const applied: string[] = [];
    replies.length = 0;
    const Executor: TestWork = async (_, facts) => {
      const said = { to: 'Coordinator', ...handoff('done', 'Reviewer').handoff };
      const ask = async (event: { type: string }) => {
        replies.push((await facts.ask({ to: facts.parent!, event })) as object);
      };
      await ask({ type: 'session.handoff', said } as { type: string });
      if (ends !== undefined) return ends();
      await ask({ type: 'session.complete', summary: 'it is mended', artifacts: [] } as { type: string });
      return new Promise(() => {});
    };
    const apply = ({ session }: { session: string }) => (applied.push(session), { conflict: null });
    room = await HubRoom.start({ work: { ...GOOD_WORK, Executor }, agents, look, apply });
    await room.test.advance(1_000);
    return applied;
  }

  const inScope = () => ({ changed: [{ path: 'src/a.ts', isNew: false, lines: 2 }], isHeld: true });

  it('HS-015: has its files looked at before its hand-off is on record, and they are applied once', async () => {
    expect(await startIn(inScope)).toEqual(['R-1-1']);
    expect(replies).toMatchObject([{ taken: true, isHeld: true, seq: null }, { taken: true }]);
    expect((await room.lineage())[0]).toMatchObject({ outcome: 'done', verified: { files: ['src/a.ts'] } });
    expect((await room.sessions())[0]).toMatchObject({ outcome: 'done', summary: 'it is mended' });
    expect(room.released).toEqual(['R-1-1']);
  });

  it('HS-038: is a scope escalation where its files say so, whatever it was told when it handed off', async () => {
    const look = () => ({ changed: [{ path: 'keys.env', isNew: true, lines: 1 }], isHeld: true });
    expect(await startIn(look)).toEqual([]);
    expect((await room.lineage())[0]).toMatchObject({ verified: { outOfScope: ['keys.env'] } });
  });

  it('HS-015: is not run again when its work fails behind that', async () => {
    expect(await startIn(inScope, () => Promise.reject(new Error('the connection is lost')))).toEqual(['R-1-1']);
    expect(room.begun.filter((session) => session === 'R-1-1')).toHaveLength(1);
  });
});
