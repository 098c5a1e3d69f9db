/** The learning gate in the whole crew: people approve what debates have taught, or it does not count. */
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, type Room } from '../../support/machines/debate-room.ts';
import { startDebating, type WholeCrew } from '../../support/machines/whole-crew.ts';

/** Holds debates in which the challenged side gives in, and records who was right in each. */
async function outcomes(room: Room, first: number, count: number): Promise<void> {
  for (let n = first; n < first + count; n += 1) {
    const debate = `d-${n}`;
    await room.challenge({ id: debate });
    await room.say('debate.accept', { debate, by: 'bob' });
    expect(await room.ask('debate.outcome', { debate, right: 'challenger' })).toMatchObject({ taken: true });
  }
}

/** The open learning gates, and their packages. */
function asked(crew: WholeCrew) {
  const open = crew.gates().filter(({ kind, isOver }) => kind === 'G6' && !isOver);
  return open.map(({ id, audience }) => ({ id, audience, package: crew.packageOf(id) }));
}

/** The number of outcomes that count for the side which challenges, as a new debate weighs it. */
async function samples(room: Room, debate: string): Promise<number> {
  await room.toExpert({ id: debate });
  return room.record(debate).analysis!.challenger.samples;
}

const answer = (crew: WholeCrew, gate: string, decision: string) =>
  crew.ask('gates', { type: 'gate.answer', gate, by: 'eve', answer: { decision } });

describe('a lesson of debates', () => {
  it('CA-137: is put to people after 50 outcomes; unanswered for 48 hours, it counts no more', async () => {
    const { crew, room } = await startDebating();
    await outcomes(room, 1, 49);
    expect([asked(crew), await samples(room, 'before')]).toEqual([[], 49]);
    await room.answer({ action: 'decide', side: 'challenger' }, { debate: 'before' });
    await outcomes(room, 50, 1);
    expect(asked(crew)).toMatchObject([
      { id: 'learning.1', audience: ['eve'], package: { outcomes: 50, patterns: { byAgent: { ada: { right: 50 } } } } },
    ]);
    await crew.powerCut();
    await crew.test.advance(48 * HOUR_MS - 1);
    expect(asked(crew)).toHaveLength(1);
    await crew.test.advance(1);
    expect(crew.gates().find(({ id }) => id === 'learning.1')).toMatchObject({ isOver: true });
    expect([asked(crew), await samples(room, 'after')]).toEqual([[], 0]);
    expect(room.observed('ada').filter(({ ofDebate }) => ofDebate)).toHaveLength(50);
  });

  it('CA-137: counts on where people approve it, and not where they quarantine it', async () => {
    for (const [decision, counted] of [
      ['approve', 1],
      ['quarantine', 0],
    ] as const) {
      const { crew, room } = await startDebating();
      await outcomes(room, 1, 1);
      await crew.test.advance(30 * DAY_MS);
      expect(await answer(crew, 'learning.1', decision)).toMatchObject({ taken: true });
      await crew.powerCut();
      expect(await samples(room, 'after')).toBe(counted);
    }
  });

  it('CA-137: is put to people 30 days after the first outcome or the last gate, once in 7 days at most', async () => {
    const { crew, room } = await startDebating();
    await outcomes(room, 1, 1);
    await crew.test.advance(30 * DAY_MS - 1);
    expect(asked(crew)).toEqual([]);
    await crew.test.advance(1);
    await answer(crew, asked(crew)[0]!.id, 'approve');
    await outcomes(room, 2, 50);
    await crew.test.advance(7 * DAY_MS - 1);
    expect(asked(crew)).toEqual([]);
    await crew.test.advance(1);
    await outcomes(room, 52, 1);
    expect(asked(crew)).toMatchObject([{ id: 'learning.2', package: { outcomes: 51 } }]);
    await answer(crew, 'learning.2', 'approve');
    await crew.powerCut();
    await outcomes(room, 53, 1);
    await crew.test.advance(30 * DAY_MS - 1);
    expect(asked(crew)).toEqual([]);
    await crew.test.advance(1);
    expect(asked(crew)).toMatchObject([{ id: 'learning.3', package: { outcomes: 1 } }]);
  });

  it('CA-137: is of those outcomes alone about which people were asked', async () => {
    const { crew, room } = await startDebating();
    await outcomes(room, 1, 2);
    await crew.test.advance(30 * DAY_MS);
    await crew.test.advance(HOUR_MS);
    await outcomes(room, 3, 1);
    await answer(crew, 'learning.1', 'quarantine');
    expect(await samples(room, 'after')).toBe(1);
  });
});
