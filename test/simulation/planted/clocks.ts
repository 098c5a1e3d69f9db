/**
 * Two systems that go by time, each with a fault that shows only where a process or a machine stood still for a while,
 * and its mended twin. They were made from the page of the simulator, without a look into it.
 */
import { defineAgent, type ScheduledFacts } from 'bosun';
import { always, finally_, simulation, sometimes } from 'bosun/testing';
import { assign, fromPromise, sendTo, setup } from 'xstate';
import { z } from 'zod';

const WRITERS = ['ann', 'bob'];
const LEASE_MS = 5_000;

/** Lends a register to one writer at a time, and to the next one when the first is done or its lease is over. */
const lender = defineAgent({
  name: 'lender',
  machine: setup({
    types: {} as {
      context: { token: number; holder: string; waiting: readonly string[] };
      events: { type: 'want'; name: string } | { type: 'release'; token: number };
    },
  }).createMachine({
    context: { token: 0, holder: '', waiting: [] },
    initial: 'free',
    on: { want: { actions: assign({ waiting: ({ context, event }) => [...context.waiting, event.name] }) } },
    states: {
      free: { always: { guard: ({ context }) => context.waiting.length > 0, target: 'lent' } },
      lent: {
        entry: [
          assign(({ context: { token, waiting } }) => ({
            token: token + 1,
            holder: waiting[0]!,
            waiting: waiting.slice(1),
          })),
          sendTo(
            ({ system, context }) => system.get(context.holder),
            ({ context }) => ({ type: 'granted', token: context.token }),
          ),
        ],
        on: { release: { guard: ({ context, event }) => event.token === context.token, target: 'free' } },
        after: { [LEASE_MS]: 'free' },
      },
    },
  }),
  events: {},
});

/** Writes to the register while it has the lease. With the bug the register is not told by which lease. */
const writerOf = (hasBug: boolean) =>
  defineAgent({
    name: 'writer',
    machine: setup({
      types: {} as {
        context: { name: string; token: number };
        input: { name: string };
        events: { type: 'write' } | { type: 'granted'; token: number };
      },
      actors: { put: fromPromise<void, { token: number; notAfter: number | null }>(async () => {}) },
      actions: {
        want: sendTo(
          ({ system }) => system.get('lender'),
          ({ context }) => ({ type: 'want', name: context.name }),
        ),
        release: sendTo(
          ({ system }) => system.get('lender'),
          ({ context }) => ({ type: 'release', token: context.token }),
        ),
      },
    }).createMachine({
      context: ({ input }) => ({ name: input.name, token: 0 }),
      initial: 'idle',
      states: {
        idle: { on: { write: { target: 'waiting', actions: 'want' } } },
        waiting: { on: { granted: { target: 'writing', actions: assign({ token: ({ event }) => event.token }) } } },
        writing: {
          invoke: {
            src: 'put',
            input: ({ context: { token } }) => ({ token, notAfter: hasBug ? null : token }),
            onDone: { target: 'idle', actions: 'release' },
            onError: { target: 'idle', actions: 'release' },
          },
          after: { [LEASE_MS - 1_000]: { target: 'idle', actions: 'release' } },
        },
      },
    }),
    events: { write: z.object({}) },
  });

/** A lease without a fencing token: a writer that slept writes after the next one. */
export function leases(hasBug: boolean) {
  return simulation<{ readonly tokens: number[] }>({
    world: () => ({ tokens: [] }),
    system: () => ({
      agents: [lender, writerOf(hasBug)],
      tree: {
        children: [
          { id: 'lender', agent: 'lender', systemId: 'lender' },
          ...WRITERS.map((name) => ({ id: name, agent: 'writer', systemId: name, input: { name } })),
        ],
      },
    }),
    effects: {
      'writer.put': {
        latencyMs: [0, 1_000],
        fails: 0.05,
        losesAnswer: 0.05,
        hangs: 0.02,
        run: (input, { world }) => {
          const { token, notAfter } = input as { token: number; notAfter: number | null };
          if (notAfter !== null && notAfter < (world.tokens.at(-1) ?? 0)) throw new Error('a later lease has written');
          world.tokens.push(token);
        },
      },
    },
    properties: [
      always('nobody writes whose lease is over and who was followed by another', ({ world: { tokens } }) => {
        const late = tokens.find((token, index) => token < (tokens[index - 1] ?? 0));
        return late === undefined || `lease ${late} wrote late: ${tokens.join(', ')}`;
      }),
      finally_('nobody waits for ever', ({ snapshot }) => WRITERS.every((name) => snapshot(name)?.value === 'idle')),
      sometimes('both have written', ({ world }) => world.tokens.length > 1),
    ],
    steps: 40,
  });
}

interface Fees {
  readonly sinceMs: number | null;
  readonly lastMs: number;
  readonly hours: number;
}

/** Charges for each hour. With the bug it charges for each event of its schedule, which may stand for several hours. */
const meterOf = (hasBug: boolean) =>
  defineAgent({
    name: 'meter',
    machine: setup({ types: {} as { context: Fees; events: { type: 'hour' } & ScheduledFacts } }).createMachine({
      context: { sinceMs: null, lastMs: 0, hours: 0 },
      on: {
        hour: {
          actions: assign(({ context, event: { missed, scheduledForMs } }) => ({
            sinceMs: context.sinceMs ?? scheduledForMs,
            lastMs: scheduledForMs,
            hours: context.sinceMs === null || hasBug ? context.hours + 1 : context.hours + 1 + missed,
          })),
        },
      },
    }),
    events: {},
    schedules: { hourly: { cron: '0 * * * *', event: { type: 'hour' } } },
  });

/** A schedule whose missed times are not made up for. */
export function meters(hasBug: boolean) {
  return simulation({
    system: () => ({ agents: [meterOf(hasBug)], tree: { children: [{ id: 'meter', agent: 'meter' }] } }),
    clients: () => [],
    times: [60_000, 1_800_000, 3_600_000],
    // Its machine is closed again and again: only a sleep of an hour misses a time of the schedule.
    faults: { powerCut: 3, restart: 2, sleep: 20 },
    properties: [
      always('every hour is charged once', ({ snapshot }) => {
        const fees = snapshot('meter')?.context as Fees | undefined;
        if (fees === undefined || fees.sinceMs === null) return true;
        const passed = (fees.lastMs - fees.sinceMs) / 3_600_000 + 1;
        return fees.hours === passed || `${passed} hours have passed, ${fees.hours} are charged`;
      }),
      sometimes(
        'three hours are charged',
        ({ snapshot }) => ((snapshot('meter')?.context as Fees | undefined)?.hours ?? 0) > 2,
      ),
    ],
    steps: 40,
  });
}
