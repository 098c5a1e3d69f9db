/**
 * A plan through the whole crew when everything around it goes wrong at once: agents fail, ports of the host answer
 * nonsense or nothing, strangers send random events to every desk, the power is cut, and people answer late, wrongly,
 * or not at all. No work may be left open. Each run has all these troubles; effort sets the number of runs.
 */
import { type AnyEventObject } from 'xstate';
import { describe, expect, it } from 'vitest';
import { itemsIn } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type CrewPorts } from '../../../src/machines/crew.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { randomOf } from '../../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../../support/effort.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { CHALLENGE, EVIDENCE } from '../../support/machines/debate-room.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const RUNS = Array.from({ length: byEffort({ quick: 1, ci: 3, soak: 30 }) }, (_, n) => n + 1);
/** The number of items; each has one gate. */
const ITEMS = 20;
const FAILURES = 50;
const DEBATES = 10;
const HOSTILE = 200;
const POWER_CUTS = 5;

/** The most rounds of a run; each takes up to two hours of virtual time. */
const ROUNDS_MAX = 400;

const PLAN = planOf({
  pack: 'finance',
  capacity: { screening: 6, financial: 4, valuation: 4 },
  experts: ['eve'],
  stages: {
    screening: { agent: 'screening', retry: { attempts: 2 } },
    financial: {
      agent: 'financial',
      after: ['screening'],
      retry: { attempts: 2 },
      gate: { name: 'Figures', deadlineMs: 3 * DAY_MS, remindAfterMs: [DAY_MS] },
    },
    valuation: { agent: 'valuation', after: ['financial'], retry: { attempts: 2 } },
  },
  items: Array.from({ length: ITEMS }, (_, n) => `item-${n}`),
});

const KINDS_OF_FAILURE: readonly object[] = [
  {},
  { status: 429, dataSource: 'prices' },
  { status: 503, dataSource: 'edgar' },
  { errorType: 'data_quality', dataSource: 'edgar' },
];

/** The error of the first `OUTAGE` failures, which are correlated. */
const AWAY = { message: 'API quota exceeded: 100/100', status: 429, dataSource: 'edgar' };
const OUTAGE = 20;

/** The error of failure number `FATAL_AT`, which fails its item for good. */
const FATAL = { errorType: 'integrity_violation' };
const FATAL_AT = 30;

/** Values that a schema may not expect. */
const NONSENSE: readonly unknown[] = [
  null,
  undefined,
  '',
  7,
  -1,
  'x'.repeat(2_000),
  [],
  {},
  [[]],
  { id: {} },
  '__proto__',
  '../..',
  '*',
];

/** Everything that goes wrong in one run, with counts of the troubles so far. */
class Troubles {
  readonly random: SeededRandom;
  readonly #clock: VirtualClock;
  failures = 0;
  challenged = 0;

  constructor(run: number, clock: VirtualClock) {
    this.random = randomOf('troubles', run);
    this.#clock = clock;
  }

  agents(): Readonly<Record<string, AgentFunction>> {
    const work: AgentFunction = async (_, { item, attempt }) => {
      await this.#time(10 * SECOND_MS);
      if (this.failures < OUTAGE || (this.failures < FAILURES && this.random.integer(3) > 0)) {
        this.failures += 1;
        const isFatal = this.failures === FATAL_AT;
        const kind = this.failures <= OUTAGE ? AWAY : isFatal ? FATAL : this.random.pick(KINDS_OF_FAILURE);
        throw Object.assign(new Error(`failure of ${item}, attempt ${attempt}`), kind);
      }
      return { of: item };
    };
    const screening: AgentFunction = async (input, context) => {
      if (this.challenged < DEBATES && context.attempt === 1) {
        this.challenged += 1;
        const { id: _, item: __, challenger: ___, ...content } = CHALLENGE;
        const id = `margin-of-${context.item}`;
        const challenged = { agent: 'financial' };
        await context.say({ kind: 'challenge', content: { ...content, id, challenged } });
        await context.say({ kind: this.random.pick(['finding', 'request', 'confirmation', 'alert']), content: { id } });
        await context.say({ kind: 'challenge', content: this.random.pick(NONSENSE) });
        await context.say({ kind: 'finding', content: 'to whom it may concern', to: this.random.pick(ADDRESSEES) });
      }
      return work(input, context);
    };
    return { screening, financial: work, valuation: work };
  }

