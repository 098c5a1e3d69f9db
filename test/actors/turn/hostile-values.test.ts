/**
 * An agent with hostile values harms itself only, wherever its code runs and whatever is hostile about the values: the
 * system stays open, also when it is started, cautiously or not, with such a message in a mailbox.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyStateMachine, assign, createMachine } from 'xstate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BosunError, isBosunError } from '../../../src/errors.ts';
import { levelStore } from '../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../src/shard.ts';
import { faultyStore } from '../../../src/testing/faulty-store.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { started } from '../../support/actors/started.ts';
import { agentOf } from '../../support/actors/subject.ts';
import { agentOfPlace } from '../../support/actors/hostile/place.ts';
import { PLACES } from '../../support/actors/hostile/places.ts';
import { THROWN_IN_TURNS } from '../../support/actors/hostile/thrown.ts';
import { HARMS, hostile } from '../../support/actors/hostile/values.ts';
import { randomOf } from '../../support/chance.ts';
import { byEffort, sample, LONG } from '../../support/effort.ts';

const NAMES = Object.keys(PLACES);
const ENGINES = ['plan', 'xstate'] as const;

/** One value in this many is tried at each place by each engine; every value is tried at some places. */
const ONE_IN = byEffort({ quick: 24, ci: 8, soak: 1 });

/** An intensity so high that Bosses restart every actor that crashes here. */
const INTENSITY = 1_000_000;

/** The witness holds a date, because only a process that keeps one looks for dates in what it shows. */
const SINCE = new Date(0);

const witness = agentOf(
  'witness',
  createMachine({
    context: { count: 0, since: SINCE },
    on: { COUNT: { actions: assign({ count: ({ context }) => (context as { count: number }).count + 1 }) } },
  }),
  ['COUNT'],
);

/** The values for a place. The engines have different ones, half of `ONE_IN` apart, unless each has all. */
function harmsAt(place: string, stepEngine: (typeof ENGINES)[number]): readonly string[] {
  const shift = NAMES.indexOf(place) + ENGINES.indexOf(stepEngine) * Math.floor(ONE_IN / 2);
  return HARMS.filter((_, index) => (index + shift) % ONE_IN === 0);
}

/** One actor for each value. */
function startAt(place: string, stepEngine: (typeof ENGINES)[number]): Promise<TestSystem> {
  const subjects = harmsAt(place, stepEngine).map((what, index) => ({
    id: `s${index}`,
    agent: 'subject',
    input: { what },
  }));
  return started({
    agents: [agentOfPlace('subject', PLACES[place]!), witness],
    stepEngine,
    store: faultyStore({ notes: true }),
    tree: { intensity: INTENSITY, children: [{ id: 'witness', agent: 'witness' }, ...subjects] },
  });
}

async function takeAt(place: string, test: TestSystem, stepEngine: (typeof ENGINES)[number]): Promise<void> {
  const sends = harmsAt(place, stepEngine).map((what, index) => test.shard.send(`s${index}`, { type: 'TAKE', what }));
  for (const outcome of await Promise.allSettled(sends))
    if (outcome.status === 'rejected')
      expect(['BOSUN_EVENT_INVALID', 'BOSUN_STATE_SUSPECT']).toContain((outcome.reason as BosunError).code);
  await test.settle();
  await test.advance(10);
}

/** The witness still takes events, and every actor can be inspected. */
async function expectAlive(system: Shard): Promise<void> {
  const before = (system.snapshot('witness')!.context as { count: number }).count;
  await system.send('witness', { type: 'COUNT' });
  await system.idle();
  expect(system.snapshot('witness')!.context).toEqual({ count: before + 1, since: SINCE });
  expect(JSON.stringify([system.tree(), system.deadLetters.list(), system.admin.recent('root')])).toContain('witness');
}

async function crash(test: TestSystem, options: { hold?: boolean } = {}): Promise<void> {
  await test.crash();
  await test.restart({ hold: false, ...options });
  await test.advance(10);
}

