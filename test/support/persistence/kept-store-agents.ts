/**
 * The agents of the kept stores: together they leave every kind of record that a store can hold. The stores have the
 * structural hashes of these machines, so no machine here changes as long as a kept store has actors of it.
 */
import {
  actionOf,
  type AnyAgent,
  defineAgent,
  effectOf,
  eventTimeout,
  record,
  reply,
  secret,
  table,
  type Table,
} from 'bosun';
import { assign, fromPromise, raise, setup } from 'xstate';
import { z } from 'zod';
import { talkers } from './kept-store-talkers.ts';

/** The world outside of the actors, as their effects and durable actions find it. */
export interface World {
  /** False while the stores are written, so that what the actors have begun waits in them. */
  readonly answers: boolean;
  /** Traces of effects and actions in it. */
  readonly calls: string[];
}

export const HOUR_MS = 3_600_000;

/** One delay between all tries. */
const EVERY_HOUR = { minMs: HOUR_MS, maxMs: HOUR_MS, factor: 1, jitter: 0 };

/** An error without a stack, which would have the paths of the machine on which a store was written. */
export function failure(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
}

interface Order {
  readonly customer: string;
  readonly count: number;
}

/** A value of each kind that the codec knows. */
const everyValue = () => ({
  map: new Map<unknown, unknown>([
    ['a', 1],
    [2, new Date(86_400_000)],
  ]),
  set: new Set([1, 'b', null]),
  bytes: new Uint8Array([0, 127, 255]),
  big: 1_234_567_890_123_456_789n,
  error: failure('kept'),
  absent: undefined,
  nested: { rows: table<number>().set('x', 1).set('y', 2) },
  numbers: [0, -0, -1, 1.5, 2 ** 40, Number.NaN, Number.POSITIVE_INFINITY],
  text: 'é € \u{1f600}',
});

type LedgerEvent =
  | { type: 'place'; id: string; customer: string; count: number }
  | { type: 'ship'; id: string }
  | { type: 'fill'; count: number }
  | { type: 'mend'; text: string };

/** Tables, records with keys, kept turns, and values of all kinds. */
const ledger = defineAgent({
  name: 'ledger',
  machine: setup({
    types: {} as {
      context: { open: Table<Order>; values: ReturnType<typeof everyValue> };
      events: LedgerEvent;
    },
  }).createMachine({
    id: 'ledger',
    context: () => ({ open: table<Order>(), values: everyValue() }),
    on: {
      place: {
        actions: [
          assign({
            open: ({ context, event: { id, customer, count } }) => context.open.set(id, { customer, count }),
          }),
          record('placed', ({ event: { id, customer } }) => ({ id, customer })),
          reply(({ context }) => context.open.size),
        ],
      },
      ship: { actions: assign({ open: ({ context, event }) => context.open.delete(event.id) }) },
      fill: {
        actions: assign({
          open: ({ context, event }) => {
            let { open } = context;
            for (let n = 0; n < event.count; n++)
              open = open.set(`row-${String(n).padStart(4, '0')}`, { customer: 'bulk', count: n });
            return open;
          },
        }),
      },
      mend: { actions: assign({ values: ({ context, event }) => ({ ...context.values, text: event.text }) }) },
    },
  }),
  events: {
    place: z.object({ id: z.string(), customer: z.string(), count: z.number() }),
    ship: z.object({ id: z.string() }),
    fill: z.object({ count: z.number() }),
    mend: z.object({ text: z.string() }),
  },
  records: { placed: { keys: { customer: 'customer' } } },
  trace: { keep: 20 },
  // Its records go at once, in slices.
  keep: { ended: { count: 0 } },
});

/** Lists what it reads. */
const reader = defineAgent({
  name: 'reader',
  machine: setup({
    types: {} as { context: { read: number[] }; events: { type: 'note' | 'urgent'; n: number } },
  }).createMachine({
    id: 'reader',
    context: { read: [] },
    on: {
      note: { actions: assign({ read: ({ context, event }) => [...context.read, event.n] }) },
      urgent: { actions: assign({ read: ({ context, event }) => [...context.read, -event.n] }) },
    },
  }),
  events: { note: z.object({ n: z.number() }), urgent: z.object({ n: z.number() }) },
  priorities: { urgent: 'high' },
});

type WakerEvent = { type: 'remind' | 'linger' | 'ring' | 'bored' | 'begin' } | { type: 'nightly' };

