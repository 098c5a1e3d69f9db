/**
 * Answers that the desk keeps, on virtual time and in the whole crew: for whom they hold, who keeps them, what comes
 * back of a question that was dropped, and what became of answers.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type Proposal } from '../../../src/machines/answers/evolution.ts';
import { counted, NO_FIGURES } from '../../../src/machines/answers/metrics.ts';
import { type KeptAnswer } from '../../../src/machines/answers/desk-precedents.ts';
import {
  answering,
  AnswerRoom,
  type AnswerRoomOptions,
  PORT_QUESTION,
  SECOND_MS,
} from '../../support/machines/answer-room.ts';
import { endedIn } from '../../../src/machines/rules/records.ts';

const CURRENCY = 'Which currency do customers pay in?';
const DAY_MS = 24 * 3_600 * SECOND_MS;

let room: AnswerRoom;
afterEach(() => room.test.system.stop());

async function start(options: AnswerRoomOptions = {}): Promise<AnswerRoom> {
  return (room = await AnswerRoom.start(options));
}

const pages = (order: object = {}) =>
  room.order<{ kept: KeptAnswer[]; next: number | null }>({ type: 'answers.export', ...order });

async function answeredByAda(scope: string | null = null): Promise<void> {
  await room.askNow(CURRENCY, { scope });
  await room.resolve('TK-0001', 'Euro only.');
}

describe('an answer of a person', () => {
  it('holds for the part of the work that its question was about, and is shown to the others', async () => {
    await start();
    await answeredByAda('shop');
    expect(await room.askNow(CURRENCY, { asker: 'two', scope: 'shop' })).toMatchObject({ answer: 'Euro only.' });
    const { status, ticket_id } = await room.askNow(CURRENCY, { asker: 'three', scope: 'billing' });
    expect([status, ticket_id]).toEqual(['waiting', 'TK-0002']);
    // Who decides about the other part knows what was said about this one.
    expect(JSON.stringify(room.context('open-tickets/TK-0002'))).toContain('Euro only.');
  });

  it('holds for all, or for this version of the plan, once a person says so', async () => {
    await start();
    await answeredByAda('shop');
    const limit = (scope: string | null, planOnly = false) =>
      room.order({ type: 'answers.scope', question: 'Q-1', by: 'ada', scope, planOnly });
    expect(await limit(null)).toMatchObject({ taken: true });
    expect(await room.askNow(CURRENCY, { asker: 'two', scope: 'billing' })).toMatchObject({ answer: 'Euro only.' });
    await limit(null, true);
    await room.order({ type: 'answers.plan', version: '2' });
    expect((await room.askNow(CURRENCY, { asker: 'three' })).status).toBe('waiting');
    expect(await room.order({ type: 'answers.show', question: 'Q-1' })).toMatchObject({
      kept: { by: 'ada', scope: null, planVersion: '' },
    });
    expect(await room.order({ type: 'answers.scope', question: 'Q-9', by: 'ada', scope: null })).toMatchObject({
      taken: false,
    });
  });

  it('is exported by pages, in the order of its first saying, with what was said before', async () => {
    await start();
    for (const [at, what] of ['mail', 'print', 'fax'].entries()) {
      await room.askNow(`Which port has the ${what} service to listen on?`);
      await room.resolve(`TK-000${at + 1}`, `Port ${at}.`);
    }
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'Port 9.', by: 'bob', reason: 'moved' });
    const first = await pages({ limit: 2 });
    expect(first.kept).toMatchObject([
      { question: 'Q-1', answer: 'Port 9.', by: 'bob', ticket: 'TK-0001', earlier: [{ answer: 'Port 0.', by: 'ada' }] },
      { question: 'Q-2', answer: 'Port 1.' },
    ]);
    const last = await pages({ limit: 2, after: first.next });
    expect([last.kept.map(({ question }) => question), last.next]).toEqual([['Q-3'], null]);
  });
});

describe('an answer of the team', () => {
  it('is kept by the word of a person, and no other', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    expect((await pages()).kept).toEqual([]);
    expect(await room.order({ type: 'answers.pin', question: 'Q-1', by: 'ada' })).toMatchObject({ taken: true });
    await room.test.advance(30 * DAY_MS);
    await room.powerCut();
    expect(await room.askNow(PORT_QUESTION, { asker: 'two' })).toMatchObject({ question_id: 'Q-1', confidence: 95 });
    expect(await room.order({ type: 'answers.pin', question: 'Q-9', by: 'ada' })).toMatchObject({ taken: false });
  });

  it('is not kept while it waits for a person', async () => {
    await start({ ports: answering(50) });
    await room.askNow(PORT_QUESTION);
    expect(await room.order({ type: 'answers.pin', question: 'Q-1', by: 'ada' })).toMatchObject({ taken: false });
  });
});

describe('a question that was dropped for others', () => {
  async function dropped(): Promise<void> {
    await start({ desk: { questionsMax: 2 } });
    await answeredByAda();
    for (const [at, what] of ['mail', 'print', 'fax'].entries()) {
      await room.askNow(`Which port has the ${what} service to listen on?`);
      await room.resolve(`TK-000${at + 2}`, `Port ${at}.`);
    }
    expect(room.row('Q-1')).toBe(undefined);
  }

  it('is still answered by what the person said, and corrected for who has it since', async () => {
    await dropped();
    await room.askBy('reviewer', 'In which currency do the customers pay?');
    expect(room.heard('reviewer')).toMatchObject([{ question: 'Q-1', answer: 'Euro only.' }]);
    const order = { type: 'answers.correct', question: 'Q-1', text: 'Euro and franc.', by: 'bob' };
    expect(await room.order(order)).toMatchObject({ taken: true, told: 1 });
    expect(room.heard('reviewer').at(-1)).toMatchObject({ type: 'answer.changed', answer: 'Euro and franc.' });
  });

  it('is shown as it is kept, which brings nothing back', async () => {
    await dropped();
    expect(await room.order({ type: 'answers.show', question: 'Q-1' })).toMatchObject({
      question: { id: 'Q-1', text: CURRENCY, response: { answer: 'Euro only.' }, by: 'ada' },
      kept: { by: 'ada' },
    });
    expect(room.row('Q-1')).toBe(undefined);
  });

  it('is erased like others', async () => {
    await dropped();
    expect(await room.order({ type: 'answers.erase', question: 'Q-1', by: 'ada' })).toMatchObject({ taken: true });
    expect(JSON.stringify([...room.desk.precedents, ...endedIn(room.desk)])).not.toContain('Euro');
  });
});

describe('the outcome of an answer', () => {
  const bins = () => room.desk.bins.flatMap(({ used, right }, at) => (used === 0 ? [] : [[at, used, right]]));
  const judge = (wasRight: boolean) => room.order({ type: 'answers.judge', question: 'Q-1', wasRight });

  it('is told by a day without a correction, and counts once', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    await room.test.advance(DAY_MS);
    await room.order({ type: 'answers.metrics' });
    expect(bins()).toEqual([]);
    await room.test.advance(61 * SECOND_MS);
    await room.order({ type: 'answers.metrics' });
    expect(bins()).toEqual([[9, 1, 1]]);
    await room.order({ type: 'answers.metrics' });
    await judge(true);
    expect(bins()).toEqual([[9, 1, 1]]);
  });

  it('is told by a correction at the end of its day, when right ones count too', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'South.', by: 'ada' });
    expect(bins()).toEqual([]);
    await room.test.advance(DAY_MS + 61 * SECOND_MS);
    await room.order({ type: 'answers.metrics' });
    expect(bins()).toEqual([[9, 1, 0]]);
    // The person's answer is not the team's.
    await judge(true);
    expect(bins()).toEqual([[9, 1, 0]]);
  });

  it('is told by a later correction at once, also after it had counted as right', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    await judge(true);
    await room.test.advance(2 * DAY_MS);
    expect(bins()).toEqual([[9, 1, 1]]);
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'South.', by: 'ada' });
    expect(bins()).toEqual([[9, 1, 0]]);
    await room.powerCut();
    expect(room.desk.figures).toEqual((await room.log()).reduce(counted, NO_FIGURES));
  });

  it.each([
    ['repeats it', 'north', 1],
    ['replaces it', 'South.', 0],
  ])('is told by the person who %s, for a provisional answer', async (_, text, right) => {
    await start({ ports: answering(50) });
    await room.askNow(PORT_QUESTION);
    await room.resolve('TK-0001', text);
    expect(bins().map(([, used, wereRight]) => [used, wereRight])).toEqual([[1, right]]);
  });

  it('is not told by time for one that was asked for again', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    await room.askNow(PORT_QUESTION);
    await room.test.advance(2 * DAY_MS);
    await room.order({ type: 'answers.metrics' });
    expect(bins()).toEqual([]);
  });
});

describe('a proposal that was applied', () => {
  const decide = (approve: boolean, proposal = 'UV-000000000001') =>
    room.order({ type: 'answers.decide', proposal, by: 'ada', approve, reason: 'so' });

  it('AT-058: is taken back by a person, with its effect', async () => {
    await start();
    for (let one = 0; one < 10; one += 1) await room.askNow(`Which port has service ${one} to listen on?`);
    await room.order({ type: 'answers.review' });
    await decide(true);
    expect(room.desk.profile.escalation_threshold).toBe(0.65);
    expect(await decide(false)).toMatchObject({ taken: true });
    expect(room.desk.profile.escalation_threshold).toBe(0.7);
    expect(room.desk.proposals.first()![1]).toMatchObject({
      status: 'taken back',
      decidedBy: 'ada',
    } satisfies Partial<Proposal>);
    expect(await decide(false)).toMatchObject({ taken: false });
  });

  it('AT-058: keeps its answer no longer once it is taken back, unless a person has said something since', async () => {
    await start({ ports: answering(90) });
    for (const asker of ['one', 'two', 'three']) await room.askNow(PORT_QUESTION, { asker });
    await room.order({ type: 'answers.review' });
    await decide(true);
    expect((await pages()).kept).toHaveLength(1);
    await decide(false);
    expect((await pages()).kept).toEqual([]);
  });
});
