/**
 * A coding session of the host: it takes one task after the other from the orchestrator and has it done by the port
 * `code`, such as a spoke of a hub. An agent that comes from outside by MCP needs no actor.
 */
import { setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { inTurn, type Turn } from '../../rules/turn.ts';
import { heard, type Port, portLogic } from '../../work/port.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { CODED } from '../delivery-ports.ts';
import { type Directive, doneReport } from './task-messages.ts';

interface CoderContext {
  readonly name: string;
  readonly directive: Directive | null;
}
type CoderEvent = { readonly type: 'directive'; readonly directive: Directive };
type CoderTurn = Turn<CoderContext>;

/** Makes the agent of coding sessions; `code` does the work. */
export function coderAgent(code: Port<Directive, unknown>) {
  const machine = setup({
    types: {} as { context: CoderContext; events: CoderEvent; input: { readonly name: string } },
    actors: { code: portLogic<Directive, unknown>(code) },
    delays: { patience: CODED.timeoutMs },
    actions: {
      askForWork: inTurn((turn: CoderTurn) =>
        turn.send(WORK_DESKS.orchestrator, { type: 'coder.idle', coder: turn.context.name, ref: turn.self }),
      ),
      take: inTurn((turn: CoderTurn, event: CoderEvent) => turn.assign({ directive: event.directive })),
      report: inTurn((turn: CoderTurn, event: CoderEvent) => {
        const { name: coder, directive } = turn.context;
        const said = heard(CODED, event);
        const report = said.isKnown ? said.value : doneReport.parse({ status: 'failed', details: said.why });
        turn.send(WORK_DESKS.orchestrator, { type: 'coder.done', task: directive!.taskId, coder, report });
      }),
    },
  }).createMachine({
    id: 'coder',
    context: ({ input: { name } }) => ({ name, directive: null }),
    initial: 'idle',
    states: {
      idle: { entry: 'askForWork', on: { directive: { target: 'coding', actions: 'take' } } },
      coding: {
        tags: 'busy',
        invoke: {
          src: 'code',
          input: ({ context }) => context.directive!,
          onDone: { target: 'idle', actions: 'report' },
          onError: { target: 'idle', actions: 'report' },
        },
        after: { patience: { target: 'idle', actions: 'report' } },
      },
    },
  });
  return defineAgent({ name: 'coder', machine, events: {} });
}
