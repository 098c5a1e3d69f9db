/**
 * Machines that throw tokens to each other, and the tokens that they have caught. The test does not choose where they
 * live.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { ask } from '../../../src/actors/model/ask.ts';
import { reply } from '../../../src/actors/model/talk-actions.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';

interface Catch {
  readonly by: string;
  readonly number: number;
}

export interface PlayerContext {
  readonly caught: readonly Catch[];
  /** The number of the next token by name of its receiver. */
  readonly next: Readonly<Record<string, number>>;
  readonly friends: Readonly<Record<string, object>>;
  /** Throws that wait until the receiver's reference is known. */
  readonly due: readonly { readonly to: string; readonly count: number }[];
  readonly name: string;
}

type PlayerEvent =
  /** Throws go to the player at an address, which is asked for its reference first. */
  { type: 'throw'; to: string; count: number } | { type: 'token'; by: string; number: number } | { type: 'who' };

const player = setup({
  types: {} as { context: PlayerContext; events: PlayerEvent; input: { name: string } },
  actors: { ask },
}).createMachine({
  id: 'player',
  context: ({ input }) => ({ caught: [], next: {}, friends: {}, due: [], name: input.name }),
  on: {
    who: { actions: reply(({ self }: { self: object }) => ({ ref: self })) },
    token: {
      actions: assign({ caught: ({ context, event }) => [...context.caught, { by: event.by, number: event.number }] }),
    },
  },
  type: 'parallel',
  states: {
    throwing: {
      initial: 'ready',
      states: {
        ready: {
          always: { guard: ({ context }) => context.due.length > 0, target: 'meeting' },
          on: {
            throw: {
              actions: assign({ due: ({ context, event }) => [...context.due, { to: event.to, count: event.count }] }),
            },
          },
        },
        meeting: {
          on: {
            throw: {
              actions: assign({ due: ({ context, event }) => [...context.due, { to: event.to, count: event.count }] }),
            },
          },
          invoke: {
            src: 'ask',
            input: ({ context }) => ({ to: context.due[0]!.to, event: { type: 'who' }, timeoutMs: 3_600_000 }),
            onDone: {
              target: 'ready',
              actions: enqueueActions(({ context, event, enqueue }) => {
                const [{ to, count }, ...due] = context.due as [PlayerContext['due'][number]];
                const { ref } = event.output as { ref: object };
                const from = context.next[to] ?? 0;
                for (let number = from; number < from + count; number++)
                  enqueue.sendTo(ref as never, { type: 'token', by: context.name, number } as never);
                enqueue.assign({
                  due,
                  next: { ...context.next, [to]: from + count },
                  friends: { ...context.friends, [to]: ref },
                });
              }),
            },
          },
        },
      },
    },
  },
});

export const playerAgent: AnyAgent = defineAgent({
  name: 'player',
  machine: player,
  events: { throw: z.object({ to: z.string(), count: z.number() }), who: z.object({}) },
});
