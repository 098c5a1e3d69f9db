/** An agent with typed events and input: an account that takes deposits until it is closed. */
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type ErrorCode } from '../../../src/error-codes.ts';

export const account = defineAgent({
  name: 'account',
  machine: setup({
    types: {} as {
      context: { balance: number };
      events: { type: 'deposit'; amount: number } | { type: 'close' };
      input: { balance: number } | undefined;
    },
  }).createMachine({
    context: ({ input }) => ({ balance: input?.balance ?? 0 }),
    initial: 'open',
    states: {
      open: {
        on: {
          deposit: {
            actions: [
              assign({ balance: ({ context, event }) => context.balance + event.amount }),
              emit({ type: 'changed' }),
            ],
          },
          close: 'closed',
        },
      },
      closed: { type: 'final' },
    },
  }),
  events: { deposit: z.object({ amount: z.number().positive() }), close: z.object({}) },
});

export const deposit = (amount: number) => ({ type: 'deposit' as const, amount });

/** A matcher for an error with this code. */
export function code(wanted: ErrorCode): object {
  return {
    asymmetricMatch: (error: { code?: unknown } | undefined) => error?.code === wanted,
    toString: () => `an error with the code ${wanted}`,
  };
}
