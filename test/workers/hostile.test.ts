/** Hostile values over worker threads: they harm their agent only, and end no thread. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type System } from '../../src/system.ts';
import { agentOfPlace } from '../support/actors/hostile/place.ts';
import { PLACES } from '../support/actors/hostile/places.ts';
import { HARMS, harmless } from '../support/actors/hostile/values.ts';
import { until } from '../support/until.ts';
import { byEffort, LONG } from '../support/effort.ts';
import { hostileModule } from '../support/workers/hostile-module.ts';
import { newDirectory, spread } from '../support/workers/spread-threads.ts';

const WITNESSES = ['w', 'x', 'y', 'z'];
const ROUNDS = byEffort({ quick: 1, ci: 3, soak: 40 });

async function expectAlive(system: System): Promise<void> {
  for (const address of WITNESSES) {
    const { count } = (await system.snapshot(address))!.context as { count: number };
    await system.send(address, { type: 'COUNT' });
    await (await system.actor(address)).waitFor(({ context }) => (context as { count: number }).count === count + 1);
  }
}

it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  'hostile values harm their agent only, and end no thread, over starts too: round %i (F1, class A)',
  LONG,
  async (round) => {
    const directory = newDirectory();
    const module = await hostileModule(directory);
    // The death of one thread would close the system.
    const start = () => spread(join(directory, 'data'), { module, intensity: 0 }).start();
    const system = await start();
    const sends = Object.entries(PLACES).map(async ([, place], index) => {
      const what = HARMS[(index * 7 + round * 31) % HARMS.length]!;
      await system.spawn(agentOfPlace(`place${index}`, place), `s${index}`, { input: { what } });
      await system.send(`s${index}`, { type: 'TAKE', what } as never);
    });
    for (const outcome of await Promise.allSettled(sends))
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: expect.stringMatching(/^BOSUN_(?!INTERNAL|WORKER)/) as string });
    await expectAlive(system);
    await system.stop();
    await expectAlive(await start());
  },
);

it('a call of a host with a value that cannot be encoded rejects, and others go on (F1)', async () => {
  const directory = newDirectory();
  const system = await spread(join(directory, 'data'), {
    module: await hostileModule(directory),
    intensity: 0,
  }).start();
  const sends = HARMS.map((what) => system.send('w', { type: 'COUNT', it: harmless(what) } as never));
  for (const outcome of await Promise.allSettled([
    ...sends,
    ...HARMS.map((what) => system.send('w', harmless(what) as never)),
  ]))
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ code: expect.stringMatching(/^BOSUN_(VALUE|EVENT)/) as string });
  await expectAlive(system);
});

it('a promise that an agent forgets is a line of the log, and ends no thread (class A)', async () => {
  const directory = newDirectory();
  const module = await hostileModule(directory);
  const lines: string[] = [];
  const log = (line: unknown) => void lines.push(String(line));
  const system = await spread(join(directory, 'data'), { module, intensity: 0 }, log).start();
  for (let n = 0; n < 3; n++) await system.send('f', { type: 'MAIL' });
  await until(
    () => lines.length === 3,
    () => `three lines, after ${lines.join()}`,
  );
  expect(lines[0]).toMatch(/^a promise that nobody awaits has failed: mail is down, at .*; return it from its action/);
  await expectAlive(system);
});
