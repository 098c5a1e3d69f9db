/**
 * A stand-in for the gate desk: one gate at a time, with its reminders and its deadline, through the events that the
 * coordinator exchanges with it.
 */
import { type AnyActorRef, assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { timeOf } from '../../../src/actors/model/ref.ts';

export interface OpenQuestion {
  readonly type: 'gate.open';
  readonly id: string;
  readonly package: {
    readonly item: string;
    readonly completed: readonly string[];
    readonly results: unknown;
    readonly materials: unknown;
  };
  readonly remindAfterMs: readonly number[];
  readonly deadlineMs: number | null;
  readonly askedBy: AnyActorRef;
}

export interface GatesContext {
  readonly asked: readonly OpenQuestion[];
  readonly openedAtMs: number;
  readonly remindedAtMs: readonly number[];
}

type Event =
  | OpenQuestion
  | { readonly type: 'answer'; readonly answer: unknown }
  | { readonly type: 'remind' }
  | { readonly type: 'expire' };

const machine = setup({
  types: {} as { context: GatesContext; events: Event },
  actions: {
    close: enqueueActions(({ context, event, enqueue, self }) => {
      const { id: gate, askedBy } = context.asked.at(-1)!;
      const isAnswered = event.type === 'answer';
      const result = {
        gate,
        outcome: isAnswered ? 'answered' : 'timedOut',
        answer: isAnswered ? event.answer : null,
        openedAtMs: context.openedAtMs,
        closedAtMs: timeOf(self),
      };
      enqueue.cancel('expire');
      enqueue.sendTo(askedBy, { type: 'gate.closed', result } as never);
    }),
  },
}).createMachine({
  context: { asked: [], openedAtMs: 0, remindedAtMs: [] },
  on: {
    'gate.open': {
      actions: enqueueActions(({ context, event, enqueue, self }) => {
        enqueue.assign({ asked: [...context.asked, event], openedAtMs: timeOf(self) });
        for (const delay of event.remindAfterMs) enqueue.raise({ type: 'remind' }, { id: `remind${delay}`, delay });
        if (event.deadlineMs !== null) enqueue.raise({ type: 'expire' }, { id: 'expire', delay: event.deadlineMs });
      }),
    },
    remind: {
      actions: assign({
        remindedAtMs: ({ context, self }) => [...context.remindedAtMs, timeOf(self) - context.openedAtMs],
      }),
    },
    answer: { actions: 'close' },
    expire: { actions: 'close' },
  },
});

export const gatesStandIn = defineAgent({
  name: 'gates-stand-in',
  machine,
  events: { answer: z.object({ answer: z.unknown() }) },
});
