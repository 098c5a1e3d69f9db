/** Answers and agents as the page shows them, checked against the real desk and registry. */
import { afterEach, describe, expect, it } from 'vitest';
import { shown } from '../../src/gateway/topics/wire-values.ts';
import {
  agentsLike,
  barOf,
  candidatesOf,
  isFallback,
  matrixOf,
  pointsText,
} from '../../src/inspector/agents/agents.ts';
import {
  type DeskFigures,
  type FoundAnswers,
  type ListedQuestions,
  type ShownQuestion,
} from '../../src/inspector/answers/answer-shapes.ts';
import {
  changeText,
  correctAnswer,
  decideProposal,
  directPercent,
  factorRows,
  figureValue,
  judgeAnswer,
  holdsText,
  keepAnswer,
  limitAnswer,
  loadOf,
  openQuestions,
  proposalRows,
  queueOf,
  reviewAnswers,
  rewardTexts,
  thresholdText,
  versionOf,
} from '../../src/inspector/answers/answers.ts';
import {
  BLANK,
  nextStep,
  obstacleOf,
  optionsIn,
  PROGRESS,
  questionEvent,
  replyState,
} from '../../src/inspector/answers/asking.ts';
import { accuracyText, barsOf, barText, OUTCOMES_ENOUGH } from '../../src/inspector/answers/calibration.ts';
import { type DeskOrder } from '../../src/inspector/desks/desk-orders.ts';
import { DESK_AGENTS, type DeskContexts } from '../../src/inspector/desks/desk-shapes.ts';
import { agentRegistry } from '../../src/machines/agents/agent-registry.ts';
import { capabilitiesOf } from '../../src/machines/agents/capabilities.ts';
import { SHIPPED_PROFILES } from '../../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../../src/machines/agents/recommend.ts';
import { indexFor } from '../../src/machines/agents/retrieval.ts';
import { answerDesk } from '../../src/machines/answers/answer-desk.ts';
import { OUTCOMES_TO_RAISE } from '../../src/machines/answers/calibration.ts';
import { ANSWER_GATE, PROVISIONAL_GATE } from '../../src/machines/answers/confidence.ts';
import { BATCH_MS, PLACES } from '../../src/machines/answers/desk-queue.ts';
import { REWARD_MIN, REWARDED_MIN } from '../../src/machines/answers/evolution.ts';
import { JUDGED_MIN } from '../../src/machines/answers/metrics.ts';
import { type AskReply } from '../../src/machines/answers/question-state.ts';
import { PROGRESS as DESK_PROGRESS } from '../../src/machines/answers/question-setup.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { Catalogue } from '../../src/crew-catalogue.ts';
import { AnswerRoom, evidenceFor } from '../support/machines/answer-room.ts';

let room: AnswerRoom | undefined;
afterEach(() => room?.test.system.stop());

const QUESTION = 'Which port does the server listen on, 80 or 8080?';
const CURRENCY = 'Which currency do customers pay in?';

/** A desk with an answered question, one that waits for a person, and what the page sees of it. */
async function open() {
  const retrieve = ({ question }: { readonly question: string }) =>
    Promise.resolve({ evidence: question === QUESTION ? [evidenceFor('8080')] : [], complete: true });
  room = await AnswerRoom.start({ ports: { retrieve } });
  const { test } = room;
  await room.askNow(QUESTION, { bundle: { possible_options: ['80', '8080'] } });
  await room.askNow(CURRENCY, { bundle: { priority_level: 1 }, maxWaitMs: 0 });
  await test.settle();
  return {
    order: (order: DeskOrder, typed = {}) => room!.order(order.eventOf(typed, 0)),
    context: () => shown(test.shard.snapshot(DESKS.answers)!.context) as DeskContexts['answer-desk'],
    show: (question: string) => room!.order<ShownQuestion>({ type: 'answers.show', question }),
    list: () => room!.order<ListedQuestions>({ type: 'answers.list', isOpen: true }),
    figures: () => room!.order<DeskFigures>({ type: 'answers.metrics' }),
  };
}

