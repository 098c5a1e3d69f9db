/** A handle on an address: snapshots, subscriptions, emitted events, waiting, types. */
import { describe, expect, it } from 'vitest';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { account, code, deposit } from '../../support/actors/account.ts';

describe('a handle', () => {
  it('is called with the present snapshot, and once for every epoch that changed the actor', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.system.spawn(account, 'a');
    const seen: number[] = [];
    const subscription = actor.subscribe(({ context }) => seen.push(context.balance));
    await Promise.all([1, 1, 1].map((amount) => actor.send(deposit(amount))));
    await actor.send(deposit(1));
    subscription.unsubscribe();
    await actor.send(deposit(1));
    await test.settle();
    expect(seen).toEqual([0, 3, 4]);
    await test.system.stop();
  });

  it('is shown the last of an actor that ends, and told that it is gone', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.system.spawn(account, 'a');
    const seen: string[] = [];
    actor.subscribe(
      ({ status }) => seen.push(status),
      () => seen.push('complete'),
    );
    await actor.send({ type: 'close' });
    await test.settle();
    expect(seen).toEqual(['active', 'done', 'complete']);
    expect(() => actor.snapshot()).toThrow('no actor at a');
    await test.system.stop();
  });

  it('follows one life: who is born later at the address is somebody else', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.system.spawn(account, 'a');
    const seen: string[] = [];
    actor.subscribe(({ status }) => seen.push(status));
    await actor.send({ type: 'close' });
    await test.settle();
    await test.system.spawn(account, 'a');
    await actor.send(deposit(1));
    await test.settle();
    expect([seen, actor.snapshot().context]).toEqual([['active', 'done'], { balance: 1 }]);
    await test.system.stop();
  });

  it('hears emitted events by type, or all of them', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.system.spawn(account, 'a');
    const heard: string[] = [];
    actor.on('changed', ({ type }) => heard.push(type));
    const all = actor.on('*', () => heard.push('*'));
    actor.on('other', () => heard.push('other'));
    await actor.send(deposit(1));
    all.unsubscribe();
    await actor.send(deposit(1));
    await test.settle();
    expect(heard).toEqual(['changed', '*', 'changed']);
    await test.system.stop();
  });

  it('waits for a condition', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.system.spawn(account, 'a');
    expect((await actor.waitFor(({ context }) => context.balance === 0)).sequence).toBeGreaterThan(0);
    const rich = actor.waitFor(({ context }) => context.balance > 10, { timeoutMs: 100 });
    await actor.send(deposit(11));
    expect((await rich).context.balance).toBe(11);
    const closed = actor.waitFor(({ status }) => status === 'done');
    await actor.send({ type: 'close' });
    expect((await closed).status).toBe('done');
    await test.system.stop();
  });

  it('gives up waiting at the time, at the end of the actor or system, and where the condition throws', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.system.spawn(account, 'a');
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
    const again = await test.system.spawn(account, 'a');
    const stopped = expect(again.waitFor(never)).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
    await test.system.stop();
    await stopped;
  });

  it('on an address where nobody lives says so', async () => {
    const test = await startTestSystem({ agents: [account] });
    const nobody = test.system.actor('nobody');
    for (const use of [
      () => nobody.snapshot(),
      () => nobody.subscribe(() => {}),
      () => nobody.on('*', () => {}),
      () => test.system.tree('nobody'),
    ]) {
      expect(use).toThrow('no actor at nobody');
    }
    expect(() => test.system.actor('no address')).toThrow('not an address');
    expect(test.system.snapshot('nobody')).toBeUndefined();
    await test.system.stop();
  });

  it('is typed by its agent', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.system.spawn(account, 'a');
    const typed = test.system.actor('a', account);
    const balance: number = typed.snapshot().context.balance;
    expect(balance).toBe(0);
    // @ts-expect-error A misspelt event.
    await expect(actor.send({ type: 'depositt', amount: 1 })).rejects.toEqual(code('BOSUN_EVENT_REFUSED'));
    // @ts-expect-error A field of another type.
    await expect(actor.send({ type: 'deposit', amount: '1' })).rejects.toEqual(code('BOSUN_EVENT_INVALID'));
    // @ts-expect-error A field that is missing.
    await expect(typed.send({ type: 'deposit' })).rejects.toEqual(code('BOSUN_EVENT_INVALID'));
    // @ts-expect-error Input of another type. The machine takes it all the same.
    await test.system.spawn(account, 'b', { input: { balance: 'much' } });
    // @ts-expect-error A context has no such key.
    expect(typed.snapshot().context.balanc).toBeUndefined();
    await test.system.stop();
  });
});
