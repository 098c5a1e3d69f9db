/** An office that passes work on, with three classic mistakes of time and order, each beside its mended twin. */
import { defineAgent } from 'bosun';
import { always, finally_, simulation, sometimes, type Simulation } from 'bosun/testing';
import { type AnyActorRef, assign, fromPromise, sendTo, setup } from 'xstate';
import { z } from 'zod';

const empty = z.object({});

/** `hasBug`: what comes before the door is open is forgotten, as if the porter had to be the first. */
export function door(hasBug: boolean): Simulation<undefined> {
  const machine = setup({
    types: {} as { context: { taken: number } },
    actions: { take: assign({ taken: ({ context }) => context.taken + 1 }) },
  }).createMachine({
    context: { taken: 0 },
    initial: 'shut',
    states: {
      shut: { on: { open: 'open', letter: { actions: hasBug ? [] : 'take' } } },
      open: { on: { letter: { actions: 'take' } } },
    },
  });
  const agents = [defineAgent({ name: 'door', machine, events: { open: empty, letter: empty } })];
  return simulation<undefined>({
    system: () => ({ agents, tree: { children: [{ id: 'd1', agent: 'door' }] } }),
    clients: ({ chance }) => [
      ...(chance.next() < 0.5 ? [{ address: 'd1', event: { type: 'open' } }] : []),
      { address: 'd1', event: { type: 'letter' } },
    ],
    properties: [
      finally_('every letter is taken', ({ acked, snapshot }) => {
        const letters = acked.filter(({ event }) => event.type === 'letter').length;
        const { taken } = snapshot('d1')?.context as { taken: number };
        return taken === letters || `d1 has taken ${taken} of ${letters}`;
      }),
    ],
    steps: 20,
  });
}

/** `hasBug`: a term is kept as a time of the wall clock, which is set. */
export function term(hasBug: boolean): Simulation<undefined> {
  const machine = setup({ types: {} as { context: { untilMs: number } } }).createMachine({
    context: { untilMs: 0 },
    initial: 'free',
    states: {
      free: { on: { borrow: { target: 'lent', actions: assign({ untilMs: () => Date.now() + 30_000 }) } } },
      lent: hasBug
        ? {
            after: {
              10_000: [
                { guard: ({ context }) => Date.now() >= context.untilMs, target: 'free' },
                { target: 'lent', reenter: true },
              ],
            },
          }
        : { after: { 30_000: 'free' } },
    },
  });
  const agents = [defineAgent({ name: 'book', machine, events: { borrow: empty } })];
  return simulation<undefined>({
    system: () => ({ agents, tree: { children: [{ id: 'b1', agent: 'book' }] } }),
    faults: { wallJump: 10, powerCut: 3 },
    properties: [
      finally_('the book is back', ({ snapshot }) => snapshot('b1')?.value === 'free' || 'b1 is still lent'),
    ],
    steps: 20,
  });
}

/** `hasBug`: a clerk who is slow is told again, and does it again. */
export function clerks(hasBug: boolean): Simulation<{ done: string[] }> {
  const clerk = setup({
    types: {} as {
      context: { job: number; doneJob: number; from: AnyActorRef | null };
      events: { type: 'job'; n: number; from: AnyActorRef };
    },
    actors: { work: fromPromise(async (_: { input: { job: number } }) => {}) },
  }).createMachine({
    context: { job: 0, doneJob: 0, from: null },
    initial: 'free',
    states: {
      free: {
        on: {
          job: [
            {
              guard: ({ context, event }) => !hasBug && event.n <= context.doneJob,
              actions: sendTo(
                ({ event }) => event.from,
                ({ event }) => ({ type: 'ready', n: event.n }),
              ),
            },
            { target: 'working', actions: assign({ job: ({ event }) => event.n, from: ({ event }) => event.from }) },
          ],
        },
      },
      working: {
        on: { job: hasBug ? { target: 'working', reenter: true } : {} },
        invoke: {
          src: 'work',
          input: ({ context }) => ({ job: context.job }),
          onDone: {
            target: 'free',
            actions: [
              assign({ doneJob: ({ context }) => context.job }),
              sendTo(
                ({ context }) => context.from!,
                ({ context }) => ({ type: 'ready', n: context.job }),
              ),
            ],
          },
        },
      },
    },
  });
  const head = setup({
    types: {} as { context: { n: number }; events: { type: 'order' } | { type: 'ready'; n: number } },
    actions: {
      tell: sendTo(
        ({ system }) => system.get('clerk') as AnyActorRef,
        ({ context, self }) => ({ type: 'job', n: context.n, from: self }),
      ),
    },
  }).createMachine({
    context: { n: 0 },
    initial: 'free',
    states: {
      free: { on: { order: { target: 'waiting', actions: assign({ n: ({ context }) => context.n + 1 }) } } },
      waiting: {
        entry: 'tell',
        on: { ready: { guard: ({ context, event }) => event.n === context.n, target: 'free' } },
        after: { 100: { target: 'waiting', reenter: true } },
      },
    },
  });
  const agents = [
    defineAgent({ name: 'clerk', machine: clerk, events: {}, internal: ['job'] }),
    defineAgent({ name: 'head', machine: head, events: { order: empty }, internal: ['ready'] }),
  ];
  return simulation<{ done: string[] }>({
    world: () => ({ done: [] }),
    system: () => ({
      agents,
      tree: {
        children: [
          { id: 'clerk', agent: 'clerk', systemId: 'clerk' },
          { id: 'head', agent: 'head' },
        ],
      },
    }),
    effects: {
      'clerk.work': {
        fails: 0,
        losesAnswer: 0,
        latencyMs: [0, 80],
        run: (input, { world, effectId }) => {
          const { job } = input as { job: number };
          // A call that is repeated after a restart is known by its id.
          const done = `${job} by ${effectId}`;
          if (!world.done.includes(done)) world.done.push(done);
        },
      },
    },
    properties: [
      always('a job is done once', ({ world }) => {
        const jobs = world.done.map((done) => done.split(' ', 1)[0]);
        const twice = jobs.find((job, index) => jobs.indexOf(job) !== index);
        return twice === undefined || `clerk has done job ${twice} twice for head`;
      }),
      sometimes('a job is done', ({ world }) => world.done.length > 0),
    ],
    steps: 20,
  });
}
