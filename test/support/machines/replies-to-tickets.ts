/**
 * Replies as people write them, each with the question it answers and whether it is an answer. Those of the first list
 * were written before the rule that scores them, those of the second afterwards.
 */
import { type TicketEvidence } from '../../../src/machines/people/tickets/ticket-messages.ts';

export interface ReplyCase {
  readonly title: string;
  readonly description?: string;
  readonly options?: readonly string[];
  readonly evidence?: readonly TicketEvidence[];
  readonly reply: string;
  readonly option?: string;
  /** Replies before this one, to the same question. */
  readonly earlier?: readonly string[];
  readonly passes: boolean;
}

const VALIDATOR = { title: 'Zod or Joi for POST /auth/register?' };
const CURRENCY = { title: 'Which currency do customers pay in?' };
const RETENTION = { title: 'Which database do we use, and how long do we keep the access logs?' };
const COOKIES = { title: 'Should the session cookie be valid for sub-domains?' };

const declared = (source: string, excerpt: string): TicketEvidence => ({ source, excerpt, isDeclared: true });

export const WRITTEN_BEFORE: readonly ReplyCase[] = [
  { ...VALIDATOR, reply: 'Zod.', passes: true },
  { ...VALIDATOR, reply: 'whatever you think is best', passes: false },
  { ...VALIDATOR, reply: 'yes', passes: false },
  { ...VALIDATOR, reply: 'Joi, not Zod', passes: true },
  { ...VALIDATOR, reply: 'Zod or Joi', passes: false },
  { ...VALIDATOR, reply: 'It depends.', passes: false },
  { ...VALIDATOR, reply: 'Zod for new endpoints, Joi stays where it is used today.', passes: true },
  { ...VALIDATOR, reply: 'Maybe Zod?', passes: false },
  { ...VALIDATOR, reply: 'Use Zod because we might want to share the schemas with the web client.', passes: true },
  { ...CURRENCY, reply: 'Euro only until the Swiss launch in Q3.', passes: true },
  { ...CURRENCY, reply: 'the usual one', passes: false },
  { ...CURRENCY, reply: 'No idea, ask finance', passes: false },
  { ...RETENTION, reply: 'PostgreSQL.', passes: false },
  { ...RETENTION, reply: 'PostgreSQL, and logs are kept for 90 days.', passes: true },
  { ...RETENTION, earlier: ['PostgreSQL.'], reply: '90 days', passes: true },
  { ...COOKIES, reply: 'No, only for the host itself.', passes: true },
  { ...COOKIES, reply: 'What would be the risk?', passes: false },
  { ...COOKIES, reply: 'I guess so', passes: false },
  { title: 'How many retries before we give up?', reply: 'a few', passes: false },
  { title: 'How many retries before we give up?', reply: '3', passes: true },
  {
    title: 'Password length at least 8 or 12?',
    evidence: [declared('plan.json:31', 'The password has at least 12 characters.')],
    reply: '8',
    passes: false,
  },
  {
    title: 'Password length at least 8 or 12?',
    evidence: [declared('plan.json:31', 'The password has at least 12 characters.')],
    reply: '8. The plan is older and is to be changed.',
    passes: true,
  },
  { ...VALIDATOR, options: ['Zod', 'Joi'], option: 'Zod', reply: 'Zod', passes: true },
];

const RATE = { title: 'What should the API return when a client exceeds its rate: 429 or 503?' };
const DELETE = {
  title: 'Delete of accounts',
  description: 'A customer asks to be deleted. Do we delete at once or after a grace period? How long is it?',
};
const LAUNCH = { title: 'When does the beta start?' };
const OWNER = { title: 'Who approves changes of the price list?' };
const QUEUE = {
  title: 'What do we do with messages that fail three times?',
  options: ['drop them', 'park them in a queue', 'stop the consumer'],
};

