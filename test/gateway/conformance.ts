/**
 * The protocol, frame by frame: what a client sends and what it has to get. Data only. Frames of one id come in their order;
 * across ids there is none. It speaks to the agents of shop.ts.
 */

export interface Row {
  readonly rule: string;
  /** Sent in order; `hello` is sent before, unless `greets` is false. */
  readonly send: readonly object[];
  readonly greets?: false;
  /** What comes after welcome, in part. */
  readonly expect: readonly object[];
  readonly closes?: number;
}

const ok = (id: string, r: unknown) => ({ t: 'res', id, ok: true, r });
const no = (id: string, code: string) => ({ t: 'res', id, ok: false, e: { code } });
const req = (id: string, m: string, p: object = {}, more: object = {}) => ({ t: 'req', id, m, p, ...more });
const add = (by: number) => ({ address: 'visits', event: { type: 'add', by } });
const err = (code: string) => ({ t: 'err', e: { code } });

export const ROWS: readonly Row[] = [
  { rule: 'hello is answered by welcome', greets: false, send: [{ t: 'hello', v: 1 }], expect: [{ t: 'welcome', v: 1, session: null, principal: { id: 'local' } }] },
  { rule: 'a frame before hello closes', greets: false, send: [{ t: 'ping' }], expect: [err('BOSUN_CALL_INVALID')], closes: 4400 },
  { rule: 'another version of hello closes', greets: false, send: [{ t: 'hello', v: 2 }], expect: [err('BOSUN_CALL_INVALID')], closes: 4400 },
  { rule: 'a second hello closes', send: [{ t: 'hello', v: 1 }], expect: [err('BOSUN_CALL_INVALID')], closes: 4400 },
  { rule: 'a frame of an unknown kind closes', send: [{ t: 'launch' }], expect: [err('BOSUN_CALL_INVALID')], closes: 4400 },
  { rule: 'unknown fields are ignored', send: [{ t: 'ping', later: true }], expect: [{ t: 'pong' }] },
  { rule: 'a call is answered by its id', send: [req('1', 'actor.send', add(1))], expect: [ok('1', { taken: null })] },
  { rule: 'calls are answered each by its own id', send: [req('1', 'actor.get', { address: 'visits' }), req('2', 'actor.get', { address: 'till' })], expect: [{ id: '1', r: { address: 'visits' } }, { id: '2', r: { address: 'till' } }] },
  { rule: 'a send is answered when it is durable', send: [req('1', 'actor.send', add(2)), { t: 'sub', id: 's', topic: 'actor/visits' }], expect: [ok('1', { taken: null }), { t: 'snap', id: 's', d: { context: { count: 2 } } }] },
  { rule: 'a send until taken says that the state took it', send: [req('1', 'actor.send', { ...add(1), until: 'taken' })], expect: [ok('1', { taken: true })] },
  {
    rule: 'a send until taken is refused where the state takes no such event',
    send: [req('1', 'actor.send', { address: 'visits', event: { type: 'close' } }), req('2', 'actor.send', { ...add(1), until: 'taken' })],
    expect: [ok('1', { taken: null }), { ...no('2', 'BOSUN_EVENT_NOT_TAKEN'), e: { code: 'BOSUN_EVENT_NOT_TAKEN', details: { accepts: ['count'] } } }],
  },
  {
    rule: 'a send without that never says so',
    send: [req('1', 'actor.send', { address: 'visits', event: { type: 'close' } }), req('2', 'actor.send', add(1))],
    expect: [ok('1', { taken: null }), ok('2', { taken: null })],
  },
  { rule: 'an ask is answered with the reply', send: [req('1', 'actor.ask', { address: 'visits', event: { type: 'count' } })], expect: [ok('1', { reply: 0 })] },
  {
    rule: 'an ask that the state does not take is refused at once',
    send: [req('1', 'actor.send', { address: 'visits', event: { type: 'close' } }), req('2', 'actor.ask', { address: 'visits', event: { type: 'add', by: 1 } })],
    expect: [ok('1', { taken: null }), no('2', 'BOSUN_EVENT_NOT_TAKEN')],
  },
  { rule: 'an event that is not declared is refused', send: [req('1', 'actor.send', { address: 'visits', event: { type: 'explode' } })], expect: [no('1', 'BOSUN_EVENT_REFUSED')] },
  { rule: 'an event that does not fit its schema is refused', send: [req('1', 'actor.send', { address: 'visits', event: { type: 'add', by: 'much' } })], expect: [no('1', 'BOSUN_EVENT_INVALID')] },
  { rule: 'an actor that is not there is refused', send: [req('1', 'actor.get', { address: 'nobody' })], expect: [no('1', 'BOSUN_ACTOR_UNKNOWN')] },
  { rule: 'a method that is not there is refused', send: [req('1', 'actor.fly')], expect: [no('1', 'BOSUN_CALL_INVALID')] },
  { rule: 'parameters that do not fit are refused', send: [req('1', 'actor.get', { address: 7 })], expect: [no('1', 'BOSUN_CALL_INVALID')] },
  { rule: 'a call whose frame is wrong is answered, and the connection stays', send: [{ t: 'req', id: '1', m: 7 }, { t: 'ping' }], expect: [no('1', 'BOSUN_CALL_INVALID'), { t: 'pong' }] },
  {
    rule: 'an id that is in use is refused',
    send: [req('1', 'actor.wait', { address: 'visits', value: 'closed' }), req('1', 'actor.get', { address: 'visits' })],
    expect: [no('1', 'BOSUN_CALL_INVALID')],
  },
  {
    rule: 'a wait is answered when the actor looks so',
    send: [req('1', 'actor.wait', { address: 'visits', value: 'closed' }), req('2', 'actor.send', { address: 'visits', event: { type: 'close' } })],
    expect: [{ id: '1', ok: true, r: { value: 'closed' } }, ok('2', { taken: null })],
  },
  { rule: 'a wait can be taken back', send: [req('1', 'actor.wait', { address: 'visits', value: 'closed' }), { t: 'cancel', id: '1' }], expect: [no('1', 'BOSUN_CALL_CANCELLED')] },
  { rule: 'what destroys is off', send: [req('1', 'actor.erase', { address: 'visits' })], expect: [no('1', 'BOSUN_FORBIDDEN')] },
  { rule: 'a sequence needs a session', send: [req('1', 'actor.send', add(1), { seq: 1 })], expect: [no('1', 'BOSUN_CALL_INVALID')] },
  { rule: 'a key makes a repeat count once', send: [req('1', 'actor.send', add(5), { key: 'k' }), req('2', 'actor.send', add(5), { key: 'k' })], expect: [ok('1', { taken: null }), { ...ok('2', { taken: null }), replayed: true }] },
  { rule: 'a key for another request is refused', send: [req('1', 'actor.send', add(5), { key: 'k' }), req('2', 'actor.send', add(6), { key: 'k' })], expect: [ok('1', { taken: null }), no('2', 'BOSUN_KEY_CONFLICT')] },
  {
    rule: 'a key makes an ask count once',
    send: [req('1', 'actor.ask', { address: 'visits', event: { type: 'count' } }, { key: 'k' }), req('2', 'actor.ask', { address: 'visits', event: { type: 'count' } }, { key: 'k' })],
    expect: [ok('1', { reply: 0 }), ok('2', { reply: 0 })],
  },
  { rule: 'a subscription begins with a snapshot', send: [{ t: 'sub', id: 's', topic: 'actor/visits' }], expect: [{ t: 'snap', id: 's', recovered: false, d: { value: 'open', context: { count: 0 }, accepts: ['add', 'close', 'count', 'fail'] } }] },
  {
    rule: 'what changes comes as a delta',
    send: [{ t: 'sub', id: 's', topic: 'actor/visits' }, req('1', 'actor.send', add(2))],
    expect: [ok('1', { taken: null }), { t: 'snap', id: 's', at: { seq: 1 } }, { t: 'delta', id: 's', prev: 1, at: { seq: 2 }, ops: [{ op: 'replace', path: '/sequence', value: 2 }, { op: 'replace', path: '/context/count', value: 2 }] }],
  },
  { rule: 'a subscription to nobody ends', send: [{ t: 'sub', id: 's', topic: 'actor/nobody' }], expect: [{ t: 'end', id: 's', e: { code: 'BOSUN_ACTOR_UNKNOWN' } }] },
  { rule: 'a topic that is not there ends', send: [{ t: 'sub', id: 's', topic: 'weather' }], expect: [{ t: 'end', id: 's', e: { code: 'BOSUN_CALL_INVALID' } }] },
  { rule: 'events have to be asked for by their mode', send: [{ t: 'sub', id: 's', topic: 'events/**' }], expect: [{ t: 'end', id: 's', e: { code: 'BOSUN_CALL_INVALID' } }] },
  {
    rule: 'events come in order, each with its cursor',
    send: [{ t: 'sub', id: 's', topic: 'events/*', mode: 'events' }, req('1', 'actor.send', add(1)), req('2', 'actor.send', add(1))],
    expect: [{ t: 'snap', id: 's' }, ok('1', { taken: null }), ok('2', { taken: null }), { t: 'evt', id: 's', address: 'visits', at: { seq: 1 }, e: { type: 'counted', count: 1 } }, { t: 'evt', id: 's', at: { seq: 2 }, e: { count: 2 } }],
  },
  { rule: 'a subscription that was ended sends nothing', send: [{ t: 'sub', id: 's', topic: 'actor/visits' }, { t: 'unsub', id: 's' }, req('1', 'actor.send', add(1))], expect: [{ t: 'snap', id: 's' }, ok('1', { taken: null })] },
  { rule: 'an id of a subscription that is open is refused', send: [{ t: 'sub', id: 's', topic: 'actor/visits' }, { t: 'sub', id: 's', topic: 'actor/till' }], expect: [{ t: 'snap', id: 's' }, { t: 'end', id: 's', e: { code: 'BOSUN_CALL_INVALID' } }] },
  { rule: 'the tree is a topic', send: [{ t: 'sub', id: 's', topic: 'tree' }], expect: [{ t: 'snap', id: 's', d: { address: 'root', children: [{ address: 'visits' }, { address: 'till' }, { address: 'back/visits' }, { address: 'deaf' }] } }] },
];
