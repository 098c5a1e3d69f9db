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
