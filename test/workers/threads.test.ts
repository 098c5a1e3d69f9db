/** Workers that are threads: they send to each other, and lose and double nothing when they are killed. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomOf } from '../support/chance.ts';
import { byEffort } from '../support/effort.ts';
import {
  type Context,
  contextOf,
  friends,
  insist,
  newDirectory,
  spread,
  upTo,
} from '../support/workers/spread-threads.ts';

describe('workers in threads', () => {
  it('lose and double nothing when they are killed, and keep their state over a stop', async () => {
    const random = randomOf('threads that are killed');
    const directory = newDirectory();
    const start = () => spread(directory, { exported: 'killedByHand' }).start();
    const system = await start();
    const [one, other] = await friends(system);
    const deaths = byEffort({ quick: 2, ci: 6, soak: 30 });
    let sent = 0;
    for (let death = 0; death < deaths; death++) {
      const sends = upTo(40).map(() => insist(system, one, { type: 'count', number: sent++ }));
      await Promise.all(sends.slice(0, Math.floor(random.next() * sends.length)));
      await system.killWorker(death % 2);
      await Promise.all(sends);
    }
    await system.stop();
    const again = await start();
    await (await again.actor(other)).waitFor(({ context }) => (context as Context).counted.length >= sent);
    const { counted } = await contextOf(again, other);
    expect([...counted].sort((a, b) => a - b)).toEqual(upTo(sent));
    expect((await contextOf(again, one)).sum).toBe(sent);
  });

  it('refuse a store of an older format, and none of them is left running', async () => {
    const directory = newDirectory();
    const foreign = join(import.meta.dirname, '../support/fixtures/stores/095226c/store');
    cpSync(foreign, join(directory, '1'), { recursive: true });
    await expect(spread(directory).start()).rejects.toMatchObject({
      code: 'BOSUN_STORE_FORMAT',
      message: expect.stringMatching(/^worker 1: .* is a store of format 1, and this build/) as string,
      details: { format: 1, worker: 1 },
    });
  });
});
