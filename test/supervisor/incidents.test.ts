/** The lines of the log about failing actors, and the reports of a system that has closed. */
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { INCIDENT_LINES_MAX, INCIDENT_PERIOD_MS, LOG_ERROR_CHARS_MAX } from '../../src/limits.ts';
import { LogLine } from '../../src/log.ts';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { Shard } from '../../src/shard.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { createGateway } from '../../src/gateway/network/server.ts';
import { unhandled } from '../support/unhandled.ts';
import { agents, promiser, reasonOfClosing, tell, told } from '../support/supervisor/worker.ts';

const WORKER = { id: 'w', agent: 'worker' };

function start(tree: BossOptions = {}): Promise<TestSystem> {
  return startTestSystem({ agents, tree: { children: [WORKER], ...tree } });
}

function linesOf({ logged }: { readonly logged: readonly (readonly unknown[])[] }): LogLine[] {
  return logged.flat().filter((one) => one instanceof LogLine);
}

const textsOf = (test: { readonly logged: readonly (readonly unknown[])[] }) => linesOf(test).map(String);

describe('an actor that fails, in the log (N1)', () => {
  it('has a line with its address, the type of the event, the error, its count, and the consequence', async () => {
    const test = await start();
    await told(test, 'w', 'explode', 'out of paper');
    expect(textsOf(test)).toEqual([
      'w (worker 1) crashed on explode: out of paper; restarted from its committed state ' +
        '(1 restart so far; its Boss allows 3 in 5000 ms)',
    ]);
    expect(linesOf(test)[0]!.facts).toEqual({
      incident: 'crashed',
      address: 'w',
      agent: 'worker',
      version: 1,
      over: 'explode',
      error: 'out of paper',
      code: null,
      next: 'restarted',
      restarts: 1,
      intensity: 3,
      periodMs: 5_000,
    });
  });

  it('has a line without the content of the event, which may be secret', async () => {
    const agent = defineAgent({
      name: 'vault',
      machine: setup({ types: {} as { events: { type: 'open'; word: string } } }).createMachine({
        on: {
          open: {
            actions: () => {
              throw Object.assign(new Error('shut'), { code: 'VAULT_SHUT' });
            },
          },
        },
      }),
      events: { open: z.object({ word: z.string() }) },
    });
    const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'v', agent: 'vault' }] } });
    await test.shard.send('v', { type: 'open', word: 'sesame' });
    await test.settle();
    expect(JSON.stringify(linesOf(test))).not.toContain('sesame');
    expect(linesOf(test)[0]!.facts).toMatchObject({ over: 'open', error: 'shut', code: 'VAULT_SHUT' });
  });

  it('has one line of bounded length without control characters for a terminal', async () => {
    const test = await start();
    await told(test, 'w', 'explode', `\u001b[31mred\nand ${'long '.repeat(10_000)}`);
    const [line] = textsOf(test);
    expect(line).toContain('\\u001b[31mred and long');
    expect(line!.length).toBeLessThan(LOG_ERROR_CHARS_MAX + 200);
  });

  it('has a line with the time of a delayed restart, and another line at the restart', async () => {
    const test = await start({
      children: [{ ...WORKER, backoff: { minMs: 60_000, maxMs: 60_000, jitter: 0 } }],
    });
    await told(test, 'w', 'explode', 'boom');
    const restartAt = new Date(test.clock.wallMs() + 60_000).toISOString();
    expect(linesOf(test).map(({ facts }) => facts)).toMatchObject([{ incident: 'crashed', next: 'waits', restartAt }]);
    await test.advance(60_000);
    expect(textsOf(test).at(-1)).toBe(
      'w (worker 1) was restarted from its committed state (1 restart so far; its Boss allows 3 in 5000 ms)',
    );
  });

  it('has a line for each sibling that is restarted with its group', async () => {
    const test = await start({ strategy: 'one_for_all', children: [WORKER, { id: 'x', agent: 'worker' }] });
    await told(test, 'w', 'explode', 'boom');
    expect(linesOf(test).map(({ facts }) => [facts['address'], facts['incident'], facts['next']])).toEqual([
      ['w', 'crashed', 'restarted'],
      ['x', 'restarted', 'restarted'],
    ]);
  });

  it('has a line when it is not restarted', async () => {
    const test = await start({ children: [{ ...WORKER, restart: 'temporary' }] });
    await told(test, 'w', 'explode', 'boom');
    expect(textsOf(test)).toEqual(['w (worker 1) crashed on explode: boom; ended']);
  });

  it('has a line when its first turn fails', async () => {
    const test = await start({ children: [] });
    const order = test.shard.boss().startChild({ id: 's', agent: 'stillborn' });
    await expect(order).rejects.toMatchObject({ code: 'BOSUN_START_FAILED' });
    expect(textsOf(test)).toEqual(['s (stillborn 1) crashed: no context; ended']);
  });

  it('has a line for a failure of an invoked actor that its machine does not handle', async () => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'p', agent: 'promiser' }] } });
    pending[0]!.reject(new Error('no line'));
    await test.settle();
    expect(textsOf(test)).toEqual([
      'p (promiser 1) crashed on xstate.error.actor.0.promiser.working: no line; restarted from its committed state ' +
        '(1 restart so far; its Boss allows 3 in 5000 ms)',
    ]);
  });

  it('has a line for each crash by one message, its quarantine, and the suspension after a second one', async () => {
    const test = await start();
    await told(test, 'w', 'choke', 'bone');
    const crash = 'w (worker 1) crashed on choke: bone; restarted from its committed state';
    expect(textsOf(test)).toEqual([
      expect.stringContaining(crash),
      expect.stringContaining(crash),
      'w (worker 1) had an event put into quarantine of type choke: bone',
      expect.stringContaining(crash),
    ]);
    await told(test, 'w', 'choke', 'bone');
    expect(textsOf(test).at(-1)).toBe(
      'w (worker 1) was suspended: w: crashed by messages until they were quarantined; last error: bone ' +
        '[BOSUN_STATE_SUSPECT]',
    );
  });

  it('shares the log with actors that an administrator suspends', async () => {
    const test = await start();
    await test.shard.admin.suspend('w', { by: 'ada', reason: 'looks odd' });
    expect(textsOf(test)).toEqual([
      'w (worker 1) was suspended: w: suspended by ada: looks odd [BOSUN_ACTOR_SUSPENDED]',
    ]);
  });

  it('shares the log with stored actors that the present code cannot read', async () => {
    const test = await start({ children: [] });
    await test.shard.spawn(agents[0], 'n');
    await test.crash();
    await test.restart({ agents: [agents[1]] });
    expect(textsOf(test)).toEqual([
      'n (worker 1) cannot be read and does not run: n is stored as agent "worker", which createSystem was not given ' +
        '[BOSUN_AGENT_UNKNOWN]',
    ]);
  });

  it('shares the log with a Boss that gives up and names the failed child', async () => {
    const test = await start({ children: [{ id: 'b', boss: { intensity: 0, children: [WORKER] } }] });
    await told(test, 'b/w', 'explode', 'boom');
    expect(textsOf(test)).toEqual([
      'b/w (worker 1) crashed on explode: boom; its Boss gives up',
      'b (boss 1) gave up over w: boom; restarted from its initial state ' +
        '(1 restart so far; its Boss allows 3 in 5000 ms)',
    ]);
  });

  it('has its line only once its turn is durable', async () => {
    const test = await start();
    const write = test.store.hold('before');
    void tell(test, 'w', 'choke', 'bone');
    await write.reached;
    await new Promise((resolve) => setImmediate(resolve));
    expect(textsOf(test)).toEqual([]);
    write.release();
    await test.settle();
    expect(textsOf(test)).toHaveLength(4);
  });

  it('has no line in the log while it does not fail', async () => {
    const test = await start({ children: [{ ...WORKER, restart: 'transient' }] });
    await told(test, 'w', 'note');
    await told(test, 'w', 'finish');
    await test.shard.stop();
    expect(linesOf(test)).toEqual([]);
  });

  it('has a line on every worker of a spread system', async () => {
    const test = await startSpreadTestSystem({ workers: 2, agents, tree: { children: [WORKER] } });
    await test.system.send('w', { type: 'explode', text: 'boom' });
    await test.settle();
    expect(textsOf(test)).toEqual([expect.stringContaining('w (worker 1) crashed on explode: boom')]);
    await test.system.stop();
  });
});

