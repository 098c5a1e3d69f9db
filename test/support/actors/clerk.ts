/** An agent with states that invoke and wait, as a target for administrative actions. */
import { assign, fromCallback, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { reply } from '../../../src/actors/model/talk-actions.ts';

/** A log of the clerks' effects, `begin NAME` and `end NAME`; each test clears it. */
export const deeds: string[] = [];

const work = fromCallback<{ type: string }, { name: string }>(({ input: { name } }) => {
  deeds.push(`begin ${name}`);
  return () => void deeds.push(`end ${name}`);
});

interface ClerkContext {
  readonly notes: readonly string[];
  readonly rings: number;
}

type ClerkEvent =
  | { type: 'note'; text: string }
  | { type: 'choke' }
  | { type: 'open' }
  | { type: 'read' }
  | { type: 'close' };

export const clerk = defineAgent({
  name: 'clerk',
  machine: setup({
    types: {} as { context: ClerkContext; events: ClerkEvent; input: { secret: string } | undefined },
    actors: { work },
    delays: { patience: 60_000 },
  }).createMachine({
    context: { notes: [], rings: 0 },
    type: 'parallel',
    states: {
      desk: {
        initial: 'idle',
        states: {
          idle: {
            after: { patience: { actions: assign({ rings: ({ context }) => context.rings + 1 }) } },
            on: { open: 'busy' },
          },
          busy: {
            invoke: { src: 'work', id: 'busy', input: { name: 'busy' } },
            entry: assign({ notes: ({ context }) => [...context.notes, 'entered'] }),
            on: { close: 'idle' },
          },
        },
      },
      lamp: { initial: 'lit', states: { lit: { invoke: { src: 'work', id: 'lamp', input: { name: 'lamp' } } } } },
    },
    on: {
      note: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.text] }) },
      choke: {
        actions: assign(() => {
          throw new Error('no');
        }),
      },
      read: { actions: reply(({ context }) => (context as ClerkContext).notes.length) },
    },
  }),
  events: {
    note: z.object({ text: z.string() }),
    choke: z.object({}),
    open: z.object({}),
    read: z.object({}),
    close: z.object({}),
  },
});

export const note = (text: string) => ({ type: 'note' as const, text });
