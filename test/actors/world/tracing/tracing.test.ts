/**
 * Traces: one record per turn of a subtree, once the turn is durable; causes, lost records, the end of a trace; and no
 * effect on the traced actors.
 */
import { assign, enqueueActions, sendTo, setup } from 'xstate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type TraceLoss, type TraceRecord } from '../../../../src/actors/model/trace-record.ts';
import { type Trace } from '../../../../src/actors/world/tracing/trace.ts';
import { TRACE_TURNS_MAX, TRACE_RECORDS_MAX } from '../../../../src/limits.ts';
import { type TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';
import { LONG } from '../../../support/effort.ts';
import { clerk, note } from '../../../support/actors/clerk.ts';
import { started } from '../../../support/actors/started.ts';

/** Answers a ping with a pong, now and in a second. */
const player = defineAgent({
  name: 'player',
  machine: setup({
    types: {} as {
      context: { hits: number };
      events: { type: 'serve' } | { type: 'ping' } | { type: 'pong' } | { type: 'die' };
    },
    actions: { wave: () => {} },
  }).createMachine({
    context: { hits: 0 },
    initial: 'ready',
    states: {
      ready: {
        on: {
          serve: {
            target: 'playing',
            actions: [
              sendTo(({ system }) => (system as unknown as { get(id: string): object }).get('two') as never, {
                type: 'ping',
              } as never),
              'wave',
            ],
          },
        },
      },
      playing: { always: { guard: ({ context }) => context.hits > 0, target: 'won' } },
      won: {},
    },
    on: {
      ping: {
        actions: enqueueActions(({ enqueue, system }) => {
          const one = (system as unknown as { get(id: string): object }).get('one') as never;
          enqueue.sendTo(one, { type: 'pong' } as never);
          enqueue.sendTo(one, { type: 'pong' } as never, { delay: 1_000, id: 'again' });
        }),
      },
      pong: { actions: assign({ hits: ({ context }) => context.hits + 1 }) },
      die: {
        actions: assign(() => {
          throw new Error('dead');
        }),
      },
    },
  }),
  events: { serve: z.object({}), ping: z.object({}), pong: z.object({}), die: z.object({}) },
});

const tree = {
  intensity: 100,
  children: [
    {
      id: 'court',
      boss: {
        intensity: 1,
        children: [
          { id: 'one', agent: 'player', systemId: 'one' },
          { id: 'two', agent: 'player', systemId: 'two' },
        ],
      },
    },
    { id: 'c', agent: 'clerk' },
  ],
};

let test: TestSystem;
const start = async (changes: Partial<TestSystemOptions> = {}) =>
  (test = await started({ agents: [clerk, player], tree, ...changes }));

/** The pending `next` of each trace. */
const asked = new WeakMap<Trace, ReturnType<Trace['next']>>();

/** The records that a trace has given since the last call. */
async function told(trace: Trace): Promise<(TraceRecord | TraceLoss)[]> {
  const records: (TraceRecord | TraceLoss)[] = [];
  for (;;) {
    const next = asked.get(trace) ?? trace.next();
    asked.set(trace, next);
    const result = await Promise.race([
      next,
      new Promise<undefined>((resolve) => test.clock.defer(() => resolve(undefined))),
    ]);
    if (result === undefined || result.done === true) return records;
    asked.delete(trace);
    records.push(result.value);
  }
}

const turns = async (trace: Trace) => (await told(trace)) as TraceRecord[];

describe('a trace', () => {
  it('has a record for every turn of a subtree: its cause, transitions, actions and new state', async () => {
    await start();
    const trace = test.shard.admin.trace('court');
    await test.shard.send('court/one', { type: 'serve' });
    await test.shard.send('c', note('elsewhere'));
    await test.advance(1_000);
    const records = await turns(trace);
    expect(
      records.map(({ kind, address, event, value, status }) => [kind, address, event?.type, value, status]),
    ).toEqual([
      ['transition', 'court/one', 'serve', 'playing', 'active'],
      ['transition', 'court/two', 'ping', 'ready', 'active'],
      ['transition', 'court/one', 'pong', 'won', 'active'],
      ['transition', 'court/one', 'pong', 'won', 'active'],
    ]);
    const [serve, ping, pong, again] = records as [TraceRecord, TraceRecord, TraceRecord, TraceRecord];
    expect(serve).toMatchObject({
      cause: null,
      actions: ['wave'],
      sent: [{ to: 'court/two', event: { type: 'ping' }, delayMs: null }],
      atMs: test.clock.wallMs() - 1_000,
      change: { configuration: expect.any(Number) as number },
    });
    expect(ping).toMatchObject({
      cause: { address: 'court/one', life: serve.life, sequence: serve.sequence },
      sent: [{ delayMs: null }, { to: 'court/one', delayMs: 1_000, id: 'again' }],
    });
    const byPing = { address: 'court/two', life: ping.life, sequence: ping.sequence };
    expect([pong.cause, again.cause]).toEqual([byPing, byPing]);
    expect(pong.microsteps).toEqual([
      [{ from: '(machine)', event: 'pong', index: 0, to: [], edge: '(machine)|pong|0' }],
      [{ from: '(machine).playing', event: '', index: 0, to: ['(machine).won'], edge: '(machine).playing||0' }],
    ]);
    expect(pong.change).toMatchObject({ set: { hits: 1 } });
  });

  it('gives records of durable turns only', async () => {
    await start();
    const trace = test.shard.admin.trace('c');
    const held = test.store.hold('before');
    const sent = test.shard.send('c', note('a'));
    await held.reached;
    expect([await told(trace), test.shard.admin.getState('c').context]).toMatchObject([[], { notes: [] }]);
    held.release();
    await sent;
    await test.settle();
    expect(await told(trace)).toMatchObject([{ event: { text: 'a' }, epoch: test.shard.epoch }]);
  });

  it('includes starts, failures, restarts and ends of actors', async () => {
    await start();
    const trace = test.shard.admin.trace('court');
    await test.shard.send('court/one', { type: 'die' });
    await test.settle();
    const crash = await turns(trace);
    expect(
      crash
        .filter(({ address }) => address === 'court/one')
        .map(({ kind, status, error }) => [kind, status, (error as Error).message]),
    ).toEqual(Array.from({ length: 3 }, () => ['failed', 'error', 'dead']));
    expect(
      crash.filter(({ address, event }) => address === 'court' && event?.type === 'bosun.exit').length,
    ).toBeGreaterThan(0);
    await test.shard.boss('court').terminateChild('two');
    await test.shard.boss('court').restartChild('two');
    await test.settle();
    const other = (await turns(trace)).filter(({ address }) => address === 'court/two');
    expect(other.map(({ kind, event }) => [kind, event])).toEqual([
      ['stopped', null],
      ['spawn', null],
    ]);
    expect(other[0]!.life).toBeLessThan(other[1]!.life);
  });

  it('buffers as many records as its option says, and counts the lost ones', async () => {
    await start();
    const trace = test.shard.admin.trace('c', { buffer: 3 });
    for (let n = 0; n < 5; n++) await test.shard.send('c', note(String(n)));
    await test.settle();
    const [loss, ...records] = await told(trace);
    expect(loss).toEqual({ kind: 'lost', count: 2 });
    expect((records as TraceRecord[]).map(({ event }) => (event as unknown as { text: string }).text)).toEqual([
      '2',
      '3',
      '4',
    ]);
  });

  it(
    `buffers at most ${TRACE_RECORDS_MAX} records, and remembers at most ${TRACE_TURNS_MAX} causes`,
    LONG,
    async () => {
      const last = async (turnsBetween: number) => {
        await start();
        const trace = test.shard.admin.trace('root', { buffer: Infinity });
        await test.shard.send('court/one', { type: 'serve' });
        for (let sent = 0; sent < turnsBetween; sent += 5_000) {
          await Promise.all(
            Array.from({ length: Math.min(5_000, turnsBetween - sent) }, () => test.shard.send('c', { type: 'read' })),
          );
          await test.settle();
        }
        await test.advance(1_000);
        const records = await told(trace);
        await test.shard.stop();
        return { first: records[0], again: records.at(-1) as TraceRecord };
      };
      // With the four turns of the game.
      const most = await last(TRACE_RECORDS_MAX - 4);
      expect([most.first!.kind, most.again.event!.type, most.again.cause!.sequence]).toEqual([
        'transition',
        'pong',
        expect.any(Number),
      ]);
      const more = await last(TRACE_TURNS_MAX + 1);
      expect([more.first, more.again.event!.type, more.again.cause!.sequence]).toEqual([
        { kind: 'lost', count: 5 },
        'pong',
        null,
      ]);
    },
  );

  it('ends when its reader leaves the loop, and when the system stops', async () => {
    await start();
    const trace = test.shard.admin.trace('c');
    await test.shard.send('c', note('a'));
    await test.shard.send('c', note('b'));
    for await (const record of trace) {
      expect(record).toMatchObject({ event: { text: 'a' } });
      break;
    }
    expect(await trace.next()).toEqual({ done: true, value: undefined });
    const other = test.shard.admin.trace('c');
    const read = (async () => {
      for await (const record of other) expect(record).toMatchObject({ event: { text: 'c' } });
      return 'over';
    })();
    await test.shard.send('c', note('c'));
    await test.shard.stop();
    expect(await read).toBe('over');
  });

  it('a trace does not take records from another trace of the same actors', async () => {
    await start();
    const [all, one] = [test.shard.admin.trace('root'), test.shard.admin.trace('c')];
    await test.shard.send('c', note('a'));
    await test.shard.send('court/one', { type: 'pong' });
    await test.settle();
    expect([
      (await turns(all)).map(({ address }) => address),
      (await turns(one)).map(({ address }) => address),
    ]).toEqual([['c', 'court/one'], ['c']]);
  });

  it('changes nothing: a traced run leaves the same states as an untraced run', async () => {
    // Keeps only the frame of an error's stack that cannot be of the trace.
    const { stackTraceLimit } = Error;
    onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit));
    Error.stackTraceLimit = 1;
    const run = async (isTraced: boolean) => {
      await start();
      if (isTraced) test.shard.admin.trace('root');
      await test.shard.send('court/one', { type: 'serve' });
      await test.shard.send('court/one', { type: 'die' });
      await test.advance(2_000);
      const chains = test.shard.chains();
      await test.shard.stop();
      return chains;
    };
    expect(await run(true)).toEqual(await run(false));
  });
});
