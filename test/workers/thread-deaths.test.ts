/** The ways in which the thread of a worker ends, and the reactions of its host. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LogLine } from '../../src/log.ts';
import { byEffort } from '../support/effort.ts';
import { unhandled } from '../support/unhandled.ts';
import {
  type Context,
  contextOf,
  friends,
  insist,
  newDirectory,
  spread,
  upTo,
} from '../support/workers/spread-threads.ts';

const HOST = fileURLToPath(new URL('../support/fixtures/workers/counting-host.mjs', import.meta.url));

/** @returns The numbers that a process acknowledged before it was killed; it is once it has `count`. */
async function countUntilKilled(directory: string, count: number): Promise<number[]> {
  const child = spawn(process.execPath, [HOST, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const numbers: number[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (numbers.push(Number(line)) === count) child.kill('SIGKILL');
  });
  const [, signal] = (await closed) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return numbers;
}

describe('workers in threads', () => {
  it('go on without a worker that is down, which comes back with its state', async () => {
    const system = await spread(newDirectory()).start();
    const [one, other] = await friends(system);
    await system.send(one, { type: 'count', number: 0 });
    await (await system.actor(other)).waitFor(({ context }) => (context as Context).counted.length === 1);
    const dying = system.killWorker(system.workerOf(other)!);
    await system.send(one, { type: 'count', number: 1 });
    expect((await contextOf(system, one)).sum).toBe(2);
    await dying;
    await (await system.actor(other)).waitFor(({ context }) => (context as Context).counted.length === 2);
    expect((await contextOf(system, other)).counted).toEqual([0, 1]);
  });

  it('are started again if one runs out of memory', async () => {
    const system = await spread(newDirectory(), { resourceLimits: { maxOldGenerationSizeMb: 48 } }).start();
    const [one, other] = await friends(system);
    await expect(system.send(one, { type: 'exhaust' })).rejects.toMatchObject({
      code: 'BOSUN_WORKER_DOWN',
      details: { unknownOutcome: true },
    });
    expect((await system.snapshot(one))!.value).toBe('friends');
    await system.send(one, { type: 'count', number: 0 });
    await (await system.actor(other)).waitFor(({ context }) => (context as Context).counted.length === 1);
  });

  it('lose and double nothing if the whole process is killed', async () => {
    const directory = newDirectory();
    let acknowledged: number[] = [];
    for (let kill = 0; kill < byEffort({ quick: 2, ci: 4, soak: 40 }); kill++)
      acknowledged = [...acknowledged, ...(await countUntilKilled(directory, 100 + 50 * kill))];
    const system = await spread(directory).start();
    const [one, other] = await friends(system);
    // What was on its way when the process died, and words of it that nobody has read, are no more than that.
    const last = Math.max(...acknowledged) + 100;
    for (const number of upTo(last)) await insist(system, one, { type: 'count', number });
    await (await system.actor(other)).waitFor(({ context }) => (context as Context).counted.length >= last);
    expect([...(await contextOf(system, other)).counted].sort((a, b) => a - b)).toEqual(upTo(last));
  });

  it('close the system if they die too often', async () => {
    const system = await spread(newDirectory(), { intensity: 0 }).start();
    await system.killWorker(1);
    await expect(system.closed).rejects.toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
    await expect(system.tree()).rejects.toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
  });

  it('close the system if a partition of the root gives up', async () => {
    const system = await spread(newDirectory()).start();
    const rejected = expect(system.closed).rejects.toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
      message: expect.stringContaining('the root Boss gave up: b: broken') as string,
    });
    for (let n = 0; n < 9; n++) await system.send('b', { type: 'break' }).catch(() => {});
    await rejected;
  });

  it('report failures to the log of their host, and the end of the system as an unhandled rejection (N1)', async () => {
    const lines: unknown[] = [];
    const system = await spread(newDirectory(), { exported: 'reporting' }, (...line) => lines.push(...line)).start();
    const found = await unhandled(async () => {
      for (let n = 0; n < 9; n++) await system.send('b', { type: 'break' }).catch(() => {});
      await system.over;
    });
    expect(found).toMatchObject([{ code: 'BOSUN_INTENSITY_EXCEEDED' }]);
    expect(lines.map((line) => (line instanceof LogLine ? line.facts['incident'] : line))).toEqual([
      ...['crashed', 'crashed', 'quarantined', 'crashed'],
      ...['crashed', 'gaveUp'],
    ]);
    expect(String(lines.at(-1))).toBe('root (boss 1) gave up over b: broken; the system closes');
  });

  it('refuse stores that were made for a different number of workers', async () => {
    const directory = newDirectory();
    await (await spread(directory).start()).stop();
    await expect(spread(directory, { count: 3 }).start()).rejects.toMatchObject({
      code: 'BOSUN_WORKERS_CHANGED',
      details: { worker: expect.any(Number) as number },
    });
    await (await spread(directory).start()).stop();
  });

  it('do not start if one store is damaged, name its worker, and start when it is sound again', async () => {
    const directory = newDirectory();
    await (await spread(directory).start()).stop();
    const current = join(directory, '1', 'CURRENT');
    const sound = readFileSync(current);
    writeFileSync(
      current,
      sound.map((byte, index) => (index === 3 ? byte ^ 1 : byte)),
    );
    await expect(spread(directory).start()).rejects.toMatchObject({
      code: 'BOSUN_STORE_DAMAGED',
      message: expect.stringMatching(/^worker 1: /) as string,
      details: { worker: 1, directory: join(directory, '1') },
    });
    writeFileSync(current, sound);
    await (await spread(directory).start()).stop();
  });

  it('report what is wrong with their module', async () => {
    await expect(spread(newDirectory(), { exported: 'nothing' }).start()).rejects.toMatchObject({
      code: 'BOSUN_CONFIG_INVALID',
    });
    await expect(spread(newDirectory(), { module: new URL('./nowhere.mjs', import.meta.url) }).start()).rejects.toThrow(
      /nowhere/,
    );
  });

  it.each([{ count: 0 }, { count: 65 }, { count: 1.5 }, { module: 'crew.js' }, { directory: '' }])(
    'refuse the options %o',
    (options) => {
      expect(() => spread('somewhere', options)).toThrow(
        expect.objectContaining({ code: 'BOSUN_CONFIG_INVALID' }) as Error,
      );
    },
  );
});
