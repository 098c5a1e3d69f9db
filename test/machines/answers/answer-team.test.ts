/** The answer team at work: who does what, in which order, in which bounds, and its figures beside their targets. */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerPorts, type GivenDraft } from '../../../src/machines/answers/answer-ports.ts';
import { bundleTokens, type QueryBundle, queryBundle } from '../../../src/machines/answers/bundle.ts';
import { type Retrieval } from '../../../src/machines/answers/evidence.ts';
import { PLACES } from '../../../src/machines/answers/desk-queue.ts';
import { type Figure } from '../../../src/machines/answers/metrics.ts';
import { type QuestionContext } from '../../../src/machines/answers/question-state.ts';
import { answering, AnswerRoom, evidenceFor, PORT_QUESTION, SECOND_MS } from '../../support/machines/answer-room.ts';
import { finderOver } from '../../support/knowledge/fixture-finder.ts';
import { fixtureText } from '../../support/knowledge/fixture-repositories.ts';
import { LABELLED } from '../../support/knowledge/labelled-questions.ts';

let room: AnswerRoom;
afterEach(() => room.test.system.stop());

/** Ports that answer when the test says so. */
function byHand() {
  let search!: (found: Retrieval) => void;
  let draft!: (said: GivenDraft) => void;
  const ports: Partial<AnswerPorts> = {
    retrieve: () => new Promise((resolve) => (search = resolve)),
    formulate: () => new Promise((resolve) => (draft = resolve)),
  };
  const finds = (found: Retrieval) => (search(found), room.test.settle());
  const says = (said: GivenDraft) => (draft(said), room.test.settle());
  return { ports, finds, says };
}

const FOUND: Retrieval = { evidence: [evidenceFor('north')], complete: true };

/** A context that does not fit into the bound of a bundle. */
const LARGE = {
  context_summary: 'The delivery service is moved to another port.',
  relevant_snippets: Array.from({ length: 10 }, (_, index) => ({
    file: `src/part-${index}.ts`,
    content: Array.from({ length: 40 }, (__, line) => `export const setting${line} = 'value of ${index}';`).join('\n'),
  })),
};

const contextOf = (id: string) => room.context<QuestionContext>(`open-questions/${id}`);
const draftOf = (confidence: number): GivenDraft => ({
  answer: 'Take `north`: which port the delivery service has to listen on is north, as the settings say.',
  confidence,
  citations: [evidenceFor('north')],
});

describe('the lead of the team', () => {
  it('AT-005: is one actor a question, which has it searched, makes the answer, and ends', async () => {
    const { ports, finds, says } = byHand();
    room = await AnswerRoom.start({ ports });
    const asked = room.ask(PORT_QUESTION);
    await room.test.settle();
    expect(room.state('Q-1')).toBe('retrieving');
    expect(contextOf('Q-1')).toMatchObject({ id: 'Q-1', bundle: { question: PORT_QUESTION }, asker: 'coder' });
    await finds(FOUND);
    await says(draftOf(90));
    expect(await asked).toMatchObject({ status: 'answered', question_id: 'Q-1' });
    expect(room.state('Q-1')).toBe(undefined);
  });

  it('AT-008: works alone on what is at hand, even while every place is taken', async () => {
    const { retrieve, formulate } = answering(90) as AnswerPorts;
    const ports: Partial<AnswerPorts> = {
      formulate,
      retrieve: (input, facts) => (input.question === PORT_QUESTION ? retrieve(input, facts) : new Promise(() => {})),
    };
    room = await AnswerRoom.start({ ports });
    await room.askNow(PORT_QUESTION);
    for (let one = 1; one <= PLACES; one += 1) void room.ask(`${PORT_QUESTION} Case ${one}.`);
    await room.test.settle();
    expect(room.desk.placesTaken).toBe(PLACES);
    expect(await room.askNow(PORT_QUESTION, { asker: 'reviewer' })).toMatchObject({ question_id: 'Q-1' });
    expect(room.desk).toMatchObject({ placesTaken: PLACES, queue: { size: 0 } });
  });
});

