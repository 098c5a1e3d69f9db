/**
 * Conformance rows with more than one connection, or over HTTP: sessions, cursors, patches, the HTTP twins, admission.
 */
import { patched } from '../../gateway/protocol/patch.ts';
import { isError } from './frame-rows.ts';
import { type Frame, type Peer } from './peer.ts';
import { check, checkClosed, checkFits, type Need, type Row, type Stage } from './stage.ts';

const add = (address: string, by = 1) => ({ address, event: { type: 'add', by } });
const newSession = () => crypto.randomUUID().replaceAll('-', '');
const isOf = (t: string) => (frame: Frame) => frame.t === t;

/** Subscribes to a topic and returns the first frame. */
async function begun(peer: Peer, topic: string, more: object = {}): Promise<Frame> {
  await peer.send({ t: 'sub', id: 's', topic, ...more });
  return peer.next(({ t, id }) => id === 's' && (t === 'snap' || t === 'end'), `the snapshot of ${topic}`);
}

async function counted(stage: Stage, address: string): Promise<unknown> {
  const { body } = await stage.http(`/v1/actors/${address}`);
  return (body as { context?: { count?: unknown } } | undefined)?.context?.count;
}

function row(rule: string, needs: Need, play: Row['play']): Row {
  return { rule, needs, play };
}

/** Makes a row that has a new actor for itself. */
function withProbe(rule: string, play: (stage: Stage, address: string) => Promise<void>): Row {
  return row(rule, 'probe', async (stage) => play(stage, await stage.probe()));
}

/** Makes a row about one request that the server refuses with a given status. */
function refused(rule: string, wanted: number, path: string, request: Parameters<Stage['http']>[1] = {}): Row {
  return row(rule, 'nothing', async (stage) => {
    const { status } = await stage.http(path, request);
    check(status === wanted, () => `it was answered with ${status}`);
  });
}

const SESSIONS: readonly Row[] = [
  withProbe('a send of a session that is repeated counts once, also on another connection', async (stage, address) => {
    const session = newSession();
    const first = await stage.open({ hello: { session } });
    checkFits(first.frames[0], { t: 'welcome', session: { resumed: false, sequence: 0 } });
    checkFits(await first.call('1', 'actor.send', add(address, 2), { seq: 1 }), { ok: true });
    first.leave();
    const second = await stage.open({ hello: { session } });
    checkFits(second.frames[0], { t: 'welcome', session: { resumed: true, sequence: 1 } });
    checkFits(await second.call('1', 'actor.send', add(address, 2), { seq: 1 }), { ok: true, replayed: true });
    checkFits(await second.call('2', 'actor.send', { ...add(address, 1), until: 'taken' }, { seq: 2 }), { ok: true });
    check((await counted(stage, address)) === 3, () => 'the repeat was counted again, or a send was lost');
  }),
  withProbe('a sequence that leaves one out is refused with the one that is expected', async (stage, address) => {
    const peer = await stage.open({ hello: { session: newSession() } });
    checkFits(await peer.call('1', 'actor.send', add(address), { seq: 2 }), {
      ok: false,
      e: { code: 'BOSUN_SEQUENCE_GAP', details: { expected: 1 } },
    });
    checkFits(await peer.call('2', 'actor.send', add(address), { seq: 1 }), { ok: true });
  }),
  withProbe('sends may be answered by number, and the refused ones by themselves', async (stage, address) => {
    const peer = await stage.open({ hello: { session: newSession(), acks: true } });
    const send = (id: string, seq: number, by: unknown) =>
      peer.send({ t: 'req', id, m: 'actor.send', p: { address, event: { type: 'add', by } }, seq });
    await send('1', 1, 1);
    await send('wrong', 2, 'x');
    const refusal = await peer.next(({ t, id }) => t === 'res' && id === 'wrong', 'the refusal');
    checkFits(refusal, { ok: false, e: { code: 'BOSUN_EVENT_INVALID' } });
    await send('2', 2, 1);
    const isAnswered = (seq: number) =>
      peer.frames.some((frame) => (frame.t === 'ack' ? Number(frame['seq']) >= seq : frame['id'] === `${seq}`));
    await peer.until(() => isAnswered(1) && isAnswered(2), 'the answers to both sends');
    checkFits(await peer.call('3', 'actor.send', { ...add(address), until: 'taken' }, { seq: 3 }), { ok: true });
    check((await counted(stage, address)) === 3, () => 'a send was lost, or counted twice');
  }),
  row('another connection of a session closes the older one', 'nothing', async (stage) => {
    const session = newSession();
    const older = await stage.open({ hello: { session } });
    await stage.open({ hello: { session } });
    await checkClosed(older, 4409);
  }),
];

