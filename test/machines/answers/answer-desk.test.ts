/**
 * The answer desk on virtual time: places and urgency, answers at hand, corrections, figures, proposals and triggers.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerPorts, draftSchema } from '../../../src/machines/answers/answer-ports.ts';
import { CACHE_MS } from '../../../src/machines/answers/answer-cache.ts';
import { BATCH_MS, PLACES } from '../../../src/machines/answers/desk-queue.ts';
import { ERASED } from '../../../src/machines/answers/desk-results.ts';
import { type Proposal } from '../../../src/machines/answers/evolution.ts';
import { DESK_ORDERS_OPEN_MAX } from '../../../src/machines/limits.ts';
import { fits } from '../../../src/machines/rules/value-size.ts';
import { textOfBytes } from '../../support/text-of-bytes.ts';
import { counted, NO_FIGURES } from '../../../src/machines/answers/metrics.ts';
import { type AskReply } from '../../../src/machines/answers/question-state.ts';
import {
  answering,
  AnswerRoom,
  type AnswerRoomOptions,
  evidenceFor,
  PORT_QUESTION,
  SECOND_MS,
} from '../../support/machines/answer-room.ts';
import { openIn } from '../../../src/machines/rules/records.ts';

const CURRENCY = 'Which currency do customers pay in?';
const DAY_MS = 24 * 3_600 * SECOND_MS;

let room: AnswerRoom;
afterEach(() => room.test.system.stop());

async function start(options: AnswerRoomOptions = {}): Promise<AnswerRoom> {
  return (room = await AnswerRoom.start(options));
}

const changed = () => room.emitted.filter(({ type }) => type === 'answer.changed');

const statuses = (...ids: string[]) => ids.map((id) => room.row(id).status);

describe('places at the desk', () => {
  const never: Partial<AnswerPorts> = { retrieve: () => new Promise(() => {}) };
  const ask = (what: string, priority_level: number, confidence_level = 60) =>
    void room.ask(`Which port has the ${what} service to listen on?`, { bundle: { priority_level, confidence_level } });

  it('AT-008: are three', async () => {
    await start({ ports: never });
    for (const what of ['mail', 'print', 'fax', 'phone']) ask(what, 2);
    await room.test.settle();
    expect(statuses('Q-1', 'Q-2', 'Q-3', 'Q-4')).toEqual(['working', 'working', 'working', 'queued']);
    expect(room.desk.placesTaken).toBe(PLACES);
  });

  it('AT-035, AT-040, AT-053: the most urgent question overtakes all others', async () => {
    await start({ ports: never });
    for (const what of ['mail', 'print', 'fax', 'phone', 'post']) ask(what, 2);
    ask('alarm', 1);
    await room.test.settle();
    expect(statuses('Q-6')).toEqual(['queued']);
    // A search is given up after 5 s, and the questions that had places go to people.
    await room.test.advance(5 * SECOND_MS);
    expect(statuses('Q-4', 'Q-5', 'Q-6')).toEqual(['working', 'working', 'working']);
    expect(room.test.shard.snapshot('open-questions/Q-6')).toBeDefined();
    ask('radio', 2);
    ask('siren', 1);
    await room.test.settle();
    expect([...room.desk.queue.values()]).toEqual(['Q-8', 'Q-7']);
  });

  it('AT-037, AT-027: questions that can wait are gathered for 5 s and then enter together', async () => {
    await start({ ports: answering(90) });
    ask('mail', 3);
    await room.test.advance(2 * SECOND_MS);
    ask('print', 3);
    await room.test.advance(BATCH_MS - 2 * SECOND_MS - 1);
    expect(statuses('Q-1', 'Q-2')).toEqual(['queued', 'queued']);
    await room.test.advance(1);
    expect(statuses('Q-1', 'Q-2')).toEqual(['answered', 'answered']);
  });

  it('MX-116: an asker in great doubt is not gathered; one that is nearly sure is, unless most urgent', async () => {
    await start({ ports: answering(90) });
    ask('mail', 3, 49);
    ask('print', 2, 76);
    ask('fax', 1, 76);
    await room.test.settle();
    expect(statuses('Q-1', 'Q-2', 'Q-3')).toEqual(['answered', 'queued', 'answered']);
    expect(room.desk.queue.size).toBe(1);
  });

  it('AT-001, AT-027: an idle desk has no timer and does nothing', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    const before = room.test.store.writes;
    await room.test.advance(30 * DAY_MS);
    expect(room.test.store.writes).toBe(before);
  });
});

describe('answers at hand', () => {
  it('AT-027, AT-028: the cache has the same question for an hour, whatever its signs and capitals', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    const again = `${PORT_QUESTION.toUpperCase()}!!`;
    expect(await room.askNow(again, { asker: 'reviewer' })).toMatchObject({ status: 'answered', question_id: 'Q-1' });
    await room.test.advance(CACHE_MS);
    expect(await room.askNow(again, { asker: 'builder' })).toMatchObject({ status: 'answered', question_id: 'Q-2' });
  });

  it('AT-028: the cache is emptied by another version of the plan', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    await room.order({ type: 'answers.plan', version: '2' });
    expect(await room.askNow(PORT_QUESTION, { asker: 'reviewer' })).toMatchObject({ question_id: 'Q-2' });
  });

  it('the second asker gets the answer that a person gave to the first, without a ticket', async () => {
    await start();
    await room.askNow(CURRENCY);
    await room.resolve('TK-0001', 'Euro only.');
    await room.test.advance(30 * DAY_MS);
    const reply = await room.askNow('In which currency do the customers pay?', { asker: 'reviewer' });
    expect(reply).toMatchObject({
      ...{ status: 'answered', answer: 'Euro only.', source: 'TK-0001', question_id: 'Q-1', decided_by: 'ada' },
    });
    expect(reply.confidence).toBeGreaterThanOrEqual(70);
  });

  it.each([
    'Which currency do suppliers invoice in?',
    'Which language do customers write in?',
    'Which currency do customers pay in at checkout of the Swiss shop?',
    'Which currency do new customers pay in?',
    'Which currency do partners pay in?',
  ])('a precedent does not answer another question: %s', async (other) => {
    await start();
    await room.askNow(CURRENCY);
    await room.resolve('TK-0001', 'Euro only.');
    const { status, ticket_id } = await room.askNow(other, { asker: 'reviewer' });
    expect(status).not.toBe('answered');
    expect(ticket_id).toBe('TK-0002');
  });

  it('a precedent answers a choice only if it names one of the options', async () => {
    await start();
    await room.askNow(CURRENCY);
    await room.resolve('TK-0001', 'Euro only.');
    const among = (possible_options: string[], asker: string) =>
      room.askNow(CURRENCY, { asker, bundle: { possible_options } });
    expect((await among(['dollar', 'franc'], 'one')).status).not.toBe('answered');
    expect(await among(['euro', 'franc'], 'two')).toMatchObject({ status: 'answered', answer: 'Euro only.' });
  });

  it('equal questions of one asker and task are joined within a day, open or answered', async () => {
    await start();
    const first = room.ask(CURRENCY);
    const second = room.ask(`${CURRENCY} `);
    await room.test.settle();
    expect((await first).question_id).toBe('Q-1');
    expect((await second).question_id).toBe('Q-1');
    expect(room.desk.next).toBe(2);
    expect(await room.askNow(CURRENCY, { bundle: { current_task_id: 'TASK-2' } })).toMatchObject({
      question_id: 'Q-2',
    });
  });

  describe('an open question of another asker', () => {
    const other = (bundle: object = {}) => ({ asker: 'reviewer', bundle });

    it('is shared: people are asked once, and every asker has their answer, over a crash', async () => {
      await start();
      expect(await room.askNow(CURRENCY)).toMatchObject({ status: 'waiting', question_id: 'Q-1' });
      await room.askBy('reviewer', `${CURRENCY.toUpperCase()}!`);
      const shared = room.ask(CURRENCY, { asker: 'builder', key: 'k-7', maxWaitMs: 0 });
      await room.test.settle();
      expect(await shared).toMatchObject({ status: 'waiting', question_id: 'Q-1', ticket_id: 'TK-0001' });
      await room.powerCut();
      expect([room.desk.next, openIn(room.desk).length]).toEqual([2, 1]);
      await room.resolve('TK-0001', 'Euro only.');
      expect(room.heard('reviewer')).toMatchObject([
        { type: 'answer.given', question: 'Q-1', status: 'waiting', answer: null },
        { type: 'answer.given', question: 'Q-1', status: 'answered', answer: 'Euro only.' },
      ]);
      expect(await room.askNow(CURRENCY, { asker: 'builder', key: 'k-7' })).toMatchObject({
        question_id: 'Q-1',
        answer: 'Euro only.',
      });
      await room.order({ type: 'answers.correct', question: 'Q-1', text: 'Franc.', by: 'ada' });
      expect(changed().map(({ asker }) => asker)).toEqual(['builder', 'coder', 'reviewer']);
    });

    it('is found again by the key of an asker that shares it, whatever the words, until it is erased', async () => {
      const again = { asker: 'builder', key: 'k-7', maxWaitMs: 0 };
      await start();
      await room.askNow(CURRENCY);
      for (const key of ['k-6', 'k-7']) await room.askNow(CURRENCY, { ...again, key });
      const open = await room.askNow('Which currency is it that customers pay in?', again);
      expect(open).toMatchObject({ status: 'waiting', question_id: 'Q-1' });
      await room.resolve('TK-0001', 'Euro only.');
      const settled = await room.askNow('Which currency is it, after all?', again);
      expect(settled).toMatchObject({ question_id: 'Q-1', answer: 'Euro only.' });
      await room.order({ type: 'answers.correct', question: 'Q-1', text: 'Franc.', by: 'ada' });
      expect(await room.askNow('Which currency is it that customers pay in now?', again)).toMatchObject({
        question_id: 'Q-1',
        answer: 'Franc.',
        changed_answers: [{ question_id: 'Q-1', answer: 'Franc.' }],
      });
      // The first asker has not been told yet.
      expect((await room.askNow(CURRENCY)).changed_answers).toHaveLength(1);
      await room.order({ type: 'answers.erase', question: 'Q-1', by: 'ada' });
      expect(room.desk.joins.size).toBe(0);
    });

    it('is shared by more askers than may wait for it: the others have its id, and wait again', async () => {
      await start();
      await room.askNow(CURRENCY);
      const names = Array.from({ length: DESK_ORDERS_OPEN_MAX + 2 }, (_, number) => `agent-${number}`);
      const asked = names.map((name) => room.ask(CURRENCY, { asker: name }));
      await room.test.settle();
      for (const told of await Promise.all(asked.slice(DESK_ORDERS_OPEN_MAX)))
        expect(told).toMatchObject({ status: 'waiting', question_id: 'Q-1', ticket_id: 'TK-0001', problems: [] });
      await room.resolve('TK-0001', 'Euro only.');
      for (const told of await Promise.all(asked.slice(0, DESK_ORDERS_OPEN_MAX)))
        expect(told).toMatchObject({ status: 'answered', answer: 'Euro only.' });
      const last = { type: 'answers.wait', question: 'Q-1', asker: names.at(-1)! };
      expect(await room.order(last)).toMatchObject({ status: 'answered', answer: 'Euro only.' });
      expect(room.row('Q-1').users).toBe(names.length + 1);
    });

    it.each([
      ['with other options', { possible_options: ['euro', 'franc'] }, {}],
      ['for another task', { current_task_id: 'TASK-9' }, {}],
      ['more urgent', { priority_level: 1 }, {}],
      ['by another trigger', {}, { trigger: 'planning_ambiguity' }],
    ])('is not shared by one that is %s', async (_, bundle, more) => {
      await start();
      await room.askNow(CURRENCY);
      await room.askNow(CURRENCY, { ...other(bundle), ...more });
      expect(room.desk.next).toBe(3);
    });

    it('is told to an actor that shares it after it has a provisional answer, once', async () => {
      await start({ ports: answering(50) });
      await room.askNow(PORT_QUESTION);
      for (const _ of [1, 2]) await room.askBy('reviewer', PORT_QUESTION);
      expect(room.heard('reviewer')).toMatchObject([{ type: 'answer.given', question: 'Q-1', status: 'provisional' }]);
    });

    it('is shared by a less urgent one, while it is worked on too', async () => {
      await start({ ports: { retrieve: () => new Promise(() => {}) } });
      void room.ask(CURRENCY);
      void room.ask(CURRENCY, other({ priority_level: 3 }));
      await room.test.settle();
      expect(room.desk).toMatchObject({ next: 2, placesTaken: 1, queue: { size: 0 } });
      expect(room.row('Q-1')).toMatchObject({ status: 'working', users: 2 });
    });
  });

  it('questions with an equal key are one question, whatever their words', async () => {
    await start();
    await room.askNow(CURRENCY, { key: 'k-1' });
    const again = room.ask('Which currency is it that customers pay in?', { key: 'k-1', maxWaitMs: 0 });
    await room.test.settle();
    expect(await again).toMatchObject({ question_id: 'Q-1' });
  });
});

describe('a correction', () => {
  it('reaches every user of the answer once, by event and with the next reply', async () => {
    await start({ ports: answering(90) });
    await room.askBy('asker', PORT_QUESTION);
    await room.askBy('reviewer', PORT_QUESTION);
    await room.askNow(PORT_QUESTION, { asker: 'far' });
    const users = await room.order<{ users: object[] }>({ type: 'answers.users', question: 'Q-1' });
    expect(users.users).toHaveLength(3);
    const text = 'South, since May.';
    const order = { type: 'answers.correct', question: 'Q-1', text, by: 'ada', reason: 'moved' };
    expect(await room.order(order)).toMatchObject({ taken: true, told: 3 });
    for (const actor of ['asker', 'reviewer'] as const)
      expect(
        room
          .heard(actor)
          .map(({ type, answer }) => [type, answer])
          .slice(1),
      ).toEqual([['answer.changed', text]]);
    expect(changed().map(({ asker }) => asker)).toEqual(['asker', 'far', 'reviewer']);
    // The next reply is that to another question, which the team works on first.
    const next = await room.askNow(`${PORT_QUESTION} Case 2.`, { asker: 'far' });
    expect(next.changed_answers).toMatchObject([{ question_id: 'Q-1', answer: text, by: 'ada', reason: 'moved' }]);
    const wait = () => room.order<AskReply>({ type: 'answers.wait', question: 'Q-1', asker: 'far' });
    expect(await wait()).toMatchObject({ changed_answers: [], answer: text, status: 'answered' });
    expect(await room.order(order)).toMatchObject({ taken: false });
    expect(changed()).toHaveLength(3);
  });

  it('is read once by an asker that has the answer for two tasks', async () => {
    await start({ ports: answering(90) });
    for (const current_task_id of ['TASK-1', 'TASK-2'])
      await room.askNow(PORT_QUESTION, { bundle: { current_task_id } });
    const order = { type: 'answers.correct', question: 'Q-1', text: 'South.', by: 'ada' };
    expect(await room.order(order)).toMatchObject({ told: 2 });
    expect(changed().map(({ task }) => task)).toEqual(['TASK-1', 'TASK-2']);
    const { changed_answers } = await room.order<AskReply>({ type: 'answers.wait', question: 'Q-1', asker: 'coder' });
    expect(changed_answers.map(({ answer }) => answer)).toEqual(['South.']);
  });

  it('reaches who waited for the question of another, too', async () => {
    await start();
    await room.askNow(CURRENCY);
    const waiting = room.begin({ type: 'answers.wait', question: 'Q-1', asker: 'reviewer' });
    await room.test.settle();
    await room.resolve('TK-0001', 'Euro only.');
    expect(await waiting).toMatchObject({ answer: 'Euro only.' });
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'Franc.', by: 'ada' });
    expect(changed().map(({ asker }) => asker)).toEqual(['coder', 'reviewer']);
    const wait = { type: 'answers.wait', question: 'Q-1' };
    expect((await room.order<AskReply>({ ...wait, asker: 'reviewer' })).changed_answers).toHaveLength(1);
    // Who waits for its own question is no second user.
    await room.order({ ...wait, asker: 'coder' });
    expect(room.row('Q-1').users).toBe(2);
  });

  it('supersedes what was said before, keeps it, and answers the next asker', async () => {
    await start();
    await room.askNow(CURRENCY);
    await room.resolve('TK-0001', 'Euro only.');
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'Euro and franc.', by: 'bob' });
    expect(await room.askNow(CURRENCY, { asker: 'next' })).toMatchObject({ answer: 'Euro and franc.' });
    expect(await room.order({ type: 'answers.show', question: 'Q-1' })).toMatchObject({
      question: { status: 'revoked', by: 'bob', version: 1 },
      earlier: [{ answer: 'Euro only.', by: 'ada' }],
    });
  });

  it('is asked of people if the draft is larger than 44 KiB, in bytes (B6)', async () => {
    const retrieve = () => Promise.resolve({ evidence: [evidenceFor('euro')], complete: true });
    const draftOf = (bytes: number) => ({
      answer: textOfBytes(bytes, '漢'),
      confidence: 95,
      citations: [evidenceFor('euro')],
    });
    const isTaken = (bytes: number) => draftSchema.safeParse(draftOf(bytes)).success;
    const most = Array.from({ length: 1_024 }, (_, n) => 44 * 1_024 - n).find(isTaken)!;
    expect([fits(draftSchema.parse(draftOf(most)), 44 * 1_024), isTaken(most + 1)]).toEqual([true, false]);
    let bytes = most;
    await start({ ports: { retrieve, formulate: () => Promise.resolve(draftOf(bytes)) } });
    await room.askNow(CURRENCY);
    bytes = most + 1;
    await room.askNow('Which currency do shops charge in?');
    await room.test.advance(60 * SECOND_MS);
    expect(statuses('Q-1', 'Q-2')).toEqual(['answered', 'waiting']);
    expect(room.test.shard.deadLetters.list()).toEqual([]);
  });

  describe('a correction of what others rest on', () => {
    const OTHER = 'Should we bill customers in the currency that they pay in?';
    const options = { possible_options: ['euro', 'franc'] };

    /** Says what the nearest precedent says, where there is one, as sure as given. */
    async function startCiting(confidence: number, wait: Promise<void> = Promise.resolve()): Promise<void> {
      const answer = 'Bill customers in `euro`, since that is the currency in which customers pay in all of our shops.';
      const formulate: AnswerPorts['formulate'] = async ({ evidence }) => {
        const citations = evidence.filter(({ kind }) => kind === 'decided');
        if (citations.length > 0) await wait;
        return citations.length === 0 ? null : { answer, confidence, citations };
      };
      const retrieve: AnswerPorts['retrieve'] = ({ question }) =>
        Promise.resolve({ evidence: question.includes('bill') ? [evidenceFor('euro')] : [], complete: true });
      await start({ ports: { retrieve, formulate } });
      await room.askNow(CURRENCY);
      await room.resolve('TK-0001', 'Euro only.');
    }

    const correct = () => room.order({ type: 'answers.correct', question: 'Q-1', text: 'Franc.', by: 'ada' });

    it('revokes the others, and tells their users that they hold no more', async () => {
      await startCiting(90);
      await room.askBy('reviewer', OTHER, options);
      expect(room.row('Q-2')).toMatchObject({ status: 'answered', by: null });
      const { users } = await room.order<{ users: object[] }>({ type: 'answers.users', question: 'Q-1' });
      expect(users).toMatchObject([
        { asker: 'coder', question: 'Q-1' },
        { asker: 'reviewer', question: 'Q-2' },
      ]);
      expect(await correct()).toMatchObject({ told: users.length });
      expect(await room.order({ type: 'answers.users', question: 'Q-1' })).toMatchObject({ users: users.slice(0, 1) });
      expect(room.row('Q-2').status).toBe('revoked');
      const waited = await room.order<AskReply>({ type: 'answers.wait', question: 'Q-2', asker: 'late' });
      expect(waited).toMatchObject({
        status: 'refused',
        answer: null,
        problems: [expect.stringContaining('ask again')],
      });
      expect(room.heard('reviewer').at(-1)).toMatchObject({ type: 'answer.changed', question: 'Q-2', answer: null });
    });

    it('tells a user of both answers of both', async () => {
      await startCiting(90);
      await room.askBy('reviewer', CURRENCY);
      await room.askBy('reviewer', OTHER, options);
      expect(await correct()).toMatchObject({ told: 2 });
      const changed = room.heard('reviewer').filter(({ type }) => type === 'answer.changed');
      expect(changed.map(({ question, answer }) => [question, answer])).toEqual([
        ['Q-1', 'Franc.'],
        ['Q-2', null],
      ]);
    });

    it('tells a client whose answer was taken back of the next one alone, if it has not called meanwhile', async () => {
      await startCiting(55);
      await room.askNow(OTHER, { asker: 'far', bundle: options });
      await correct();
      await room.resolve('TK-0002', 'Bill in franc.');
      const { changed_answers } = await room.askNow(CURRENCY, { asker: 'far' });
      expect(changed_answers).toMatchObject([{ question_id: 'Q-2', answer: 'Bill in franc.', by: 'ada' }]);
    });

    it('takes a provisional answer back, whose asker then waits for the person that has its ticket', async () => {
      await startCiting(55);
      await room.askBy('reviewer', OTHER, options);
      expect(room.row('Q-2')).toMatchObject({ status: 'provisional', ticket: 'TK-0002' });
      await correct();
      expect(room.row('Q-2')).toMatchObject({ status: 'waiting', response: null, isOver: false, version: 1 });
      const wait = { type: 'answers.wait', question: 'Q-2', asker: 'reviewer' };
      const again = room.begin({ ...wait, maxWaitMs: 0 });
      await room.test.settle();
      expect(await again).toMatchObject({ status: 'waiting', answer: null, ticket_id: 'TK-0002' });
      await room.resolve('TK-0002', 'Bill in franc.');
      expect(room.row('Q-2')).toMatchObject({ status: 'answered', by: 'ada', isOver: true });
      expect(room.heard('reviewer').map(({ type, answer }) => [type, answer])).toEqual([
        ['answer.given', expect.stringContaining('euro')],
        ['answer.changed', null],
        ['answer.given', 'Bill in franc.'],
      ]);
    });

    it('tells of an answer that rests on two once', async () => {
      await startCiting(90);
      await room.askNow('Which currency do customers pay deposits and refunds in?', { asker: 'builder' });
      await room.order({ type: 'answers.correct', question: 'Q-2', text: 'Euro too.', by: 'ada' });
      await room.askBy('reviewer', OTHER, options);
      expect(room.row('Q-3').response!.sources).toHaveLength(2);
      await correct();
      await room.order({ type: 'answers.correct', question: 'Q-2', text: 'Franc too.', by: 'ada' });
      const changed = room.heard('reviewer').filter(({ type }) => type === 'answer.changed');
      expect(changed.map(({ question }) => question)).toEqual(['Q-3']);
      expect(room.row('Q-3').version).toBe(1);
    });

    it('revokes an answer that was being made of it meanwhile', async () => {
      let goOn!: () => void;
      await startCiting(90, new Promise((resolve) => (goOn = resolve)));
      await room.askBy('reviewer', OTHER, options);
      await correct();
      goOn();
      await room.test.settle();
      expect(room.row('Q-2')).toMatchObject({ status: 'revoked', by: null });
      expect(room.heard('reviewer').map(({ type, answer }) => [type, answer])).toEqual([
        ['answer.given', expect.stringContaining('euro')],
        ['answer.changed', null],
      ]);
    });
  });

  it('settles the ticket of a provisional answer', async () => {
    await start({ ports: answering(50) });
    await room.askBy('asker', PORT_QUESTION);
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'South.', by: 'ada' });
    await room.test.settle();
    expect(room.row('Q-1')).toMatchObject({ status: 'revoked', by: 'ada', isOver: true });
    expect(room.heard('asker').map(({ type }) => type)).toEqual(['answer.given', 'answer.changed']);
  });

  it('is refused for a question that waits without a ticket, and for an unknown question', async () => {
    await start({ withTickets: false });
    void room.ask(CURRENCY);
    await room.test.settle();
    for (const question of ['Q-1', 'Q-9'])
      expect(await room.order({ type: 'answers.correct', question, text: 'x', by: 'ada' })).toMatchObject({
        taken: false,
      });
  });

  it('also comes from a ticket that is reopened and resolved again', async () => {
    await start();
    await room.askBy('asker', CURRENCY);
    await room.resolve('TK-0001', 'Euro only.');
    await room.order({ type: 'tickets.reopen', ticket: 'TK-0001', by: 'ada', reason: 'wrong' }, 'tickets');
    await room.resolve('TK-0001', 'Franc.');
    expect(room.heard('asker').at(-1)).toMatchObject({ type: 'answer.changed', answer: 'Franc.' });
  });

  it('survives a power cut', async () => {
    await start({ ports: answering(90) });
    await room.askBy('asker', PORT_QUESTION);
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'South.', by: 'ada' });
    await room.powerCut();
    expect(room.heard('asker').filter(({ type }) => type === 'answer.changed')).toHaveLength(1);
    expect(room.row('Q-1').response?.answer).toBe('South.');
  });
});