describe('the order of work', () => {
  it('AT-049: is break, search, formulate, score, answer with sources, log and figures', async () => {
    const { ports, finds, says } = byHand();
    room = await AnswerRoom.start({ ports });
    const asked = room.ask(PORT_QUESTION, { bundle: LARGE });
    await room.test.settle();
    expect(room.state('Q-1')).toBe('retrieving');
    // A context of more than 2,500 tokens was cut before the search, and the question is whole.
    expect(bundleTokens(queryBundle.parse({ question: PORT_QUESTION, ...LARGE }))).toBeGreaterThan(2_500);
    expect(bundleTokens(contextOf('Q-1').bundle)).toBeLessThanOrEqual(2_500);
    expect(contextOf('Q-1').dropped.length).toBeGreaterThan(0);
    expect(contextOf('Q-1').bundle.question).toBe(PORT_QUESTION);
    await finds(FOUND);
    expect(room.state('Q-1')).toBe('formulating');
    expect(await room.log()).toEqual([]);
    await says(draftOf(70));
    expect(await asked).toMatchObject({ status: 'answered', confidence: 70, sources: [{ type: 'code' }] });
    expect(room.state('Q-1')).toBe(undefined);
    expect(await room.log()).toMatchObject([{ kind: 'resolved', question: 'Q-1', outcome: 'direct', confidence: 70 }]);
    expect(room.desk.figures.resolved).toBe(1);
  });

  it('AT-049, AT-050, AT-063: is a ticket below 40 %, replies until one is clear, and the log', async () => {
    room = await AnswerRoom.start();
    await room.askNow('Which currency do customers pay in?');
    expect(room.state('Q-1')).toEqual({ escalated: 'waiting' });
    const reply = (text: string) =>
      room.order(
        { type: 'tickets.reply', ticket: 'TK-0001', by: 'ada', text, option: null, author: 'person' },
        'tickets',
      );
    await reply('the usual one');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row('Q-1').status).toBe('waiting');
    await reply('Euro only.');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row('Q-1')).toMatchObject({ status: 'answered', by: 'ada' });
    const [, settled] = await room.log();
    expect(settled).toMatchObject({ kind: 'settled', question: 'Q-1', outcome: 'answered' });
    expect((settled as { clarity: number }).clarity).toBeGreaterThanOrEqual(85);
  });
});

describe('the bundle of a question', () => {
  const whole: QueryBundle = {
    question: PORT_QUESTION,
    context_summary: 'The service moves. Its port is not decided.',
    current_task_id: 'TASK-7',
    priority_level: 1,
    relevant_snippets: [{ file: 'settings.json', content: Array(150).fill('x').join('\n') }],
    plan_references: [{ section: 'plan.json:delivery', quote: null }],
    confidence_level: 0,
    possible_options: ['north', 'south'],
  };

  it('AT-029, AT-060: is taken with every field, and reaches the team as it was asked', async () => {
    const { ports } = byHand();
    room = await AnswerRoom.start({ ports });
    void room.ask(PORT_QUESTION, { bundle: whole });
    await room.test.settle();
    expect(contextOf('Q-1').bundle).toEqual(whole);
  });

  it('AT-029: may say null where there is no task, quotation or option', async () => {
    const { ports } = byHand();
    room = await AnswerRoom.start({ ports });
    void room.ask(PORT_QUESTION, { bundle: { current_task_id: null, possible_options: null } });
    await room.test.settle();
    expect(contextOf('Q-1').bundle).toMatchObject({ current_task_id: null, possible_options: null });
  });

  it.each<readonly [string, object]>([
    ['no question', { question: ' ' }],
    ['an urgency of 0', { priority_level: 0 }],
    ['an urgency of 4', { priority_level: 4 }],
    ['a doubt below 0', { confidence_level: -1 }],
    ['a doubt above 100', { confidence_level: 101 }],
    ['151 lines', { relevant_snippets: [{ file: 'a.ts', content: Array(151).fill('x').join('\n') }] }],
    ['lines of no file', { relevant_snippets: [{ content: 'x' }] }],
    ['a quotation of no section', { plan_references: [{ quote: 'x' }] }],
    ['a task that is a number', { current_task_id: 7 }],
    ['an option without a word', { possible_options: [''] }],
  ])('AT-029: is refused with %s, and is no question', async (_, bundle) => {
    room = await AnswerRoom.start();
    const asked = room.ask(PORT_QUESTION, { bundle: { ...whole, ...bundle } });
    await room.test.settle();
    const outcome = await asked.then(
      ({ status }) => status,
      ({ code }: { code: string }) => code,
    );
    expect(outcome).toMatch(/^(?:refused|BOSUN_EVENT_INVALID)$/);
    expect(room.desk.next).toBe(1);
  });
});

