/** Vocabulary in the whole crew: the words that every plan has, the words of a pack, and the words of a plan. */
import { describe, expect, it } from 'vitest';
import { checkpointIn } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { type FacilitatorContext } from '../../../src/machines/coordination/debates/facilitator-context.ts';
import { type CrewAnswer } from '../../../src/machines/work/crew-requests.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Words = Parameters<typeof planOf>[0];

const DOUBTS = {
  id: 'heat',
  topic: 'Heat of the kiln',
  challenged: { agent: 'prober' },
  disputedFinding: 'It is 1,000 degrees.',
  basis: { statement: 'The cone says 900.', evidence: [{ kind: 'cone', source: 'cone 9', strength: 0.8 }] },
  priority: 'supporting',
  positions: { challenger: { statement: '900', value: 900 }, challenged: { statement: '1000', value: 1000 } },
};

/** Runs a plan with these words, whose checker challenges the prober; returns the answer to the challenge. */
async function challenged(
  words: Words,
  challenge: object,
): Promise<{ crew: WholeCrew; answer: CrewAnswer; runs: string[] }> {
  let answer: CrewAnswer | undefined;
  const runs: string[] = [];
  const stages = {
    probe: { agent: 'prober' },
    check: { agent: 'checker', after: ['probe'] },
    glaze: { agent: 'glazer', after: ['check'] },
    fire: { agent: 'kiln', after: ['check'] },
  };
  const crew = await startWholeCrew(planOf({ ...words, stages, items: ['vase'] }), {
    prober: async () => 1000,
    checker: async (_, { say }) => void (answer = await say({ kind: 'challenge', content: challenge })),
    glazer: async () => void runs.push('glaze'),
    kiln: async () => void runs.push('fire'),
  });
  await crew.test.settle();
  return { crew, answer: answer!, runs };
}

describe('a plan that names no pack', () => {
  it.each(['critical-path', 'ordinary', 'supporting'])('knows the priority %s', async (priority) => {
    const { answer } = await challenged({}, { ...DOUBTS, priority });
    expect(answer).toMatchObject({ taken: true });
  });

  it('refuses words of finance, and lists the words that it knows', async () => {
    const { answer, crew } = await challenged({}, { ...DOUBTS, priority: 'valuation' });
    expect(answer).toEqual({
      taken: false,
      problems: ['unknown priority "valuation"; there are critical-path, ordinary, supporting'],
    });
    const dependents = [{ id: 'fire', measure: 'target_price', current: 1, response: 'unknown', runMs: 1 }];
    const other = await challenged({}, { ...DOUBTS, dependents });
    expect(other.answer.problems).toEqual(['unknown measure "target_price"; there are confidence, risk']);
    expect([crew.debates(), other.crew.debates()]).toEqual([[], []]);
  });
});

describe('the pack of finance', () => {
  it('CA-003, CA-105: provides capacities and half-lives of its agent types, and its vocabulary', async () => {
    const stages = { read: { agent: 'news-monitor' }, count: { agent: 'financial' }, other: { agent: 'other' } };
    const plan = planOf({ pack: 'finance', stages, items: ['ACME'] });
    const nothing = async () => null;
    const crew = await startWholeCrew(plan, { 'news-monitor': nothing, financial: nothing, other: nothing });
    expect(crew.coordinator().plan.capacity).toEqual({ financial: 2 });
    const { halfLives } = crew.test.shard.snapshot('debates')!.context as FacilitatorContext;
    expect(halfLives).toMatchObject({ 'news-monitor': 0.5, financial: 3, strategy: 2, valuation: 2 });
    const { answer } = await challenged({ pack: 'finance' }, { ...DOUBTS, priority: 'valuation' });
    expect(answer).toMatchObject({ taken: true });
  });

  it('gives way to the declarations of the plan', async () => {
    const words: Words = { pack: 'finance', capacity: { prober: 2 }, priorities: { valuation: 'critical-path' } };
    const { crew } = await challenged(words, { ...DOUBTS, priority: 'valuation' });
    expect(crew.debates()).toMatchObject([{ priority: 'valuation', urgency: 'critical-path' }]);
  });
});

