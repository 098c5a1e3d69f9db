/**
 * The workshop of the crash proofs: workers that use every feature of a system once, and books that show whether
 * anything was lost or duplicated. Effects on the outside world are in `Outside`, which survives every crash.
 */
import { assign, fromCallback, fromPromise, raise, sendParent, sendTo, setup, spawnChild } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { actionOf, effectOf } from '../../../src/actors/model/ref.ts';
import { ask } from '../../../src/actors/model/ask.ts';
import { reply } from '../../../src/actors/model/talk-actions.ts';
import { type BossOptions } from '../../../src/supervisor/child-spec.ts';

/** Effects outside of the system, in order. */
export interface Outside {
  /** Starts of promises: their effect id, attempt and job. */
  readonly started: { readonly effectId: string; readonly attempt: number; readonly n: number }[];
  /** Runs of durable actions. */
  readonly mailed: { readonly effectId: string; readonly n: number }[];
  /** Runs of custom actions that are not durable. */
  readonly noted: number[];
  /** Events sent to callbacks. */
  readonly fed: number[];
  /** Starts of callbacks. */
  feeds: number;
}

export function emptyOutside(): Outside {
  return { started: [], mailed: [], noted: [], fed: [], feeds: 0 };
}

/**
 * Numbers of commands by their result. Each command has one number, and each number belongs in one of these lists,
 * once.
 */
export interface Books {
  readonly added: readonly number[];
  readonly rung: readonly number[];
  readonly answered: readonly number[];
  readonly ticked: readonly number[];
  readonly received: readonly number[];
  readonly mailed: readonly number[];
  readonly counselled: readonly number[];
}

const EMPTY: Books = { added: [], rung: [], answered: [], ticked: [], received: [], mailed: [], counselled: [] };

type Numbered = { type: string; n: number };

/** Delay of a timer, in virtual time. */
export const RING_MS = 50;

function append(book: keyof Books) {
  return assign(({ context, event }: { context: Books; event: unknown }) => ({
    [book]: [...context[book], (event as Numbered).n],
  })) as never;
}

/**
 * Asks a promise for one answer and tells its parent. The first result is remembered, so a restart does not ask again.
 */
function askerMachine(outside: Outside) {
  const answer = fromPromise<number, { n: number }>(async ({ input, self }) => {
    const { effectId, attempt, memo, checkpoint, checkpointed } = effectOf(self);
    outside.started.push({ effectId, attempt, n: input.n });
    const half = await memo('half', () => input.n / 2);
    if (checkpointed === undefined) await checkpoint({ half: half as number });
    return (half as number) * 2;
  });
  return setup({ types: {} as { context: { n: number }; input: { n: number } }, actors: { answer } }).createMachine({
    context: ({ input }) => ({ n: input.n }),
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          src: 'answer',
          input: ({ context }) => ({ n: context.n }),
          onDone: { target: 'told', actions: sendParent(({ event }) => ({ type: 'answered', n: event.output })) },
        },
      },
      told: { type: 'final' },
    },
  });
}

/** Time-out of a question to another worker: longer than any outage of a proof. */
const COUNSEL_MS = 3_600_000;

/** Asks another worker, wherever it lives, and tells its parent the answer. */
const consulterMachine = setup({
  types: {} as { context: { n: number; to: string }; input: { n: number; to: string } },
  actors: { ask },
}).createMachine({
  context: ({ input }) => ({ n: input.n, to: input.to }),
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ to: context.to, event: { type: 'counsel', n: context.n }, timeoutMs: COUNSEL_MS }),
        onDone: { target: 'over', actions: sendParent(({ event }) => ({ type: 'counselled', n: event.output })) },
        // On an error its number is missing in the books.
        onError: 'over',
      },
    },
    over: { type: 'final' },
  },
});

