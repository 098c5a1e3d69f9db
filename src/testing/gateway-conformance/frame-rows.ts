/**
 * Conformance rows about single frames and calls: frames to send and expected answers, as data. Rows with several
 * connections are in stories.ts.
 */
import { type Frame } from './peer.ts';
import { checkClosed, checkFits, fits, type Need, type Row, type Stage } from './stage.ts';

/** Placeholders in frames for the addresses of the row's probe, and of a second one. */
const A = '$a';
const B = '$b';

interface Exchange {
  /**
   * Frames to send in order. Each waits for the answer to the one before, unless that one is marked {@link unanswered}.
   */
  readonly send: readonly object[];
  /** Patterns of all frames after welcome, in order for each id. */
  readonly expect: readonly object[];
  readonly greets?: boolean;
  readonly closes?: number;
}

const ok = (id: string, r: unknown) => ({ t: 'res', id, ok: true, r });
const no = (id: string, code: string, more: object = {}) => ({ t: 'res', id, ok: false, e: { code, ...more } });
const req = (id: string, m: string, p: object = {}, more: object = {}) => ({ t: 'req', id, m, p, ...more });
const add = (by: number) => ({ address: A, event: { type: 'add', by } });
const close = { address: A, event: { type: 'close' } };
const count = { address: A, event: { type: 'count' } };
const waitClosed = { address: A, value: 'closed' };
const err = (code: string) => ({ t: 'err', e: { code } });
const sub = (id: string, topic: string, more: object = {}) => ({ t: 'sub', id, topic, ...more });
const ended = (id: string, code: string) => ({ t: 'end', id, e: { code } });
const snap = (id: string, more: object = {}) => ({ t: 'snap', id, ...more });

/** Marks a frame as unanswered: the next frame is sent at once. */
const isUnanswered = Symbol('unanswered');
const unanswered = (frame: object) => ({ ...frame, [isUnanswered]: true });

/** Makes a row. It needs a probe if its frames contain the address of one. */
function row(rule: string, exchange: Exchange): Row {
  const needs = JSON.stringify(exchange.send).includes(A) ? 'probe' : 'nothing';
  return { rule, needs, play: (stage) => play(stage, needs, exchange) };
}

async function play(stage: Stage, needs: Need, { send, expect, greets = true, closes }: Exchange): Promise<void> {
  const places = needs === 'probe' ? { [A]: await stage.probe(), [B]: await stage.probe() } : {};
  const peer = await stage.open(greets ? {} : { hello: false });
  const named = <T>(value: T): T =>
    JSON.parse(
      Object.entries(places).reduce((text, [name, address]) => text.replaceAll(name, address), JSON.stringify(value)),
    ) as T;
  const wanted = named(expect) as readonly Frame[];
  const came: Frame[] = [];
  for (const frame of send) {
    const { t, id } = frame as { t?: string; id?: string };
    await peer.send(named(frame));
    if (isUnanswered in frame || (t !== 'req' && t !== 'sub') || closes !== undefined) continue;
    came.push(
      await peer.next(
        (answer) => answer.id === id && ['res', 'snap', 'end'].includes(String(answer.t)),
        `an answer to ${JSON.stringify(frame)}`,
      ),
    );
  }
  if (closes !== undefined) {
    await checkClosed(peer, closes);
    came.push(...peer.frames.filter(({ t }) => t !== 'welcome'));
  } else {
    while (came.length < wanted.length)
      came.push(await peer.next(() => true, `${wanted.length - came.length} more frames`));
    came.push(...(await peer.rest()));
  }
  const ids = new Set([...came, ...wanted].map(({ id }) => id));
  for (const id of ids)
    checkFits(
      came.filter((frame) => frame.id === id),
      wanted.filter((frame) => frame.id === id),
    );
}

const INVALID = 'BOSUN_CALL_INVALID';

