/** P2: nothing leaves before the epoch that caused it is durable, and reads show the last durable cut. */
import {
  assign,
  emit,
  enqueueActions,
  fromCallback,
  fromPromise,
  log,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { agentOf, contextOf, startSubject, type SubjectOptions, tell } from '../../support/actors/subject.ts';
import { PREFIX } from '../../../src/persistence/format/keys.ts';

/** Everything that can leave the system, each by a line. */
function leaky(lines: string[]) {
  const logic = {
    promise: fromPromise(async () => void lines.push('promise started')),
    callback: fromCallback(({ receive }) => {
      lines.push('callback started');
      receive(({ type }) => void lines.push(`callback received ${type}`));
      return () => lines.push('callback stopped');
    }),
  };
  return setup({ types: {} as { context: { count: number } }, actors: logic }).createMachine({
    context: { count: 0 },
    invoke: { src: 'callback', id: 'callback' },
    initial: 'idle',
    states: { idle: { on: { START: 'asking' } }, asking: { invoke: { src: 'promise' } } },
    on: {
      GO: {
        actions: [
          assign({ count: ({ context }) => context.count + 1 }),
          emit(({ context }) => ({ type: 'EMITTED', n: context.count })),
          log('logged'),
          ({ context }) => lines.push(`acted ${context.count}`),
          sendTo('callback', { type: 'PING' }),
        ],
      },
      STOP: { actions: stopChild('callback') },
    },
  });
}

/** Everything that leaves, in its order. */
async function startLeaky(options: SubjectOptions = {}): Promise<{ test: TestSystem; lines: string[] }> {
  const lines: string[] = [];
  const test = await startSubject(leaky(lines), {
    events: ['GO', 'START', 'STOP'],
    log: (...line) => lines.push(`log ${line.join(' ')}`),
    ...options,
  });
  const actor = test.shard.actor('subject');
  actor.subscribe(({ context }) => lines.push(`seen ${(context as { count: number }).count}`));
  actor.on('EMITTED', (event) => lines.push(`emitted ${(event as unknown as { n: number }).n}`));
  lines.length = 0;
  return { test, lines };
}

function acknowledged(lines: string[], promise: Promise<void>, name = 'ack'): Promise<void> {
  return promise.then(() => void lines.push(name));
}

/** Runs everything that is ready while a write is held. */
async function pass(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe.each(['before', 'durable'] as const)('an epoch whose write is held (%s)', (point) => {
  it('nothing that it caused leaves; then all of it leaves, in the order of its causes', async () => {
    const { test, lines } = await startLeaky();
    const held = test.store.hold(point);
    const ack = acknowledged(lines, test.shard.send('subject', { type: 'GO' }));
    await held.reached;
    await pass();
    expect(lines).toEqual([]);
    expect(contextOf(test)).toEqual({ count: 0 });
    held.release();
    await ack;
    await test.settle();
    expect(lines).toEqual(['emitted 1', 'log logged', 'acted 1', 'callback received PING', 'seen 1', 'ack']);
    await test.shard.stop();
  });

  it('shows the causes of its outputs to readers before the outputs leave', async () => {
    const read: unknown[] = [];
    const machine = setup({ types: {} as { context: { count: number } } }).createMachine({
      context: { count: 0 },
      on: {
        GO: {
          actions: [
            assign({ count: ({ context }) => context.count + 1 }),
            emit({ type: 'EMITTED' }),
            () => read.push(contextOf(test)),
          ],
        },
      },
    });
    const test = await startSubject(machine, { events: ['GO'] });
    test.shard.actor('subject').on('EMITTED', () => read.push(contextOf(test)));
    const held = test.store.hold(point);
    const sent = test.shard.send('subject', { type: 'GO' });
    await held.reached;
    held.release();
    await sent;
    await test.settle();
    expect(read).toEqual([{ count: 1 }, { count: 1 }]);
    await test.shard.stop();
  });

  it('no effect starts, and none is stopped', async () => {
    const { test, lines } = await startLeaky();
    const held = test.store.hold(point);
    const acks = ['START', 'STOP'].map((type) => test.shard.send('subject', { type }));
    await held.reached;
    await pass();
    expect(lines).toEqual([]);
    held.release();
    await Promise.all(acks);
    await test.settle();
    expect(lines.filter((line) => !line.startsWith('seen')).sort()).toEqual(['callback stopped', 'promise started']);
    await test.shard.stop();
  });

  it('turns go on in memory, and their outputs wait for the following epoch', async () => {
    const { test, lines } = await startLeaky();
    const first = test.store.hold(point);
    const acks = [acknowledged(lines, test.shard.send('subject', { type: 'GO' }), 'ack 1')];
    await first.reached;
    acks.push(acknowledged(lines, test.shard.send('subject', { type: 'GO' }), 'ack 2'));
    await pass();
    const second = test.store.hold(point);
    first.release();
    await second.reached;
    await pass();
    expect([lines.includes('ack 1'), lines.includes('ack 2'), lines.includes('acted 2')]).toEqual([true, false, false]);
    expect(contextOf(test)).toEqual({ count: 1 });
    second.release();
    await Promise.all(acks);
    expect(lines).toContain('acted 2');
    await test.shard.stop();
  });

  it('births, deaths and restarts are not visible', async () => {
    const kid = agentOf(
      'kid',
      setup({}).createMachine({
        on: {
          BREAK: {
            actions: assign(() => {
              throw new Error('broken');
            }),
          },
        },
      }),
      ['BREAK'],
    );
    const test = await startSubject(setup({}).createMachine({}), { agents: [kid] });
    await test.shard.spawn(kid, 'old', { restart: 'permanent' });
    const shown = () => test.shard.tree().children.map(({ address, restarts }) => `${address} ${restarts}`);
    const before = shown();
    const held = test.store.hold(point);
    const broken = test.shard.send('old', { type: 'BREAK' });
    await held.reached;
    const spawned = test.shard.spawn(kid, 'new');
    await pass();
    expect(shown()).toEqual(before);
    expect(test.shard.snapshot('new')).toBeUndefined();
    held.release();
    await Promise.all([broken, spawned]);
    await test.settle();
    expect(shown()).toEqual(['subject 0', 'old 1', 'new 0']);
    await test.shard.stop();
  });

  it('the sequence number of a session is not visible', async () => {
    const { test } = await startLeaky();
    const held = test.store.hold(point);
    const sent = test.shard.send('subject', { type: 'GO' }, { session: { id: 'client', sequence: 5 } });
    await held.reached;
    expect(test.shard.lastSequence('client')).toBe(0);
    held.release();
    await sent;
    expect(test.shard.lastSequence('client')).toBe(5);
    await test.shard.stop();
  });
});

describe('a power cut', () => {
  it('a power cut before the write loses the epoch, of which nothing has left', async () => {
    const { test, lines } = await startLeaky();
    const held = test.store.hold('before');
    void test.shard.send('subject', { type: 'GO' });
    await held.reached;
    await test.crash();
    await test.restart();
    expect(contextOf(test)).toEqual({ count: 0 });
    expect(lines).toEqual(['callback started']);
    await test.shard.stop();
  });

  it('a power cut between the write and its acknowledgement keeps the epoch and loses its custom actions', async () => {
    const { test, lines } = await startLeaky();
    const held = test.store.hold('durable');
    void test.shard.send('subject', { type: 'GO' });
    await held.reached;
    await test.crash();
    await test.restart();
    expect(contextOf(test)).toEqual({ count: 1 });
    expect(lines).toEqual(['callback started']);
    await test.shard.stop();
  });
});

describe('a write that fails', () => {
  it.each([false, true])(
    'is retried before any outage is reported (on the medium all the same: %s)',
    async (applied) => {
      const { test, lines } = await startLeaky();
      test.store.failWrites(1, { applied });
      await tell(test, 'GO');
      expect(contextOf(test)).toEqual({ count: 1 });
      expect(lines.filter((line) => line.startsWith('callback'))).toEqual(['callback received PING']);
      expect(test.shard.outage).toBeUndefined();
      await test.crash();
      await test.restart();
      expect(contextOf(test)).toEqual({ count: 1 });
      await test.shard.stop();
    },
  );

  it('takes each send, start and turn made during the next epoch once', async () => {
    const { test, lines } = await startLeaky();
    const held = test.store.hold('before');
    const first = test.shard.send('subject', { type: 'GO' }, { session: { id: 'client', sequence: 1 } });
    await held.reached;
    const second = test.shard.send('subject', { type: 'GO' }, { session: { id: 'client', sequence: 2 } });
    await pass();
    test.store.failWrites(1);
    held.release();
    await Promise.all([first, second]);
    await test.settle();
    expect(contextOf(test)).toEqual({ count: 2 });
    expect(lines.filter((line) => line.startsWith('acted'))).toEqual(['acted 1', 'acted 2']);
    expect(lines.filter((line) => line.startsWith('callback'))).toEqual([
      'callback received PING',
      'callback received PING',
    ]);
    await test.shard.stop();
  });

  it('a write that keeps failing is an outage: sends are refused, reads served, accepted sends kept', async () => {
    const { test, lines } = await startLeaky();
    test.store.failWrites(Infinity);
    const kept = test.shard.send('subject', { type: 'GO' });
    await test.advance(60_000);
    const refused = { code: 'BOSUN_STORE_UNAVAILABLE', retryable: true };
    expect(test.shard.outage).toMatchObject(refused);
    await expect(test.shard.send('subject', { type: 'GO' })).rejects.toMatchObject(refused);
    expect(contextOf(test)).toEqual({ count: 0 });
    expect(lines).toEqual([expect.stringMatching(/^log the store cannot be written, trying again: /)]);
    test.store.failWrites(0);
    await test.advance(5_000);
    await kept;
    expect(test.shard.outage).toBeUndefined();
    expect(contextOf(test)).toEqual({ count: 1 });
    await tell(test, 'GO');
    await test.settle();
    expect(contextOf(test)).toEqual({ count: 2 });
    expect(lines.filter((line) => /^callback st|^log the store/.test(line)).slice(1)).toEqual([
      'log the store can be written again',
    ]);
    await test.shard.stop();
  });

  it.each([false, true])(
    'a write that fails for longer than outageMs closes the system, and the next start goes on (on the medium: %s)',
    async (applied) => {
      const { test, lines } = await startLeaky({ outageMs: 1_000 });
      const reasons: unknown[] = [];
      test.shard
        .actor('subject')
        .waitFor(() => false)
        .catch((error: unknown) => reasons.push(error));
      test.store.failWrites(Infinity);
      const sent = expect(test.shard.send('subject', { type: 'GO' })).rejects.toMatchObject({
        code: 'BOSUN_STORE_FAILED',
      });
      await test.advance(500);
      if (applied) test.store.failWrites(Infinity, { applied });
      await test.advance(500);
      await sent;
      await expect(test.shard.closed).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED', retryable: true });
      expect(reasons).toMatchObject([{ code: 'BOSUN_STORE_FAILED' }]);
      expect(lines.filter((line) => line.startsWith('callback'))).toEqual(['callback stopped']);
      await expect(test.shard.send('subject', { type: 'GO' })).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
      test.store.failWrites(0);
      await test.restart();
      expect(contextOf(test)).toEqual({ count: applied ? 1 : 0 });
      await tell(test, 'GO');
      expect(contextOf(test)).toEqual({ count: applied ? 2 : 1 });
      await test.shard.stop();
    },
  );

  it('does not delay a stop', async () => {
    const { test } = await startLeaky();
    test.store.failWrites(Infinity);
    const sent = expect(test.shard.send('subject', { type: 'GO' })).rejects.toMatchObject({
      code: 'BOSUN_STORE_FAILED',
    });
    await test.advance(1_000);
    await test.shard.stop();
    await sent;
  });

  it('closes the system if the medium has lost durable data', async () => {
    const { test } = await startLeaky();
    await tell(test, 'GO');
    test.store.failWrites(1);
    for (const [key] of test.store.entries()) if (key.startsWith(PREFIX.epoch)) test.store.lose(key);
    await expect(test.shard.send('subject', { type: 'GO' })).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
    await expect(test.shard.closed).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
  });
});

describe('outputs of many turns', () => {
  it('leave in the order of the turns, even if an observer throws', async () => {
    const lines: string[] = [];
    const counter = setup({ types: {} as { context: { n: number } } }).createMachine({
      context: { n: 0 },
      on: {
        GO: {
          actions: enqueueActions(({ enqueue, context }) => {
            enqueue.assign({ n: context.n + 1 });
            enqueue.emit({ type: `E${context.n}` });
            enqueue(() => void lines.push(`A${context.n}`));
          }),
        },
      },
    });
    const test = await startSubject(counter, { events: ['GO'] });
    test.shard.actor('subject').on('*', () => {
      throw new Error('observer');
    });
    test.shard.actor('subject').on('*', ({ type }) => lines.push(type));
    await Promise.all(Array.from({ length: 5 }, () => test.shard.send('subject', { type: 'GO' })));
    await test.settle();
    expect(lines).toEqual(['E0', 'A0', 'E1', 'A1', 'E2', 'A2', 'E3', 'A3', 'E4', 'A4']);
    expect(test.logged).toHaveLength(5);
    await test.shard.stop();
  });
});

describe('effects that end before their start is durable', () => {
  it('never run', async () => {
    const lines: string[] = [];
    const logic = fromPromise(async () => void lines.push('ran'));
    const machine = setup({ actors: { logic } }).createMachine({
      on: { GO: { actions: spawnChild('logic', { id: 'p' }) }, STOP: { actions: stopChild('p') } },
    });
    const test = await startSubject(machine, { events: ['GO', 'STOP'] });
    const held = test.store.hold('before');
    const sent = [test.shard.send('subject', { type: 'GO' })];
    await held.reached;
    sent.push(test.shard.send('subject', { type: 'STOP' }));
    await pass();
    held.release();
    await Promise.all(sent);
    await test.settle();
    expect(lines).toEqual([]);
    await test.shard.stop();
  });
});
