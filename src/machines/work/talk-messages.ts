/** Messages between agents of a plan, passed on by the Lead Coordinator (CA-007, CA-079). */
import { z } from 'zod';
import { type MessageIn, name, programOrPerson } from './message-schema.ts';

/** The urgency of a message, in the words of envelopes (CA-087, CA-088). */
export const messagePriority = z.enum(['critical', 'high', 'normal', 'low']);
export type MessagePriority = z.infer<typeof messagePriority>;

const talk = z.object({
  from: programOrPerson,
  /** The system id of the receiver; null: the agent responsible for messages of this kind. */
  to: name.nullable(),
  item: name.nullable(),
  content: z.unknown(),
  priority: messagePriority,
  requiresResponse: z.boolean(),
});

export const talkMessages = {
  'talk.finding': talk,
  'talk.request': talk,
  'talk.challenge': talk,
  'talk.confirmation': talk,
  'talk.alert': talk,
} as const;

export type TalkMessage<Type extends keyof typeof talkMessages = keyof typeof talkMessages> = MessageIn<
  typeof talkMessages,
  Type
>;