describe('the answers of the page', () => {
  it('have the factors of the confidence as the desk has kept them', async () => {
    const page = await open();
    const { question } = await page.show('Q-1');
    expect(DESK_AGENTS.answers).toBe(answerDesk.name);
    expect(factorRows(question!.factors!).map(({ name }) => name)).toEqual([
      'lead over the next value',
      'strongest source',
      'kinds of sources',
      'before calibration',
    ]);
    expect(question!.response!.confidence).toBe(Math.floor(question!.factors!.uncalibrated));
    expect((await page.show('Q-2')).question!.factors).toBeNull();
  });

  it('are read again when the desk has changed, and not because they were read', async () => {
    const page = await open();
    const before = versionOf(page.context());
    await page.show('Q-1');
    await page.list();
    expect(versionOf(page.context())).toBe(before);
    await page.order(judgeAnswer(DESKS.answers, { id: 'Q-1' }, true));
    expect(versionOf(page.context())).not.toBe(before);
  });

  it('are corrected by an order that says first who will be told', async () => {
    const page = await open();
    const order = correctAnswer(DESKS.answers, { id: 'Q-1' });
    const { concerns } = order;
    const users = await room!.order({ type: concerns!.method, question: concerns!.params['question_id'] });
    expect(concerns!.lines(users as never)).toEqual(['coder']);
    const resting = { users: [{ asker: 'ada', task: 'T-1', atMs: 0, question: 'Q-9' }] };
    expect(concerns!.lines(resting as never)).toEqual(['ada, at work on T-1 (has Q-9, which rests on it)']);
    expect(await page.order(order, { answer: '80.', by: 'ada', reason: 'moved' })).toMatchObject({
      taken: true,
      told: 1,
    });
    expect((await page.show('Q-1')).question).toMatchObject({ status: 'revoked', by: 'ada' });
  });

  it('are kept for all, or for a scope and one version of the plan', async () => {
    const page = await open();
    const holds = async () => {
      const asked = { type: 'answers.search', text: QUESTION };
      return (await room!.order<FoundAnswers>(asked)).found.map((kept) => holdsText(kept, page.context().planVersion));
    };
    const before = versionOf(page.context());
    expect(await holds()).toEqual([]);
    await page.order(keepAnswer(DESKS.answers, { id: 'Q-1' }), { by: 'ada' });
    expect(await holds()).toEqual(['for all']);
    expect(versionOf(page.context())).not.toBe(before);
    const [everywhere, kept] = [{ scope: null, planVersion: null }, versionOf(page.context())];
    const order = limitAnswer(DESKS.answers, { id: 'Q-1' }, everywhere);
    const plan = order.fields.find(({ name }) => name === 'plan')!;
    expect(plan.initial).toBe(plan.options[0]);
    await page.order(order, { scope: ' shop ', plan: plan.options[1]!, by: 'ada' });
    expect(await holds()).toEqual(['for shop, this version of the plan alone']);
    expect(versionOf(page.context())).not.toBe(kept);
    expect(holdsText({ scope: null, planVersion: 'older' }, '')).toBe('for all, another version of the plan alone');
    await page.order(order, { scope: ' ', plan: plan.options[0]!, by: 'ada' });
    expect(await holds()).toEqual(['for all']);
  });
});

