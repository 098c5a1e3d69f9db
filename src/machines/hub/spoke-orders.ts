/**
 * The orders that a spoke takes while it works, from its function or from the holder of its token. It hands off and
 * completes itself, passes changes on to the work plan, and spawns and preparations to the hub of its run, each under
 * its own id.
 */
import { refused, TAKEN, type Turn } from '../rules/turn.ts';
import { stepsMaxOf } from './agent-spec.ts';
import { orderIn, type sessionOrders } from './session-orders.ts';
import { verdictOn } from './spoke-rules.ts';
import { type SpokeContext, type SpokeEvent, workOutcome } from './spoke-state.ts';
import { standing } from './standing.ts';
import { type SessionOrder } from './plan-changes.ts';
import { type PlanEvent } from './work-plan.ts';

export type SpokeTurn = Turn<SpokeContext>;
export type OrderEvent = Extract<SpokeEvent, { readonly type: keyof typeof sessionOrders }>;

export function takeOrder(turn: SpokeTurn, event: OrderEvent): void {
  const { hub, plan, session } = turn.context;
  const { type, replyTo } = event;
  const taken = orderIn(type, event);
  if ('problems' in taken) return turn.reply(replyTo, refused(...taken.problems));
  const { order } = taken;
  const { workspace } = turn.context;
  if ('workspace' in order && order.workspace !== undefined && order.workspace !== workspace)
    return turn.reply(replyTo, refused(`workspace_id: this session works in ${workspace}`));
  switch (type) {
    case 'session.spawn':
      return turn.send(hub, { type: 'session.asks', kind: 'spawn', by: session.session, order, replyTo });
    case 'session.prepare':
      return turn.send(hub, { type: 'session.asks', kind: 'prepare', by: session.session, order, replyTo });
    case 'session.change': {
      const { order: change } = order as { readonly order: SessionOrder };
      const event: PlanEvent = { type: 'session.change', session: session.session, order: change, replyTo };
      return turn.send(plan, event);
    }
    case 'session.handoff':
      return handOffByOrder(turn, (order as { readonly said: object }).said, replyTo);
    case 'session.complete':
      return completeByOrder(
        turn,
        order as { readonly summary: string; readonly artifacts: readonly string[] },
        replyTo,
      );
    case 'session.get':
      return turn.reply(replyTo, standingOf(turn.context));
  }
}

/** Takes the completion of a session whose hand-off is held, once its files have been looked at. */
export function takeCompletion(turn: SpokeTurn, event: OrderEvent): void {
  const taken = orderIn('session.complete', event) as { readonly order: Completion };
  const { summary, artifacts } = taken.order;
  turn.assign({ summary, work: workOutcome.parse({ ...turn.context.work, summary, artifacts }) });
  turn.reply(event.replyTo, { ...TAKEN, outcome: turn.context.outcome });
}

/** Whether an event completes a session that has handed off and whose files have not been looked at yet. */
export function completesHeld({ held, workspace }: SpokeContext, event: SpokeEvent): boolean {
  if (event.type !== 'session.complete' || (held ?? null) === null) return false;
  const taken = orderIn('session.complete', event);
  return 'order' in taken && ((taken.order as Partial<Completion>).workspace ?? workspace) === workspace;
}

interface Completion {
  readonly summary: string;
  readonly artifacts: readonly string[];
  readonly workspace?: string;
}

/** Sends a hand-off to the work plan, which records it and replies. One that does not fit is told why. */
function handOffByOrder(turn: SpokeTurn, said: object, replyTo: OrderEvent['replyTo']): void {
  const { session, plan, spec } = turn.context;
  const verdict = verdictOn(turn.context, workOutcome.parse({ handoff: said }));
  if (verdict.kind === 'alone') return turn.reply(replyTo, refused(`${session.role} hands nothing off: it completes`));
  if (verdict.kind === 'misfit') return turn.reply(replyTo, refused(...verdict.problems));
  // A repeat is answered by the plan with the number on record; anything else comes too late.
  const before = turn.context.held ?? turn.context.said;
  if (before !== null && JSON.stringify(before) !== JSON.stringify(verdict.said))
    return turn.reply(replyTo, refused(`${session.session} has handed off already, and that stands: complete`));
  if (spec.isIsolated) {
    // Its files have the last word: they are looked at when its work is over.
    turn.assign({ held: verdict.said });
    return turn.reply(replyTo, { ...TAKEN, seq: null, recommended: verdict.said.recommended, isHeld: true });
  }
  turn.assign({ said: verdict.said, verified: verdict.verified, outcome: verdict.outcome });
  const event: PlanEvent = {
    ...{ type: 'session.handoff', session: session.session, said: verdict.said, verified: verdict.verified },
    ...{ from: turn.self, replyTo },
  };
  turn.send(plan, event);
}

/** Asks the work plan to close the session, which it does behind a hand-off (HS-017). It replies. */
function completeByOrder(
  turn: SpokeTurn,
  { summary, artifacts }: { readonly summary: string; readonly artifacts: readonly string[] },
  replyTo: OrderEvent['replyTo'],
): void {
  const { session, plan, outcome, usage, startedAtMs, work } = turn.context;
  turn.assign({ summary, work: workOutcome.parse({ ...work, summary, artifacts }) });
  const used = { ...usage, ms: usage.ms + turn.nowMs - startedAtMs };
  const event: PlanEvent = {
    ...{ type: 'session.complete', session: session.session, outcome, summary, artifacts, usage: used },
    ...{ isForced: false, from: turn.self, replyTo },
  };
  turn.send(plan, event);
}

function standingOf({ session, task, workspace, prompt, spec, handoff, held, usage, planId }: SpokeContext) {
  const { session: id, run, role, hub, depth, step } = session;
  const limits = { scope: spec.writes, stepsMax: stepsMaxOf(role, spec) };
  return standing({
    ...{ session: id, run, plan: planId, role, hub, depth, step, task, workspace, prompt, ...limits, handoff, usage },
    isHeld: (held ?? null) !== null,
  });
}
