/**
 * A question to people that is bound to a state: machines invoke it, and it ends with the result of its gate. A gate is
 * withdrawn when the actor that asked has ended, so leaving the state takes the question back.
 */
import { assign, setup } from 'xstate';
import { type z } from 'zod';
import { type Ref, timeOf } from '../../../actors/model/ref.ts';
import { inTurn } from '../../rules/turn.ts';
import { PEOPLE_DESKS } from '../system-ids.ts';
import { type gateQuestion, type GateReport, type GateResult } from './gate.ts';

/** The characters of a gate's id that its asker determines; the number of a life follows. */
const PREFIX_CHARS_MAX = 80;

/** A question of a machine. `id` is the beginning of the gate's id; default: the address of the machine. */
export type StateQuestion = Omit<z.input<typeof gateQuestion>, 'id'> & { readonly id?: string };

interface AskingContext {
  readonly question: z.input<typeof gateQuestion>;
  readonly result: GateResult | null;
}

/**
 * Logic for `invoke`: asks people, and ends with the gate's result. Leaving the invoking state withdraws the question.
 *
 * Input: a question as the gate desk takes it (docs/debates.md), in which `id` may be left out. Output: the result with
 * its `outcome`; it is `failed`, with `problems`, if the desk refuses the question or is missing.
 */
export const askPeople = setup({
  types: {} as {
    context: AskingContext;
    events: Extract<GateReport, { readonly type: 'gate.closed' }>;
    input: StateQuestion;
    output: GateResult;
  },
  guards: {
    isOver: ({ context }) => context.result !== null,
    isOurs: ({ context, event }) => event.result.gate === context.question.id,
  },
  actions: {
    ask: inTurn<AskingContext, Extract<GateReport, { readonly type: 'gate.closed' }>, undefined>((turn) => {
      const { question } = turn.context;
      if (turn.find(PEOPLE_DESKS.gates) === undefined) turn.assign({ result: notAsked(question.id, turn.nowMs) });
      turn.send(PEOPLE_DESKS.gates, { type: 'gate.open', ...question, askedBy: turn.self });
    }),
    keepResult: assign({ result: ({ event }) => event.result }),
  },
}).createMachine({
  id: 'ask-people',
  context: ({ input, self }) => ({
    question: { ...input, id: idOf(input.id, self as unknown as Ref) },
    result: null,
  }),
  output: ({ context, self }) => context.result ?? notAsked(context.question.id, timeOf(self)),
  initial: 'waiting',
  states: {
    waiting: {
      entry: 'ask',
      always: { guard: 'isOver', target: 'over' },
      on: { 'gate.closed': { guard: 'isOurs', target: 'over', actions: 'keepResult' } },
    },
    over: { type: 'final' },
  },
});

/** An id of its own for each life that asks: the gates of earlier lives stay on record under theirs. */
function idOf(given: string | undefined, { life, address, _parent }: Ref): string {
  const prefix = given ?? (_parent?.address ?? address).replaceAll(/[^\w\-.:@+~]/g, '.');
  return `${prefix.slice(-PREFIX_CHARS_MAX)}:${life}`;
}

function notAsked(gate: string, nowMs: number): GateResult {
  const nobody = { answer: null, by: null, onTimeout: null, reminders: 0 };
  return {
    ...{ gate, outcome: 'failed', openedAtMs: nowMs, closedAtMs: nowMs, ...nobody },
    problems: ['people cannot be asked here: there is no gate desk'],
  };
}
