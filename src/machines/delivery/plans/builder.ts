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
import { askOwner } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import * as rules from './backend.ts';

/** The name of the agent. */
export const PLAN_BUILDER = 'plan-builder';

export type BuilderInput = rules.Backend & Readonly<{ plan: string; owner: string }>;

interface BuilderContext extends BuilderInput {
  readonly searches: rules.Searches;
  readonly choice: rules.BackendChoice | null;
}

/** The report of the Builder to the Planning Team. */
export type BackendChosen = Readonly<{ type: 'backend.chosen'; plan: string; choice: rules.BackendChoice }>;

type BuilderTurn = Turn<BuilderContext>;
type BuilderEvent = TicketNotice | { readonly type: 'backend.inject' };
const act = (does: (turn: BuilderTurn, event: BuilderEvent) => void) =>
  inTurn<BuilderContext, BuilderEvent, undefined>(does);

const UNKNOWN: FrameworkFound = { found: 'unknown', at: null };

/** The actions of the machine, by their names in the chart. */
const ACTIONS = {
  found: act((turn, event) => {
    const isLate = !('output' in event) && !('error' in event);
    const known = isLate ? late(CONTRACTS.scan) : heard<rules.Searches>(CONTRACTS.scan as never, event);
    const searches = known.isKnown ? known.value : ([{ ...UNKNOWN, at: known.why }] as const);
    const choice = rules.choiceAfter(turn.context, searches);
    turn.assign({ searches, choice: typeof choice === 'string' ? null : choice });
  }),
  // The orchestrator puts the question to the Builder, as everything that is asked about coding goes through it.
  askBuilder: act((turn) => turn.send(WORK_DESKS.orchestrator, { type: 'backend.unknown', builder: turn.self })),
  inject: act((turn) => turn.assign({ choice: rules.builderChoice(turn.context, turn.context.searches) })),
  ask: act(ask),
  hear: act((turn, event) => {
    if (event.type === 'ticket.failed') ask(turn);
    else if (event.type === 'ticket.rejected') choose(turn, rules.PLAN_ONLY, event.by);
    else if (event.type === 'ticket.resolved')
      choose(turn, event.resolution.option ?? event.resolution.text, event.resolution.by);
  }),
  report: act((turn) => {
    const { plan, choice } = turn.context;
    turn.send(DELIVERY_DESKS.planning, { type: 'backend.chosen', plan, choice: choice! } satisfies BackendChosen);
  }),
};

/** The agent of Builders; `scan`: the function of the host that searches the code. Default: nothing is known. */
export function planBuilder(scan: DeliveryPorts['scan'] = () => Promise.resolve(UNKNOWN)): AnyAgent {
  const search: Port<rules.Backend, unknown> = ({ primary, fallback }, facts) =>
    scan({ framework: primary }, facts).then((first) =>
      first.found === 'no' && fallback !== null
        ? scan({ framework: fallback }, facts).then((second) => [first, second])
        : [first],
    );
  const machine = setup({
    types: {} as { context: BuilderContext; input: BuilderInput; events: BuilderEvent },
    actors: { search: portLogic(search) },
    delays: { patience: CONTRACTS.scan.timeoutMs },
    guards: {
      isChosen: ({ context }) => context.choice !== null,
      isUnknown: ({ context }) => context.searches[0].found === 'unknown',
    },
    actions: ACTIONS,
  }).createMachine({
    id: PLAN_BUILDER,
    context: ({ input }) => ({ ...input, searches: [UNKNOWN], choice: null }),
    initial: 'searching',
    states: {
      searching: {
        invoke: {
          ...{ src: 'search', input: ({ context: { primary, fallback } }) => ({ primary, fallback }) },
          ...{ onDone: { target: 'judging', actions: 'found' }, onError: { target: 'judging', actions: 'found' } },
        },
        after: { patience: { target: 'judging', actions: 'found' } },
      },
      judging: {
        always: [
          { guard: 'isChosen', target: 'built' },
          { guard: 'isUnknown', target: 'unsure' },
          { target: 'asking' },
        ],
      },
      unsure: { entry: 'askBuilder', on: { 'backend.inject': { target: 'built', actions: 'inject' } } },
      asking: {
        entry: 'ask',
        always: { guard: 'isChosen', target: 'built' },
        on: onNotices({ actions: 'hear' as const }),
      },
      built: { type: 'final', entry: 'report' },
    },
  });
  return defineAgent({ name: PLAN_BUILDER, machine, events: {} });
}

function ask(turn: BuilderTurn): void {
  const { owner, primary } = turn.context;
  askOwner(turn, { id: null, owner, priority: 2 }, { about: primary, ...rules.backendQuestion(turn.context) });
}

/** The choice of a person; words that are none of the options are asked for again. */
function choose(turn: BuilderTurn, words: string, by: string): void {
  const choice = rules.choiceBy(turn.context, words, by);
  if (choice === undefined) ask(turn);
  else turn.assign({ choice });
}