describe.each(ENGINES)('a hostile value (%s)', (stepEngine) => {
  it.each(sample(NAMES, 6))('%s harms no other actor, over kills and cautious starts too (F1)', async (place) => {
    const test = await startAt(place, stepEngine);
    await takeAt(place, test, stepEngine);
    await expectAlive(test.shard);
    await crash(test);
    await expectAlive(test.shard);
    // The run is cautious: each message is durable before its turn.
    await takeAt(place, test, stepEngine);
    await expectAlive(test.shard);
    await crash(test, { hold: true });
    await takeAt(place, test, stepEngine);
    // The hostile messages are in the mailboxes when the system starts.
    await crash(test);
    await expectAlive(test.shard);
    await crash(test);
    await expectAlive(test.shard);
  });

  it.each(sample(Object.keys(THROWN_IN_TURNS), 3))(
    '%s quarantines its message after the third delivery, and its actor goes on (F1)',
    async (place) => {
      const test = await startAt(place, stepEngine);
      await takeAt(place, test, stepEngine);
      const harms = harmsAt(place, stepEngine);
      const letters = test.shard.deadLetters.list({ reason: 'quarantined' });
      expect(letters).toHaveLength(harms.length);
      for (const { error } of letters)
        if (error instanceof Error)
          expect(JSON.parse(JSON.stringify({ error }))).toMatchObject({ error: { message: error.message } });
      for (const index of harms.keys()) await test.shard.send(`s${index}`, { type: 'COUNT' });
      await test.settle();
      for (const [index, what] of harms.entries())
        expect(test.shard.snapshot(`s${index}`)).toMatchObject({ value: 'calm', context: { what, count: 1 } });
    },
  );

  it.each(['contains', 'throws'])('fails at most the start of a new actor whose context %s it (F1)', async (how) => {
    const context = ({ input }: { input: { what: string } }) => {
      const value = hostile(input.what);
      if (how === 'throws') throw value;
      return { value };
    };
    const newborn = agentOf('newborn', createMachine({ context } as never) as AnyStateMachine, []);
    const test = await started({
      agents: [newborn, witness],
      stepEngine,
      tree: { intensity: INTENSITY, children: [{ id: 'witness', agent: 'witness' }] },
    });
    for (const [index, what] of HARMS.entries()) {
      const start = test.shard.spawn(newborn, `n${index}`, { input: { what } as never });
      if (how === 'throws') await expect(start).rejects.toMatchObject({ name: 'BosunError' });
      else await start.catch((error: unknown) => expect(isBosunError(error)).toBe(true));
    }
    await expectAlive(test.shard);
    await crash(test);
    await expectAlive(test.shard);
  });

  it('harms no other actor if every place has one at once, on LevelDB and over kills (F1)', LONG, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'bosun-hostile-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const agents = NAMES.map((place, index) => agentOfPlace(`place${index}`, PLACES[place]!));
    const subjects = NAMES.flatMap((_, place) =>
      byEffort({ quick: [place], ci: [place, place + 7, place + 31] }).map((harm) => ({
        id: `s${place}-${harm}`,
        agent: `place${place}`,
        input: { what: HARMS[harm % HARMS.length]! },
      })),
    );
    const store = levelStore(directory);
    const start = () =>
      new Shard({
        agents: [...agents, witness],
        stepEngine,
        store,
        durability: 'process',
        random: randomOf('hostile values'),
        tree: { intensity: INTENSITY, children: [{ id: 'witness', agent: 'witness' }, ...subjects] },
        log: () => {},
      }).start();
    const take = async (system: Shard) => {
      await Promise.allSettled(
        subjects.map(({ id, input: { what } }) => system.send(id, { type: 'TAKE', what } as never)),
      );
      await system.idle();
    };
    for (let run = 0; run < 3; run++) {
      const system = await start();
      await take(system);
      await expectAlive(system);
      await take(system);
      // As when the process dies: work under way is not awaited.
      system.abandon();
      await store.close();
    }
    const system = await start();
    await system.idle();
    await expectAlive(system);
    await system.stop();
  });
});