export function workerMachine(outside: Outside) {
  const feed = fromCallback(({ receive, sendBack }) => {
    outside.feeds += 1;
    receive((event) => {
      const { n } = event as unknown as Numbered;
      outside.fed.push(n);
      sendBack({ type: 'ticked', n });
    });
  });
  const n = ({ event }: { event: unknown }) => (event as Numbered).n;
  const pass = sendTo<never, never, never, never, never, never>(
    (({ system, event }: { system: { get(id: string): unknown }; event: { to: string } }) =>
      system.get(event.to)) as never,
    (({ event }: { event: Numbered }) => ({ type: 'received', n: event.n })) as never,
  );
  return setup({
    types: {} as { context: Books },
    actors: { feed, asker: askerMachine(outside), consulter: consulterMachine },
    actions: {
      mail: ({ self }, params: unknown) =>
        void outside.mailed.push({ effectId: actionOf(self).effectId, n: (params as { n: number }).n }),
      note: ({ event }) => void outside.noted.push(n({ event })),
      crash: assign(() => {
        throw new Error('poison');
      }) as never,
    },
  }).createMachine({
    context: EMPTY,
    invoke: { src: 'feed', id: 'feed' },
    initial: 'day',
    states: { day: { on: { turn: 'night' } }, night: { on: { turn: 'day' } } },
    on: {
      add: { actions: append('added') },
      arm: { actions: raise(({ event }) => ({ type: 'ring', n: n({ event }) }) as never, { delay: RING_MS }) },
      ring: { actions: append('rung') },
      ask: {
        actions: spawnChild('asker', {
          id: (({ event }: { event: unknown }) => `ask-${n({ event })}`) as never,
          input: (({ event }: { event: unknown }) => ({ n: n({ event }) })) as never,
        }),
      },
      answered: { actions: append('answered') },
      mail: {
        actions: [
          append('mailed'),
          { type: 'mail', params: (({ event }: { event: unknown }) => ({ n: n({ event }) })) as never },
        ],
      },
      note: { actions: 'note' },
      tick: {
        actions: sendTo('feed', (({ event }: { event: unknown }) => ({
          type: 'tick',
          n: n({ event }),
        })) as never) as never,
      },
      ticked: { actions: append('ticked') },
      pass: { actions: pass as never },
      received: { actions: append('received') },
      consult: {
        actions: spawnChild('consulter', {
          id: (({ event }: { event: unknown }) => `consult-${n({ event })}`) as never,
          input: (({ event }: { event: { to: string } }) => ({ n: n({ event }), to: event.to })) as never,
        }),
      },
      counsel: { actions: reply(n as never) },
      counselled: { actions: append('counselled') },
      poison: { actions: 'crash' },
    },
  });
}

const numbered = z.object({ n: z.number().int() });

export function workerAgent(outside: Outside): AnyAgent {
  return defineAgent({
    name: 'worker',
    machine: workerMachine(outside),
    events: {
      turn: numbered,
      add: numbered,
      arm: numbered,
      ask: numbered,
      mail: numbered,
      note: numbered,
      tick: numbered,
      pass: z.object({ n: z.number().int(), to: z.string() }),
      consult: z.object({ n: z.number().int(), to: z.string() }),
      poison: numbered,
    },
    actions: { mail: { durable: true } },
  }) as unknown as AnyAgent;
}

/** Static workers, addressed by their system ids, which are the last segments. */
export const STAFF = ['a', 'b', 'team/c'];

/** Staff for a system of two workers: placed on the second, the first, the second and the first. */
export const SPREAD_STAFF = ['a', 'd', 'team/c', 'team/e'];

export function systemIdOf(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1);
}

/** The tree with the staff as children. */
export function treeOf(staff: readonly string[]): BossOptions {
  const child = (address: string) => ({ id: systemIdOf(address), systemId: systemIdOf(address), agent: 'worker' });
  const team = {
    id: 'team',
    boss: { intensity: 1_000_000, children: staff.filter((address) => address.includes('/')).map(child) },
  };
  return { intensity: 1_000_000, children: [...staff.filter((address) => !address.includes('/')).map(child), team] };
}
