/**
 * The waits of actors: the waiting and the awaited actor, the time and the state; and the age of the oldest unread
 * message.
 */
import { enqueueActions, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { LONG } from '../../support/effort.ts';
import { clerk as worker } from '../../support/actors/clerk.ts';
import { started } from '../../support/actors/started.ts';
import { clerk, teller } from '../../support/actors/talkers.ts';

/** On `burst` sends six thousand events without effect to the actor with the system id `full`. */
const busy = defineAgent({
  name: 'busy',
  machine: setup({ types: {} as { events: { type: 'burst' } } }).createMachine({
    initial: 'sending',
    states: {
      sending: {
        on: {
          burst: {
            actions: enqueueActions(({ system, enqueue }) => {
              const full = (system as unknown as { get(id: string): object }).get('full');
              for (let n = 0; n < 6_000; n++) enqueue.sendTo(full as never, { type: 'close' } as never);
            }),
          },
        },
      },
    },
  }),
  events: { burst: z.object({}) },
});

const as = { by: 'ada', reason: 'review' };

let test: TestSystem;
async function start(changes: Partial<TestSystemOptions> = {}): Promise<TestSystem> {
  const children = [
    { id: 'asker', agent: 'clerk' },
    { id: 'asked', agent: 'teller' },
  ];
  return (test = await started({ agents: [clerk, teller, busy], tree: { children }, ...changes }));
}

async function crashed(): Promise<void> {
  await test.crash();
  await test.restart();
}

describe('the list of waits', () => {
  it('shows an ask with asker, receiver, times and state, over a crash, until it is answered', async () => {
    await start();
    const sinceMs = test.clock.wallMs();
    await test.shard.send('asker', { type: 'go', to: 'asked', event: { type: 'hold' }, timeoutMs: 60_000 });
    await test.advance(1_000);
    const wait = { kind: 'ask', address: 'asker', state: 'asking', for: 'asked', sinceMs, untilMs: sinceMs + 60_000 };
    expect(test.shard.admin.waiting()).toEqual([wait]);
    await crashed();
    expect(test.shard.admin.waiting()).toEqual([wait]);
    await test.shard.send('asked', { type: 'answer', value: 1 });
    await test.settle();
    expect(test.shard.admin.waiting()).toEqual([]);
  });

  it('shows asks of hosts until they time out', async () => {
    await start();
    const asked = test.shard.ask('asked', { type: 'hold' }, { timeoutMs: 500 }).catch(() => 'late');
    const named = test.shard.ask('asked', { type: 'hold' }, { timeoutMs: 800, id: 'a' }).catch(() => 'late');
    await test.settle();
    const sinceMs = test.clock.wallMs();
    const wait = { kind: 'ask', address: null, state: null, for: 'asked', sinceMs };
    expect(test.shard.admin.waiting()).toEqual([
      { ...wait, untilMs: sinceMs + 500 },
      { ...wait, untilMs: sinceMs + 800 },
    ]);
    await test.advance(500);
    expect(test.shard.admin.waiting()).toEqual([{ ...wait, untilMs: sinceMs + 800 }]);
    await test.advance(300);
    expect([test.shard.admin.waiting(), await asked, await named]).toEqual([[], 'late', 'late']);
  });

  it('shows running effects with the time of this start and the state of their machine', async () => {
    await start({ agents: [worker], tree: { children: [{ id: 'w', agent: 'clerk' }] } });
    const wait = { kind: 'effect', address: 'w', state: { desk: 'idle', lamp: 'lit' }, for: 'w/lamp', untilMs: null };
    expect(test.shard.admin.waiting()).toEqual([{ ...wait, sinceMs: test.clock.wallMs() }]);
    await test.advance(5_000);
    await crashed();
    expect(test.shard.admin.waiting()).toEqual([{ ...wait, sinceMs: test.clock.wallMs() }]);
    await test.shard.stop();
    await test.restart({ hold: true });
    expect(test.shard.admin.waiting()).toEqual([{ ...wait, sinceMs: null }]);
  });

  it(
    'shows suspended actors with their administrator, delayed restarts, and senders that wait for room',
    LONG,
    async () => {
      const children = [
        { id: 'full', agent: 'clerk', systemId: 'full' },
        { id: 'sender', agent: 'busy' },
        { id: 'weak', agent: 'clerk', backoff: { minMs: 3_000, jitter: 0 } },
      ];
      await start({ agents: [worker, busy], tree: { children } });
      const beganMs = test.clock.wallMs();
      await test.shard.admin.suspend('full', as);
      for (let n = 0; n < 3; n++) await test.shard.send('sender', { type: 'burst' });
      await test.advance(1_000);
      await test.shard.admin.kill('weak', as);
      await test.settle();
      const waits = () => test.shard.admin.waiting().filter(({ kind }) => kind !== 'effect');
      const state = { desk: 'idle', lamp: 'lit' };
      const suspended = { kind: 'suspended', address: 'full', state, for: 'ada', sinceMs: beganMs, untilMs: null };
      const room = { kind: 'room', address: 'sender', state: 'sending', for: 'full', sinceMs: beganMs, untilMs: null };
      const restart = { kind: 'restart', address: 'weak', state, for: 'root', sinceMs: null, untilMs: beganMs + 4_000 };
      expect(waits()).toEqual([room, suspended, restart]);
      // What waits for room is not stored: the next send finds the mailbox full again.
      await crashed();
      expect(waits()).toEqual([suspended, { ...room, sinceMs: beganMs + 1_000 }, restart]);
      await test.shard.resume('full');
      await test.advance(3_000);
      expect(waits()).toEqual([]);
    },
  );

  it('shows only durable waits', async () => {
    await start();
    const held = test.store.hold('before');
    void test.shard.send('asker', { type: 'go', to: 'asked', event: { type: 'hold' } });
    await held.reached;
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect(test.shard.admin.waiting()).toEqual([]);
    held.release();
    await test.settle();
    expect(test.shard.admin.waiting()).toMatchObject([{ kind: 'ask' }]);
  });
});

describe('the oldest unread message', () => {
  const age = () => test.shard.tree().children.find(({ address }) => address === 'asked')!.oldestMessageMs;

  it('has waited since the first epoch that held it unread, over a crash and in a stopped store', async () => {
    await start();
    expect(age()).toBe(null);
    await test.shard.admin.suspend('asked', as);
    await test.shard.send('asked', { type: 'read' });
    await test.advance(2_000);
    await test.shard.send('asked', { type: 'read' });
    expect([age(), test.shard.admin.getState('asked').oldestMessageMs]).toEqual([2_000, 2_000]);
    await crashed();
    await test.advance(500);
    expect(age()).toBe(2_500);
    await test.shard.stop();
    await test.restart({ hold: true });
    // Time stands still there at the last epoch.
    expect(age()).toBe(2_000);
    await test.shard.stop();
    await test.restart();
    await test.shard.admin.step('asked', as);
    expect(age()).toBe(500);
    await test.shard.resume('asked');
    await test.settle();
    expect(age()).toBe(null);
  });

  it('the oldest unread message from a timer has waited since that timer came due', async () => {
    await start({ agents: [worker], tree: { children: [{ id: 'asked', agent: 'clerk' }] } });
    await test.shard.admin.suspend('asked', as);
    await test.advance(60_000 + 700);
    expect(age()).toBe(700);
  });
});