export const FRAME_ROWS: readonly Row[] = [
  row('a frame before hello closes', { greets: false, send: [{ t: 'ping' }], expect: [err(INVALID)], closes: 4400 }),
  row('another version of hello closes', {
    greets: false,
    send: [{ t: 'hello', v: 2 }],
    expect: [err(INVALID)],
    closes: 4400,
  }),
  row('a second hello closes', { send: [{ t: 'hello', v: 1 }], expect: [err(INVALID)], closes: 4400 }),
  row('a frame of an unknown kind closes', { send: [{ t: 'launch' }], expect: [err(INVALID)], closes: 4400 }),
  row('unknown fields are ignored', { send: [{ t: 'ping', later: true }], expect: [{ t: 'pong' }] }),
  row('a method that is not there is refused', { send: [req('1', 'actor.fly')], expect: [no('1', INVALID)] }),
  row('parameters that do not fit are refused', {
    send: [req('1', 'actor.get', { address: 7 })],
    expect: [no('1', INVALID)],
  }),
  row('a call whose frame is wrong is answered, and the connection stays', {
    send: [{ t: 'req', id: '1', m: 7 }, { t: 'ping' }],
    expect: [no('1', INVALID), { t: 'pong' }],
  }),
  row('a sequence needs a session', {
    send: [req('1', 'actor.send', { address: 'root', event: { type: 'x' } }, { seq: 1 })],
    expect: [no('1', INVALID)],
  }),
  row('a topic that is not there ends', { send: [sub('s', 'weather')], expect: [ended('s', INVALID)] }),
  row('events have to be asked for by their mode', { send: [sub('s', 'events/**')], expect: [ended('s', INVALID)] }),
  row('a call is answered by its id', {
    send: [req('1', 'actor.send', add(1))],
    expect: [ok('1', { taken: null })],
  }),
  row('calls are answered each by its own id', {
    send: [unanswered(req('1', 'actor.get', { address: A })), req('2', 'actor.get', { address: B })],
    expect: [ok('1', { address: A }), ok('2', { address: B })],
  }),
  row('a send is answered when it is durable', {
    send: [req('1', 'actor.send', add(2)), req('2', 'actor.ask', count)],
    expect: [ok('1', { taken: null }), ok('2', { reply: 2 })],
  }),
  row('a send until taken says that the state took it', {
    send: [req('1', 'actor.send', { ...add(1), until: 'taken' })],
    expect: [ok('1', { taken: true })],
  }),
  row('a send until taken is refused if the state takes no such event, and told what it takes', {
    send: [req('1', 'actor.send', { ...close, until: 'taken' }), req('2', 'actor.send', { ...add(1), until: 'taken' })],
    expect: [ok('1', { taken: true }), no('2', 'BOSUN_EVENT_NOT_TAKEN', { details: { accepts: ['count', 'end'] } })],
  }),
  row('a send without that never says so', {
    send: [req('1', 'actor.send', close), req('2', 'actor.send', add(1))],
    expect: [ok('1', { taken: null }), ok('2', { taken: null })],
  }),
  row('many sends are answered once, with those that were refused by index', {
    send: [req('1', 'actor.sendMany', { sends: [add(1), { address: A, event: { type: 'add', by: 'x' } }, add(1)] })],
    expect: [
      no('1', 'BOSUN_SENDS_REFUSED', { details: { refused: [{ index: 1, error: { code: 'BOSUN_EVENT_INVALID' } }] } }),
    ],
  }),
  row('an ask is answered with the reply', {
    send: [req('1', 'actor.ask', count)],
    expect: [ok('1', { reply: 0 })],
  }),
  row('an ask that the state does not take is refused at once', {
    send: [
      req('1', 'actor.send', { ...close, until: 'taken' }),
      req('2', 'actor.ask', { address: A, event: { type: 'add', by: 1 } }),
    ],
    expect: [ok('1', { taken: true }), no('2', 'BOSUN_EVENT_NOT_TAKEN')],
  }),
  row('an event that is not declared is refused', {
    send: [req('1', 'actor.send', { address: A, event: { type: 'explode' } })],
    expect: [no('1', 'BOSUN_EVENT_REFUSED')],
  }),
  row('an event of the runtime is refused', {
    send: [
      req('1', 'actor.send', { address: A, event: { type: 'xstate.stop' } }),
      req('2', 'actor.get', { address: A }),
    ],
    expect: [no('1', 'BOSUN_EVENT_REFUSED'), ok('2', { status: 'active' })],
  }),
  row('an event that does not fit its schema is refused', {
    send: [req('1', 'actor.send', { address: A, event: { type: 'add', by: 'much' } })],
    expect: [no('1', 'BOSUN_EVENT_INVALID')],
  }),
  row('an actor that is not there is refused', {
    send: [req('1', 'actor.get', { address: `${A}-nobody` })],
    expect: [no('1', 'BOSUN_ACTOR_UNKNOWN')],
  }),
  row('an id that is in use is refused', {
    send: [unanswered(req('1', 'actor.wait', waitClosed)), req('1', 'actor.get', { address: A })],
    expect: [no('1', INVALID)],
  }),
  row('a wait is answered when the actor looks so', {
    send: [unanswered(req('1', 'actor.wait', waitClosed)), req('2', 'actor.send', close)],
    expect: [ok('1', { value: 'closed' }), ok('2', { taken: null })],
  }),
  row('a wait can be taken back', {
    send: [unanswered(req('1', 'actor.wait', waitClosed)), { t: 'cancel', id: '1' }],
    expect: [no('1', 'BOSUN_CALL_CANCELLED')],
  }),
  row('a call that takes longer than its deadline is answered', {
    send: [req('1', 'actor.wait', waitClosed, { deadlineMs: 50 })],
    expect: [no('1', 'BOSUN_TIMEOUT')],
  }),
  row('a key makes a repeat count once', {
    send: [
      req('1', 'actor.send', add(5), { key: A }),
      req('2', 'actor.send', add(5), { key: A }),
      req('3', 'actor.ask', count),
    ],
    expect: [ok('1', { taken: null }), { ...ok('2', { taken: null }), replayed: true }, ok('3', { reply: 5 })],
  }),
  row('a key for another request is refused', {
    send: [req('1', 'actor.send', add(5), { key: A }), req('2', 'actor.send', add(6), { key: A })],
    expect: [ok('1', { taken: null }), no('2', 'BOSUN_KEY_CONFLICT')],
  }),
  row('a key gives a repeated ask the recorded reply', {
    send: [
      req('1', 'actor.ask', count, { key: A }),
      req('2', 'actor.send', add(1)),
      req('3', 'actor.ask', count, { key: A }),
    ],
    expect: [ok('1', { reply: 0 }), ok('2', { taken: null }), ok('3', { reply: 0 })],
  }),
  row('a secret is shown nowhere', {
    send: [
      req('1', 'actor.send', { address: A, event: { type: 'keep', pin: 'swordfish' }, until: 'taken' }),
      req('2', 'actor.get', { address: A }),
    ],
    expect: [ok('1', { taken: true }), ok('2', { context: { count: 0, pin: '[secret]' } })],
  }),
  row('a subscription begins with a snapshot of what the actor is', {
    send: [sub('s', `actor/${A}`)],
    expect: [snap('s', { recovered: false, d: { value: 'open', tags: ['ready'], context: { count: 0 } } })],
  }),
  row('a subscription to nobody ends', {
    send: [sub('s', `actor/${A}-nobody`)],
    expect: [ended('s', 'BOSUN_ACTOR_UNKNOWN')],
  }),
  row('a subscription that was ended sends nothing', {
    send: [sub('s', `actor/${A}`), { t: 'unsub', id: 's' }, req('1', 'actor.send', { ...add(1), until: 'taken' })],
    expect: [snap('s'), ok('1', { taken: true })],
  }),
  row('an id of a subscription that is open is refused', {
    send: [sub('s', `actor/${A}`), sub('s', `actor/${B}`)],
    expect: [snap('s'), ended('s', INVALID)],
  }),
  row('events come in order, each with its cursor', {
    send: [sub('s', `events/${A}`, { mode: 'events' }), req('1', 'actor.send', add(1)), req('2', 'actor.send', add(1))],
    expect: [
      snap('s'),
      ok('1', { taken: null }),
      ok('2', { taken: null }),
      { t: 'evt', id: 's', address: A, e: { type: 'counted', count: 1 } },
      { t: 'evt', id: 's', address: A, e: { type: 'counted', count: 2 } },
    ],
  }),
];

/** Whether an error has the fields that the protocol requires of every error. */
export function isError(body: unknown, code: string): boolean {
  const { error } = (body ?? {}) as { error?: { message?: unknown; retryable?: unknown } };
  return fits(body, { error: { code } }) && typeof error?.message === 'string' && typeof error.retryable === 'boolean';
}
