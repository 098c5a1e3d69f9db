/** Vocabulary in the whole crew: the words that every plan has, the words of a pack, and the words of a plan. */
import { describe, expect, it } from 'vitest';
import { checkpointIn } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type CrewPorts } from '../../../src/machines/crew.ts';
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
  ports: CrewPorts = {},
): Promise<{ crew: WholeCrew; answer: CrewAnswer; runs: string[] }> {
  let answer: CrewAnswer | undefined;
  const runs: string[] = [];
  const stages = {
    probe: { agent: 'prober' },
    check: { agent: 'checker', after: ['probe'] },
    glaze: { agent: 'glazer', after: ['check'] },
    fire: { agent: 'kiln', after: ['check'] },
  };
  const agents: Record<string, AgentFunction> = {
    prober: async () => 1000,
    checker: async (_, { say }) => void (answer = await say({ kind: 'challenge', content: challenge })),
    glazer: async () => void runs.push('glaze'),
    kiln: async () => void runs.push('fire'),
  };
  const crew = await startWholeCrew(planOf({ ...words, stages, items: ['vase'] }), agents, ports);
  await crew.test.settle();
  return { crew, answer: answer!, runs };
}

/** Tells a crew the readings, cuts its power, and returns the regime in which its only debate is then weighed. */
async function regimeBy(crew: WholeCrew, readings: object): Promise<unknown> {
  expect(await crew.ask('debates', { type: 'regime.readings', readings })).toMatchObject({ taken: true });
  await crew.powerCut();
  await crew.test.advance(HOUR_MS);
  return crew.debates()[0]!.analysis!.regime;
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

describe('regimes that no pack declares', () => {
  it('are unknown whatever the readings', async () => {
    const { crew } = await challenged({}, DOUBTS);
    expect(await regimeBy(crew, { volatility: 31, humidity: 0.9 })).toBe('UNKNOWN');
  });

  it('are named by the port of the host, from readings of any names', async () => {
    const regimeDetector: CrewPorts['regimeDetector'] = async ({ readings }) =>
      readings!['humidity']! > 0.8 ? 'damp' : 'dry';
    const { crew } = await challenged({}, DOUBTS, { regimeDetector });
    expect(await regimeBy(crew, { humidity: 0.9 })).toBe('damp');
  });
});

describe('the pack of finance', () => {
  it.each([
    [{ volatility: 31, indexChange: 0.2, rate: 4 }, 'HIGH_VOLATILITY'],
    [{ volatility: 20, indexChange: 0.2, rate: 3 }, 'BULL_HIGH_RATES'],
    [{ volatility: 26, indexChange: -0.1, rate: 3 }, 'BEAR_HIGH_RATES'],
    [{ volatility: 20, indexChange: 0.05, rate: 3 }, 'NORMAL'],
  ])('CA-107: weighs debates with the readings %j in the regime %s, across a power cut', async (readings, regime) => {
    const { crew } = await challenged({ pack: 'finance' }, DOUBTS);
    expect(await regimeBy(crew, readings)).toBe(regime);
  });

  it('CA-113: gives contexts the five dimensions of equity research, and no others', async () => {
    const context = {
      sector: 'tools',
      metricType: 'margin',
      timeHorizon: 'year',
      size: 'small',
      growthStage: 'mature',
    };
    const { crew, answer } = await challenged({ pack: 'finance' }, { ...DOUBTS, context });
    expect([answer.taken, crew.debates()]).toMatchObject([true, [{ context }]]);
    const other = await challenged({ pack: 'finance' }, { ...DOUBTS, context: { sectr: 'tools' } });
    expect(other.answer.problems).toEqual(['unknown context dimension "sectr"; did you mean "sector"?']);
    expect(other.crew.debates()).toEqual([]);
  });

  it('CA-137: names the gate of the screening, which has a neutral title elsewhere', async () => {
    const stages = { draft: { agent: 'writer', gate: { preset: 'G1' as const } } };
    const titles = async (words: Words) => {
      const crew = await startWholeCrew(planOf({ ...words, stages, items: ['ACME'] }), { writer: async () => null });
      return crew.gates().map(({ title }) => title);
    };
    expect([await titles({ pack: 'finance' }), await titles({})]).toEqual([['Screening'], ['Entry']]);
  });

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
    regimes: [
      { name: 'overfired', when: { heat: { above: 1200 } } },
      { name: 'damp', when: { humidity: { atLeast: 0.7 }, heat: { below: 100 } } },
      { name: 'steady' },
    ],
    contextDimensions: ['material', 'kiln', 'season', 'glaze', 'height'],
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

  it.each([
    [{ heat: 1201, humidity: 0.9 }, 'overfired'],
    [{ heat: 99, humidity: 0.7 }, 'damp'],
    [{ heat: 100, humidity: 0.7 }, 'steady'],
  ])('CA-107: has its debates weighed in its own regimes: %j is %s', async (readings, regime) => {
    const { crew } = await challenged({ ...words, pack: 'finance' }, dispute);
    expect(await regimeBy(crew, readings)).toBe(regime);
  });

  it('CA-107: refuses readings that its regimes do not use, and incomplete ones', async () => {
    const { crew } = await challenged(words, dispute);
    const told = (readings: object) => crew.ask('debates', { type: 'regime.readings', readings });
    const refused = (problem: string) => ({ taken: false, problems: [problem] });
    expect(await told({ heat: 1, humidty: 1 })).toEqual(refused('unknown reading "humidty"; did you mean "humidity"?'));
    expect(await told({ heat: 1, humidity: 1, rate: 3 })).toEqual(
      refused('unknown reading "rate"; there are heat, humidity'),
    );
    expect(await told({ heat: 1 })).toEqual(refused('the reading "humidity" is missing'));
  });

  it('CA-113: has the dimensions of its contexts, in place of those of a pack', async () => {
    const names = ['material', 'kiln', 'season', 'glaze', 'height'];
    const context = Object.fromEntries(names.map((name) => [name, 'same']));
    const { crew, answer } = await challenged({ ...words, pack: 'finance' }, { ...dispute, context });
    expect(answer).toMatchObject({ taken: true });
    expect(crew.debates()).toMatchObject([{ context }]);
    const other = await challenged({ ...words, pack: 'finance' }, { ...dispute, context: { sector: 'tools' } });
    expect(other.answer.problems).toEqual([
      'unknown context dimension "sector"; there are material, kiln, season, glaze, height',
    ]);
  });

  it('CA-113: may leave the dimensions of its contexts open, of which there are at most five', async () => {
    const { contextDimensions: _, ...open } = words;
    const context = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'same']));
    const { answer } = await challenged(open, { ...dispute, context });
    expect(answer).toMatchObject({ taken: true });
    const more = await challenged(open, { ...dispute, context: { ...context, sixth: 'same' } });
    expect(more.answer.problems).toEqual([expect.stringContaining('a context has at most 5 dimensions')]);
  });

  it('refuses a misspelt word, and suggests the declared one', async () => {
    const { answer } = await challenged(words, { ...dispute, priority: 'safty' });
    expect(answer.problems).toEqual(['unknown priority "safty"; did you mean "safety"?']);
  });
});