const CURSORS: readonly Row[] = [
  withProbe('deltas add up to the view, each after the one before', async (stage, address) => {
    const peer = await stage.open();
    const first = await begun(peer, `actor/${address}`);
    let view: unknown = first['d'];
    let seq = (first['at'] as { seq: number }).seq;
    for (const by of [1, 2, 3]) await peer.call(`a${by}`, 'actor.send', { ...add(address, by), until: 'taken' });
    while ((view as { context: { count: number } }).context.count !== 6) {
      const delta = await peer.next(({ t }) => t === 'delta' || t === 'lag', 'a delta');
      if (delta.t === 'lag') continue;
      check(delta['prev'] === seq, () => `a delta follows ${String(delta['prev'])}, and the one before it was ${seq}`);
      view = patched(view, delta['ops'] as Parameters<typeof patched>[1]);
      seq = (delta['at'] as { seq: number }).seq;
    }
    const { body } = await stage.http(`/v1/actors/${address}`);
    check(
      JSON.stringify(view) === JSON.stringify(body),
      () => `the patched view is ${JSON.stringify(view)}, and the actor ${JSON.stringify(body)}`,
    );
  }),
  withProbe('the tree is a topic', async (stage, address) => {
    const { d } = await begun(await stage.open(), 'tree');
    checkFits(d, { address: 'root' });
    check(JSON.stringify(d).includes(JSON.stringify(address)), () => 'an actor that was started before is not in it');
  }),
  withProbe('a view that has not changed is recovered, and not sent again', async (stage, address) => {
    const { at } = await begun(await stage.open(), `actor/${address}`);
    const again = await begun(await stage.open(), `actor/${address}`, { from: at });
    checkFits(again, { recovered: true });
    check(!('d' in again), () => 'the view was sent again');
  }),
  withProbe('a view that has changed is not recovered, and is sent', async (stage, address) => {
    const { at } = await begun(await stage.open(), `actor/${address}`);
    const other = await stage.open();
    await other.call('1', 'actor.send', { ...add(address), until: 'taken' });
    checkFits(await begun(other, `actor/${address}`, { from: at }), {
      recovered: false,
      d: { context: { count: 1 } },
    });
  }),
  withProbe('events that were missed follow, once and in order', async (stage, address) => {
    const first = await stage.open();
    await begun(first, `events/${address}`, { mode: 'events' });
    const sender = await stage.open();
    await sender.call('1', 'actor.send', add(address));
    const { at } = await first.next(isOf('evt'), 'an event');
    first.leave();
    await first.end();
    for (const id of ['2', '3']) await sender.call(id, 'actor.send', { ...add(address), until: 'taken' });
    const second = await stage.open();
    checkFits(await begun(second, `events/${address}`, { mode: 'events', from: at }), { recovered: true });
    const missed = [await second.next(isOf('evt'), 'a missed event'), await second.next(isOf('evt'), 'a missed event')];
    checkFits(
      missed.map(({ e }) => e),
      [{ count: 2 }, { count: 3 }],
    );
    check((await second.rest()).length === 0, () => 'more came than was missed');
  }),
];

