/** Acknowledgements of many sends at once: the sends that they cover, the exceptions, and the clients that get them. */
import { describe, expect, it } from 'vitest';
import { CALL_MS, CALLS_IN_FLIGHT_MAX } from '../../../src/gateway/limits.ts';
import { Repeats } from '../../../src/gateway/calls/repeats.ts';
import { type Caller } from '../../../src/gateway/callers/callers.ts';
import { type Shard } from '../../../src/shard.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const SESSION = 'a-session-of-22-chars-';
const ACKS = { session: SESSION, acks: true };
const UNBOUND = { rate: { burst: 1e9, perSecond: 1e9 } };

function send(
  client: MemoryClient,
  seq: number,
  more: { by?: unknown; address?: string; p?: object; frame?: object } = {},
): void {
  const { by = 1, address = 'visits', p, frame } = more;
  client.send({
    t: 'req',
    id: `s${seq}`,
    m: 'actor.send',
    seq,
    p: { address, event: { type: 'add', by }, ...p },
    ...frame,
  });
}

/** Answers since the welcome, each as a word or two. */
function answersOf(client: MemoryClient): string[] {
  return client.frames.flatMap((frame) => {
    if (frame.t === 'ack') return [`ack ${frame.seq}`];
    if (frame.t !== 'res') return [];
    const what = frame.ok ? (frame.replayed === true ? 'replayed' : 'ok') : frame.e.code.replace('BOSUN_', '');
    return [`${frame.id} ${what}`];
  });
}

const countOf = (test: GatewayTest) => (test.test.shard.snapshot('visits')?.context as { count: number }).count;

describe('a client that asks for acknowledgements by sequence', () => {
  it('gets one acknowledgement for all sends that become durable together, and none earlier', async () => {
    const test = await startGatewayTest();
    const client = await test.client(ACKS);
    const held = test.test.store.hold('before');
    for (const seq of [1, 2, 3]) send(client, seq);
    await held.reached;
    expect([answersOf(client), client.connection.inFlight]).toEqual([[], 3]);
    held.release();
    await test.settle();
    expect([answersOf(client), client.connection.inFlight]).toEqual([['ack 3'], 0]);
    await test.crash();
    await test.restart();
    expect(countOf(test)).toBe(3);
    await test.stop();
  });

  it('is told once of an epoch in which its sends stand between those of another client (F17)', async () => {
    const test = await startGatewayTest();
    const [client, other] = [await test.client(ACKS), await test.client({ ...ACKS, session: `${SESSION}2` })];
    const first = test.test.store.hold('before');
    send(client, 1);
    send(other, 1);
    send(client, 2);
    await first.reached;
    for (const seq of [3, 4]) send(client, seq);
    const second = test.test.store.hold('before');
    first.release();
    await second.reached;
    expect([answersOf(client), client.connection.inFlight]).toEqual([['ack 2'], 2]);
    send(client, 5);
    second.release();
    await test.settle();
    expect(answersOf(client)).toEqual(['ack 2', 'ack 4', 'ack 5']);
    expect(countOf(test)).toBe(6);
    await test.stop();
  });

  it('is told of each refused send before the acknowledgement that covers its number', async () => {
    const test = await startGatewayTest();
    const client = await test.client(ACKS);
    send(client, 1);
    send(client, 2, { by: 'x' });
    send(client, 2, { address: 'nobody', frame: { id: 'other' } });
    send(client, 3, { frame: { id: 'gap' } });
    send(client, 2, { frame: { id: 'again' } });
    send(client, 3);
    await test.settle();
    expect(answersOf(client)).toEqual(['s2 EVENT_INVALID', 'other ACTOR_UNKNOWN', 'gap SEQUENCE_GAP', 'ack 3']);
    expect(countOf(test)).toBe(3);
    await test.stop();
  });

  it('gets a separate answer for a send until taken, a repeat, a send with a key, and any other call', async () => {
    const test = await startGatewayTest();
    const client = await test.client(ACKS);
    send(client, 1);
    send(client, 2, { p: { until: 'taken' } });
    send(client, 3);
    send(client, 3, { frame: { id: 'repeat' } });
    send(client, 4, { p: { ifSequence: 0 } });
    client.send({
      t: 'req',
      id: 'key',
      m: 'actor.send',
      key: 'k',
      p: { address: 'visits', event: { type: 'add', by: 1 } },
    });
    client.send({ t: 'req', id: 'get', m: 'actor.get', p: { address: 'visits' } });
    await test.settle();
    const answers = answersOf(client);
    expect(answers.indexOf('repeat replayed')).toBeLessThan(answers.indexOf('ack 3'));
    expect(answers.toSorted()).toEqual(['ack 3', 'get ok', 'key ok', 'repeat replayed', 's2 ok', 's4 ACTOR_CHANGED']);
    expect(client.last('res', 's2')).toMatchObject({ r: { taken: true } });
    expect(countOf(test)).toBe(4);
    await test.stop();
  });

  it('is told once of a send that timed out or was cancelled, and gets no acknowledgement for it later', async () => {
    const test = await startGatewayTest();
    const client = await test.client(ACKS);
    const held = test.test.store.hold('before');
    send(client, 1);
    send(client, 2, { frame: { deadlineMs: 100 } });
    send(client, 3);
    client.send({ t: 'cancel', id: 's3' });
    await held.reached;
    await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    expect(answersOf(client)).toEqual(['s3 CALL_CANCELLED']);
    const passing = test.test.clock.advance(100, () => new Promise((resolve) => test.test.clock.defer(resolve)));
    await passing;
    expect(client.last('res', 's2')).toMatchObject({ e: { code: 'BOSUN_TIMEOUT', details: { unknownOutcome: true } } });
    await test.test.clock.advance(CALL_MS, () => new Promise((resolve) => test.test.clock.defer(resolve)));
    expect([answersOf(client), client.connection.inFlight]).toEqual([
      ['s3 CALL_CANCELLED', 's2 TIMEOUT', 's1 TIMEOUT'],
      0,
    ]);
    held.release();
    await test.settle();
    send(client, 4);
    await test.settle();
    expect(answersOf(client).slice(3)).toEqual(['ack 4']);
    expect(countOf(test)).toBe(4);
    await test.stop();
  });

  it('obeys the rules of calls: the number of calls in flight, the scope, and a new id for each', async () => {
    const test = await startGatewayTest(UNBOUND);
    const client = await test.client(ACKS);
    for (let seq = 1; seq <= CALLS_IN_FLIGHT_MAX + 1; seq++) send(client, seq);
    expect(answersOf(client)).toEqual([`s${CALLS_IN_FLIGHT_MAX + 1} GATEWAY_FULL`]);
    await test.settle();
    send(client, CALLS_IN_FLIGHT_MAX + 1);
    send(client, CALLS_IN_FLIGHT_MAX + 2, { frame: { id: `s${CALLS_IN_FLIGHT_MAX + 1}` } });
    await test.settle();
    expect(answersOf(client).slice(1)).toEqual([
      `ack ${CALLS_IN_FLIGHT_MAX}`,
      `s${CALLS_IN_FLIGHT_MAX + 1} CALL_INVALID`,
      `ack ${CALLS_IN_FLIGHT_MAX + 1}`,
    ]);
    await test.stop();
    const token = 'token-of-ada-0123456789';
    const closed = await startGatewayTest({ tokens: [{ id: 'ada', token, scopes: ['actor:read'] }] });
    const ada = await closed.client({ ...ACKS, token });
    send(ada, 1);
    expect(answersOf(ada)).toEqual(['s1 FORBIDDEN']);
    await closed.stop();
  });

  it('is told of every open send when the system closes before they are durable', async () => {
    const test = await startGatewayTest();
    const client = await test.client(ACKS);
    test.test.store.failWrites(Infinity);
    send(client, 1);
    send(client, 2);
    await test.test.shard.stop();
    expect(answersOf(client).map((answer) => answer.split(' ')[0])).toEqual(['s1', 's2']);
    expect(client.connection.inFlight).toBe(0);
    test.gateway.abandon();
  });

  it('gets one answer per repeat after a break, and one acknowledgement for all new sends', async () => {
    const test = await startGatewayTest();
    const first = await test.client(ACKS);
    for (const seq of [1, 2]) send(first, seq);
    first.drop();
    const second = await test.client(ACKS);
    for (const seq of [1, 2, 3, 4]) send(second, seq);
    await test.settle();
    expect(answersOf(second)).toEqual(['s1 replayed', 's2 replayed', 'ack 4']);
    expect(countOf(test)).toBe(4);
    await test.stop();
  });
});

