import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { QUARANTINES_IN_A_ROW_MAX } from '../../../../src/limits.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { code } from '../../../support/actors/account.ts';
import { crash } from '../../../support/actors/started.ts';

type Events = { type: 'note'; text: string } | { type: 'break'; text: string };

const worker = defineAgent({
  name: 'w',
  machine: setup({ types: {} as { context: { notes: string[] }; events: Events } }).createMachine({
    context: { notes: [] },
    on: {
      note: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.text] }) },
      break: {
        actions: assign(({ event }) => {
          throw new Error(event.text);
        }),
      },
    },
  }),
  events: { note: z.object({ text: z.string() }), break: z.object({ text: z.string() }) },
});

const start = () =>
  startTestSystem({ agents: [worker], tree: { intensity: 100, children: [{ id: 'w', agent: 'w' }] } });

async function send(test: TestSystem, ...events: readonly Events[]): Promise<void> {
  await Promise.all(events.map((event) => test.shard.send('w', event)));
  await test.settle();
}

const note = (text: string): Events => ({ type: 'note', text });
const bad = (text: string): Events => ({ type: 'break', text });
const notes = (test: TestSystem) => (test.shard.snapshot('w')!.context as { notes: string[] }).notes;

describe(`an agent that ${QUARANTINES_IN_A_ROW_MAX} messages in a row crash until quarantine`, () => {
  it('is suspended: it takes no turns and keeps its mailbox, over a crash of the host too', async () => {
    const test = await start();
    await send(test, note('a'), bad('x'), bad('y'), bad('z'), note('b'));
    for (let n = 0; n < 2; n++) {
      expect(test.shard.tree('w')).toMatchObject({
        status: 'suspended',
        mailbox: 2,
        lastError: { code: 'BOSUN_STATE_SUSPECT', message: expect.stringContaining('y') as string },
      });
      expect([notes(test), test.shard.deadLetters.list({ reason: 'quarantined' }).length]).toEqual([['a'], 2]);
      await crash(test);
    }
  });

  it('does not count against the intensity beyond the restarts that it had', async () => {
    const test = await startTestSystem({
      agents: [worker],
      tree: { intensity: 2, children: [{ id: 'w', agent: 'w' }] },
    });
    await send(test, bad('x'), bad('y'), bad('z'));
    expect(test.shard.snapshot('root')!.status).toBe('active');
    expect(test.shard.tree('w')).toMatchObject({ status: 'suspended', restarts: 2 });
  });

  it('is not suspended if a message between the two succeeds, but is if the host crashes between them', async () => {
    const test = await start();
    await send(test, bad('x'), note('a'), bad('y'));
    expect(test.shard.snapshot('w')!.status).toBe('active');
    await crash(test);
    await send(test, bad('z'));
    expect(test.shard.snapshot('w')!.status).toBe('suspended');
  });

  it('goes on when it is resumed, and stays resumed over a crash of the host', async () => {
    const test = await start();
    await send(test, bad('x'), bad('y'), note('a'));
    await test.shard.resume('w');
    await test.settle();
    expect([test.shard.snapshot('w')!.status, notes(test)]).toEqual(['active', ['a']]);
    await test.shard.resume('w');
    await crash(test);
    await send(test, bad('z'), note('b'));
    expect([test.shard.snapshot('w')!.status, notes(test)]).toEqual(['active', ['a', 'b']]);
  });

  it('is resumed durably when resume resolves, and not before', async () => {
    const test = await start();
    await send(test, bad('x'), bad('y'), note('a'));
    const resumed = test.shard.resume('w');
    expect(test.shard.snapshot('w')!.status).toBe('suspended');
    await resumed;
    await crash(test);
    expect([test.shard.snapshot('w')!.status, notes(test)]).toEqual(['active', ['a']]);
  });
});

describe('a quarantined message', () => {
  async function withOne(): Promise<{ test: TestSystem; number: number }> {
    const test = await start();
    await send(test, bad('x'), note('a'));
    return { test, number: test.shard.deadLetters.list({ reason: 'quarantined' })[0]!.number };
  }

  it('can be looked at, edited and delivered again', async () => {
    const { test, number } = await withOne();
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { number, address: 'w', error: { message: 'x' }, event: { type: 'break', text: 'x' } },
    ]);
    await test.shard.deadLetters.edit(number, note('mended'));
    await test.settle();
    expect([notes(test), test.shard.deadLetters.list({ reason: 'quarantined' })]).toEqual([['a', 'mended'], []]);
    await crash(test);
    expect([notes(test), test.shard.deadLetters.list({ reason: 'quarantined' })]).toEqual([['a', 'mended'], []]);
  });

  it('can be delivered again as it was, and crashes the agent again', async () => {
    const { test, number } = await withOne();
    await test.shard.deadLetters.redeliver(number);
    await test.settle();
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { number: number + 1, event: { type: 'break' } },
    ]);
  });

  it('can be discarded, once', async () => {
    const { test, number } = await withOne();
    const [one, two] = await Promise.allSettled([
      test.shard.deadLetters.discard(number),
      test.shard.deadLetters.redeliver(number),
    ]);
    expect([one.status, two]).toMatchObject(['fulfilled', { reason: { code: 'BOSUN_MESSAGE_UNKNOWN' } }]);
    await crash(test);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await expect(test.shard.deadLetters.discard(number)).rejects.toEqual(code('BOSUN_MESSAGE_UNKNOWN'));
  });

  it('accepts as a replacement only an event that the agent declares', async () => {
    const { test, number } = await withOne();
    await expect(test.shard.deadLetters.edit(number, { type: 'xstate.stop' })).rejects.toEqual(
      code('BOSUN_EVENT_REFUSED'),
    );
    await expect(test.shard.deadLetters.edit(number, { type: 'note', text: 7 } as never)).rejects.toEqual(
      code('BOSUN_EVENT_INVALID'),
    );
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
  });

  it('cannot be delivered to a new actor at the address', async () => {
    const { test, number } = await withOne();
    await test.crash();
    await test.restart({ tree: { children: [] } });
    await test.shard.spawn(worker, 'w');
    await expect(test.shard.deadLetters.redeliver(number)).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
  });
});