describe('erasing', () => {
  it("removes a person's words from the question, the precedents, the cache and news", async () => {
    await start();
    await room.askNow('Which currency does Mrs Kovac of Linz pay in?');
    await room.resolve('TK-0001', 'Kovac pays in euro.');
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'Kovac pays in franc.', by: 'bob' });
    expect(await room.order({ type: 'answers.erase', question: 'Q-1', by: 'ada' })).toMatchObject({ taken: true });
    expect(JSON.stringify(room.desk)).not.toMatch(/kovac/i);
    expect(JSON.stringify(await room.log())).not.toMatch(/kovac/i);
    expect(room.row('Q-1')).toMatchObject({ text: ERASED, response: { answer: ERASED } });
    expect(room.test.shard.snapshot('open-questions/Q-1')).toBe(undefined);
  });
});

describe('the log', () => {
  it('AT-026, AT-051, AT-064: makes the figures by a recount', async () => {
    await start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    await room.askNow(PORT_QUESTION, { asker: 'reviewer' });
    await room.askNow(PORT_QUESTION);
    await room.order({
      type: 'answers.judge',
      question: 'Q-1',
      wasRight: true,
      hadRightSources: true,
      satisfaction: 5,
    });
    await room.order({ type: 'answers.correct', question: 'Q-1', text: 'South.', by: 'ada' });
    await room.powerCut();
    const log = await room.log();
    expect(log.map(({ kind }) => kind)).toEqual(['resolved', 'resolved', 'resolved', 'judged', 'corrected']);
    expect(room.desk.figures).toEqual(log.reduce(counted, NO_FIGURES));
    expect(room.desk.figures).toMatchObject({ resolved: 3, escalated: 0, followUps: 1, corrected: 1 });
  });
});

