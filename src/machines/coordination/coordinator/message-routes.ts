/**
 * The routes of messages (CA-002, CA-007): the table by which the Lead Coordinator passes on messages between agents. A
 * message goes to the receiver that it names, or else to the desk for its kind. A message that its receiver does not
 * handle is refused here and its sender is told, so that no message is accepted and then dropped. Pure.
 */
import { type EventObject } from 'xstate';
import { type CoordinatorEvent } from './coordinator-events.ts';
import { isHandled, handledBy } from '../../work/handled-events.ts';
import { cutText } from '../../work/message-schema.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { COORDINATION_DESKS } from '../system-ids.ts';
import { type Message } from '../messages/messages.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { findingMade, requestMade } from './talk-decisions.ts';

export type Talk = Extract<CoordinatorEvent, { readonly type: `talk.${string}` }>;

export interface Route {
  /** System id of the actor that handles messages of this kind. */
  readonly to: string;
  /** The type of the event that the actor receives. */
  readonly as: string;
}

/** Routes of messages that name no receiver, or name the coordinator. */
export const ROUTES: Readonly<Record<Talk['type'], Route>> = {
  'talk.finding': { to: WORK_DESKS.coordinator, as: 'talk.finding' },
  'talk.request': { to: PEOPLE_DESKS.gates, as: 'gate.open' },
  'talk.challenge': { to: COORDINATION_DESKS.debates, as: 'debate.challenge' },
  'talk.confirmation': { to: COORDINATION_DESKS.debates, as: 'talk.confirmation' },
  'talk.alert': { to: PEOPLE_DESKS.alerts, as: 'alert.raise' },
};

/** Hands a message over. Returns undefined if the receiver replies itself. */
type Given = (ledger: PlanLedger, message: Talk) => OrderReply | undefined;

/** The hand-over of each kind of message. */
const HAND_OVER: Readonly<Record<Talk['type'], Given>> = {
  'talk.finding': (ledger, message) => findingMade(ledger, message as Message<'talk.finding'>),
  'talk.request': (ledger, message) => requestMade(ledger, message as Message<'talk.request'>),
  'talk.challenge': (ledger, message) => void ledger.send(COORDINATION_DESKS.debates, challengeOf(message)),
  'talk.confirmation': (ledger, message) => void ledger.send(COORDINATION_DESKS.debates, message),
  'talk.alert': (ledger, message) => {
    ledger.tell('alerts', cardOf(message));
    return TAKEN;
  },
};

/** Passes a message on. A critical finding also becomes an alert card, because it must reach people (CA-007). */
export function passOn(ledger: PlanLedger, message: Talk): OrderReply | undefined {
  const { type, priority } = message;
  if (type === 'talk.finding' && priority === 'critical') ledger.tell('alerts', cardOf(message));
  const receiver = receiverOf(ledger, message);
  const isRouted = receiver === ROUTES[type].to;
  const refusal = refusalOf(ledger, receiver, isRouted ? ROUTES[type].as : type);
  if (refusal !== undefined) return refuse(ledger, message, { receiver, ...refusal });
  if (isRouted) return HAND_OVER[type](ledger, message);
  // The sender is answered here; the receiver is not asked to reply.
  const { replyTo: _, ...said } = message;
  ledger.send(receiver, said);
  return TAKEN;
}

/**
 * The receiver of a message. A message to the coordinator goes to the desk for its kind: sent to itself, it would loop
 * for ever.
 */
function receiverOf({ self, find }: PlanLedger, { type, to }: Talk): string {
  const isOwn = to === null || to === WORK_DESKS.coordinator || find(to)?.sessionId === self.sessionId;
  return isOwn ? ROUTES[type].to : to;
}

interface Refusal {
  readonly problem?: string;
  readonly takes: readonly string[] | null;
}

/** Why an event is not sent to a receiver; undefined if it is sent, or if the receiver's event types are unknown. */
function refusalOf({ find }: PlanLedger, receiver: string, event: string): Refusal | undefined {
  const actor = find(receiver);
  if (actor === undefined) return { takes: null };
  const takes = handledBy(actor);
  if (takes === undefined || isHandled(event, takes)) return undefined;
  return { problem: `"${receiver}" takes no ${event}; it takes ${takes.join(', ') || 'nothing'}`, takes };
}

function refuse(
  ledger: PlanLedger,
  { type, from, to }: Talk,
  { receiver, problem, takes }: Refusal & { readonly receiver: string },
): OrderReply {
  const kind = type.slice('talk.'.length);
  ledger.emitted.push({ type: 'message.undeliverable', messageType: type, from, to, receiver, takes });
  return refused(cutText(problem ?? `nobody here takes a ${kind}${to === null ? '' : ` for "${to}"`}`));
}

/**
 * The event that makes the facilitator open a debate. The facilitator checks the challenge and answers the sender. The
 * challenger and the item come from the message; from the content, only the type of the challenger's agent is taken.
 */
function challengeOf({ content, from, item, ...message }: Talk): EventObject {
  const { replyTo: _, challenger, ...given } = (content ?? {}) as Readonly<Record<string, unknown>>;
  const { agentType } = (challenger ?? {}) as { readonly agentType?: unknown };
  const known = { item, challenger: { agent: from, ...(agentType !== undefined && { agentType }) } };
  return { ...given, ...known, ...('replyTo' in message && { replyTo: message.replyTo }), type: 'debate.challenge' };
}

const CARD_PRIORITY = { critical: 'CRITICAL', high: 'HIGH', normal: 'MEDIUM', low: 'LOW' } as const;

function cardOf({ type, from, item, content, priority }: Talk): Message<'alert.raise'> {
  const kind = type === 'talk.alert' ? 'agent.alert' : 'finding.critical';
  const detail = cutText(typeof content === 'string' ? content : (JSON.stringify(content) ?? ''));
  return {
    type: 'alert.raise',
    item,
    kind,
    priority: CARD_PRIORITY[priority],
    title: `${from} says`,
    detail,
    actions: [],
    data: { from },
  };
}