/** Timers of all kinds: a delayed transition, a delayed event, an event timeout, a schedule. */
const waker = defineAgent({
  name: 'waker',
  machine: setup({
    types: {} as { context: { heard: string[] }; events: WakerEvent },
    delays: { offer: HOUR_MS, bell: 2 * HOUR_MS, again: 3 * HOUR_MS },
    actions: { hear: assign({ heard: ({ context, event }) => [...context.heard, event.type] }) },
  }).createMachine({
    id: 'waker',
    context: { heard: [] },
    initial: 'offering',
    states: { offering: { after: { offer: 'lapsed' } }, lapsed: {} },
    on: {
      remind: {
        actions: [
          raise({ type: 'ring' }, { id: 'bell', delay: 'bell' }),
          raise({ type: 'begin' }, { id: 'again', delay: 'again' }),
        ],
      },
      linger: { actions: eventTimeout(30 * 60_000, { type: 'bored' }) },
      ring: { actions: 'hear' },
      bored: { actions: 'hear' },
      begin: { actions: 'hear' },
      nightly: { actions: 'hear' },
    },
  }),
  events: { remind: z.object({}), linger: z.object({}) },
  internal: ['ring', 'bored', 'begin'],
  timers: { restore: { bell: 'remaining', again: 'restart' } },
  schedules: { nightly: { cron: '0 3 * * *', timezone: 'Europe/Berlin', event: { type: 'nightly' } } },
});

/** An effect with a checkpoint and a memo, one that has failed once, and durable actions that wait or were given up. */
const courierIn = (world: World) =>
  defineAgent({
    name: 'courier',
    machine: setup({
      types: {} as {
        context: { delivered: unknown; price: unknown };
        events: { type: 'mail' | 'shout'; to: string };
      },
      actors: {
        deliver: fromPromise<unknown>(async ({ self }) => {
          const { checkpoint, checkpointed, memo } = effectOf(self);
          const parcel = await memo('parcel', () => {
            world.calls.push('pack');
            return { weight: 3 };
          });
          if (checkpointed === undefined) await checkpoint({ at: 'the bridge' });
          return world.answers ? { parcel, from: checkpointed } : new Promise<never>(() => {});
        }),
        fetchPrice: fromPromise<number>(async () => {
          if (!world.answers) throw failure('no price today');
          return 42;
        }),
      },
      actions: {
        sendMail: ({ self }, params: { to: string }) => {
          if (!world.answers) throw failure('no mail today');
          world.calls.push(`mail to ${params.to}, attempt ${actionOf(self).attempt}`);
        },
        shoutOnce: () => {
          throw failure('no voice');
        },
      },
    }).createMachine({
      id: 'courier',
      context: { delivered: null, price: null },
      type: 'parallel',
      states: {
        delivery: {
          initial: 'running',
          states: {
            running: {
              invoke: {
                src: 'deliver',
                onDone: { target: 'done', actions: assign({ delivered: ({ event }) => event.output }) },
              },
            },
            done: {},
          },
        },
        price: {
          initial: 'asking',
          states: {
            asking: {
              invoke: {
                src: 'fetchPrice',
                onDone: { target: 'known', actions: assign({ price: ({ event }) => event.output }) },
                onError: 'unknown',
              },
            },
            known: {},
            unknown: {},
          },
        },
      },
      on: {
        mail: { actions: { type: 'sendMail', params: ({ event }) => ({ to: event.to }) } },
        shout: { actions: 'shoutOnce' },
      },
    }),
    events: { mail: z.object({ to: z.string() }), shout: z.object({ to: z.string() }) },
    effects: { fetchPrice: { retry: { attempts: 2, backoff: EVERY_HOUR } } },
    actions: {
      sendMail: { durable: true, retry: { attempts: 5, backoff: EVERY_HOUR } },
      shoutOnce: { durable: true, retry: { attempts: 1 } },
    },
  });

/** Fails over `stumble` each time, a second after `plan` as well, and over an effect after `fall`. */
const fragile = defineAgent({
  name: 'fragile',
  machine: setup({
    types: {} as { context: { steps: number }; events: { type: 'walk' | 'stumble' | 'fall' | 'plan' } },
    actors: {
      lose: fromPromise<never>(async () => {
        throw failure('lost its balance');
      }),
    },
  }).createMachine({
    id: 'fragile',
    context: { steps: 0 },
    initial: 'standing',
    states: { standing: { on: { fall: 'falling' } }, falling: { invoke: { src: 'lose' } } },
    on: {
      walk: { actions: assign({ steps: ({ context }) => context.steps + 1 }) },
      plan: { actions: raise({ type: 'stumble' }, { delay: 1_000 }) },
      stumble: {
        actions: assign(() => {
          throw failure('stumbled');
        }),
      },
    },
  }),
  events: { walk: z.object({}), stumble: z.object({}), fall: z.object({}), plan: z.object({}) },
});

