/**
 * A hub in which somebody decides: a function of the host, or the holder of its token. It is a session of its work plan
 * itself, at depth 0, and takes the orders of sessions; its rules decide nothing then.
 */
import { TAKEN, refused } from '../rules/turn.ts';
import { agentSpec } from './agent-spec.ts';
import { NO_USAGE } from './budget.ts';
import { type HubContext, type HubEvent } from './hub-state.ts';
import { type HubTurn, report, tellPlan } from './hub-turn.ts';
import { promptOf } from './prompt.ts';
import { orderIn, type sessionOrders } from './session-orders.ts';
import { takeAsked } from './spawning.ts';
import { type SessionWork } from './spoke-state.ts';
import { standing } from './standing.ts';
import { type SessionOrder } from './plan-changes.ts';

export type LedEvent = Extract<HubEvent, { readonly type: keyof typeof sessionOrders }>;

/** The input of the work that decides in a hub. */
export function ledWork({ id, planId, role, workspace, decides, read, task }: HubContext): SessionWork {
  const plan = read === null ? null : { ...read, id: read.plan };
  const parts = { role, task, workspace, plan, step: null, scope: null, problems: [], handedOff: null };
  return {
    ...{ session: id, runId: id, planId, role, hub: role, task, workspace },
    ...{ scope: null, isIsolated: false, problems: [], round: 1 },
    spec: agentSpec.parse({ does: decides.kind === 'rules' ? { kind: 'outside' } : decides }),
    prompt: promptOf(parts),
  };
}

/** Opens the hub's own session. */
export function openOwn(turn: HubTurn): void {
  const { id, role, startedAtMs, decides } = turn.context;
  turn.assign({ because: decides.kind === 'function' ? `${decides.name} decides` : 'the holder of its token decides' });
  report(turn, 'running');
  const row = { session: id, run: id, role, hub: role, parent: id, depth: 0, step: null, isBuildCheck: false };
  const told = { prompt: ledWork(turn.context).prompt, scope: null };
  tellPlan(turn, { type: 'session.open', session: { ...row, startedAtMs, handoff: null }, told });
}

/** Closes the hub's own session. */
export function closeOwn(turn: HubTurn, outcome: 'done' | 'failed' | 'interrupted'): void {
  const { id: session, because: summary, decides, startedAtMs, plan } = turn.context;
  if (decides.kind === 'rules' || plan === null) return;
  const usage = { ...NO_USAGE, ms: turn.nowMs - startedAtMs };
  tellPlan(turn, {
    ...{ type: 'session.complete', session, outcome, summary, usage, artifacts: [], isForced: false, from: turn.self },
  });
}

/** Takes an order of the hub's own session. */
export function takeLed(turn: HubTurn, event: LedEvent): void {
  const { id, role, planId, workspace, task, startedAtMs } = turn.context;
  const taken = orderIn(event.type, event);
  if ('problems' in taken) return turn.reply(event.replyTo, refused(...taken.problems));
  const { order } = taken;
  const by = id;
  switch (event.type) {
    case 'session.spawn':
      return takeAsked(turn, { kind: 'spawn', by, order, replyTo: event.replyTo ?? null });
    case 'session.prepare':
      return takeAsked(turn, { kind: 'prepare', by, order, replyTo: event.replyTo ?? null });
    case 'session.change': {
      const { order: change } = order as { readonly order: SessionOrder };
      return tellPlan(turn, { type: 'session.change', session: id, order: change, replyTo: event.replyTo });
    }
    case 'session.handoff':
      return turn.reply(
        event.replyTo,
        refused(`${role} is the first hub of its run: it completes, and hands nothing off`),
      );
    case 'session.complete':
      return turn.reply(event.replyTo, refused(openProblem(turn.context)));
    default: {
      const work = ledWork(turn.context);
      return turn.reply(
        event.replyTo,
        standing({
          ...{ session: id, run: id, plan: planId, role, hub: null, depth: 0, step: null, task, workspace },
          ...{ prompt: work.prompt, scope: null, stepsMax: null, handoff: null, isHeld: false },
          usage: { ...NO_USAGE, ms: turn.nowMs - startedAtMs },
        }),
      );
    }
  }
}

function openProblem({ open }: HubContext): string {
  return `sessions are open: ${[...open.keys()].slice(0, 10).join(', ')}. Wait until they have closed`;
}

/** Ends the run at the word of whoever decides. */
export function completeLed(turn: HubTurn, event: LedEvent): void {
  const taken = orderIn('session.complete', event);
  const summary = 'order' in taken ? taken.order.summary : '';
  turn.assign({ because: summary === '' ? `${turn.context.role} has completed` : summary });
  turn.reply(event.replyTo, { ...TAKEN, outcome: 'done' });
}
