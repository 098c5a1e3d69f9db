/**
 * Schemas of all frames of the protocol, both ways; frames are checked against them, and the documents are made from
 * them. Strict about a frame's kind and known fields; unknown fields are dropped.
 */
import { z } from 'zod';
import { CALL_MS_MAX } from '../limits.ts';
import { PROTOCOL_VERSION } from './protocol.ts';

const id = z.string().min(1).max(64).describe('Chosen by the client, unique among what is open on its connection.');
const name = z.string().min(1).max(64);

export const cursor = z
  .object({ epoch: z.string().min(1).max(128), seq: z.number().int().nonnegative() })
  .describe('Opaque: send it back unchanged.');

/** The schema of a session id: 22 characters of base64url are 128 bits. */
export const sessionId = z.string().regex(/^[\w-]{22,64}$/);

export const hello = z.object({
  t: z.literal('hello'),
  v: z.literal(PROTOCOL_VERSION),
  client: z.object({ name, version: name.optional(), kind: name.optional() }).optional(),
  token: z.string().min(1).max(8_192).optional().describe('The token, if no header and no subprotocol carried it.'),
  session: sessionId
    .optional()
    .describe(
      'Whoever knows it may go on with its sequence, so make it from 128 random bits: 22 to 64 characters of ' +
        'A-Za-z0-9_-.',
    ),
  acks: z.boolean().optional().describe('Sends with a `seq` may be answered together, by `ack`.'),
});

export const req = z.object({
  t: z.literal('req'),
  id,
  m: z.string().min(1).max(64).describe('The method.'),
  p: z.record(z.string(), z.unknown()).optional().describe('Its parameters.'),
  seq: z
    .number()
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Of `actor.send` in a session: one more than that of the last one accepted.'),
  key: z.string().min(1).max(128).optional().describe('Idempotency key of a call that changes something.'),
  deadlineMs: z.number().int().min(1).max(CALL_MS_MAX).optional(),
});

export const cancel = z.object({ t: z.literal('cancel'), id });

export const sub = z.object({
  t: z.literal('sub'),
  id,
  topic: z.string().min(1).max(2_100),
  mode: z.enum(['state', 'events']).default('state'),
  from: cursor.optional().describe('The cursor at which this client left off.'),
  maxHz: z
    .number()
    .min(0.1)
    .max(60)
    .optional()
    .describe('At most so many frames a second; what comes between is conflated.'),
  ifUnborn: z
    .enum(['end', 'wait'])
    .optional()
    .describe('What becomes of a subscription to `actor/{address}` while no actor lives there. Default `end`.'),
});

export const unsub = z.object({ t: z.literal('unsub'), id });
export const ping = z.object({ t: z.literal('ping') });
export const pong = z.object({ t: z.literal('pong') });

export const clientFrame = z.discriminatedUnion('t', [hello, req, cancel, sub, unsub, ping, pong]);

