/** Subscriptions to an actor that is not born yet: `ifUnborn` of the frame `sub`, with and without workers. */
import { describe, expect, it } from 'vitest';
import { counter } from '../../support/gateway/shop.ts';
import { startGatewayTest } from '../../support/gateway/memory-client.ts';
import { startSpreadGateway } from '../../support/gateway/workers-kit.ts';

const GHOST = { t: 'sub', id: 's', topic: 'actor/ghost', ifUnborn: 'wait' } as const;
const UNBORN = { epoch: 'unborn', seq: 0 };

describe('a subscription to an unborn actor', () => {
  it('ends, unless it asks to wait for the birth (S15)', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send({ t: 'sub', id: 'strict', topic: 'actor/ghost' });
    client.send(GHOST);
    await test.settle();
    expect(client.last('end', 'strict')).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
    expect(client.last('snap', 's')).toEqual({ t: 'snap', id: 's', at: UNBORN, recovered: false, d: null });
    await test.test.shard.spawn(counter, 'ghost');
    await test.settle();
    expect(client.of('delta', 's')).toMatchObject([{ prev: 0, ops: [{ op: 'replace', path: '' }] }]);
    await test.call(client, 'actor.send', { address: 'ghost', event: { type: 'add', by: 3 } });
    expect(client.view('s')).toMatchObject({ address: 'ghost', context: { count: 3 } });
    await test.test.shard.boss().terminateChild('ghost');
    await test.settle();
    expect(client.last('end', 's')).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
    await test.stop();
  });

  it('is silent in every epoch before the birth, and can be cancelled (S15)', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send(GHOST);
    await test.call(client, 'actor.send', { address: 'visits', event: { type: 'add', by: 1 } });
    client.send({ t: 'unsub', id: 's' });
    await test.test.shard.spawn(counter, 'ghost');
    await test.settle();
    expect([client.of('snap', 's').length, client.of('delta', 's')]).toEqual([1, []]);
    await test.stop();
  });

  it('resumes without a view while nobody is born, and with one afterwards (S15)', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send({ ...GHOST, from: UNBORN });
    await test.settle();
    expect(client.last('snap', 's')).toEqual({ t: 'snap', id: 's', at: UNBORN, recovered: true });
    await test.test.shard.spawn(counter, 'ghost');
    client.send({ ...GHOST, id: 'late', from: UNBORN });
    await test.settle();
    expect(client.last('snap', 'late')).toMatchObject({ recovered: false, d: { context: { count: 0 } } });
    await test.stop();
  });

  it('respects the rights of its caller', async () => {
    const [token, id] = ['x'.repeat(32), 'ada'];
    const tokens = [{ token, id, scopes: ['actor:read' as const], addresses: ['visits'] }];
    const test = await startGatewayTest({ tokens });
    const client = await test.client({ token });
    client.send(GHOST);
    await test.settle();
    expect(client.last('end', 's')).toMatchObject({ e: { code: 'BOSUN_FORBIDDEN' } });
    await test.stop();
  });

  it('waits over workers, also after the death of the worker (S15)', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    await test.subscribe(client, 'actor/ghost', { ifUnborn: 'wait' });
    expect(client.last('snap', 'actor/ghost')).toMatchObject({ at: UNBORN, d: null });
    const home = test.test.system.workerOf('ghost')!;
    test.test.crash(home);
    await test.restart(home);
    expect(client.of('end')).toEqual([]);
    await test.call(client, 'actor.spawn', { agent: 'counter', id: 'ghost' });
    expect(client.view('actor/ghost')).toMatchObject({ address: 'ghost', context: { count: 0 } });
  });
});