export const WRITTEN_AFTER: readonly ReplyCase[] = [
  { ...CURRENCY, description: `${CURRENCY.title}\nFor the invoice.`, reply: 'Euro only.', passes: true },
  { ...RATE, reply: '429, with Retry-After', passes: true },
  { ...RATE, reply: '503 is for overload of the whole system. 429.', passes: true },
  { ...RATE, reply: 'Both are fine by me', passes: false },
  { ...RATE, reply: 'the first', passes: true },
  { ...RATE, reply: 'I think 429', passes: true },
  { ...RATE, reply: 'Probably 429, but check with ops', passes: false },
  { ...RATE, reply: 'Hmm, good question. Let me get back to you.', passes: false },
  { ...RATE, reply: 'No', passes: false },
  { ...RATE, reply: '429 for clients with a key, 503 for anonymous ones.', passes: true },
  { ...RATE, reply: '418', passes: false },
  { ...DELETE, reply: 'At once.', passes: false },
  { ...DELETE, reply: 'After a grace period of 30 days.', passes: true },
  { ...DELETE, reply: 'grace period, two weeks', passes: true },
  { ...DELETE, reply: '30 days', passes: false },
  { ...LAUNCH, reply: 'On Monday, March 2', passes: true },
  { ...LAUNCH, reply: 'soon', passes: false },
  { ...LAUNCH, reply: 'As soon as the audit is done, not before.', passes: true },
  { ...OWNER, reply: 'The head of sales', passes: true },
  { ...OWNER, reply: 'same as last time', passes: false },
  { ...OWNER, reply: 'not me', passes: false },
  { ...OWNER, reply: 'Maria, and in her absence Tom.', passes: true },
  { ...QUEUE, reply: 'Park them, and page whoever is on call.', passes: true },
  { ...QUEUE, reply: 'Dropping them is not acceptable, so park them in a queue', passes: true },
  { ...QUEUE, reply: 'the second one', passes: true },
  { ...QUEUE, reply: 'ok', passes: false },
  { ...QUEUE, option: 'stop the consumer', reply: 'We may lose money otherwise.', passes: true },
  { title: 'Is the login page in scope?', reply: 'Yes.', passes: true },
  { title: 'Is the login page in scope?', reply: 'yes and no', passes: false },
  { title: 'Is the login page in scope?', reply: 'Only the form, not the reset of passwords.', passes: true },
  { title: 'Is the login page in scope?', reply: 'I do not know', passes: false },
  {
    title: 'How many days do we keep backups?',
    evidence: [declared('docs/ops.md:12', 'Backups are kept for 14 days.')],
    reply: '30',
    passes: false,
  },
  {
    title: 'How many days do we keep backups?',
    evidence: [declared('docs/ops.md:12', 'Backups are kept for 14 days.')],
    reply: '30, ops.md is outdated',
    passes: true,
  },
  {
    title: 'Vitest or Jest?',
    evidence: [declared('package.json:20', '"vitest": "^4.1.0"')],
    reply: 'Jest',
    passes: false,
  },
  {
    title: 'Vitest or Jest?',
    evidence: [declared('package.json:20', '"vitest": "^4.1.0"')],
    reply: 'Vitest, as in package.json',
    passes: true,
  },
  { title: 'Why are prices stored as text?', reply: 'Because the first importer had no decimals.', passes: true },
  { title: 'Why are prices stored as text?', reply: 'legacy', passes: false },
  {
    title: 'Please describe the format of the export.',
    reply: 'CSV with a header line, UTF-8, one row per order',
    passes: true,
  },
  { title: 'Please describe the format of the export.', reply: 'the format', passes: false },
  { title: 'Please describe the format of the export.', reply: 'TBD', passes: false },
  { title: 'Please describe the format of the export.', reply: 'hmm', passes: false },
  { title: 'Please describe the format of the export.', reply: 'To be discussed with the customer.', passes: false },
  { title: 'What does a seat cost, and who confirms it?', reply: '12 euro', passes: false },
  { title: 'What does a seat cost, and who confirms it?', reply: '12 euro, Bob confirms it', passes: true },
];
