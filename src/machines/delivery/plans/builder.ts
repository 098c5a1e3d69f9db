/**
 * The Builder (MX-086): one per plan with a backend, until it is known what that is built with (D7). It searches the
 * code, and asks people where that decides nothing.
 */
import { setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { type AnyAgent } from '../../../actors/model/agent.ts';
import { onNotices, type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { inTurn, type Turn } from '../../rules/turn.ts';
import { heard, late, type Port, portLogic } from '../../work/port.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { CONTRACTS, type DeliveryPorts, type FrameworkFound } from '../delivery-ports.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import {
  type Backend,
  type BackendChoice,
  type BackendStep,
  backendQuestion,
  builderChoice,
  choiceBy,
  PLAN_ONLY,
  stepAfter,
} from './backend.ts';
import { askPlanOwner } from './plan-owner.ts';

/** The name of the agent. */
export const PLAN_BUILDER = 'plan-builder';

export interface BuilderInput extends Backend {
  readonly plan: string;
  readonly owner: string;
}

interface BuilderContext extends BuilderInput {
  readonly searches: readonly FrameworkFound[];
  readonly choice: BackendChoice | null;
}

/** The report of the Builder to the Planning Team. */
export type BackendChosen = Readonly<{ type: 'backend.chosen'; plan: string; choice: BackendChoice }>;

type BuilderEvent = TicketNotice | { readonly type: 'backend.inject' };
type BuilderTurn = Turn<BuilderContext>;

const act = (does: (turn: BuilderTurn, event: BuilderEvent) => void) =>
  inTurn<BuilderContext, BuilderEvent, undefined>(does);

const stepOf = (context: BuilderContext): BackendStep => context.choice ?? stepAfter(context, context.searches);

const searches = (step: BackendStep) => typeof step === 'object' && 'scan' in step;

/** The actions of the machine, by their names in the chart. */
const ACTIONS = {
  found: act((turn, event) => {
    const isLate = !('output' in event) && !('error' in event);
    const known = isLate ? late(CONTRACTS.scan) : heard<FrameworkFound>(CONTRACTS.scan as never, event);
    const search = known.isKnown ? known.value : ({ found: 'unknown', at: known.why } as const);
    turn.assign({ searches: [...turn.context.searches, search] });
  }),
  // The orchestrator puts the question to the Builder, as everything that is asked about coding goes through it.
  askBuilder: act((turn) =>
    turn.send(WORK_DESKS.orchestrator, { type: 'backend.unknown', plan: turn.context.plan, builder: turn.self }),
  ),
  inject: act((turn) => turn.assign({ choice: builderChoice(turn.context, turn.context.searches.at(-1)!.at) })),
  ask: act(askPeople),
  hear: act((turn, event) => {
    if (event.type === 'ticket.rejected') choose(turn, PLAN_ONLY, event.by);
    else if (event.type === 'ticket.resolved')
      choose(turn, event.resolution.option ?? event.resolution.text, event.resolution.by);
  }),
  report: act((turn) => {
    const choice = stepOf(turn.context) as BackendChoice;
    const told: BackendChosen = { type: 'backend.chosen', plan: turn.context.plan, choice };
    turn.send(DELIVERY_DESKS.planning, told);
  }),
};

/** The agent of Builders; `scan`: the function of the host that searches the code. Default: nothing is known. */
export function planBuilder(scan?: DeliveryPorts['scan']): AnyAgent {
  const port = (scan ?? (() => Promise.resolve({ found: 'unknown' }))) as Port<object, unknown>;
  const machine = setup({
    types: {} as { context: BuilderContext; input: BuilderInput; events: BuilderEvent },
    actors: { scan: portLogic<object, unknown>(port) },
    delays: { patience: CONTRACTS.scan.timeoutMs },
    guards: {
      searches: ({ context }) => searches(stepOf(context)),
      asksBuilder: ({ context }) => stepOf(context) === 'ask builder',
      asksPeople: ({ context }) => stepOf(context) === 'ask people',
      isChosen: ({ context }) => context.choice !== null,
    },
    actions: ACTIONS,
  }).createMachine({
    id: PLAN_BUILDER,
    context: ({ input }) => ({ ...input, searches: [], choice: null }),
    initial: 'judging',
    states: {
      judging: {
        always: [
          { guard: 'searches', target: 'searching' },
          { guard: 'asksBuilder', target: 'unsure' },
          { guard: 'asksPeople', target: 'asking' },
          { target: 'built' },
        ],
      },
      searching: {
        invoke: {
          src: 'scan',
          input: ({ context }) => ({ framework: (stepOf(context) as { readonly scan: string }).scan }),
          onDone: { target: 'judging', actions: 'found' },
          onError: { target: 'judging', actions: 'found' },
        },
        after: { patience: { target: 'judging', actions: 'found' } },
      },
      unsure: { entry: 'askBuilder', on: { 'backend.inject': { target: 'judging', actions: 'inject' } } },
      asking: {
        entry: 'ask',
        always: { guard: 'isChosen', target: 'built' },
        on: { ...onNotices({ actions: 'hear' as const }), 'ticket.failed': { target: 'asking', reenter: true } },
      },
      built: { type: 'final', entry: 'report' },
    },
  });
  return defineAgent({ name: PLAN_BUILDER, machine, events: {} });
}

function askPeople(turn: BuilderTurn): void {
  const { owner, primary } = turn.context;
  askPlanOwner(turn, owner, { about: primary, ...backendQuestion(turn.context) });
}

/** The choice of a person; words that are none of the options are asked for again. */
function choose(turn: BuilderTurn, words: string, by: string): void {
  const choice = choiceBy(turn.context, words, by);
  if (choice === undefined) askPeople(turn);
  else turn.assign({ choice });
}