export const wireError = z.object({
  code: z.string().describe('A code of docs/errors.md.'),
  message: z.string().describe('A text for people; it may change.'),
  retryable: z.boolean(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export const welcome = z.object({
  t: z.literal('welcome'),
  v: z.literal(PROTOCOL_VERSION),
  minor: z.number().int(),
  server: z.object({ name: z.string(), instance: z.string().describe('New with every start of the gateway.') }),
  session: z
    .object({
      resumed: z.boolean(),
      sequence: z
        .number()
        .int()
        .describe('Of the last send of the session that was accepted; 0 for one that is new or forgotten.'),
    })
    .nullable(),
  nowMs: z.number().describe('Kernel time.'),
  heartbeat: z.object({ everyMs: z.number(), timeoutMs: z.number() }),
  limits: z.object({
    frameBytes: z.number(),
    inFlight: z.number(),
    subscriptions: z.number(),
    perSecond: z.number(),
    burst: z.number(),
  }),
  principal: z.object({
    id: z.string(),
    scopes: z.array(z.string()),
    addresses: z.array(z.string()),
    mayDestroy: z.boolean().describe('This caller may call destructive methods.'),
  }),
});

export const res = z.union([
  z.object({
    t: z.literal('res'),
    id,
    ok: z.literal(true),
    r: z.unknown(),
    replayed: z.literal(true).optional().describe('An earlier call did this; nothing was done again.'),
  }),
  z.object({ t: z.literal('res'), id, ok: z.literal(false), e: wireError }),
]);

export const ack = z.object({
  t: z.literal('ack'),
  seq: z
    .number()
    .int()
    .describe(
      'Every `actor.send` of this connection with this `seq` or a lower one is durable, unless it had a `res` ' +
        'before, or waits for its turn (`until: taken`, `ifSequence`).',
    ),
});

const op = z.object({ op: z.enum(['add', 'remove', 'replace']), path: z.string(), value: z.unknown().optional() });

export const snap = z.object({
  t: z.literal('snap'),
  id,
  at: cursor,
  recovered: z
    .boolean()
    .describe(
      'Nothing was missed since `from`. In the mode `state`, `d` is left out then: what the client has is what ' +
        'there is.',
    ),
  d: z.unknown().optional(),
});
export const delta = z.object({
  t: z.literal('delta'),
  id,
  prev: z.number().describe('`seq` of the previous snap or delta.'),
  at: cursor,
  ops: z.array(op),
});
export const evt = z.object({
  t: z.literal('evt'),
  id,
  at: cursor,
  address: z.string(),
  e: z.record(z.string(), z.unknown()),
});
export const lag = z.object({
  t: z.literal('lag'),
  id,
  skipped: z.number().int().describe('Changes that were conflated, or events that were left out.'),
});
export const end = z.object({ t: z.literal('end'), id, e: wireError });
export const note = z.object({
  t: z.literal('note'),
  code: z.enum(['draining', 'slow', 'token_expiring']),
  inMs: z.number().optional(),
  reconnectInMs: z.tuple([z.number(), z.number()]).optional(),
});
export const err = z.object({ t: z.literal('err'), e: wireError });

export const serverFrame = z.union([welcome, res, ack, snap, delta, evt, lag, end, note, err, ping, pong]);

/** A frame that a client sends. */
export type ClientFrame = z.output<typeof clientFrame>;
export type Hello = z.output<typeof hello>;
export type Req = z.output<typeof req>;
export type Sub = z.output<typeof sub>;
export type Welcome = z.output<typeof welcome>;
/** An error inside a frame. */
export type WireError = z.output<typeof wireError>;
/** A frame that the gateway sends. */
export type ServerFrame = z.output<typeof serverFrame>;

/** Frames by kind, with a short description for the documents. */
export const FRAMES = {
  client: {
    hello: { schema: hello, means: 'The first frame, within 5 s.' },
    req: { schema: req, means: 'A call. It is answered by one `res` with its id.' },
    cancel: {
      schema: cancel,
      means: 'Cancels a call, which is answered with BOSUN_CALL_CANCELLED and may still take effect.',
    },
    sub: { schema: sub, means: 'Subscribes to a topic. Answered by `snap` or `end`.' },
    unsub: { schema: unsub, means: 'Ends a subscription. Not answered; frames on their way may still come.' },
    ping: { schema: ping, means: 'Answered by `pong`.' },
    pong: { schema: pong, means: 'The answer to `ping`. Any other frame serves as well.' },
  },
  server: {
    welcome: { schema: welcome, means: 'The answer to `hello`.' },
    res: { schema: res, means: 'The answer to `req`.' },
    ack: {
      schema: ack,
      means: 'The answer to all sends up to a number at once, for clients whose `hello` has `acks`.',
    },
    snap: { schema: snap, means: 'Where a subscription begins, and what there is.' },
    delta: { schema: delta, means: 'What has changed since the frame before, as a JSON patch.' },
    evt: { schema: evt, means: 'An event that an actor emitted. Mode `events`.' },
    lag: { schema: lag, means: 'The client or its `maxHz` was too slow to get everything.' },
    end: { schema: end, means: 'The subscription is over; the error says why, and whether trying again makes sense.' },
    note: {
      schema: note,
      means: 'Something the client should know: the gateway drains, the client is slow, its token is about to expire.',
    },
    err: { schema: err, means: 'An error that belongs to no call. A close may follow.' },
    ping: { schema: ping, means: 'Sent after 25 s of silence. Answer with `pong`.' },
    pong: { schema: pong, means: 'The answer to `ping`.' },
  },
} as const;
