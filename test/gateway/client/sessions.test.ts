/**
 * Calls that a client may repeat, and what it gets when it reconnects: after a break of its connection, and after a
 * crash of the host.
 */
import { describe, expect, it } from 'vitest';
import { type Frame, type GatewayTest, MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const SESSION = 'a-session-of-22-chars-';
const add = (by: number, more: object = {}) => ({ address: 'visits', event: { type: 'add', by }, ...more });

function countOf(test: GatewayTest): unknown {
  return (test.test.shard.snapshot('visits')?.context as { count: number }).count;
}

async function again(test: GatewayTest, hello: object = {}): Promise<MemoryClient> {
  await test.crash();
  await test.restart();
  return test.client(hello);
}

describe('a session', () => {
  it('counts a send once, however often it is repeated, also after a crash', async () => {
    const test = await startGatewayTest();
    let client = await test.client({ session: SESSION });
    expect(client.last('welcome')).toMatchObject({ session: { resumed: false, sequence: 0 } });
    expect(await test.call(client, 'actor.send', add(1), { seq: 1 })).toEqual({
      t: 'res',
      id: 'call-1',
      ok: true,
      r: { taken: null },
    });
    expect(await test.call(client, 'actor.send', add(1), { seq: 1 })).toMatchObject({ ok: true, replayed: true });
    client = await again(test, { session: SESSION });
    expect(client.last('welcome')).toMatchObject({ session: { resumed: true, sequence: 1 } });
    expect(await test.call(client, 'actor.send', add(1), { seq: 1 })).toMatchObject({ ok: true, replayed: true });
    expect(await test.call(client, 'actor.send', add(10), { seq: 2 })).not.toHaveProperty('replayed');
    expect(countOf(test)).toBe(11);
    await test.stop();
  });

  it('has no gaps: the number of a refused send has to be used again', async () => {
    const test = await startGatewayTest();
    const client = await test.client({ session: SESSION });
    for (const [id, seq, event] of [
      ['a', 1, { type: 'add', by: 'x' }],
      ['b', 2, { type: 'add', by: 2 }],
      ['c', 1, { type: 'add', by: 1 }],
      ['d', 2, { type: 'add', by: 2 }],
    ] as const) {
      // All four before anything is answered.
      client.send({ t: 'req', id, m: 'actor.send', p: { address: 'visits', event }, seq });
    }
    await test.settle();
    const answers = ['a', 'b', 'c', 'd']
      .map((id) => client.last('res', id)!)
      .map((res) => (res['ok'] === true ? 'ok' : (res['e'] as { code: string }).code));
    expect(answers).toEqual(['BOSUN_EVENT_INVALID', 'BOSUN_SEQUENCE_GAP', 'ok', 'ok']);
    expect(client.last('res', 'b')).toMatchObject({ e: { details: { expected: 1 } } });
    expect(countOf(test)).toBe(3);
    await test.stop();
  });

  it('belongs to its caller: the same name of another caller is another session', async () => {
    const token = (id: string) => ({ id, token: `token-of-${id}-0123456789` });
    const test = await startGatewayTest({ tokens: [token('ada'), token('bob')] });
    const ada = await test.client({ session: SESSION, token: token('ada').token });
    await test.call(ada, 'actor.send', add(1), { seq: 1 });
    const bob = await test.client({ session: SESSION, token: token('bob').token });
    expect(bob.last('welcome')).toMatchObject({ session: { resumed: false, sequence: 0 } });
    expect(ada.closed).toBe(undefined);
    expect(await test.call(bob, 'actor.send', add(1), { seq: 1 })).not.toHaveProperty('replayed');
    expect(countOf(test)).toBe(2);
    await test.stop();
  });

  it('has one connection: the newest replaces the one before', async () => {
    const test = await startGatewayTest();
    const first = await test.client({ session: SESSION });
    await test.client({ session: SESSION });
    expect(first.closed).toMatchObject({ code: 4409 });
    await test.stop();
  });

  it('counts a send once that was in progress when the connection broke', async () => {
    const test = await startGatewayTest();
    const first = await test.client({ session: SESSION });
    const held = test.test.store.hold('before');
    first.send({ t: 'req', id: '1', m: 'actor.send', p: add(1), seq: 1 });
    await held.reached;
    first.drop();
    const second = new MemoryClient(test.gateway);
    second.hello({ session: SESSION });
    // Nothing settles while the write is held.
    await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    second.send({ t: 'req', id: '1', m: 'actor.send', p: add(1), seq: 1 });
    held.release();
    await test.settle();
    expect(second.last('res')).toMatchObject({ ok: true, replayed: true });
    expect(countOf(test)).toBe(1);
    await test.stop();
  });
});

describe('a key', () => {
  it('makes a send count once, also after a crash, and refuses a different event', async () => {
    const test = await startGatewayTest();
    let client = await test.client();
    await test.call(client, 'actor.send', add(1), { key: 'order 7' });
    client = await again(test);
    expect(await test.call(client, 'actor.send', add(1), { key: 'order 7' })).toMatchObject({
      ok: true,
      replayed: true,
    });
    expect(await test.call(client, 'actor.send', add(2), { key: 'order 7' })).toMatchObject({
      ok: false,
      e: { code: 'BOSUN_KEY_CONFLICT' },
    });
    expect(countOf(test)).toBe(1);
    await test.stop();
  });

  it('gives an ask its recorded reply, also after a crash, and refuses a different question', async () => {
    const test = await startGatewayTest();
    let client = await test.client();
    const question = { address: 'visits', event: { type: 'count' } };
    expect(await test.call(client, 'actor.ask', question, { key: 'q' })).toMatchObject({ r: { reply: 0 } });
    await test.call(client, 'actor.send', add(5));
    client = await again(test);
    expect(await test.call(client, 'actor.ask', question, { key: 'q' })).toMatchObject({ r: { reply: 0 } });
    expect(
      await test.call(client, 'actor.ask', { ...question, event: { type: 'count', again: true } }, { key: 'q' }),
    ).toMatchObject({ e: { code: 'BOSUN_KEY_CONFLICT' } });
    expect(await test.call(client, 'actor.ask', question)).toMatchObject({ r: { reply: 5 } });
    await test.stop();
  });

  it('belongs to its caller', async () => {
    const token = (id: string) => ({ id, token: `token-of-${id}-0123456789` });
    const test = await startGatewayTest({ tokens: [token('ada'), token('bob')] });
    for (const id of ['ada', 'bob']) {
      const client = await test.client({ token: token(id).token });
      expect(await test.call(client, 'actor.send', add(1), { key: 'same' })).not.toHaveProperty('replayed');
    }
    expect(countOf(test)).toBe(2);
    await test.stop();
  });

  it('gives a repeat of any other call the first answer, as long as it is remembered', async () => {
    const test = await startGatewayTest({ destructive: true });
    const client = await test.client();
    const order = { address: 'root', id: 'visits' };
    expect(await test.call(client, 'boss.terminateChild', order, { key: 'end' })).toMatchObject({ ok: true });
    expect(await test.call(client, 'boss.restartChild', order, { key: 'begin' })).toMatchObject({
      r: { address: 'visits' },
    });
    // Without the key it would be BOSUN_CHILD_RUNNING.
    expect(await test.call(client, 'boss.restartChild', order, { key: 'begin' })).toMatchObject({
      r: { address: 'visits' },
      replayed: true,
    });
    expect(await test.call(client, 'boss.terminateChild', order, { key: 'begin' })).toMatchObject({
      e: { code: 'BOSUN_KEY_CONFLICT' },
    });
    await test.stop();
  });
});

describe('a subscription that is resumed', () => {
  const cursorOf = (client: MemoryClient): Frame['at'] => [...client.of('snap'), ...client.of('delta')].at(-1)!['at'];

  it('is recovered without data if nothing was missed, also after a crash', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/visits' });
    await test.call(client, 'actor.send', add(1));
    const from = cursorOf(client);
    const second = await again(test);
    second.send({ t: 'sub', id: 's', topic: 'actor/visits', from });
    expect(second.last('snap')).toEqual({ t: 'snap', id: 's', at: from, recovered: true });
    await test.stop();
  });

  it.each([
    ['actor/visits', 'an actor'],
    ['tree', 'a tree'],
    ['dead-letters', 'dead letters'],
  ])('is not recovered and gets the whole state if a change of %s was missed', async (topic) => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic });
    await test.settle();
    const from = cursorOf(client);
    client.drop();
    const other = await test.client();
    for (let n = 0; n < 4; n++)
      await test.call(other, 'actor.send', n < 3 ? add(1) : { address: 'visits', event: { type: 'fail' } });
    await test.advance(60_000);
    await test.call(other, 'actor.send', { address: 'visits', event: { type: 'close' } });
    const third = await test.client();
    third.send({ t: 'sub', id: 's', topic, from });
    await test.settle();
    expect(third.last('snap')).toMatchObject({ recovered: false, d: expect.anything() as unknown });
    await test.stop();
  });

  it('gets the events that it missed in the same run, and is not recovered after a crash', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/visits', mode: 'events' });
    const { at: from } = client.last('snap')! as { at: object };
    client.drop();
    const other = await test.client();
    await test.call(other, 'actor.send', add(1));
    const second = await test.client();
    second.send({ t: 'sub', id: 's', topic: 'actor/visits', mode: 'events', from });
    await test.settle();
    expect(second.last('snap')).toMatchObject({ recovered: true });
    expect(second.of('evt')).toMatchObject([{ e: { type: 'counted', count: 1 } }]);
    const third = await again(test);
    third.send({ t: 'sub', id: 's', topic: 'actor/visits', mode: 'events', from });
    expect(third.last('snap')).toMatchObject({ recovered: false });
    await test.stop();
  });

  it('does not recover events after two minutes without a listener', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/visits', mode: 'events' });
    const { at: from } = client.last('snap')! as { at: object };
    client.drop();
    await test.advance(120_000);
    const second = await test.client();
    second.send({ t: 'sub', id: 's', topic: 'actor/visits', mode: 'events', from });
    expect(second.last('snap')).toMatchObject({ recovered: false });
    await test.stop();
  });
});