  ports(): CrewPorts {
    const wrong = async (): Promise<never> => {
      await this.#time(MINUTE_MS);
      const how = this.random.integer(4);
      if (how === 0) throw new Error('nobody is there');
      if (how === 1) return new Promise<never>(() => {});
      return this.random.pick(NONSENSE) as never;
    };
    return {
      resources: wrong,
      deliver: wrong,
      setMemoryTtl: wrong,
      takeSnapshot: wrong,
      historicalContext: wrong,
      regimeDetector: wrong,
      scoreClarity: wrong,
    };
  }

  /** Sends a random desk an event of which at most the type is valid, perhaps for a different desk. */
  async strangerTo(crew: WholeCrew): Promise<void> {
    const { shard: system } = crew.test;
    const { random } = this;
    const desks = desksIn(crew);
    const address = random.pick(desks);
    const known = desks.flatMap((desk) => system.clientApi.accepts(desk));
    const type = random.integer(10) === 0 ? 'xstate.done.actor.x' : random.pick(known);
    const fields = ['id', 'item', 'gate', 'debate', 'batchId', 'by', 'byMs', 'answer', 'agent', 'expert', 'content'];
    const event = Object.fromEntries(fields.map((field) => [field, random.pick(NONSENSE)]));
    await system.send(address, { ...event, type } as AnyEventObject).catch(() => {});
  }

  #time(atMostMs: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimeout(resolve, this.random.integer(atMostMs)));
  }
}

const ADDRESSEES = ['coordinator', 'financial', 'gates', 'nobody', 'debates', 'alerts', null];

/** An answer that fits the form as far as the form describes it; one in four is nonsense. */
function answerTo(form: Readonly<Record<string, unknown>>, random: SeededRandom): unknown {
  if (random.integer(4) === 0) return random.pick(NONSENSE);
  const choices = (form['oneOf'] ?? form['anyOf']) as readonly Readonly<Record<string, unknown>>[] | undefined;
  if (choices !== undefined) return answerTo(random.pick(choices), random);
  if ('const' in form) return form['const'];
  if ('enum' in form) return random.pick(form['enum'] as readonly unknown[]);
  if (form['type'] === 'string') return 'because';
  if (form['type'] === 'number' || form['type'] === 'integer') return 1;
  if (form['type'] === 'boolean') return true;
  if (form['type'] === 'array') return [];
  const properties = Object.entries((form['properties'] ?? {}) as Readonly<Record<string, Record<string, unknown>>>);
  const required = (form['required'] ?? []) as readonly string[];
  return Object.fromEntries(
    properties
      .filter(([key]) => required.includes(key) || random.integer(2) === 0)
      .map(([key, field]) => [key, answerTo(field, random)]),
  );
}

/** People who do some of what is asked of them. */
async function people(crew: WholeCrew, random: SeededRandom): Promise<void> {
  const { shard: system } = crew.test;
  const sometimes = () => random.integer(3) > 0;
  for (const gate of crew.gates().filter(({ isOver }) => !isOver)) {
    const { question } = system.snapshot(`${DESKS.openGates}/${gate.id}`)?.context as {
      question?: { form: Record<string, unknown>; audience: readonly string[] };
    };
    if (question === undefined || !sometimes()) continue;
    const by = random.pick([...question.audience, 'mallory']);
    await system
      .send(DESKS.gates, {
        type: 'gate.answer',
        gate: gate.id,
        by: by === '*' ? 'ada' : by,
        answer: answerTo(question.form, random),
      })
      .catch(() => {});
  }
  for (const { id, level } of crew.debates())
    if (level !== null && sometimes())
      await system.send(DESKS.debates, { type: 'debate.respond', debate: id, by: 'financial', ...EVIDENCE });
  for (const { id, phase } of crew.batches())
    if (phase === 'paused') await system.send(DESKS.batches, { type: 'batch.resume', batchId: id });
  for (const [item, { phase }] of itemsIn(crew.coordinator()))
    if (phase === 'paused' && sometimes()) await system.send(DESKS.coordinator, { type: 'plan.resume', item });
  for (const { id } of crew.openCards())
    if (sometimes()) await system.send(DESKS.alerts, { type: 'alert.acknowledge', id, by: 'ada' });
}

