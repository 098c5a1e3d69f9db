/** A handle on an address: snapshots, subscriptions, emitted events, waiting, types. */
import { describe, expect, it } from 'vitest';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { account, code, deposit } from '../../support/actors/account.ts';

describe('a handle', () => {
  it('calls a subscriber with the present snapshot, and once for every epoch that changes the actor', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    const seen: number[] = [];
    const subscription = actor.subscribe(({ context }) => seen.push(context.balance));
    await Promise.all([1, 1, 1].map((amount) => actor.send(deposit(amount))));
    await actor.send(deposit(1));
    subscription.unsubscribe();
    await actor.send(deposit(1));
    await test.settle();
    expect(seen).toEqual([0, 3, 4]);
    await test.shard.stop();
  });

  it('calls a subscriber with the last snapshot of an actor that ends, and then completes', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    const seen: string[] = [];
    actor.subscribe(
      ({ status }) => seen.push(status),
      () => seen.push('complete'),
    );
    await actor.send({ type: 'close' });
    await test.settle();
    expect(seen).toEqual(['active', 'done', 'complete']);
    expect(() => actor.snapshot()).toThrow('no actor at a');
    await test.shard.stop();
  });

  it('follows one life: a subscription does not see the next actor at the same address', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    const seen: string[] = [];
    actor.subscribe(({ status }) => seen.push(status));
    await actor.send({ type: 'close' });
    await test.settle();
    await test.shard.spawn(account, 'a', { again: true });
    await actor.send(deposit(1));
    await test.settle();
    expect([seen, actor.snapshot().context]).toEqual([['active', 'done'], { balance: 1 }]);
    await test.shard.stop();
  });

  it('hears emitted events by type, or all of them', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    const heard: string[] = [];
    actor.on('changed', ({ type }) => heard.push(type));
    const all = actor.on('*', () => heard.push('*'));
    actor.on('other', () => heard.push('other'));
    await actor.send(deposit(1));
    all.unsubscribe();
    await actor.send(deposit(1));
    await test.settle();
    expect(heard).toEqual(['changed', '*', 'changed']);
    await test.shard.stop();
  });

  it('waits for a condition', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    expect((await actor.waitFor(({ context }) => context.balance === 0)).sequence).toBeGreaterThan(0);
    const rich = actor.waitFor(({ context }) => context.balance > 10, { timeoutMs: 100 });
    await actor.send(deposit(11));
    expect((await rich).context.balance).toBe(11);
    const closed = actor.waitFor(({ status }) => status === 'done');
    await actor.send({ type: 'close' });
    expect((await closed).status).toBe('done');
    await test.shard.stop();
  });

  it('stops waiting at the timeout, at the end of the actor or the system, and if the condition throws', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    const never = () => false;
    const early = expect(actor.waitFor(never, { timeoutMs: 100 })).rejects.toEqual(code('BOSUN_TIMEOUT'));
    await test.advance(100);
    await early;
    await expect(
      actor.waitFor(() => {
        throw new Error('mine');
      }),
    ).rejects.toThrow('mine');
    const removed = expect(actor.waitFor(never)).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await actor.send({ type: 'close' });
    await removed;
    await expect(actor.waitFor(never)).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    const again = await test.shard.spawn(account, 'a', { again: true });
    const stopped = expect(again.waitFor(never)).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
    await test.shard.stop();
    await stopped;
  });

  it('throws for an address without an actor', async () => {
    const test = await startTestSystem({ agents: [account] });
    const nobody = test.shard.actor('nobody');
    for (const use of [
      () => nobody.snapshot(),
      () => nobody.subscribe(() => {}),
      () => nobody.on('*', () => {}),
      () => test.shard.tree('nobody'),
    ]) {
      expect(use).toThrow('no actor at nobody');
    }
    expect(() => test.shard.actor('no address')).toThrow('not an address');
    expect(test.shard.snapshot('nobody')).toBeUndefined();
    await test.shard.stop();
  });

  it('has the types of its agent', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    const typed = test.shard.actor('a', account);
    const balance: number = typed.snapshot().context.balance;
    expect(balance).toBe(0);
    // @ts-expect-error A misspelt event.
    await expect(actor.send({ type: 'depositt', amount: 1 })).rejects.toEqual(code('BOSUN_EVENT_REFUSED'));
    // @ts-expect-error A field of another type.
    await expect(actor.send({ type: 'deposit', amount: '1' })).rejects.toEqual(code('BOSUN_EVENT_INVALID'));
    // @ts-expect-error A field that is missing.
    await expect(typed.send({ type: 'deposit' })).rejects.toEqual(code('BOSUN_EVENT_INVALID'));
    // @ts-expect-error Input of another type. The machine takes it all the same.
    await test.shard.spawn(account, 'b', { input: { balance: 'much' } });
    // @ts-expect-error A context has no such key.
    expect(typed.snapshot().context.balanc).toBeUndefined();
    await test.shard.stop();
  });
});
