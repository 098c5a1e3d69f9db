/**
 * The message desk: the entry point for peers that use the seed's envelopes (CA-079 to CA-087, CN-003, CN-024). It
 * takes each message once and passes it on, under the crew's own names, to the agent responsible for its type. Messages
 * between agents go to the Lead Coordinator, which routes them (message-routes.ts).
 */
import { z } from 'zod';
import { ENVELOPES_KNOWN_MAX } from '../../limits.ts';
import { didYouMean } from '../../../near-names.ts';
import {
  inOneTable,
  noRecords,
  type RecordKind,
  Records,
  type RecordsApart,
  type RecordTables,
} from '../../rules/records.ts';
import { nameKey, pairKey } from '../../rules/table-keys.ts';
import {
  type Asked,
  order,
  type OrderReply,
  refused,
  ruledAgent,
  type Rules,
  TAKEN,
  type Turn,
} from '../../rules/turn.ts';
import { contentHashOf } from '../../work/content-hash.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { COORDINATION_DESKS } from '../system-ids.ts';
import { BACKPRESSURE_DEPTH } from './backpressure.ts';
import { type Envelope, envelopeSchema, openEnvelope } from './envelope.ts';
import { nameOfType, typeOfName, WIRE_NAMES, type WiredType } from './wire-names.ts';

interface Door {
  /** System id of the receiving agent. */
  readonly to: string;
  /** The seed's name of the recipient; null if the envelope names any agent. */
  readonly recipient: string | null;
  /** Whether the receiving agent replies to the message. */
  readonly isAnswered: boolean;
}

const BETWEEN_AGENTS: Door = { to: WORK_DESKS.coordinator, recipient: null, isAnswered: true };

/**
 * The receiver of each message type; null for a fact that only the crew may state, because the crew's own records are
 * derived from it.
 */
const DOORS: Readonly<Record<WiredType, Door | null>> = {
  'pause.request': { to: WORK_DESKS.coordinator, recipient: 'PauseManager', isAnswered: true },
  'pause.complete': null,
  'resume.command': { to: WORK_DESKS.coordinator, recipient: 'PauseManager', isAnswered: true },
  'batch.pause-request': { to: WORK_DESKS.batches, recipient: 'BatchManager', isAnswered: false },
  'agent.failure': { to: COORDINATION_DESKS.correlator, recipient: 'FailureCorrelator', isAnswered: true },
  'correlation.detected': { to: WORK_DESKS.coordinator, recipient: 'LeadCoordinator', isAnswered: false },
  'batch.trigger': { to: WORK_DESKS.batches, recipient: 'BatchManager', isAnswered: false },
  'talk.finding': BETWEEN_AGENTS,
  'talk.request': BETWEEN_AGENTS,
  'talk.challenge': BETWEEN_AGENTS,
  'talk.confirmation': BETWEEN_AGENTS,
  'talk.alert': BETWEEN_AGENTS,
};

/** The events that the desk passes on and their receivers, for comparison with the events that those agents take. */
export function doorways(): readonly { readonly type: WiredType; readonly to: string; readonly isAnswered: boolean }[] {
  return Object.entries(DOORS).flatMap(([type, door]) =>
    door === null ? [] : [{ type: type as WiredType, to: door.to, isAnswered: door.isAnswered }],
  );
}

/** The reply to `message.post`, if the receiver does not reply itself. */
export interface PostReply extends OrderReply {
  readonly messageId: string;
  /** Whether the message is a repeat and so was not passed on again. */
  readonly isRepeat: boolean;
}

/** A message that was received before. */
interface KnownMessage {
  readonly key: string;
  readonly number: number;
  readonly sha256: string;
}

export interface MessageDeskContext extends RecordTables<KnownMessage> {
  readonly next: number;
}

type ApartContext = Pick<MessageDeskContext, 'next'> & RecordsApart<KnownMessage>;

type DeskTurn = Turn<MessageDeskContext>;

const KNOWN: RecordKind<KnownMessage> = {
  keyOf: ({ key }) => key,
  isOver: () => true,
  endedMax: ENVELOPES_KNOWN_MAX,
};

const postOrder = z.object({
  envelope: envelopeSchema.superRefine((envelope, { addIssue }) => {
    const issue = misaddressed(envelope);
    if (issue !== undefined) addIssue({ code: 'custom', ...issue });
  }),
});

const RULES = {
  'message.post': order(postOrder, post),
} satisfies Rules<MessageDeskContext>;

export const messageDesk = ruledAgent({
  name: 'message-desk',
  rules: RULES,
  context: (): MessageDeskContext => ({ next: 1, ...noRecords<KnownMessage>() }),
  limits: { mailboxMessages: BACKPRESSURE_DEPTH },
  version: 2,
  // Version 1 had a table for records and one for their order.
  migrate: { 2: (old: ApartContext): MessageDeskContext => inOneTable(old, KNOWN) },
});

export function messageChildren() {
  return [{ id: COORDINATION_DESKS.messages, systemId: COORDINATION_DESKS.messages, agent: messageDesk.name }];
}

function misaddressed({ message_type: name, to_agent: to }: Envelope): { path: string[]; message: string } | undefined {
  const type = typeOfName(name);
  if (type === undefined) return undefined; // refused by the envelope's own schema
  const door = DOORS[type];
  if (door === null) {
    const taken = WIRE_NAMES.filter((other) => DOORS[typeOfName(other)!] !== null);
    return { path: ['message_type'], message: `${name} is stated by the crew alone; allowed are ${taken.join(', ')}` };
  }
  const { recipient } = door;
  if (recipient === null || to === null || to === door.to || plain(to) === plain(recipient)) return undefined;
  return {
    path: ['to_agent'],
    message: `${name} goes to ${recipient} ("${door.to}") or null${didYouMean(to, [recipient, door.to])}`,
  };
}

/** A name in a comparable form: `pause-manager` and `PauseManager` are one name. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

function post(
  turn: DeskTurn,
  { envelope, replyTo }: { readonly envelope: Envelope } & Asked,
): PostReply | OrderReply | void {
  const { message, posted } = openEnvelope(envelope);
  const { to, isAnswered } = DOORS[message.type]!; // the schema refuses types without a receiver
  const sha256 = contentHashOf(envelope);
  const messageId = posted.messageId ?? sha256;
  const key = posted.messageId === undefined ? nameKey(sha256) : pairKey(posted.from, messageId);
  const records = new Records(turn, KNOWN);
  const known = records.get(key);
  if (known !== undefined && known.sha256 !== sha256)
    return refused(`envelope.message_id: ${posted.from} has sent another message as "${messageId}"`);
  if (known !== undefined) return { ...TAKEN, messageId, isRepeat: true };
  const receiver = turn.find(to);
  if (receiver === undefined) return refused(`nobody here takes ${nameOfType(message.type)}`);
  const { next: number } = turn.context;
  turn.assign({ next: number + 1 });
  records.put({ key, number, sha256 });
  const isPassed = isAnswered && posted.requiresResponse && replyTo !== undefined;
  const asked = message.type === 'pause.request' && { createdBy: posted.from };
  turn.send(receiver, { ...message, ...asked, ...(isPassed && { replyTo }) });
  return isPassed ? undefined : { ...TAKEN, messageId, isRepeat: false };
}
