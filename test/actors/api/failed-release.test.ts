/**
 * A release that fails: what throws while the outputs of an epoch leave. A fault of a host is one line of the log; a
 * fault of the runtime closes the system, and everybody who waits is told.
 */
import { assign, createMachine, fromPromise } from 'xstate';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DurableView } from '../../../src/actors/loop/durable-view.ts';
import { Ingress } from '../../../src/actors/loop/inbound/ingress.ts';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { reply } from '../../../src/actors/model/talk-actions.ts';
import { SendLine } from '../../../src/actors/world/mailbox/inbound.ts';
import { Tracing } from '../../../src/actors/world/tracing/tracing.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { started } from '../../support/actors/started.ts';
import { agentOf } from '../../support/actors/subject.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** The outcome of each of the effect's calls. */
let kept: string[] = [];

async function note(what: string, call: Promise<unknown>): Promise<void> {
  kept.push(
    await call.then(
      () => `${what} done`,
      (error: { code: string }) => `${what} ${error.code}`,
    ),
  );
}

const desk = agentOf(
  'desk',
  createMachine({
    context: { count: 0 },
    on: {
      add: { actions: assign({ count: ({ context }: { context: { count: number } }) => context.count + 1 }) },
      ask: { actions: reply('yes' as never) as never },
    },
    initial: 'calm',
    states: {
      calm: { on: { keep: 'busy' } },
      busy: {
        invoke: {
          src: fromPromise(async ({ self }) => {
            const { checkpoint, memo } = effectOf(self);
            await Promise.all([
              note('checkpoint', checkpoint(1)),
              note(
                'memo',
                memo('it', () => 2),
              ),
            ]);
          }),
        },
      },
    },
  } as never),
  ['add', 'ask', 'keep'],
);

function startDesk(): Promise<TestSystem> {
  return started({ agents: [desk], tree: { children: [{ id: 'desk', agent: 'desk' }] } });
}

/** Makes an internal step of the next release throw. */
const STEPS: Readonly<Record<string, () => void>> = {
  'showing the epoch to readers': () => throwOnce(DurableView.prototype, 'show'),
  'recording its turns': () => throwOnce(Tracing.prototype, 'released'),
  'acknowledging its events': () => throwOnce(Ingress.prototype, 'acknowledge'),
};

function throwOnce(prototype: object, method: string): void {
  vi.spyOn(prototype as Record<string, () => void>, method).mockImplementationOnce(() => {
    throw new Error('our own fault');
  });
}

const OURS = { code: 'BOSUN_INTERNAL', message: 'the kernel failed: our own fault' };

describe('a release that fails by a fault of the runtime, and closes the system (class D)', () => {
  it.each(Object.entries(STEPS))('rejects every send and ask: %s', async (_, fail) => {
    const test = await startDesk();
    fail();
    const add = { type: 'add' };
    const given = [
      test.system.send('desk', add),
      test.system.sendMany([{ to: 'desk', event: add }]),
      test.system.ask('desk', { type: 'ask' }),
      test.shard.clientApi.deliverTaken('desk', add),
      test.shard.admin.suspend('desk', { by: 'ada' }),
    ];
    const outcomes = Promise.allSettled(given);
    await test.settle();
    for (const outcome of await outcomes) {
      expect(outcome.status).toBe('rejected');
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason).toMatchObject(
        (reason as { code: string }).code === 'BOSUN_SENDS_REFUSED'
          ? { details: { refused: [{ index: 0, error: OURS }] } }
          : OURS,
      );
    }
    await expect(test.shard.closed).rejects.toMatchObject(OURS);
    await expect(test.system.send('desk', add)).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
    await expect(test.system.ask('desk', { type: 'ask' })).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
  });

  it.each(Object.entries(STEPS))('lets no checkpoint and no memo hang: %s', async (_, fail) => {
    kept = [];
    const test = await startDesk();
    await test.shard.send('desk', { type: 'keep' });
    fail();
    await test.settle();
    await expect(test.shard.closed).rejects.toMatchObject(OURS);
    expect(kept.sort()).toEqual(['checkpoint BOSUN_INTERNAL', 'memo BOSUN_INTERNAL']);
  });

  it.each(Object.entries(STEPS))('lets no start hang: %s', async (_, fail) => {
    fail();
    const start = startDesk();
    await expect(start.then((test) => test.shard.closed)).rejects.toMatchObject(OURS);
  });

  it('lets the next start go on from its epoch, which was durable', async () => {
    const test = await startDesk();
    STEPS['showing the epoch to readers']!();
    await expect(test.shard.send('desk', { type: 'add' })).rejects.toMatchObject(OURS);
    await test.settle();
    await test.restart();
    expect(test.shard.snapshot('desk')!.context).toEqual({ count: 1 });
  });
});

describe('a fault of a listener while an epoch is released (class D)', () => {
  it('is one line of the log, and every other send is acknowledged', async () => {
    const test = await startDesk();
    const add = { type: 'add' };
    const line = {
      durable: () => {
        throw new Error('no listener');
      },
      refused: () => {},
      lost: () => {},
    };
    test.shard.clientApi.deliverOn(new SendLine(line), 1, { to: 'desk', event: add });
    await test.shard.send('desk', add);
    await test.settle();
    expect(test.logged.map(String)).toEqual(['an observer failed: no listener']);
    expect(test.shard.snapshot('desk')).toMatchObject({ status: 'active', context: { count: 2 } });
  });
});