describe('the log of a start', () => {
  it('has a line for each actor that it has found suspended, with the reason (S4)', async () => {
    const test = await start({ intensity: 1_000, children: [WORKER, { id: 'v', agent: 'worker' }] });
    await test.shard.admin.suspend('w', { by: 'ada', reason: 'looks odd' });
    for (let n = 0; n < 2; n++) await told(test, 'v', 'choke', 'boom');
    await test.crash();
    test.logged.length = 0;
    await test.restart();
    expect(textsOf(test)).toEqual([
      'w (worker 1) is suspended: w: suspended by ada: looks odd [BOSUN_ACTOR_SUSPENDED]',
      'v (worker 1) is suspended: v: crashed by messages until they were quarantined; last error: boom ' +
        '[BOSUN_STATE_SUSPECT]',
    ]);
    await test.shard.stop();
  });

  it('names no more than fit, and says how many more there are', async () => {
    const ids = Array.from({ length: INCIDENT_LINES_MAX + 3 }, (_, n) => `w${n}`);
    const test = await start({ children: ids.map((id) => ({ id, agent: 'worker' })) });
    for (const id of ids) await test.shard.admin.suspend(id, { by: 'ada' });
    await test.crash();
    test.logged.length = 0;
    await test.restart();
    const texts = textsOf(test);
    expect([texts.length, texts.at(-1)]).toEqual([
      INCIDENT_LINES_MAX + 1,
      'and 3 more that do not run: bosun ps --status suspended',
    ]);
    await test.shard.stop();
  });
});

