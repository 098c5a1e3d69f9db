/** Hostile values over worker threads: they harm their agent only, and end no thread. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type System } from '../../src/system.ts';
import { agentOfPlace } from '../support/actors/hostile/place.ts';
import { PLACES } from '../support/actors/hostile/places.ts';
import { HARMS } from '../support/actors/hostile/values.ts';
import { until } from '../support/until.ts';
import { byEffort, LONG } from '../support/effort.ts';
import { hostileModule } from '../support/workers/hostile-module.ts';
import { newDirectory, spread } from '../support/workers/spread-threads.ts';

const WITNESSES = ['w', 'x', 'y', 'z'];
const ROUNDS = byEffort({ quick: 1, ci: 3, soak: HARMS.length });

async function expectAlive(system: System): Promise<void> {
  for (const address of WITNESSES) {
    const { count } = (await system.snapshot(address))!.context as { count: number };
    await system.send(address, { type: 'COUNT' });
    await (await system.actor(address)).waitFor(({ context }) => (context as { count: number }).count === count + 1);
  }
}

it('hostile values harm their agent only, and end no thread, over starts too (F1, class A)', LONG, async () => {
  const directory = newDirectory();
  const module = await hostileModule(directory);
  mkdirSync(join(directory, 'data'));
  // The death of one thread would close the system.
  const start = () => spread(join(directory, 'data'), { module, intensity: 0 }).start();
  const places = Object.keys(PLACES);
  let system = await start();
  for (let round = 0; round < ROUNDS; round++) {
    const sends = places.map(async (place, index) => {
      const address = `s${round}-${index}`;
      const what = HARMS[(index * 7 + round * 31) % HARMS.length]!;
      await system.spawn(agentOfPlace(`place${index}`, PLACES[place]!), address, { input: { what } });
      await system.send(address, { type: 'TAKE', what } as never);
    });
    for (const outcome of await Promise.allSettled(sends))
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: expect.stringMatching(/^BOSUN_(?!INTERNAL|WORKER)/) as string });
    await expectAlive(system);
    await system.stop();
    system = await start();
    await expectAlive(system);
  }
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
