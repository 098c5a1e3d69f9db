/**
 * Many events sent in one call of the gateway: each is checked against its caller's rights and bounds, and reported by
 * index.
 */
import { describe, expect, it } from 'vitest';
import { CALLS_WAITING_MAX, SENDS_PER_CALL_MAX } from '../../../src/gateway/limits.ts';
import { type Frame, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { startSpreadGateway } from '../../support/gateway/workers-kit.ts';

const UNBOUND = { rate: { burst: 1e9, perSecond: 1e9 } };

const add = (by: unknown, address = 'visits') => ({ address, event: { type: 'add', by } });

interface Refused {
  readonly code: string;
  readonly retryable: boolean;
  readonly details: { readonly refused: readonly { index: number; error: Omit<Refused, 'details'> }[] };
}

/** Index and code of each refused event; the code of an answer that is another error; or the result. */
function toldIn({ ok, r, e }: Frame): unknown {
  if (ok === true) return r;
  const { code, details } = e as unknown as Refused;
  return code === 'BOSUN_SENDS_REFUSED' ? details.refused.map((one) => [one.index, one.error.code]) : code;
}

describe('actor.sendMany', () => {
  it('answers when all events are durable', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    const held = test.test.store.hold('before');
    client.send({ t: 'req', id: '1', m: 'actor.sendMany', p: { sends: [add(1), add(10)] } });
    await held.reached;
    expect(client.last('res')).toBe(undefined);
    held.release();
    await test.settle();
    expect(client.last('res')).toEqual({ t: 'res', id: '1', ok: true, r: {} });
    await test.crash();
    await test.restart();
    expect(test.test.shard.snapshot('visits')?.context).toMatchObject({ count: 11 });
    expect(toldIn(await test.call(await test.client(), 'actor.sendMany', { sends: [] }))).toEqual({});
    await test.stop();
  });

  it('names each refused event by index with its typed error, once the others are durable', async () => {
    const token = 'token-of-ada-0123456789';
    const test = await startGatewayTest({ tokens: [{ id: 'ada', token, addresses: ['visits', 'nobody'] }] });
    const client = await test.client({ token });
    const answer = await test.call(client, 'actor.sendMany', {
      sends: [
        add(1),
        add(1, 'nobody'),
        add('x'),
        add(1, 'root'),
        { address: 'visits', event: { type: 'odd' } },
        add(10),
      ],
    });
    expect(toldIn(answer)).toEqual([
      [1, 'BOSUN_ACTOR_UNKNOWN'],
      [2, 'BOSUN_EVENT_INVALID'],
      [3, 'BOSUN_FORBIDDEN'],
      [4, 'BOSUN_EVENT_REFUSED'],
    ]);
    expect(answer).toMatchObject({
      e: {
        retryable: false,
        details: {
          refused: [
            { error: { message: 'no actor at nobody', retryable: false, details: { address: 'nobody' } } },
            {},
            {},
            {},
          ],
        },
      },
    });
    expect(test.test.shard.snapshot('visits')?.context).toMatchObject({ count: 11 });
    await test.stop();
  });

  it('needs the scope actor:send, and refuses a sequence', async () => {
    const token = 'token-of-ada-0123456789';
    const test = await startGatewayTest({ tokens: [{ id: 'ada', token, scopes: ['actor:read'] }] });
    const ada = await test.client({ token });
    expect(toldIn(await test.call(ada, 'actor.sendMany', { sends: [add(1)] }))).toBe('BOSUN_FORBIDDEN');
    await test.stop();
    const open = await startGatewayTest();
    const client = await open.client({ session: 'a-session-of-22-chars-' });
    const numbered = await open.call(client, 'actor.sendMany', { sends: [add(1)] }, { seq: 1 });
    expect(toldIn(numbered)).toBe('BOSUN_CALL_INVALID');
    const tooMany = Array.from({ length: SENDS_PER_CALL_MAX + 1 }, () => add(1));
    expect(toldIn(await open.call(client, 'actor.sendMany', { sends: tooMany }))).toBe('BOSUN_CALL_INVALID');
    await open.stop();
  });

  it('counts each event against the rate of its caller: those beyond are refused with a time to wait', async () => {
    const test = await startGatewayTest({ rate: { burst: 4, perSecond: 10 } });
    const client = await test.client();
    const answer = await test.call(client, 'actor.sendMany', {
      sends: [1, 10, 100, 1_000, 10_000, 100_000].map((by) => add(by)),
    });
    expect(toldIn(answer)).toEqual([
      [4, 'BOSUN_RATE_LIMITED'],
      [5, 'BOSUN_RATE_LIMITED'],
    ]);
    const { details } = (answer as unknown as { e: Refused }).e;
    expect(details.refused[0]!.error).toMatchObject({ retryable: true, details: { retryAfterMs: 100 } });
    expect(test.test.shard.snapshot('visits')?.context).toMatchObject({ count: 1_111 });
    expect(toldIn(await test.call(client, 'actor.send', add(1)))).toBe('BOSUN_RATE_LIMITED');
    await test.stop();
  });

  it('counts each event against the calls that a caller may have under way', async () => {
    const test = await startGatewayTest(UNBOUND);
    const [client, other] = [await test.client(), await test.client()];
    const held = test.test.store.hold('before');
    const half = Array.from({ length: CALLS_WAITING_MAX / 2 }, () => add(1));
    client.send({ t: 'req', id: '1', m: 'actor.sendMany', p: { sends: half } });
    other.send({ t: 'req', id: '2', m: 'actor.sendMany', p: { sends: [...half, add(1)] } });
    other.send({ t: 'req', id: '3', m: 'actor.send', p: add(1) });
    expect(toldIn(other.last('res', '3')!)).toBe('BOSUN_GATEWAY_FULL');
    await held.reached;
    held.release();
    await test.settle();
    expect([client.last('res', '1'), other.last('res', '2')].map((res) => toldIn(res!))).toEqual([
      {},
      [[CALLS_WAITING_MAX / 2, 'BOSUN_GATEWAY_FULL']],
    ]);
    expect(toldIn(await test.call(other, 'actor.send', add(1)))).toEqual({ taken: null });
    expect(test.test.shard.snapshot('visits')?.context).toMatchObject({ count: CALLS_WAITING_MAX + 1 });
    await test.stop();
  });

  it('counts each event sent with a key once over a crash, and sends those that were refused before', async () => {
    const test = await startGatewayTest();
    const sends = [add(1), add(1, 'later'), add(10)];
    const first = await test.call(await test.client(), 'actor.sendMany', { sends }, { key: 'order 7' });
    expect(toldIn(first)).toEqual([[1, 'BOSUN_ACTOR_UNKNOWN']]);
    await test.crash();
    await test.restart();
    const client = await test.client();
    await test.call(client, 'actor.spawn', { agent: 'counter', id: 'later' });
    const second = await test.call(client, 'actor.sendMany', { sends }, { key: 'order 7' });
    expect(second).toEqual({ t: 'res', id: second['id'], ok: true, r: {} });
    const third = await test.call(client, 'actor.sendMany', { sends }, { key: 'order 7' });
    expect(third).toMatchObject({ ok: true, r: {}, replayed: true });
    const another = await test.call(client, 'actor.sendMany', { sends: [add(1), add(2)] }, { key: 'order 7' });
    expect(toldIn(another)).toEqual([[1, 'BOSUN_KEY_CONFLICT']]);
    const counts = ['visits', 'later'].map((address) => test.test.shard.snapshot(address)?.context);
    expect(counts).toMatchObject([{ count: 11 }, { count: 1 }]);
    await test.stop();
  });

  it('splits the events by worker and gives one answer', async () => {
    const test = await startSpreadGateway(UNBOUND);
    const [zero, one] = test.pair;
    const client = await test.client();
    const sends = [add(1, zero), add('x', one), add(1, one), add(1, 'no one'), add(1, zero)];
    const first = await test.call(client, 'actor.sendMany', { sends }, { key: 'order 7' });
    expect(toldIn(first)).toEqual([
      [1, 'BOSUN_EVENT_INVALID'],
      [3, 'BOSUN_ADDRESS_INVALID'],
    ]);
    const good = sends.map(({ address, event }, index) => ([1, 3].includes(index) ? add(1, one) : { address, event }));
    expect(toldIn(await test.call(client, 'actor.sendMany', { sends: good }))).toEqual({});
    expect([await test.countOf(zero), await test.countOf(one)]).toEqual([4, 4]);
  });
});