describe('the figures of the team', () => {
  const figures = async () => {
    const { figures: all } = await room.order<{ figures: Figure[] }>({ type: 'answers.metrics' });
    return new Map(all.map((one) => [one.name, one]));
  };

  it('AT-062: meet their targets over the questions that a repository answers', async () => {
    const finder = finderOver('parcels', fixtureText('parcels'));
    const retrieve: AnswerPorts['retrieve'] = (input) =>
      Promise.resolve({ evidence: finder.evidenceFor(input), complete: true });
    room = await AnswerRoom.start({ ports: { retrieve } });
    const questions = LABELLED.filter(({ repository, label }) => repository === 'parcels' && label === 'answerable');
    for (const { question, options } of questions) {
      const bundle = { priority_level: 1, confidence_level: 10, possible_options: options };
      await room.askNow(question, { bundle });
    }
    const report = await figures();
    for (const name of ['p1_in_time', 'token_efficiency', 'escalation_rate'])
      expect([name, report.get(name)!.isMet]).toEqual([name, true]);
    expect(report.get('p1_in_time')!.count).toBe(questions.length);
  });

  it('AT-062: miss the target of 15 s where answers of urgency 1 take longer', async () => {
    room = await AnswerRoom.start({ ports: { ...answering(90), formulate: () => new Promise(() => {}) } });
    void room.ask(PORT_QUESTION, { bundle: { priority_level: 1 } });
    await room.test.settle();
    // A host that is down while the 15 s end is late.
    await room.test.crash();
    room.test.clock.suspend(16 * SECOND_MS);
    await room.test.restart();
    expect((await figures()).get('p1_in_time')).toMatchObject({ value: 0, count: 1, isMet: false });
  });

  it.each([
    [[5, 4, 4, 4, 4, 4, 4, 4, 4, 5], 4.2, true],
    [[5, 4, 4, 4, 4, 4, 4, 4, 4, 4], 4.1, false],
    [[5, 5, 5, 5, 5, 5, 5, 5, 5], null, null],
  ] as const)('AT-063: have a mean satisfaction from ten opinions on: %j', async (opinions, value, isMet) => {
    room = await AnswerRoom.start({ ports: answering(90) });
    await room.askNow(PORT_QUESTION);
    for (const satisfaction of opinions)
      await room.order({ type: 'answers.judge', question: 'Q-1', wasRight: true, satisfaction });
    expect((await figures()).get('satisfaction')).toMatchObject({ value, count: opinions.length, isMet });
  });

  it.each([
    [7, 1 / 8, true],
    [5, 1 / 6, false],
  ])(
    'AT-063: have a rate of follow-ups below 15 %% of their questions: %i and one again',
    async (others, value, isMet) => {
      room = await AnswerRoom.start({ ports: answering(90) });
      for (let one = 1; one <= others; one += 1) await room.askNow(`${PORT_QUESTION} Case ${one}.`);
      await room.askNow(`${PORT_QUESTION} Case 1.`);
      expect((await figures()).get('follow_up_rate')).toMatchObject({ value, isMet });
    },
  );
});