describe('a proposal', () => {
  const review = () => room.order<{ proposals: Proposal[]; isPaused: boolean }>({ type: 'answers.review' });
  const decide = (more: object = {}) =>
    room.order({
      type: 'answers.decide',
      proposal: 'UV-000000000001',
      by: 'ada',
      approve: true,
      reason: 'yes',
      ...more,
    });

  async function escalating(): Promise<void> {
    await start();
    for (let one = 0; one < 10; one += 1)
      await room.askNow(`Which port has service ${one} to listen on?`, { bundle: { confidence_level: 10 } });
  }

  it('AT-057, AT-058, AT-025: is made of a pattern, and never applies itself', async () => {
    await escalating();
    const { proposals } = await review();
    expect(proposals).toMatchObject([
      { id: 'UV-000000000001', status: 'proposed', change: { kind: 'threshold', from: 0.7, to: 0.65 } },
    ]);
    await room.test.advance(30 * DAY_MS);
    expect(room.desk.profile.escalation_threshold).toBe(0.7);
    expect((await review()).proposals).toHaveLength(1);
  });

  it('AT-054: applies by the word of a person alone, and once', async () => {
    await escalating();
    await review();
    expect(await decide()).toMatchObject({ taken: true });
    expect(room.desk.profile.escalation_threshold).toBe(0.65);
    expect(await decide()).toMatchObject({ taken: false });
  });

  it('AT-058: is taken back where rewards are poor', async () => {
    await escalating();
    await review();
    await decide();
    for (let one = 0; one < 20; one += 1) {
      expect(room.desk.profile.escalation_threshold).toBe(0.65);
      await room.askNow(`Which port has printer ${one} to listen on?`, { bundle: { confidence_level: 10 } });
    }
    expect(room.desk.profile.escalation_threshold).toBe(0.7);
    expect((await review()).proposals[0]!.status).toBe('taken back');
  });

  it('AT-057: made for a question that many ask turns its answer into a precedent', async () => {
    await start({ ports: answering(90) });
    for (const asker of ['one', 'two', 'three']) await room.askNow(PORT_QUESTION, { asker });
    expect((await review()).proposals).toMatchObject([{ change: { kind: 'precedent', question: 'Q-1', times: 3 } }]);
    await decide();
    await room.test.advance(2 * DAY_MS);
    expect(await room.askNow(PORT_QUESTION, { asker: 'four' })).toMatchObject({ question_id: 'Q-1', confidence: 95 });
  });
});

