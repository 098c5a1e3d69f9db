/** Agents to be supervised, which do as they are told, crash included, and readers of their state. */
import { type AnyActorRef, assign, fromPromise, sendParent, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';

interface WorkerContext {
  readonly name: string;
  /** Texts that it was sent, in order. */
  readonly notes: readonly string[];
}

const text = z.object({ text: z.string() });

function refuse(message: string): never {
  throw new Error(message);
}

/**
 * Lives until told otherwise. `explode` fails after its turn was committed, `choke` within it, so `choke` is delivered
 * again.
 */
export const worker = defineAgent({
  name: 'worker',
  machine: setup({
    types: {} as {
      context: WorkerContext;
      input: { name?: string } | undefined;
      events: { type: 'note' | 'explode' | 'choke' | 'alarm'; text: string } | { type: 'finish' } | { type: 'rung' };
    },
  }).createMachine({
    id: 'worker',
    context: ({ input }) => ({ name: input?.name ?? 'nobody', notes: [] }),
    initial: 'working',
    states: {
      working: {
        on: {
          note: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.text] }) },
          explode: { actions: ({ event }) => refuse(event.text) },
          choke: { actions: assign({ notes: ({ event }) => refuse(event.text) }) },
          alarm: 'waiting',
          finish: 'finished',
        },
      },
      waiting: {
        after: {
          1_000: { target: 'working', actions: assign({ notes: ({ context }) => [...context.notes, 'rang'] }) },
        },
        on: { explode: { actions: ({ event }) => refuse(event.text) } },
      },
      finished: { type: 'final' },
    },
  }),
  events: { note: text, explode: text, choke: text, alarm: text, finish: z.object({}) },
  keep: { ended: { count: 0 } },
});

/** An agent that cannot start. */
export const stillborn = defineAgent({
  name: 'stillborn',
  machine: setup({ types: {} as { context: { never: true } } }).createMachine({
    id: 'stillborn',
    context: () => refuse('no context'),
  }),
  events: {},
});

/**
 * An agent that runs a promise from its start and fails with it. A test settles the promise by its place in `pending`.
 */
export function promiser() {
  const pending: { resolve: (value: string) => void; reject: (error: Error) => void; signal: AbortSignal }[] = [];
  const agent = defineAgent({
    name: 'promiser',
    machine: setup({
      types: {} as { context: { result: string | null }; events: { type: 'explode' | 'choke'; text: string } },
      actors: {
        work: fromPromise<string>(
          ({ signal }) => new Promise((resolve, reject) => pending.push({ resolve, reject, signal })),
        ),
      },
    }).createMachine({
      id: 'promiser',
      context: { result: null },
      initial: 'working',
      states: {
        working: {
          invoke: {
            src: 'work',
            onDone: { target: 'rested', actions: assign({ result: ({ event }) => event.output }) },
          },
        },
        rested: {},
      },
      on: {
        explode: { actions: ({ event }) => refuse(event.text) },
        choke: { actions: assign({ result: ({ event }) => refuse(event.text) }) },
      },
    }),
    events: { explode: text, choke: text },
  });
  return { agent, pending };
}

/** An agent that has children started by its own Boss, or by one with a system id, and is told of their ends. */
export const manager = defineAgent({
  name: 'manager',
  machine: setup({
    types: {} as {
      context: { heard: readonly string[] };
      events:
        | { type: 'hire'; spec: Record<string, unknown> }
        | { type: 'delegate'; to: string; spec: Record<string, unknown> }
        | { type: 'dismiss'; id: string }
        | { type: 'child.exited'; id: string; reason: string; error: unknown };
    },
  }).createMachine({
    id: 'manager',
    context: { heard: [] },
    on: {
      hire: {
        actions: sendParent(({ event, self }) => ({ type: 'child.start', spec: { ...event.spec, reportTo: self } })),
      },
      delegate: {
        actions: sendTo(
          ({ event, system }) => system.get(event.to) as AnyActorRef,
          ({ event, self }) => ({ type: 'child.start', spec: { ...event.spec, reportTo: self } }),
        ),
      },
      dismiss: { actions: sendParent(({ event }) => ({ type: 'child.terminate', id: event.id })) },
      'child.exited': {
        actions: assign({ heard: ({ context, event }) => [...context.heard, `${event.id}: ${event.reason}`] }),
      },
    },
  }),
  events: {
    hire: z.object({ spec: z.record(z.string(), z.unknown()) }),
    delegate: z.object({ to: z.string(), spec: z.record(z.string(), z.unknown()) }),
    dismiss: z.object({ id: z.string() }),
  },
  keep: { ended: { count: 0 } },
});

export const agents = [worker, stillborn, manager] as const;

/** Sends an event without waiting for its effects. */
export function tell(test: TestSystem, address: string, type: string, about = type): Promise<void> {
  return test.shard.send(address, type === 'finish' ? { type } : ({ type, text: about } as never));
}

/** Sends an event and waits until everything has happened that needs no time to pass. */
export async function told(test: TestSystem, address: string, type: string, about = type): Promise<void> {
  await tell(test, address, type, about);
  await test.settle();
}

/** The notes of a worker; null if there is none. */
export function notes(test: TestSystem, address: string): readonly string[] | null {
  const snapshot = test.shard.snapshot(address);
  return snapshot === undefined ? null : (snapshot.context as WorkerContext).notes;
}

/** Counted restarts of a child since its start; null if there is none. */
export function restarts(test: TestSystem, address: string): number | null {
  return test.shard.snapshot(address) === undefined ? null : test.shard.tree(address).restarts;
}

/** State of a Boss's machine, as text. */
export function stateOf(test: TestSystem, address = 'root'): string {
  return JSON.stringify(test.shard.snapshot(address)?.value);
}

/** Waits until the system closes by itself, and returns the reason. */
export async function reasonOfClosing(test: TestSystem): Promise<{ code: string; message: string }> {
  return test.shard.closed.then(
    () => ({ code: 'none', message: 'stopped' }),
    (error: { code: string; message: string }) => error,
  );
}
