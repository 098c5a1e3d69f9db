/**
 * Many items through the whole crew, with agents that crash, sources that refuse and a host that is killed: recorded
 * results never change, and every item ends or is paused with a reason. Effort sets the numbers of items and kills.
 */
import { describe, expect, it } from 'vitest';
import { itemsIn, resultsOf } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { randomOf } from '../../support/chance.ts';
import { byEffort, LONG, LONG_PATIENCE_MS } from '../../support/effort.ts';
import { fixture } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const ITEMS = byEffort({ quick: 20, ci: 100, soak: 1_000 });
const KILLS = byEffort({ quick: 2, ci: 10, soak: 50 });
const STAGES = 6;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Virtual time between two kills, chosen so that the kills are spread over the work. */
const STEP_MS = byEffort({ quick: 10 * SECOND_MS, ci: 10 * SECOND_MS, soak: 2 * SECOND_MS });

/** Times that items are resumed after the whole plan has come to a stop; then no more. */
const ROUNDS = 6;

const retry = { attempts: 2, backoff: { minMs: SECOND_MS, maxMs: 2 * SECOND_MS, factor: 2 } };
const capacity = { screening: 20, business: 20, financial: 15, strategy: 15, valuation: 10 };

/** The one outage of a source that all items need: the failures during it are correlated. */
const OUTAGE = { agent: 'financial', fromMs: 5 * SECOND_MS, untilMs: 20 * SECOND_MS };

/** An agent that crashes (one attempt in ten), is refused, finds bad data, or fails its item for good. */
function troubled(agent: string, random: SeededRandom, clock: VirtualClock): AgentFunction {
  let attempts = 0;
  return async (_, { item, signal }) => {
    attempts += 1;
    const token = `${item} ${attempts}`;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, random.integer(3 * SECOND_MS)));
    signal.throwIfAborted();
    const luck = random.integer(1_000);
    const isAway =
      agent === OUTAGE.agent && clock.monotonicMs() >= OUTAGE.fromMs && clock.monotonicMs() < OUTAGE.untilMs;
    if (isAway) throw Object.assign(new Error('503 from the source of figures'), { status: 503, dataSource: 'edgar' });
    if (luck < 100) throw new Error(`crashed at ${token}`);
    if (luck < 150)
      throw Object.assign(new Error('API quota exceeded: 100/100'), { status: 429, dataSource: 'prices' });
    if (luck < 160)
      throw Object.assign(new Error('field "close" is missing'), { errorType: 'data_quality', dataSource: 'edgar' });
    if (luck < 163) throw Object.assign(new Error('figures were forged'), { errorType: 'integrity_violation' });
    return { token };
  };
}

/** Recorded results, and a check that none of them changes or disappears. */
class Ledger {
  readonly #known = new Map<string, string>();
  readonly changed: string[] = [];

  check(crew: WholeCrew): void {
    const context = crew.coordinator();
    for (const item of itemsIn(context).keys()) {
      for (const [stage, output] of Object.entries(resultsOf(context, item))) {
        const key = `${item}/${stage}`;
        const text = JSON.stringify(output);
        const before = this.#known.get(key);
        if (before !== undefined && before !== text) this.changed.push(`${key}: ${before} became ${text}`);
        this.#known.set(key, text);
      }
    }
    for (const key of this.#known.keys()) {
      const [item, stage] = key.split('/') as [string, string];
      if (!(stage in resultsOf(context, item))) this.changed.push(`${key} is gone`);
    }
  }
}

/** Kills the host in the middle of its work: writes that are not synced may be lost. */
async function kill(crew: WholeCrew, clock: VirtualClock, random: SeededRandom): Promise<void> {
  await clock.advance(random.integer(2 * SECOND_MS), () => new Promise<void>((resolve) => clock.defer(resolve)));
  await crew.test.crash({ keepUnsynced: random.integer(3) });
  await crew.test.restart();
}

/** Resumes the paused batches, and some of the paused items. */
async function resumeSome(crew: WholeCrew, random: SeededRandom): Promise<void> {
  for (const { id, phase } of crew.batches())
    if (phase === 'paused') await crew.ask('batches', { type: 'batch.resume', batchId: id });
  for (const [item, { phase }] of itemsIn(crew.coordinator())) {
    if (phase === 'paused' && random.integer(2) === 0)
      await crew.test.shard.send('coordinator', { type: 'resume.command', item, resumePlan: null, notify: false });
  }
}

describe(`${ITEMS} items with ${KILLS} kills of the host`, () => {
  it('CA-028, CA-042: complete, or are paused, failed or expired with a reason, and no recorded result changes', {
    ...LONG,
    timeout: LONG_PATIENCE_MS,
  }, async () => {
    const random = randomOf('many items');
    const clock = new VirtualClock();
    const { tasks, ...plan } = fixture('equity-research', {
      capacity,
      items: Array.from({ length: ITEMS }, (_, n) => `item-${n}`),
    });
    const agents = Object.fromEntries(
      [...new Set(tasks.map(({ agent }) => agent))].map((type) => [type, troubled(type, random, clock)]),
    );
    const crew = await startWholeCrew(
      { ...plan, tasks: tasks.map((task) => ({ ...task, retry, barrier: false as const })) },
      agents,
      {},
      clock,
    );
    const ledger = new Ledger();
    let kills = 0;
    for (let rounds = 0; rounds < ROUNDS || kills < KILLS; ) {
      await crew.test.advance(STEP_MS);
      ledger.check(crew);
      if (kills < KILLS) {
        await kill(crew, clock, random);
        kills += 1;
        ledger.check(crew);
      }
      if (kills === KILLS && (crew.state() === 'completed' || crew.state() === 'failed')) break;
      if (crew.state() !== 'paused') continue;
      rounds += 1;
      if (rounds < ROUNDS) await resumeSome(crew, random);
      await crew.test.advance(MINUTE_MS);
    }
    while (crew.state() === 'working') await crew.test.advance(MINUTE_MS);
    ledger.check(crew);
    expect(ledger.changed).toEqual([]);
    const ends = [...itemsIn(crew.coordinator())].map(([item, { phase, done, reason, running }]) => ({
      item,
      phase,
      done: done.length,
      reason,
      running,
    }));
    const unwell = ends.filter(
      ({ phase, done, reason, running }) =>
        running.length > 0 || (phase === 'running' ? done !== STAGES : reason === null || phase === 'pausing'),
    );
    expect(unwell).toEqual([]);
    expect(ends.filter(({ phase }) => phase === 'running').length).toBeGreaterThan(ITEMS / 2);
    expect(crew.correlations().length).toBeGreaterThan(0);
    expect(crew.test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    expect(kills).toBe(KILLS);
    await crew.test.shard.stop();
  });
});