/** Counts, for epochs with nothing else in them. */
export const ticker = defineAgent({
  name: 'ticker',
  machine: setup({ types: {} as { context: { ticks: number }; events: { type: 'tick' } } }).createMachine({
    id: 'ticker',
    context: { ticks: 0 },
    on: { tick: { actions: assign({ ticks: ({ context }) => context.ticks + 1 }) } },
  }),
  events: { tick: z.object({}) },
});

/** Ends with an output, records and kept turns. */
const errand = defineAgent({
  name: 'errand',
  machine: setup({
    types: {} as { context: { seen: string[] }; events: { type: 'see' | 'finish'; what: string } },
  }).createMachine({
    id: 'errand',
    context: { seen: [] },
    initial: 'out',
    states: {
      out: {
        on: {
          see: {
            actions: [
              assign({ seen: ({ context, event }) => [...context.seen, event.what] }),
              record('seen', ({ event }) => ({ what: event.what })),
            ],
          },
          finish: 'home',
        },
      },
      home: { type: 'final' },
    },
    output: ({ context }) => ({ seen: context.seen, at: new Date(86_400_000) }),
  }),
  events: { see: z.object({ what: z.string() }), finish: z.object({ what: z.string() }) },
  records: { seen: { keys: { what: 'what' } } },
  trace: { keep: 20 },
});

interface Hidden {
  readonly pin: string;
}

/** Has a secret wherever an actor can have something. */
const vaultIn = (world: World) =>
  defineAgent({
    name: 'vault',
    machine: setup({
      types: {} as {
        context: { pin: string | null; copies: Table<Hidden> };
        events: { type: 'keep' | 'later' | 'stumble' | 'mail'; pin: string } | { type: 'tell' };
      },
      actors: {
        guard: fromPromise<unknown, string | null>(async ({ input, self }) => {
          const { checkpoint, checkpointed } = effectOf(self);
          if (checkpointed === undefined) await checkpoint({ seen: input });
          return world.answers ? checkpointed : new Promise<never>(() => {});
        }),
      },
      actions: {
        sendMail: (_, params: Hidden) => {
          if (!world.answers) throw failure('no mail today');
          world.calls.push(`mail with ${params.pin}`);
        },
      },
    }).createMachine({
      id: 'vault',
      context: () => ({ pin: null, copies: table<Hidden>() }),
      initial: 'empty',
      states: {
        empty: {},
        held: { invoke: { src: 'guard', input: ({ context }) => context.pin, onDone: 'guarded' } },
        guarded: {},
      },
      on: {
        keep: {
          target: '.held',
          actions: [
            assign({
              pin: ({ event }) => event.pin,
              copies: ({ context, event: { pin } }) => context.copies.set(`copy-${context.copies.size}`, { pin }),
            }),
            record('kept', ({ event }) => ({ pin: event.pin })),
          ],
        },
        tell: { actions: reply(({ context }) => context.pin) },
        later: { actions: raise(({ event }) => ({ type: 'keep', pin: event.pin }) as const, { delay: HOUR_MS }) },
        stumble: {
          actions: assign(() => {
            throw failure('stumbled');
          }),
        },
        mail: { actions: { type: 'sendMail', params: ({ event }) => ({ pin: event.pin }) } },
      },
    }),
    events: {
      ...Object.fromEntries(
        (['keep', 'later', 'stumble', 'mail'] as const).map((type) => [type, z.object({ pin: secret(z.string()) })]),
      ),
      tell: z.object({}),
    },
    records: { kept: {} },
    trace: { keep: 20 },
    actions: { sendMail: { durable: true, retry: { attempts: 5, backoff: EVERY_HOUR } } },
  });

/** The agents of the store with secrets. */
export const secretAgents = (world: World): readonly AnyAgent[] => [vaultIn(world), ticker];

/** The agents of the single system. */
export function keptAgents(world: World): readonly AnyAgent[] {
  return [ledger, reader, waker, courierIn(world), fragile, ticker, errand, ...talkers];
}