describe('the questions of the page', () => {
  const typed = { ...BLANK, text: 'How should I handle errors?', options: '' };
  /** Asks as the page does, and has the desk's reply. */
  const ask = (given: Partial<typeof BLANK> = {}, more = {}) =>
    room!.order<AskReply>({ ...questionEvent({ ...typed, ...given }, ' ada '), ...more });
  const found = (...evidence: ReturnType<typeof evidenceFor>[]) => ({
    retrieve: () => Promise.resolve({ evidence, complete: true }),
  });

  it('are asked by a person, whose words are not judged, and of whose confidence nobody is told', async () => {
    room = await AnswerRoom.start();
    const reply = await ask();
    expect(reply).toMatchObject({ status: 'waiting', question_id: 'Q-1', ticket_id: 'TK-0001' });
    expect(replyState(reply)).toEqual(['waits for a person', 'warn']);
    expect(nextStep(reply)).toBe('A person is asked, and Q-1 will have the answer. If you know it, reply to');
    expect(room.row('Q-1')).toMatchObject({ asker: 'ada', trigger: 'user_direct_query', priority: 2, options: [] });
    const { question } = room.context<{ question: { description: string } }>('open-tickets/TK-0001');
    expect(question.description).toContain('Asked by ada.');
  });

  it('are told what to do with an answer, a provisional one, and one that is still under way', async () => {
    room = await AnswerRoom.start({ ports: found(evidenceFor('8080')) });
    const answered = await ask({ options: '80, 8080' });
    expect(answered).toMatchObject({ status: 'answered', confidence: 90 });
    expect([replyState(answered), nextStep(answered)]).toEqual([['answered', 'good'], '']);
    const late = await ask({ text: 'Is the port of the mail server 25 or 8080?' }, { maxWaitMs: 0 });
    expect(late).toMatchObject({ status: 'waiting', ticket_id: null });
    expect(replyState(late)).toEqual(['is worked on', 'calm']);
    expect(nextStep(late)).toBe('The desk is still at work on it. Q-2 will have the answer.');
    await room.test.system.stop();
    room = await AnswerRoom.start({
      ports: found(evidenceFor(null, { valueKind: 'text', excerpt: 'Errors are handled at the edge.' })),
    });
    const provisional = await ask();
    expect(provisional).toMatchObject({ status: 'provisional', ticket_id: 'TK-0001' });
    expect(nextStep(provisional)).toBe('Go on with it. A person is asked whether it holds:');
  });

  it('are refused with a reason by a desk without tickets', async () => {
    room = await AnswerRoom.start({ desk: { profile: { integrations: { ticket_system: false } } } });
    const reply = await ask();
    expect(reply).toMatchObject({ status: 'refused', problems: ['No source says anything about it.'] });
    expect([replyState(reply), nextStep(reply)]).toEqual([['refused', 'bad'], '']);
  });

  it('have their possible answers one a line, or by commas on one line', () => {
    expect(optionsIn('80, 8080,80,')).toEqual(['80', '8080']);
    expect(optionsIn(' 1,000\n2,000 \n\n')).toEqual(['1,000', '2,000']);
    expect(optionsIn(' ')).toEqual([]);
    expect(questionEvent({ ...typed, priority: '1' }, 'ada').bundle).toMatchObject({
      priority_level: 1,
      possible_options: null,
    });
  });

  it('need a text and a name', () => {
    expect(obstacleOf(BLANK, 'ada')).toBe('Write a question.');
    expect(obstacleOf(typed, ' ')).toBe('Your name is needed.');
    expect(obstacleOf(typed, 'ada')).toBeUndefined();
  });

  it('are said to be processed in the words of the desk', () => {
    expect(PROGRESS).toBe(DESK_PROGRESS);
  });
});