describe('a client without acknowledgements by sequence', () => {
  it.each([
    ['it has a session', { session: SESSION }],
    ['it asks for them, but has no session', { acks: true }],
  ])('gets one answer for each send if %s', async (_, hello) => {
    const test = await startGatewayTest();
    const client = await test.client(hello);
    for (const id of ['a', 'b'])
      client.send({
        t: 'req',
        id,
        m: 'actor.send',
        p: { address: 'visits', event: { type: 'add', by: 1 } },
        ...('session' in hello && { seq: id === 'a' ? 1 : 2 }),
      });
    await test.settle();
    expect(answersOf(client)).toEqual(['a ok', 'b ok']);
    expect(client.last('res', 'b')).toEqual({ t: 'res', id: 'b', ok: true, r: { taken: null } });
    await test.stop();
  });
});

describe('the number of a send that is refused after it was taken in', () => {
  const CALLER = { id: 'ada' } as Caller;

  it('can be used again, even while earlier sends are in progress', async () => {
    const repeats = new Repeats({ lastSequence: () => 4 } as unknown as Shard);
    let tell = (): void => {};
    const first = repeats.sequenced(
      CALLER,
      { id: SESSION, sequence: 5 },
      () => new Promise<void>((done) => (tell = done)),
    );
    await expect(
      repeats.sequenced(CALLER, { id: SESSION, sequence: 6 }, () => Promise.reject(new Error('gone'))),
    ).rejects.toThrow('gone');
    expect(repeats.lastSequence(CALLER, SESSION)).toBe(5);
    tell();
    await first;
    expect(repeats.lastSequence(CALLER, SESSION)).toBe(4);
  });
});
