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
  type ListedQuestions,
  type ShownQuestion,
} from '../../src/inspector/answers/answer-shapes.ts';
import {
  changeText,
  correctAnswer,
  decideProposal,
  factorRows,
  figureValue,
  judgeAnswer,
  judgedBins,
  loadOf,
  openQuestions,
  proposalRows,
  reviewAnswers,
  versionOf,
} from '../../src/inspector/answers/answers.ts';
import { type DeskOrder } from '../../src/inspector/desks/desk-orders.ts';
import { DESK_AGENTS, type DeskContexts } from '../../src/inspector/desks/desk-shapes.ts';
import { agentRegistry } from '../../src/machines/agents/agent-registry.ts';
import { capabilitiesOf } from '../../src/machines/agents/capabilities.ts';
import { SHIPPED_PROFILES } from '../../src/machines/agents/profiles/shipped.ts';
import { recommend } from '../../src/machines/agents/recommend.ts';
import { indexFor } from '../../src/machines/agents/retrieval.ts';
import { answerDesk } from '../../src/machines/answers/answer-desk.ts';
import { PLACES } from '../../src/machines/answers/desk-queue.ts';
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
});

describe('the desk of the page', () => {
  it('has its load, and open questions by urgency', async () => {
    const page = await open();
    await room!.askNow('Which colour has the label of the parcel?', { bundle: { priority_level: 3 }, maxWaitMs: 0 });
    expect(openQuestions((await page.list()).questions).map(({ priority }) => priority)).toEqual([1, 3]);
    expect(loadOf(page.context(), await page.figures())).toEqual(
      expect.arrayContaining([
        ['at work', expect.stringMatching(new RegExp(`^[01] of ${PLACES}$`))],
        ['with a person', expect.stringMatching(/[12]/)],
        ['answered', '1'],
      ]),
    );
  });

  it('shows figures with their units, and leaves out those with too few cases', async () => {
    const page = await open();
    await page.order(judgeAnswer(DESKS.answers, { id: 'Q-1' }, false));
    const { figures, bins } = await page.figures();
    const valueOf = (name: string) => figureValue(figures.find((one) => one.name === name)!);
    expect([valueOf('escalation_rate'), valueOf('satisfaction')]).toEqual(['50 %', '']);
    expect(valueOf('resolution_time_p1')).toMatch(/ m?s$/);
    expect(judgedBins(bins)).toMatchObject([{ used: 1, share: 0 }]);
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
    expect(proposalRows(page.context()).rows[0]).toMatchObject({ status: 'applied', decidedBy: 'ada' });
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