describe('the desk of the page', () => {
  it('has its load, and open questions by urgency', async () => {
    const page = await open();
    await room!.askNow('Which colour has the label of the parcel?', { bundle: { priority_level: 3 }, maxWaitMs: 0 });
    const { questions } = await page.list();
    expect(openQuestions(questions, queueOf(page.context())).map(({ priority }) => priority)).toEqual([1, 3]);
    expect(loadOf(page.context(), await page.figures())).toEqual(
      expect.arrayContaining([
        ['at work', expect.stringMatching(new RegExp(`^[01] of ${PLACES}$`))],
        ['with a person', expect.stringMatching(/[12]/)],
        ['answered', '1'],
      ]),
    );
  });

  it('has its queue in the order in which questions get places, and questions at work before it', async () => {
    const placed: string[] = [];
    const going: (() => void)[] = [];
    const formulate = ({ bundle: { question } }: { readonly bundle: { readonly question: string } }) => {
      placed.push(question);
      return new Promise<null>((resolve) => going.push(() => resolve(null)));
    };
    room = await AnswerRoom.start({ ports: { formulate } });
    const asked = (server: string, priority_level: number, confidence_level: number) =>
      room!.order({
        type: 'answers.ask',
        asker: 'coder',
        bundle: { question: `Which port has the ${server} server?`, priority_level, confidence_level },
        maxWaitMs: 0,
      });
    for (const server of ['mail', 'news', 'time']) await asked(server, 2, 60);
    await asked('gathered', 2, 80);
    await asked('late', 3, 10);
    await asked('sure', 2, 60);
    await asked('unsure', 2, 10);
    await asked('urgent', 1, 60);
    const context = shown(room.test.shard.snapshot(DESKS.answers)!.context) as DeskContexts['answer-desk'];
    const queue = queueOf(context);
    expect([...queue]).toEqual([
      ['Q-8', 'place 1 in the queue'],
      ['Q-7', 'place 2 in the queue'],
      ['Q-6', 'place 3 in the queue'],
      ['Q-5', 'place 4 in the queue'],
      ['Q-4', 'gathered with others'],
    ]);
    const { questions } = await room.order<ListedQuestions>({ type: 'answers.list', isOpen: true });
    expect(openQuestions(questions, queue).map(({ id }) => id)).toEqual(
      ['8', '1', '2', '3', '7', '6', '4', '5'].map((number) => `Q-${number}`),
    );
    while (placed.length < 8) {
      going.shift()!();
      await room.test.settle();
      if (going.length === 0) await room.test.advance(BATCH_MS);
    }
    const inQueue = [...queue.keys()].map((id) => room!.row(id).text);
    expect(placed.slice(PLACES)).toEqual(inQueue);
    for (const go of going) go();
  });

  it('says which confidence is enough for what', async () => {
    const page = await open();
    expect(directPercent(page.context())).toBe(ANSWER_GATE);
    expect(thresholdText(directPercent(page.context()))).toBe(
      `An answer is given from ${PROVISIONAL_GATE} % on, and without asking a person from ${ANSWER_GATE} % on.`,
    );
  });

  it('shows figures with their units, and leaves out those with too few cases', async () => {
    const page = await open();
    await page.order(judgeAnswer(DESKS.answers, { id: 'Q-1' }, false));
    const { figures, bins } = await page.figures();
    const valueOf = (name: string) => figureValue(figures.find((one) => one.name === name)!);
    expect([valueOf('escalation_rate'), valueOf('satisfaction')]).toEqual(['50 %', '']);
    expect(valueOf('resolution_time_p1')).toMatch(/ m?s$/);
    const bars = barsOf(bins);
    expect(bars.map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: 10 }, (_, at) => [10 * at, 10 * at + 10]),
    );
    expect(bars.filter(({ used }) => used > 0)).toMatchObject([{ used: 1, right: 0, share: 0, isWeak: true }]);
    expect(accuracyText(figures)).toBe(
      `How accurate confidence is shows from ${JUDGED_MIN} judged answers on: there are 1.`,
    );
  });

  it('draws a bar weaker as long as its outcomes raise no answer, and says the accuracy in words', () => {
    expect(OUTCOMES_ENOUGH).toBe(OUTCOMES_TO_RAISE);
    const few = { used: OUTCOMES_TO_RAISE - 1, right: 4 };
    const enough = { used: OUTCOMES_TO_RAISE, right: 15 };
    const [first, second] = barsOf([few, enough, ...Array.from({ length: 8 }, () => ({ used: 0, right: 0 }))]);
    expect([first!.isWeak, second!.isWeak, second!.share, second!.said]).toEqual([true, false, 0.75, 0.15]);
    expect(barText(second!)).toBe('10 to 20 % sure: 15 of 20 right');
    const accuracy = { name: 'confidence_accuracy', value: 0.93, count: 60, target: '> 0.9', isMet: true };
    expect(accuracyText([accuracy])).toBe('Confidence is 7 points off on average: accuracy 0.93, target > 0.9.');
    expect(accuracyText([])).toBe('');
  });

  it('decides proposals by a person', async () => {
    const page = await open();
    for (let one = 1; one <= 10; one++)
      await room!.askNow(`Which port has printer ${one} to listen on?`, {
        bundle: { confidence_level: 10 },
        maxWaitMs: 0,
      });
    await room!.test.advance(10_000);
    await page.order(reviewAnswers(DESKS.answers));
    const [proposal] = proposalRows(page.context()).rows;
    expect(changeText(proposal!)).toBe('Ask people below 65 % instead of 70 %.');
    const decided = await page.order(decideProposal(DESKS.answers, proposal!, true), { by: 'ada', reason: 'too many' });
    expect(decided).toMatchObject({ taken: true });
    const [applied] = proposalRows(page.context()).rows;
    expect(applied).toMatchObject({ status: 'applied', decidedBy: 'ada' });
    const bound = `is taken back by itself below ${REWARD_MIN} on average, from ${REWARDED_MIN} rewards on`;
    expect(rewardTexts(applied!)).toEqual([bound]);
    await page.order(judgeAnswer(DESKS.answers, { id: 'Q-1' }, true));
    const [judged] = proposalRows(page.context()).rows;
    expect(rewardTexts(judged!)).toEqual(['1.50 is the mean of 1 reward since', bound]);
    const order = decideProposal(DESKS.answers, judged!, false);
    expect(order).toMatchObject({ verb: 'Take back', means: 'Ask people below 70 % again.' });
    await page.order(order, { by: 'eve', reason: 'too few' });
    const [back] = proposalRows(page.context()).rows;
    expect(back).toMatchObject({ status: 'taken back', decidedBy: 'eve' });
    expect(rewardTexts(back!)).toEqual(['1.50 is the mean of 1 reward since']);
    expect(directPercent(page.context())).toBe(ANSWER_GATE);
  });
});

