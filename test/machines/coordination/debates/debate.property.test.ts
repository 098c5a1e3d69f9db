/**
 * Invariants of debates under random events and power cuts: every debate ends, no expert has more than three at once,
 * and every provisional value states its reason, its alternatives and its deadline.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { debatesIn } from '../../../../src/machines/coordination/debates/debate-facilitator.ts';
import { DEBATE_URGENCIES, DEBATES_PER_EXPERT_MAX } from '../../../../src/machines/coordination/debates/routing.ts';
import { byEffort } from '../../../support/effort.ts';
import {
  DAY_MS,
  EVIDENCE,
  HOUR_MS,
  MINUTE_MS,
  openRoom,
  type Room,
  withTrackRecords,
} from '../../../support/machines/debate-room.ts';

const RUNS = byEffort({ quick: 2, ci: 12, soak: 200 });
const DEBATES_MAX = 6;

type Step = (room: Room) => Promise<unknown>;

const debate = fc.integer({ min: 1, max: DEBATES_MAX }).map((n) => `d-${n}`);
const answers = fc.constantFrom<object>(
  { action: 'decide', side: 'challenger' },
  { action: 'decide', side: 'challenged' },
  { action: 'decide-own', own: { statement: 'Neither.' } },
  { action: 'accept-recommendation' },
  { action: 'request-evidence' },
  { action: 'defer' },
  { action: 'confirm' },
  { action: 'override' },
  { action: 'redebate', context: 'Look again.' },
  { action: 'nonsense' },
);

/** One random step, with its description. Most steps do not fit the state of the debate. */
const steps: fc.Arbitrary<{ readonly name: string; readonly step: Step }> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(debate, fc.constantFrom(...DEBATE_URGENCIES), fc.constantFrom(null, 'eve', 'fay'))
      .map(([id, priority, expert]) => ({
        name: `challenge ${id}`,
        step: (room: Room) => room.challenge({ id, priority, expert }),
      })),
  },
  { weight: 3, arbitrary: debate.map((id) => ({ name: `defend ${id}`, step: (room: Room) => room.defend(id) })) },
  {
    weight: 1,
    arbitrary: fc.tuple(debate, fc.constantFrom('ada', 'bob', 'eve')).map(([id, by]) => ({
      name: `${by} accepts ${id}`,
      step: (room: Room) => room.say('debate.accept', { debate: id, by }),
    })),
  },
  {
    weight: 1,
    arbitrary: debate.map((id) => ({
      name: `ada insists on ${id}`,
      step: (room: Room) => room.say('debate.respond', { debate: id, by: 'ada', ...EVIDENCE }),
    })),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(debate, answers, fc.constantFrom('eve', 'fay')).map(([id, given, by]) => ({
      name: `${by} answers ${id} ${JSON.stringify(given)}`,
      step: (room: Room) => room.answer(given, { debate: id, by }),
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('expert.available', 'expert.unavailable'), fc.constantFrom('eve', 'fay'))
      .map(([type, expert]) => ({ name: `${expert} ${type}`, step: (room: Room) => room.say(type, { expert }) })),
  },
  {
    weight: 1,
    arbitrary: fc.constant({ name: 'gate', step: (room: Room) => room.say('gate.reached', { gate: 'G3' }) }),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 30 }).map((days) => ({
      name: `gate in ${days} days`,
      step: (room: Room) => room.say('gate.planned', { gate: 'G5', atMs: room.test.clock.wallMs() + days * DAY_MS }),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, DAY_MS)
      .map((ms) => ({ name: `wait ${ms}`, step: (room: Room) => room.test.advance(ms) })),
  },
  { weight: 3, arbitrary: fc.constant({ name: 'power cut', step: (room: Room) => room.powerCut() }) },
);

function checkRecords(room: Room): void {
  const records = debatesIn(room.desk());
  for (const expert of ['eve', 'fay']) {
    expect(records.filter((record) => record.level === 'L3' && record.expert === expert).length).toBeLessThanOrEqual(
      DEBATES_PER_EXPERT_MAX,
    );
  }
  for (const { provisional, level } of records) {
    if (level === 'L4') expect(provisional).not.toBe(null);
    if (provisional === null) continue;
    expect(provisional.rationale).not.toBe('');
    expect(provisional.alternatives.length).toBeGreaterThan(0);
    expect(provisional.overrideUntilMs).toBeGreaterThan(provisional.appliedAtMs);
  }
}

it('CA-098, CN-013: a debate ends under any sequence of events, omissions and power cuts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), fc.boolean(), async (story, isKnown) => {
      const room = await openRoom({ experts: ['eve', 'fay'] });
      try {
        if (isKnown) await withTrackRecords(room);
        for (const { step } of story) {
          await step(room);
          checkRecords(room);
        }
        // No more steps follow. A planned gate is at most 30 days away, and each review takes at most two.
        for (let week = 0; week < 6; week++) {
          await room.test.advance(7 * DAY_MS);
          await room.powerCut();
          checkRecords(room);
        }
        expect(debatesIn(room.desk()).filter(({ isOver }) => !isOver)).toEqual([]);
        expect(room.gates().filter(({ isOver }) => !isOver)).toEqual([]);
        expect(room.test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
      } finally {
        await room.test.shard.stop();
      }
    }),
    { numRuns: RUNS },
  );
});
