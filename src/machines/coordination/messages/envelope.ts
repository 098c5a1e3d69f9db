/**
 * Envelopes (002, CA-087): the form in which messages of the seed's types travel. An envelope is checked by the schema
 * of its message, and problems name the field as the sender wrote it. Pure; times travel as ISO 8601.
 */
import { z } from 'zod';
import { didYouMean } from '../../../near-names.ts';
import { NAME_CHARS_MAX, programOrPerson } from '../../work/message-schema.ts';
import { type MessagePriority, messagePriority } from '../../work/talk-messages.ts';
import { challengeFromWire } from '../debates/challenge-wire.ts';
import { type Message, messages } from './messages.ts';
import { fieldsOfType, nameOfType, typeOfName, WIRE_NAMES, type WiredType } from './wire-names.ts';

/** An envelope: the fields of CA-087, and the id of CN-003. */
export interface Envelope {
  readonly from_agent: string;
  /** The recipient; null for the agent responsible for messages of this type. */
  readonly to_agent: string | null;
  readonly message_type: string;
  readonly priority: MessagePriority;
  readonly content: Readonly<Record<string, unknown>>;
  readonly timestamp: string;
  readonly requires_response: boolean;
  /** The id of the message, unique per sender. An envelope without an id is identified by its whole content. */
  readonly message_id?: string | undefined;
}

const envelopeForm = z.strictObject({
  from_agent: programOrPerson,
  to_agent: z.string().min(1).max(NAME_CHARS_MAX).nullable(),
  message_type: z.string().min(1).max(NAME_CHARS_MAX),
  priority: messagePriority,
  content: z.record(z.string(), z.unknown()),
  timestamp: z.iso.datetime({ offset: true }),
  requires_response: z.boolean(),
  message_id: z.string().min(1).max(NAME_CHARS_MAX).optional(),
});

/** The schema of an envelope whose content is valid for its message type. */
export const envelopeSchema = envelopeForm.superRefine((envelope, { addIssue }) => {
  const opened = messageIn(envelope);
  if ('issues' in opened)
    for (const { path, message } of opened.issues) addIssue({ code: 'custom', path: [...path], message });
});

/** The fields of an envelope other than its content. */
export interface Posted {
  readonly from: string;
  readonly to: string | null;
  readonly priority: MessagePriority;
  readonly atMs: number;
  readonly requiresResponse: boolean;
  readonly messageId?: string | undefined;
}

/** Makes the envelope of a message of the crew. */
export function toEnvelope(message: Message<WiredType>, posted: Posted): Envelope {
  const { from, to, priority, atMs, requiresResponse, messageId } = posted;
  const content: Record<string, unknown> = {};
  for (const [own, theirs] of Object.entries(fieldsOfType(message.type))) {
    const value = (message as Readonly<Record<string, unknown>>)[own];
    if (value !== undefined) content[theirs] = isTime(own) ? new Date(value as number).toISOString() : value;
  }
  return {
    from_agent: from,
    to_agent: to,
    message_type: nameOfType(message.type),
    priority,
    content,
    timestamp: new Date(atMs).toISOString(),
    requires_response: requiresResponse,
    ...(messageId !== undefined && { message_id: messageId }),
  };
}

export interface OpenedEnvelope {
  readonly message: Message<WiredType>;
  readonly posted: Posted;
}

/** Opens an envelope: its message, checked by schema, or the problem. */
export function fromEnvelope(value: unknown): OpenedEnvelope | { readonly problem: string } {
  const { data, error } = envelopeSchema.safeParse(value);
  if (error !== undefined) return { problem: z.prettifyError(error) };
  return openEnvelope(data);
}

/** Opens an envelope that its schema has accepted. */
export function openEnvelope(envelope: Envelope): OpenedEnvelope {
  const opened = messageIn(envelope);
  if ('issues' in opened) throw new TypeError('an envelope must be checked before it is opened');
  const { from_agent: from, to_agent: to, priority, timestamp, message_id: messageId } = envelope;
  const posted = { from, to, priority, atMs: Date.parse(timestamp), requiresResponse: envelope.requires_response };
  return { message: opened.message, posted: { ...posted, ...(messageId !== undefined && { messageId }) } };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type Opened = { readonly message: Message<WiredType> } | { readonly issues: readonly Issue[] };

function messageIn(envelope: Envelope): Opened {
  const { message_type: name, content } = envelope;
  const type = typeOfName(name);
  if (type === undefined) {
    const message = `unknown message type "${name}"${didYouMean(name, WIRE_NAMES)}; known are ${WIRE_NAMES.join(', ')}`;
    return { issues: [{ path: ['message_type'], message }] };
  }
  if (type === 'talk.challenge' && 'challenge_id' in content) return challengeIn(envelope);
  const names = fieldsOfType(type);
  const strangers = Object.keys(content).filter((field) => !Object.values(names).includes(field));
  const parsed = messages[type].safeParse({ ...talkFields(type, envelope), ...ownFields(type, content) });
  const issues = [
    ...strangers.map((field) => ({
      path: ['content', field],
      message: `${name} has no such field${didYouMean(field, Object.values(names))}`,
    })),
    ...(parsed.error?.issues ?? []).map(({ path: [own, ...rest], message }) => ({
      path: ['content', names[String(own)] ?? own!, ...rest],
      message,
    })),
  ];
  if (issues.length > 0) return { issues };
  return { message: { type, ...parsed.data } as Message<WiredType> };
}

function ownFields(type: WiredType, content: Envelope['content']): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [own, theirs] of Object.entries(fieldsOfType(type)))
    if (Object.hasOwn(content, theirs)) fields[own] = isTime(own) ? timeOf(content[theirs]) : content[theirs];
  return fields;
}

/** The fields of a message between agents that come from its envelope. */
function talkFields(type: WiredType, envelope: Envelope): Readonly<Record<string, unknown>> {
  if (!type.startsWith('talk.')) return {};
  const { from_agent: from, to_agent: to, priority, requires_response: requiresResponse } = envelope;
  return { item: null, content: null, from, to, priority, requiresResponse };
}

/** Opens a challenge in the seed's form (CA-095), with the item concerned. */
function challengeIn(envelope: Envelope): Opened {
  const { stock_id: item = null, ...wire } = envelope.content;
  try {
    const { item: _, ...challenge } = challengeFromWire(wire);
    if (challenge.challenger.agent !== envelope.from_agent)
      return { issues: [{ path: ['content', 'challenger'], message: 'must be the sender of the envelope' }] };
    const { data, error } = messages['talk.challenge'].safeParse({
      ...talkFields('talk.challenge', envelope),
      item,
      content: challenge,
    });
    if (error !== undefined) return { issues: [{ path: ['content', 'stock_id'], message: error.issues[0]!.message }] };
    return { message: { type: 'talk.challenge', ...data } };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { issues: error.issues.map(({ path, message }) => ({ path: ['content', ...path], message })) };
  }
}

function isTime(field: string): boolean {
  return field.endsWith('Ms');
}

/** Parses a time into milliseconds; undefined for any other value, which the message's schema refuses. */
function timeOf(value: unknown): number | undefined {
  const { data } = z.iso.datetime({ offset: true }).safeParse(value);
  return data === undefined ? undefined : Date.parse(data);
}