const HTTP: readonly Row[] = [
  row('health, readiness and the documents are there for anybody', 'nothing', async (stage) => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/asyncapi.json']) {
      const { status, body } = await stage.http(path, { token: null });
      check(status === 200 && typeof body === 'object', () => `${path} was answered with ${status}`);
    }
  }),
  row('an error has its status, its code and whether trying again makes sense', 'nothing', async (stage) => {
    const unknown = await stage.http('/v1/launch');
    check(
      unknown.status === 400 && isError(unknown.body, 'BOSUN_CALL_INVALID'),
      () => `an unknown path was answered with ${unknown.status} ${JSON.stringify(unknown.body)}`,
    );
  }),
  refused('a token in an address is refused', 400, '/v1/tree?token=a-long-random-secret'),
  refused('a page of a foreign origin is turned away', 403, '/v1/tree', {
    headers: { Origin: 'https://elsewhere.example' },
  }),
  refused('a body that a form could send is refused', 400, '/v1/actors/root/send', {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain' },
    body: '{"event":{"type":"x"}}',
  }),
  withProbe('the twin of a call does the same, and a key makes a repeat count once', async (stage, address) => {
    const send = () =>
      stage.post(
        `/v1/actors/${address}/send`,
        { event: { type: 'add', by: 4 }, until: 'taken' },
        { 'Idempotency-Key': address },
      );
    checkFits(await send(), { status: 200, body: { taken: true } });
    const repeat = await send();
    checkFits(repeat, { status: 200 });
    check(repeat.headers.get('Bosun-Replayed') === 'true', () => 'the repeat is not said to be one');
    check((await counted(stage, address)) === 4, () => 'the repeat was counted again');
    const { r } = await (await stage.open()).call('1', 'actor.get', { address });
    checkFits((await stage.http(`/v1/actors/${address}`)).body, r);
  }),
  withProbe('refusals have their statuses', async (stage, address) => {
    const statuses = [
      await stage.http(`/v1/actors/${address}-nobody`),
      await stage.post(`/v1/actors/${address}/send`, { event: { type: 'explode' } }),
      await stage.post(`/v1/actors/${address}/send`, { event: { type: 'add', by: 'much' } }),
    ].map(({ status }) => status);
    checkFits(statuses, [404, 403, 400]);
  }),
  withProbe('server-sent events are a subscription, and their ids are cursors', async (stage, address) => {
    const path = `/v1/events?topic=actor/${address}`;
    const [first] = await stage.stream(path, 1);
    const id = /^id: (.*)$/m.exec(first ?? '')?.[1];
    check(id !== undefined && first!.includes('"snap"'), () => `the first event was ${first}`);
    const [again] = await stage.stream(path, 1, { 'Last-Event-ID': id });
    check(/"recovered":true/.test(again ?? ''), () => `with its cursor it was ${again}`);
  }),
];

const DOOR: readonly Row[] = [
  row('hello is answered by welcome, which says what there is to know', 'nothing', async (stage) => {
    const [welcome] = (await stage.open()).frames;
    checkFits(welcome, { t: 'welcome', v: 1, session: null });
    const { heartbeat, limits, principal, nowMs } = welcome as Readonly<
      Record<string, Readonly<Record<string, unknown>>>
    >;
    const numbers = [
      heartbeat?.['everyMs'],
      heartbeat?.['timeoutMs'],
      limits?.['frameBytes'],
      limits?.['inFlight'],
      limits?.['subscriptions'],
      limits?.['perSecond'],
      limits?.['burst'],
      nowMs,
    ];
    check(
      numbers.every((number) => typeof number === 'number'),
      () => `welcome lacks numbers: ${JSON.stringify(welcome)}`,
    );
    check(
      typeof principal?.['id'] === 'string' &&
        Array.isArray(principal['scopes']) &&
        Array.isArray(principal['addresses']),
      () => `welcome names no caller: ${JSON.stringify(principal)}`,
    );
  }),
  row('text that is no JSON closes', 'nothing', async (stage) => {
    const peer = await stage.open();
    await peer.raw('{"t":');
    await checkClosed(peer, 4400);
  }),
  row('a subprotocol that is not spoken is told so by a close', 'nothing', async (stage) => {
    await checkClosed(await stage.open({ hello: false, subprotocol: 'bosun.v999.json' }), 4406);
  }),
  row('a frame over the bound that welcome names is not taken', 'nothing', async (stage) => {
    const peer = await stage.open();
    const { frameBytes } = (peer.frames[0] as { limits?: { frameBytes?: number } }).limits ?? {};
    check(
      Number.isSafeInteger(frameBytes) && frameBytes! <= 64 * 1024 * 1024,
      () => `welcome names no bound of a frame: ${frameBytes}`,
    );
    await peer.raw(JSON.stringify({ t: 'ping', pad: 'x'.repeat(frameBytes!) }));
    check([1009, 4400].includes(await peer.end()), () => `the connection was closed with ${peer.closed!.code}`);
  }),
  row('a connection without a token is closed so that a page can tell', 'tokens', async (stage) => {
    const peer = await stage.open({ hello: false, token: null });
    await peer.send({ t: 'hello', v: 1 });
    await checkClosed(peer, 4401);
  }),
  row('a request without a token, or with a wrong one, is answered with 401', 'tokens', async (stage) => {
    for (const token of [null, 'not-a-token-of-anybody']) {
      const { status, headers } = await stage.http('/v1/tree', { token });
      check(status === 401 && headers.get('WWW-Authenticate') === 'Bearer', () => `it was answered with ${status}`);
    }
  }),
];

export const STORIES: readonly Row[] = [...DOOR, ...SESSIONS, ...CURSORS, ...HTTP];
