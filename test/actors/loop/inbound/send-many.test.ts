/** Many events with one promise: each is accepted or refused by itself, and the accepted ones are durable together. */
import { describe, expect, it } from 'vitest';
import { isBosunError } from '../../../../src/errors.ts';
import { MAILBOX_MESSAGES_MAX } from '../../../../src/limits.ts';
import { faultyStore } from '../../../../src/testing/faulty-store.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { account, deposit } from '../../../support/actors/account.ts';
import { contextOf } from '../../../support/actors/subject.ts';

async function accounts(...ids: string[]): Promise<TestSystem> {
  const test = await startTestSystem({ agents: [account] });
  for (const id of ids) await test.shard.spawn(account, id);
  return test;
}

/** Index and code of each that was refused. */
async function refusedOf(sent: Promise<void>): Promise<unknown[]> {
  const error = await sent.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isBosunError(error, 'BOSUN_SENDS_REFUSED')) throw new Error(`not refused: ${String(error)}`);
  const { refused } = error.details as { refused: readonly { index: number; error: { code: string } }[] };
  return refused.map(({ index, error: { code } }) => [index, code]);
}

describe('events sent together by sendMany', () => {
  it('are durable, each at its receiver and in their order, when the promise resolves', async () => {
    const test = await accounts('a', 'b');
    await test.shard.sendMany([
      { to: 'a', event: deposit(1) },
      { to: 'b', event: deposit(10) },
      { to: 'a', event: deposit(100) },
    ]);
    await test.crash();
    await test.restart();
    await test.settle();
    expect([contextOf(test, 'a'), contextOf(test, 'b')]).toEqual([{ balance: 101 }, { balance: 10 }]);
    await test.shard.stop();
  });

  it('may be none, or include repeats: a session counts each once', async () => {
    const test = await accounts('a');
    await test.shard.sendMany([]);
    const requests = [1, 2, 3].map((sequence) => ({
      to: 'a',
      event: deposit(10 ** (sequence - 1)),
      session: { id: 'client', sequence },
    }));
    await test.shard.sendMany(requests);
    await test.shard.sendMany(requests);
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ balance: 111 });
    await test.shard.stop();
  });

  it('are refused one by one, and accepted ones are durable when the promise rejects with the refusals', async () => {
    const test = await accounts('a');
    const sent = test.shard.sendMany([
      { to: 'a', event: deposit(1) },
      { to: 'nobody', event: deposit(1) },
      { to: 'a', event: { type: 'deposit', amount: 'much' } as never },
      { to: 'a', event: { type: 'unheard of' } as never },
      { to: 'a', event: deposit(10) },
    ]);
    expect(await refusedOf(sent)).toEqual([
      [1, 'BOSUN_ACTOR_UNKNOWN'],
      [2, 'BOSUN_EVENT_INVALID'],
      [3, 'BOSUN_EVENT_REFUSED'],
    ]);
    await test.crash();
    await test.restart();
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ balance: 11 });
    await test.shard.stop();
  });

  it('are refused if the list, or an entry of it, is not valid', async () => {
    const test = await accounts('a');
    await expect(test.shard.sendMany({ to: 'a' } as never)).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    const sent = test.shard.sendMany([null, { to: 'a', event: deposit(1) }, { to: 'a' }] as never);
    expect(await refusedOf(sent)).toEqual([
      [0, 'BOSUN_EVENT_INVALID'],
      [2, 'BOSUN_EVENT_REFUSED'],
    ]);
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ balance: 1 });
    await test.shard.stop();
  });

  it('count against the limit of a mailbox like single sends', async () => {
    const test = await accounts('a');
    const requests = Array.from({ length: MAILBOX_MESSAGES_MAX + 2 }, () => ({ to: 'a', event: deposit(1) }));
    expect(await refusedOf(test.shard.sendMany(requests))).toEqual([
      [MAILBOX_MESSAGES_MAX, 'BOSUN_MAILBOX_FULL'],
      [MAILBOX_MESSAGES_MAX + 1, 'BOSUN_MAILBOX_FULL'],
    ]);
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ balance: MAILBOX_MESSAGES_MAX });
    await test.shard.stop();
  });

  it('go to one actor by its handle', async () => {
    const test = await accounts('a');
    const sent = test.shard.actor('a', account).sendMany([deposit(1), { type: 'unheard of' } as never, deposit(10)]);
    expect(await refusedOf(sent)).toEqual([[1, 'BOSUN_EVENT_REFUSED']]);
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ balance: 11 });
    await test.shard.stop();
  });

  it('are all refused by a system that has stopped', async () => {
    const test = await accounts('a');
    await test.shard.stop();
    const requests = [1, 2].map((amount) => ({ to: 'a', event: deposit(amount) }));
    expect(await refusedOf(test.shard.sendMany(requests))).toEqual([
      [0, 'BOSUN_SYSTEM_CLOSED'],
      [1, 'BOSUN_SYSTEM_CLOSED'],
    ]);
  });

  it('are each listed in the rejection if the system closes before they are durable', async () => {
    const store = faultyStore();
    const test = await startTestSystem({ agents: [account], store });
    await test.shard.spawn(account, 'a');
    store.failWrites(Infinity);
    const requests = [1, 2].map((amount) => ({ to: 'a', event: deposit(amount) }));
    const refused = refusedOf(test.shard.sendMany(requests));
    await test.shard.stop();
    expect(await refused).toHaveLength(2);
  });

  it('are refused with a message that names the first refusal and the number of others', async () => {
    const test = await accounts('a');
    await expect(
      test.shard.sendMany([
        { to: 'a', event: deposit(1) },
        { to: 'nobody', event: deposit(1) },
        { to: 'no-one', event: deposit(1) },
      ]),
    ).rejects.toThrow('the event at index 1 of 3 was refused (and 1 more): no actor at nobody');
    await test.shard.stop();
  });
});