describe('the agents of the page', () => {
  const { agents: rows } = new Catalogue(SHIPPED_PROFILES.map((profile) => ({ profile, source: 'package' }))).list();

  it('are found by words of their id, role, team, category or source', () => {
    expect(DESK_AGENTS.agents).toBe(agentRegistry.name);
    expect(agentsLike(rows, '')).toHaveLength(rows.length);
    expect(agentsLike(rows, 'CODE reviewer').map(({ agentId }) => agentId)).toEqual(['reviewer']);
    expect(agentsLike(rows, 'reviewer nowhere')).toEqual([]);
  });

  it('are candidates with the factors of each, or the fallback', () => {
    const index = indexFor(SHIPPED_PROFILES);
    const found = candidatesOf(recommend(index, { task: 'Review this pull request', explain: true }));
    expect(found[0]).toMatchObject({ agentId: 'reviewer', confidence: 1 });
    expect(found[0]!.factors.map(pointsText)).toContain('+600');
    expect(isFallback(found)).toBe(false);
    expect(isFallback(candidatesOf(recommend(index, { task: 'qwrtz', explain: true })))).toBe(true);
    expect(pointsText({ points: -500 })).toBe('\u2212500');
  });

  it('have bars to the right of the middle for what speaks for them, to the left for what speaks against', () => {
    expect(barOf({ points: 900 })).toEqual({ x: 100, width: 100 });
    expect(barOf({ points: 450 })).toEqual({ x: 100, width: 50 });
    expect(barOf({ points: -450 })).toEqual({ x: 50, width: 50 });
    expect(barOf({ points: 2_000 })).toEqual({ x: 100, width: 100 });
  });

  it('have a matrix of their capabilities, with as many columns as are asked for', () => {
    const all = capabilitiesOf(SHIPPED_PROFILES, { category: 'review' });
    const { agents, hidden, rows } = matrixOf(all, 2);
    expect({ agents, hidden }).toEqual({ agents: ['quality', 'reviewer'], hidden: 1 });
    expect(rows.find(({ capability }) => capability === 'code-review')!.marks).toEqual([false, true]);
    expect(rows.every(({ marks }) => marks.includes(true))).toBe(true);
    expect(matrixOf(all, 3).rows).toHaveLength(all.capabilities.length);
  });
});