describe('the log of failures', () => {
  it('has a bounded number of lines of each kind in a period, and counts the omitted ones (N1)', async () => {
    const storm = 3 * INCIDENT_LINES_MAX;
    const test = await start({ intensity: 1_000 });
    for (let n = 0; n < storm; n++) await told(test, 'w', 'explode', 'boom');
    await test.shard.admin.suspend('w', { by: 'ada' });
    expect(linesOf(test).map(({ facts }) => facts['incident'])).toEqual([
      ...Array.from({ length: INCIDENT_LINES_MAX }, () => 'crashed'),
      'suspended',
    ]);
    await test.advance(INCIDENT_PERIOD_MS);
    expect(linesOf(test).at(-1)!.facts).toMatchObject({
      incident: 'leftOut',
      leftOut: { crashed: storm - INCIDENT_LINES_MAX },
    });
    await test.shard.resume('w');
    await told(test, 'w', 'explode', 'again');
    expect(textsOf(test).at(-1)).toContain('crashed on explode: again');
  });

  it('counts the omitted lines when the system stops within the period', async () => {
    const test = await start({ intensity: 1_000 });
    for (let n = 0; n <= INCIDENT_LINES_MAX; n++) await told(test, 'w', 'explode', 'boom');
    await test.shard.stop();
    expect(textsOf(test).at(-1)).toBe(`left out of the log within ${INCIDENT_PERIOD_MS} ms: 1 crashed`);
  });
});

describe('a system whose root gives up', () => {
  it('has a line in the log with the child that made it give up (N1)', async () => {
    const test = await start({ intensity: 0 });
    await told(test, 'w', 'explode', 'boom');
    await reasonOfClosing(test);
    expect(textsOf(test)).toEqual([
      'w (worker 1) crashed on explode: boom; the system closes',
      'root (boss 1) gave up over w: boom; the system closes',
    ]);
  });

  /** A system without a test harness that handles its `closed`. */
  const hosted = () =>
    new Shard({ agents, store: memoryStore(), tree: { intensity: 0, children: [WORKER] }, log: () => {} }).start();

  it('raises an unhandled rejection if the host does not use `closed` (N1)', async () => {
    const system = await hosted();
    const found = await unhandled(async () => {
      await system.send('w', { type: 'explode', text: 'boom' });
      await system.over;
    });
    const message = expect.stringContaining('the root Boss gave up: w: boom') as string;
    expect(found).toMatchObject([{ code: 'BOSUN_INTENSITY_EXCEEDED', message }]);
  });

  it('raises no unhandled rejection if the host handles `closed`', async () => {
    const system = await hosted();
    const reason = system.closed.catch((error: unknown) => error);
    const found = await unhandled(async () => {
      await system.send('w', { type: 'explode', text: 'boom' });
      await system.over;
    });
    expect([found, await reason]).toEqual([[], expect.objectContaining({ code: 'BOSUN_INTENSITY_EXCEEDED' })]);
  });

  it('raises an unhandled rejection in a host whose gateway ignores `closed`, too', async () => {
    const system = await hosted();
    const gateway = createGateway(system, { port: 0 });
    await gateway.listen();
    const found = await unhandled(async () => {
      await system.send('w', { type: 'explode', text: 'boom' });
      await system.over;
    });
    expect(found).toHaveLength(1);
    await gateway.close();
  });

  it('differs from a system that is stopped, which raises no rejection', async () => {
    const system = await hosted();
    expect(await unhandled(() => system.stop())).toEqual([]);
  });
});
