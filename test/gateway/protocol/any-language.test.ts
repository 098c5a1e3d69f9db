/** The Python client of the documentation, on a real socket. It is left out where there is no python3. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shard } from '../../../src/shard.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { LONG, PATIENCE_MS } from '../../support/effort.ts';
import { counter, shop } from '../../support/gateway/shop.ts';

const CLIENT = join(import.meta.dirname, '../../../examples/any-language/client.py');
const python = spawnSync('python3', ['--version']).status === 0;

describe.runIf(python)('a client of forty lines of Python', () => {
  let system: Shard;
  let gateway: Gateway;
  let url = '';

  beforeAll(async () => {
    system = await new Shard({
      agents: [counter, ...shop().agents.filter(({ name }) => name !== 'counter')],
      tree: shop().tree!,
      store: memoryStore(),
      durability: 'memory',
      log: () => {},
    }).start();
    gateway = createGateway(system, { port: 0 });
    url = `${(await gateway.listen()).url.replace('http', 'ws')}/v1/ws`;
  });
  afterAll(async () => {
    await gateway.close();
    await system.stop();
  });

  const run = (...args: string[]) => promisify(execFile)('python3', [CLIENT, ...args], { timeout: PATIENCE_MS });

  it('has forty lines', () => {
    expect(readFileSync(CLIENT, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });

  it('watches, sends once, and resumes its session', LONG, async () => {
    const session = 'python-session-0123456789';
    const first = await run(`${url}`, 'visits', '{"type": "add", "by": 1}', session);
    const frames = first.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { t: string });
    expect(frames.find(({ t }) => t === 'snap')).toMatchObject({ recovered: false, d: { context: { count: 0 } } });
    expect(frames.find(({ t }) => t === 'res')).toMatchObject({ ok: true, r: { taken: true } });
    expect(frames.find(({ t }) => t === 'delta')).toMatchObject({
      ops: expect.arrayContaining([{ op: 'replace', path: '/context/count', value: 1 }]) as unknown,
    });
    await run(url, 'visits', '{"type": "add", "by": 2}', session);
    expect(system.snapshot('visits')?.context).toMatchObject({ count: 3 });
  });

  it('prints the error code of a refused event', async () => {
    await expect(run(url, 'visits', '{"type": "xstate.stop"}')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('BOSUN_EVENT_REFUSED') as string,
    });
  });
});