/** The desks of a crew: the table of addresses names those of other crews too. */
function desksIn({ test }: Pick<WholeCrew, 'test'>): string[] {
  return Object.values(DESKS).filter((desk) => test.shard.snapshot(desk) !== undefined);
}

/** Numbers of turns that the desks have taken, by address. */
function turnsIn({ test }: WholeCrew): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const address of desksIn({ test })) counts[address] = test.shard.snapshot(address)!.sequence;
  return counts;
}

/** Work that is still open, by the desk or Boss that holds it. */
function held(crew: WholeCrew): Readonly<Record<string, readonly string[]>> {
  const bosses = [DESKS.stages, DESKS.openGates, DESKS.openDebates, DESKS.batchActors, DESKS.alertCards];
  const lists: Record<string, readonly string[]> = {
    gates: crew.gates().flatMap(({ id, isOver }) => (isOver ? [] : [id])),
    debates: crew.debates().flatMap(({ id, isOver }) => (isOver ? [] : [id])),
    batches: crew.batches().flatMap(({ id, phase }) => (phase === 'finished' ? [] : [`${id} ${phase}`])),
    cards: crew.openCards().map(({ id, kind }) => `${id} ${kind}`),
  };
  for (const boss of bosses)
    lists[boss] = crew.test.shard
      .boss(boss)
      .whichChildren()
      .flatMap(({ id, status }) => (status === 'running' ? [id] : []));
  return Object.fromEntries(Object.entries(lists).filter(([, left]) => left.length > 0));
}

describe(`${ITEMS} items with ${FAILURES} failures, as many gates, ${DEBATES} debates and wrong ports`, () => {
  it.each(RUNS)(
    'all end with a reason, leave no open work at any desk, and cause no further turns (run %i)',
    { timeout: LONG_PATIENCE_MS },
    async (run) => {
      const clock = new VirtualClock();
      const troubles = new Troubles(run, clock);
      const { random } = troubles;
      const crew = await startWholeCrew(PLAN, troubles.agents(), troubles.ports(), clock);
      let strangers = 0;
      let cuts = 0;
      for (let round = 0; round < ROUNDS_MAX; round++) {
        await crew.test.advance(random.integer(2 * HOUR_MS));
        for (let n = 0; n < 5 && strangers < HOSTILE; n++, strangers++) await troubles.strangerTo(crew);
        if (cuts < POWER_CUTS && random.integer(10) === 0) {
          await crew.test.crash({ keepUnsynced: random.integer(3) });
          await crew.test.restart();
          cuts += 1;
        }
        await people(crew, random);
        const isOver = crew.state() === 'completed' || crew.state() === 'failed';
        if (isOver && strangers === HOSTILE && Object.keys(held(crew)).length === 0) break;
      }
      expect(troubles.failures).toBe(FAILURES);
      expect(troubles.challenged).toBe(DEBATES);
      expect(crew.debates().length).toBeGreaterThanOrEqual(DEBATES);
      expect(crew.told('gate.opened').length).toBeGreaterThanOrEqual(ITEMS);
      expect(crew.batches().length).toBeGreaterThan(0);
      const unwell = [...itemsIn(crew.coordinator())].filter(
        ([, { phase, done, reason, running }]) =>
          running.length > 0 || (phase === 'running' ? done.length !== 3 : reason === null || phase === 'pausing'),
      );
      expect(unwell).toEqual([]);
      expect(held(crew)).toEqual({});
      expect(crew.test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
      // No work is left, so no desk takes another turn.
      await crew.test.advance(30 * DAY_MS);
      const turns = turnsIn(crew);
      await crew.test.advance(30 * DAY_MS);
      expect(turnsIn(crew)).toEqual(turns);
      await crew.test.shard.stop();
    },
  );
});
