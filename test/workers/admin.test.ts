/** Administration of a system over workers, by the same methods as in a system with one worker. */
import { afterEach, describe, expect, it } from 'vitest';
import { type TraceRecord } from '../../src/actors/model/trace-record.ts';
import { type SpreadTestSystem, startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { code } from '../support/actors/account.ts';
import { spreadShop } from '../support/gateway/workers-kit.ts';

const tests: SpreadTestSystem[] = [];
afterEach(async () => {
  for (const test of tests.splice(0)) await test.system.stop();
});

const ADA = { by: 'ada', reason: 'looked into' };

async function started() {
  const test = await startSpreadTestSystem(spreadShop());
  tests.push(test);
  const on = (worker: number) =>
    ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'].find((name) => test.system.workerOf(name) === worker)!;
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    const [outcome] = await Promise.all([Promise.allSettled([work]), test.settle()]);
    if (outcome[0].status === 'rejected') throw outcome[0].reason;
    return outcome[0].value;
  };
  return { test, system: test.system, pair: [on(0), on(1)] as const, settled };
}

describe('orders of an administrator', () => {
  it('suspend, step, replace and kill actors on their workers, and are on record', async () => {
    const { system, pair, settled } = await started();
    for (const address of pair) {
      await settled(system.admin.suspend(address, ADA));
      await settled(system.send(address, { type: 'add', by: 1 }));
      expect(await settled(system.admin.getState(address))).toMatchObject({
        mailbox: 1,
        suspended: { by: 'ada', reason: 'looked into' },
      });
      expect(
        await settled(system.admin.replaceState(address, { context: { count: 40, seen: [] } }, ADA)),
      ).toMatchObject({ context: { count: 40 } });
      expect(await settled(system.admin.step(address, ADA))).toMatchObject({ type: 'add' });
      await settled(system.admin.resume(address, ADA));
      expect(await settled(system.snapshot(address))).toMatchObject({ context: { count: 41 } });
      await settled(system.admin.kill(address, ADA));
    }
    expect(await settled(system.admin.waiting())).toEqual([]);
    const records = await settled(system.admin.audit());
    expect(new Set(records.map(({ number }) => (number - 1) % 2))).toEqual(new Set([0, 1]));
    expect(
      (await settled(system.admin.audit({ address: pair[1], limit: 2 }))).map(({ order, number }) => [
        order,
        (number - 1) % 2,
      ]),
    ).toEqual([
      ['kill', 1],
      ['resume', 1],
    ]);
    await expect(settled(system.admin.suspend('nobody', ADA))).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await expect(settled(system.admin.kill('root', ADA))).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
  });

  it('are not repeated if the worker dies while it carries them out', async () => {
    const { test, system, pair } = await started();
    const held = test.stores[1]!.hold('before');
    const order = system.admin.suspend(pair[1], ADA);
    await held.reached;
    test.crash(1);
    await expect(order).rejects.toMatchObject({ code: 'BOSUN_WORKER_DOWN', details: { unknownOutcome: true } });
    await test.restart(1);
  });

  it('erase an actor permanently', async () => {
    const { system, pair, settled } = await started();
    const [, address] = pair;
    await settled(system.erase(address, ADA));
    expect(await settled(system.snapshot(address))).toBe(undefined);
    expect(await settled(system.admin.audit())).toMatchObject([{ order: 'erase', address: '', number: 2 }]);
  });
});

describe('turns shown to an administrator', () => {
  it('come from all workers, and again from a worker that has died once it is back', async () => {
    const { test, system, pair, settled } = await started();
    const told: TraceRecord[] = [];
    const following = await settled(system.admin.onTurn('root', (record) => told.push(record)));
    for (const address of pair) await settled(system.send(address, { type: 'add', by: 1 }));
    test.crash(1);
    await test.restart(1);
    await settled(system.send(pair[1], { type: 'add', by: 1 }));
    expect(told.filter(({ event }) => event?.type === 'add').map(({ address }) => address)).toEqual([...pair, pair[1]]);
    expect((await settled(system.admin.recent('root', { limit: 1 })))[0]).toMatchObject({ event: { type: 'add' } });
    expect(await settled(system.admin.history(pair[0]))).toEqual([]);
    following.unsubscribe();
    await settled(system.send(pair[1], { type: 'add', by: 1 }));
    expect(told.filter(({ event }) => event?.type === 'add')).toHaveLength(3);
  });
});