describe('a plan that declares its own vocabulary', () => {
  const words: Words = {
    reviewers: ['ada'],
    formula: 'normalised',
    priorities: { safety: 'critical-path' },
    measures: { heat: { threshold: 50 }, gloss: { threshold: 0.5, of: 'share' } },
    riskOrders: { temperature: 'highest' },
    agentTypes: { prober: { halfLifeYears: 0.25 } },
  };
  const dependents = [
    { id: 'fire', measure: 'heat', current: 700, response: { perUnit: 1 }, runMs: MINUTE_MS },
    { id: 'glaze', measure: 'gloss', current: 10, response: { perUnit: 0.01 }, runMs: MINUTE_MS },
  ];
  const dispute = { ...DOUBTS, priority: 'safety', valueKind: 'temperature', dependents };

  it('CA-122, CA-135: has its debates decided by that vocabulary, across a power cut', async () => {
    const { crew, answer, runs } = await challenged(words, dispute);
    expect(answer).toMatchObject({ taken: true });
    await crew.powerCut();
    await crew.test.advance(2 * HOUR_MS);
    const { pack, halfLives, reviewers, formula } = crew.test.shard.snapshot('debates')!.context as FacilitatorContext;
    expect([halfLives, reviewers, formula]).toEqual([{ prober: 0.25 }, ['ada'], 'normalised']);
    expect(Object.keys(pack.measures)).toEqual(['confidence', 'risk', 'heat', 'gloss']);
    // The higher temperature is the cautious one.
    expect(crew.item('vase').debates!['heat']).toMatchObject({ state: 'provisional', value: 1000 });
    await crew.test.advance(DAY_MS);
    runs.length = 0;
    const review = crew.gates().find(({ isOver }) => !isOver)!;
    const override = { type: 'gate.answer', gate: review.id, by: 'ada', answer: { action: 'override' } };
    expect(await crew.ask('gates', override)).toMatchObject({ taken: true });
    await crew.test.settle();
    expect([crew.item('vase').debates!['heat']!.value, runs]).toEqual([900, ['fire']]);
  });

  it('CA-038: measures the progress of its agents by the minutes of their subtasks', async () => {
    const agentTypes = { prober: { subtasks: { 'warm-up': 5, measure: 15, note: 5 } } };
    const plan = planOf({ agentTypes, stages: { probe: { agent: 'prober' } }, items: ['vase'] });
    const prober: AgentFunction = async (_, { subtask }) => {
      await subtask('warm-up', () => 'warm');
      await subtask('measure', () => new Promise(() => {}));
    };
    const crew = await startWholeCrew(plan, { prober });
    await crew.powerCut();
    await crew.test.settle();
    expect(checkpointIn(crew.coordinator(), 'vase/probe')!.sealed.checkpoint).toMatchObject({
      progressPct: 20,
      completedSubtasks: ['warm-up'],
      currentSubtask: 'measure',
      pendingSubtasks: ['measure', 'note'],
    });
  });

  it('can name the dimensions of its contexts, at most five', async () => {
    const names = ['material', 'kiln', 'season', 'glaze', 'height'];
    const context = Object.fromEntries(names.map((name) => [name, 'same']));
    const { crew, answer } = await challenged(words, { ...dispute, context });
    expect(answer).toMatchObject({ taken: true });
    expect(crew.debates()).toMatchObject([{ context }]);
    const more = await challenged(words, { ...dispute, context: { ...context, sixth: 'same' } });
    expect(more.answer.problems).toEqual([expect.stringContaining('a context has at most 5 dimensions')]);
  });

  it('refuses a misspelt word, and suggests the declared one', async () => {
    const { answer } = await challenged(words, { ...dispute, priority: 'safty' });
    expect(answer.problems).toEqual(['unknown priority "safty"; did you mean "safety"?']);
  });
});
