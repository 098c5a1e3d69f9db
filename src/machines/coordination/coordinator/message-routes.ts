/**
 * Who gets which message (CA-002, CA-007): the table by which the Lead Coordinator passes on what agents say to each
 * other. Pure. A message that names a receiver goes to that one; the others go where their kind is dealt with.
 */
import { type CoordinatorEvent } from './coordinator-events.ts';
import { cutText } from '../../work/message-schema.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type Message } from '../messages/messages.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { refused, TAKEN } from '../../people/turn.ts';

export type Talk = Extract<CoordinatorEvent, { readonly type: `talk.${string}` }>;

/** System ids of those who are told of a message that names nobody. */
const ROUTES: Readonly<Record<Talk['type'], readonly string[]>> = {
  /** To everybody who may build on it. */
  'talk.finding': [DESKS.debates, DESKS.gates, DESKS.correlator],
  'talk.request': [DESKS.gates],
  'talk.challenge': [DESKS.debates],
  'talk.confirmation': [DESKS.debates],
  'talk.alert': [DESKS.alerts],
};

/** Receivers of a message; empty where there is none to give it to. */
export function routesOf(
  { type, to }: Pick<Talk, 'type' | 'to'>,
  isPresent: (systemId: string) => boolean,
): readonly string[] {
  return (to === null ? ROUTES[type] : [to]).filter(isPresent);
}

/** Passes it on. Alerts become cards, and so do critical findings: those must reach people (CA-007). */
export function passOn(ledger: PlanLedger, message: Talk): void {
  const { type, to, from, item, content, priority } = message;
  const isCard = type === 'talk.alert' || (type === 'talk.finding' && priority === 'critical');
  const receivers = routesOf(message, ledger.isPresent).filter((id) => id !== DESKS.alerts);
  for (const id of receivers)
    ledger.send(id, id === DESKS.debates && type === 'talk.challenge' ? challengeOf(message) : message);
  const isRaised = isCard && ledger.isPresent(DESKS.alerts);
  if (isRaised) ledger.tell('alerts', cardOf(type, { from, item, content, priority }));
  const isTaken = receivers.length > 0 || isRaised;
  // A challenge is answered by whoever opens the debate.
  if (receivers.includes(DESKS.debates) && type === 'talk.challenge') return;
  const kind = type.slice('talk.'.length);
  ledger.answer = isTaken ? TAKEN : refused(`nobody here takes a ${kind}${to === null ? '' : ` for "${to}"`}`);
  if (!isTaken) ledger.emitted.push({ type: 'message.undeliverable', messageType: type, from, to });
}

/** The facilitator opens a debate by what the challenge holds; it checks that itself, and answers whoever asked. */
function challengeOf({ content, from, item, ...message }: Talk): { readonly type: string } {
  const replyTo = 'replyTo' in message ? { replyTo: message.replyTo } : {};
  const known = { item, challenger: { agent: from } };
  return { ...known, ...(content as object | null), ...replyTo, type: 'debate.challenge' };
}

const CARD_PRIORITY = { critical: 'CRITICAL', high: 'HIGH', normal: 'MEDIUM', low: 'LOW' } as const;

function cardOf(
  type: Talk['type'],
  { from, item, content, priority }: Pick<Talk, 'from' | 'item' | 'content' | 'priority'>,
): Message<'alert.raise'> {
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
