/** Schemas of parameters and results that several methods share. */
import { z } from 'zod';
import { AUDIT_REASON_CHARS_MAX } from '../../limits.ts';
import { ACTORS_PAGE_MAX, EVENT_TYPE_CHARS_MAX, LISTED_MAX } from '../limits.ts';

/** The fields shared by all methods that read actors. */
export const READING = { scope: 'actor:read', does: 'nothing' } as const;

export const address = z.string().min(1).max(2_080);
export const name = z.string().min(1).max(256);
export const event = z
  .looseObject({ type: z.string().min(1).max(EVENT_TYPE_CHARS_MAX) })
  .describe('One of the events that the agent declares.');
export const ifSequence = z
  .number()
  .int()
  .nonnegative()
  .optional()
  .describe('`sequence` of the view that the caller has seen. BOSUN_ACTOR_CHANGED if the actor has changed since.');
export const limit = z.number().int().min(1).max(LISTED_MAX).default(100);
/** Number of actors in one page. */
export const actorLimit = z.number().int().min(1).max(ACTORS_PAGE_MAX);
export const nothing = z.object({});

/** A boolean; `true` or `false` as text in a query. */
export const flag = z.union([z.boolean(), z.literal(['true', 'false']).transform((text) => text === 'true')]);

const fields = z.record(name, z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** Fields with the values that they must equal; JSON if given as text. */
export const fieldsFromText = z.union([
  fields,
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('not JSON');
        return z.NEVER;
      }
    })
    .pipe(fields),
]);

/** Parameters of audited orders. */
export const order = {
  reason: z.string().max(AUDIT_REASON_CHARS_MAX).optional().describe('The reason, for the audit.'),
  by: name
    .optional()
    .describe('The name of the person who gives the order; only for the operator. Default: the caller.'),
};

export const status = z.enum(['active', 'done', 'error', 'stopped', 'suspended']);

export const actorView = z.object({
  address: z.string(),
  agent: z.string(),
  status,
  value: z.unknown().describe("The machine's state value; null for other logic."),
  context: z.unknown(),
  tags: z.array(z.string()),
  output: z.unknown(),
  error: z.unknown(),
  sequence: z.number().int().describe('The number of changes so far.'),
  accepts: z
    .array(z.string())
    .describe('Types of the declared events that the current state takes, whatever its guards say.'),
});

export const inspection = z.looseObject({
  address: z.string(),
  agent: z.string(),
  kind: z.enum(['machine', 'promise', 'callback', 'observable', 'transition', 'custom']),
  mailbox: z.number(),
  unread: z.array(
    z.object({
      kind: z.string(),
      event: z.string(),
      from: z.string().nullable(),
      sinceMs: z.number().nullable(),
      deliveries: z.number(),
    }),
  ),
  timers: z.array(
    z.object({ id: z.string(), deadlineMs: z.number().describe('Kernel time.'), event: z.string().nullable() }),
  ),
  children: z.array(z.string()),
  records: z
    .array(z.object({ name: z.string(), first: z.number(), last: z.number() }))
    .describe('Names of records that the agent declares, and the numbers in use.'),
  last: z
    .object({
      sequence: z.number(),
      atMs: z.number(),
      event: z.string().nullable(),
      edges: z.array(z.string()).describe("Ids of the transitions taken, as the actor's chart has them."),
    })
    .nullable(),
});

export const listed = z.object({
  address: z.string(),
  agent: z.string(),
  status,
  state: z.unknown(),
  mailbox: z.number(),
  restarts: z.number().nullable().describe('By its Boss; null for the root and for children of machines.'),
  startedAtMs: z.number().nullable().describe('Kernel time of its first start; null if unknown.'),
});

export const tree = z
  .looseObject({ address: z.string() })
  .describe(
    '`agent`, `status`, `state`, `mailbox`, `restarts`, `lastError`, `restartInMs`, `boss` and `children`; ' +
      '`hidden` instead for one that the caller may not reach, or that stands on an earlier page; `next` at the top ' +
      'where there are further pages.',
  );

export const letter = z.looseObject({
  number: z.number(),
  reason: z.enum(['quarantined', 'undeliverable', 'overflowed', 'late', 'refused']),
  address: z.string(),
  atMs: z.number(),
});

export const child = z.looseObject({
  id: z.string(),
  address: z.string(),
  status: z.enum(['running', 'restarting', 'stopping', 'ended']),
});

export const record = z.looseObject({
  number: z.number(),
  atMs: z.number(),
  by: z.string(),
  order: z.string(),
  address: z.string(),
  outcome: z.string(),
});

export const wait = z.object({
  kind: z.enum(['ask', 'effect', 'room', 'restart', 'end', 'suspended']),
  address: z.string().nullable(),
  state: z.unknown(),
  for: z.string().nullable(),
  sinceMs: z.number().nullable(),
  untilMs: z.number().nullable(),
});

export const turn = z
  .looseObject({
    number: z.number(),
    kind: z.enum(['spawn', 'restarted', 'transition', 'failed', 'stopped']),
    address: z.string(),
    atMs: z.number(),
    sequence: z.number(),
  })
  .describe(
    '`epoch`, `agent`, `life`, `event`, `cause`, `microsteps` (whose `edge` is an id of the chart), `actions`, ' +
      '`sent`, `born`, `change`, `value`, `status`, `error` and `durationMs`.',
  );

export const turned = {
  ...{
    number: 12,
    kind: 'transition',
    epoch: 9,
    atMs: 1_767_225_600_000,
    address: 'visits',
    agent: 'counter',
    life: 2,
    sequence: 3,
    cause: null,
  },
  ...{
    microsteps: [[{ edge: 'counter|add|0', from: 'counter', event: 'add', index: 0, to: [] }]],
    actions: [],
    sent: [],
    born: [],
    value: {},
    status: 'active',
    error: null,
    durationMs: 0.05,
  },
};

export const counter = {
  address: 'visits',
  agent: 'counter',
  status: 'active',
  value: {},
  context: { count: 1 },
  tags: [],
  output: null,
  error: null,
  sequence: 2,
  accepts: ['add'],
};