describe('triggers', () => {
  const open = (more: object = {}) =>
    room.order(
      { type: 'tickets.open', kind: 'user_direct_query', title: PORT_QUESTION, creator: 'ada', priority: 1, ...more },
      'tickets',
    );
  const thread = (ticket = 'TK-0001') => JSON.stringify(room.context(`open-tickets/${ticket}`));

  it('AT-048, AT-E06: defined by users fire below their bound and not at it', async () => {
    await start();
    const question = 'Which tests would cover the parts that lack them?';
    await room.order({ type: 'answers.trigger', name: 'low-coverage', measure: 'coverage', below: 80, question });
    const measure = (value: number) => room.order({ type: 'answers.measure', measure: 'coverage', value, asker: 'ci' });
    expect(await measure(80)).toEqual({ fired: [] });
    expect(room.desk.next).toBe(1);
    expect(await measure(79)).toEqual({ fired: ['low-coverage'] });
    expect(room.row('Q-1')).toMatchObject({ text: question, trigger: 'custom', asker: 'ci' });
  });

  it('AT-048, AT-E06: defined in the settings fire too, also by what an agent has noticed, over a crash', async () => {
    const question = 'Which tests would cover the parts that lack them?';
    const trigger = { name: 'low-coverage', measure: 'coverage', below: 80, question };
    await start({ desk: { profile: { custom_triggers: [trigger] } } });
    const observe = (value: number | null) =>
      room.order({
        ...{ type: 'answers.observe', asker: 'ci', observation: 'The suite was run.' },
        ...{ measure: value === null ? null : 'coverage', value },
      });
    expect(await observe(80)).toMatchObject({ taken: true, fired: [] });
    expect(await observe(null)).toMatchObject({ taken: true, fired: [] });
    await room.powerCut();
    expect(await observe(79)).toMatchObject({ taken: true, fired: ['low-coverage'] });
    expect(room.row('Q-1')).toMatchObject({ text: question, trigger: 'custom', asker: 'ci' });
    expect(await room.order({ type: 'answers.triggers' })).toMatchObject({ triggers: [trigger] });
    await room.order({ type: 'answers.trigger', ...trigger, below: 50 });
    expect(await observe(78)).toMatchObject({ fired: [] });
    expect(await room.order({ type: 'answers.triggers' })).toMatchObject({ triggers: [{ below: 50 }] });
  });

  it('AT-018, AT-043: fired by planning ask in the background and never make a ticket', async () => {
    await start();
    const reply = await room.askNow(CURRENCY, { trigger: 'planning_ambiguity' });
    expect(reply).toMatchObject({ status: 'refused', ticket_id: null, problems: [expect.stringContaining('source')] });
    expect(room.row('Q-1').status).toBe('unanswered');
  });

  it('AT-017, AT-042: fired by a person are answered in the thread of the ticket', async () => {
    const answer = 'Take `north`: the settings say that it is the port of the delivery service.';
    await start({ ports: answering(95, { answer }) });
    await open();
    expect(thread()).toContain(answer);
    expect(room.row('Q-1')).toMatchObject({ asker: 'ada', trigger: 'user_direct_query', priority: 1, ticket: null });
    expect(room.ticket('TK-0001')).toMatchObject({ assignee: 'Answer AI', kind: 'user_direct_query' });
    // The reply is reviewed as a person's would be, and is clear.
    await room.test.advance(5 * SECOND_MS);
    expect(room.ticket('TK-0001')).toMatchObject({ status: 'resolved' });
  });

  it('AT-042: fired again by a person are answered in the thread of the new ticket, from the cache', async () => {
    await start({ ports: answering(90) });
    await open();
    await open();
    expect(room.desk.next).toBe(2);
    expect(thread('TK-0002')).toContain('Take `north` for this one');
  });

  it('AT-042: fired by a person have another asked where no source answers, who answers in the thread', async () => {
    await start();
    await open();
    expect(thread()).toContain('a person is asked');
    expect(room.ticket('TK-0002')).toMatchObject({ about: 'Q-1', kind: 'ai_to_human' });
    await room.powerCut();
    await room.resolve('TK-0002', 'It listens on west.');
    expect(thread()).toContain('It listens on west.');
  });

  it('AT-042: fired by a person without words leave the ticket to people', async () => {
    await start({ ports: answering(90) });
    await open({ title: '   ' });
    expect(room.ticket('TK-0001')).toMatchObject({ assignee: null });
    expect(thread()).toContain('a person is needed');
  });

  it('AT-042: fired by people are not fired by tickets for somebody, or by those of agents', async () => {
    await start({ ports: answering(90) });
    await open({ assignee: 'bob' });
    await open({ kind: 'ai_to_human' });
    expect(room.desk.next).toBe(1);
  });

  it('AT-020, AT-045: fired in a delegated task have the urgency of the task', async () => {
    await start();
    void room.ask('Unclear how the setup reads it.', { trigger: 'copilot_delegation_issue', taskPriority: 1 });
    await room.test.settle();
    expect(room.row('Q-1').priority).toBe(1);
  });

  it('AT-021, AT-046: fired by a context that did not fit suggest another strategy', async () => {
    await start({ ports: answering(90) });
    const reply = await room.askNow(`Why did summarize_old fail? ${PORT_QUESTION}`, {
      trigger: 'context_overflow_clarification',
    });
    expect(reply.suggested_next_actions).toEqual(['Try discard_low_rel instead of summarize_old.']);
  });

  it('AT-022, AT-047: fired by a pattern propose a task against its cause', async () => {
    await start({ ports: answering(90) });
    const reply = await room.askNow(PORT_QUESTION, { trigger: 'pattern_based_query', asker: 'critic' });
    expect(reply.suggested_next_actions).toEqual([expect.stringContaining('update task')]);
  });

  it('X-04: are those that the settings allow', async () => {
    await start({ ports: answering(90), desk: { profile: { invoke_trigger: 'manual_only' } } });
    expect(await room.askNow(PORT_QUESTION)).toMatchObject({ status: 'refused' });
    expect(await room.askNow(PORT_QUESTION, { trigger: 'user_direct_query' })).toMatchObject({ status: 'answered' });
  });
});

it('MX-E06: a vague question is refused with its reason, and is no question', async () => {
  await start({ ports: answering(90) });
  const reply = await room.askNow('What is the best way to do this?');
  expect(reply).toMatchObject({ status: 'refused', problems: [expect.stringContaining('vague')], question_id: null });
  expect(room.desk.next).toBe(1);
});
