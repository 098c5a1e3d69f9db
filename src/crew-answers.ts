/**
 * Procedures by which clients of a gateway, coding agents among them, use the answer desk (docs/answer-desk.md): they
 * ask, wait, search, correct and read. Each asks the desk, which decides; a question is answered or said to be waiting
 * within the time that its caller gives it.
 */
import { z } from 'zod';
import { procedure, type ProcedureCaller, type Procedures, type PromptMark } from './actors/api/procedure.ts';
import { BosunError } from './errors.ts';
import { percent, priority, queryBundle } from './machines/answers/bundle.ts';
import { type Retrieval, retrievalSchema } from './machines/answers/evidence.ts';
import { doubt, DOUBTS, SURE_PERCENT } from './machines/answers/question-quality.ts';
import { askReply } from './machines/answers/question-state.ts';
import { issueReport } from './machines/people/tickets/ticket-messages.ts';
import { type Port } from './machines/work/port.ts';
import { type Retrieve } from './machines/answers/evidence.ts';
import { DESKS } from './machines/desks.ts';
import { BUNDLE_BYTES_MAX } from './machines/limits.ts';
import { fits } from './machines/rules/value-size.ts';

/**
 * Longest and default wait of a call, in seconds. A call without a deadline of its own ends after 30 s, one of an MCP
 * tool after 45 s.
 */
const WAIT_SECONDS_MAX = 45;
const WAIT_SECONDS = 25;

/** Default wait for an urgent answer, in seconds (MX-115). */
const IMMEDIATE_SECONDS = 30;

/** The part of a wait, in milliseconds, that is left for the reply to come in time. */
const REPLY_MS = 1_000;

/** Questions that an agent should ask about one task at most (MX-107). */
const QUESTIONS_PER_TASK = 8;

const NAME_CHARS_MAX = 200;
const questionId = z.string().max(20).describe('`question_id` of a reply: `Q-12`.');
const by = z.string().min(1).max(NAME_CHARS_MAX).describe('The name of the person.');
const waitSeconds = z
  .int()
  .min(0)
  .max(WAIT_SECONDS_MAX)
  .describe('Seconds within which the reply comes: `waiting` if there is no answer. The question then goes on.');

const question = z.object({
  question: z.string().trim().min(1).max(300).describe('One specific question that names what it is about.'),
  context_summary: z.string().max(1_000).default('').describe('One or two sentences.'),
  current_file: z.string().max(500).optional(),
  relevant_snippets: queryBundle.shape.relevant_snippets,
  task_id: z.string().min(1).max(NAME_CHARS_MAX).nullable().default(null),
  confidence_level: percent.default(50).describe('How sure you are, in percent. From 95 on, go on without asking.'),
  priority_level: priority.default(2).describe('1 is the most urgent.'),
  possible_options: queryBundle.shape.possible_options.describe('The answers that you consider possible.'),
  categories: z.array(doubt).max(6).default([]),
  idempotency_key: z.string().min(1).max(NAME_CHARS_MAX).nullable().default(null),
  max_wait_seconds: waitSeconds.default(WAIT_SECONDS),
});
type Question = z.output<typeof question>;

const ANSWERED = {
  status: 'answered' as const,
  question_id: 'Q-1',
  answer: '8080 (declared in server.json:4).',
  source: 'server.json:4',
  sources: [{ type: 'code' as const, location: 'server.json:4', excerpt: '"port": 8080' }],
  confidence: 93,
};

/** The name in which a caller asks. */
function nameOf({ id, person = id }: ProcedureCaller): string {
  return person.slice(0, NAME_CHARS_MAX);
}

/** The event with which a caller asks a question. */
function asking(
  { relevant_snippets, current_file, context_summary, ...given }: Question,
  caller: ProcedureCaller,
): { readonly address: string; readonly event: { readonly type: string } } {
  const where = current_file === undefined ? '' : ` At work on ${current_file}.`;
  const about = given.categories.length === 0 ? '' : ` About ${given.categories.join(', ')}.`;
  const bundle = {
    question: given.question,
    context_summary: `${context_summary}${where}${about}`.trim().slice(0, 1_000),
    current_task_id: given.task_id,
    priority_level: given.priority_level,
    relevant_snippets,
    confidence_level: given.confidence_level,
    possible_options: given.possible_options,
  };
  if (!fits(bundle, BUNDLE_BYTES_MAX))
    throw new BosunError(
      'BOSUN_INPUT_TOO_LARGE',
      `a question with its context has at most ${BUNDLE_BYTES_MAX} bytes: quote only the lines that count`,
    );
  const event = {
    type: 'answers.ask',
    asker: nameOf(caller),
    bundle,
    key: given.idempotency_key,
    maxWaitMs: waitMs(given.max_wait_seconds),
  };
  return { address: DESKS.answers, event };
}

/** The milliseconds for which the desk lets a caller wait, so that its reply comes within the seconds. */
function waitMs(seconds: number): number {
  return Math.max(0, seconds * 1_000 - REPLY_MS);
}

const desk = (type: string, fields: object) => ({ address: DESKS.answers, event: { type, ...fields } });

const order = z.object({ taken: z.boolean(), problems: z.array(z.string()) });
const TAKEN = { taken: true, problems: [] };
const row = z.looseObject({ id: z.string(), text: z.string(), status: z.string() });
const user = z.object({ asker: z.string(), task: z.string().nullable(), atMs: z.number() });
const saying = z.looseObject({ answer: z.string(), by: z.string(), atMs: z.number() });

const { description: issue, severity, task: issueTask, file, steps, immediate } = issueReport.shape;

/** Tells a coding agent when it has to ask, and how. */
const WHEN_TO_ASK: PromptMark = {
  name: 'when-to-ask',
  description: 'When to ask the answer desk instead of guessing, and how to ask.',
  text:
    `Ask with askQuestion as soon as you are less than ${SURE_PERCENT} % sure about one of these: ` +
    `${DOUBTS.map((name) => name.replaceAll('_', ' ')).join(', ')}. Do not guess, and do not go on with an ` +
    `assumption. From ${SURE_PERCENT} % on, go on without asking. First look with searchKnowledge whether the ` +
    'repository says it.\n\n' +
    `Ask at most ${QUESTIONS_PER_TASK} questions about one task. Each is one specific question that names what it is ` +
    'about: the file, the route, the value. Give possible_options if there are only a few answers, confidence_level ' +
    'as it is, task_id, current_file, and only those lines in relevant_snippets that the question is about.\n\n' +
    'With an answer come its sources: read them if the confidence is low. With `waiting` a person has the question: ' +
    'do other work that does not depend on it, and call waitForAnswer with the question_id. With `provisional` go ' +
    'on; you are told if a person decides otherwise. With `refused` read problems, and ask otherwise. ' +
    '`changed_answers` are answers that you had and that are no longer true: correct what you built on them.',
};

/** Procedures for createGateway, if the system has an answer desk. */
export const answerProcedures = {
  'answers.ask': procedure({
    means:
      'Asks what the code, the plan and earlier answers do not tell you. Replies with an answer and its sources, ' +
      'or with `waiting` while a person has it; then do other work and wait with the question_id.',
    params: question,
    result: askReply,
    http: { verb: 'POST', path: '/v1/answers/ask' },
    mcp: { tool: 'askQuestion', profiles: ['coder', 'hub'], prompts: [WHEN_TO_ASK] },
    example: {
      p: { question: 'Does the server listen on 80 or 8080?', possible_options: ['80', '8080'] },
      r: ANSWERED,
    },
    ask: asking,
  }),
  'answers.wait': procedure({
    means: 'Waits for the answer to a question that was asked before.',
    params: z.object({ question_id: questionId, max_wait_seconds: waitSeconds.default(WAIT_SECONDS) }),
    result: askReply,
    http: { verb: 'POST', path: '/v1/answers/wait' },
    mcp: { tool: 'waitForAnswer', profiles: ['coder', 'hub'] },
    example: { p: { question_id: 'Q-1' }, r: ANSWERED },
    ask: ({ question_id, max_wait_seconds }, caller) => {
      const asked = { question: question_id, asker: nameOf(caller), maxWaitMs: waitMs(max_wait_seconds) };
      return desk('answers.wait', asked);
    },
  }),
  'answers.immediate': procedure({
    means: 'Asks an urgent question, which goes before all others. Where no source answers it, a person is asked.',
    params: z.object({
      query: z.string().trim().min(1).max(400),
      context_bundle: z.string().max(1_000).default(''),
      max_wait_seconds: waitSeconds.default(IMMEDIATE_SECONDS),
    }),
    result: askReply,
    mcp: { tool: 'getImmediateAnswer', profiles: ['hub'], isUrgent: true },
    example: { p: { query: 'May the migration drop the column `fax`?' }, r: ANSWERED },
    ask: ({ query, context_bundle, max_wait_seconds }, caller) =>
      asking(
        question.extend({ question: z.string() }).parse({
          ...{ question: query, context_summary: context_bundle, priority_level: 1, confidence_level: 0 },
          max_wait_seconds,
        }),
        caller,
      ),
  }),
  'answers.correct': procedure({
    means: 'Replaces an answer by what a person says. Everybody who has the old one is told.',
    params: z.object({
      question_id: questionId,
      text: z.string().trim().min(1).max(2_000),
      by,
      reason: z.string().min(1).max(500).nullable().default(null),
    }),
    result: order.extend({ told: z.int().default(0).describe('How many users of the old answer are told.') }),
    mcp: { tool: 'correctAnswer', profiles: ['coder', 'hub'], isForPeople: true },
    example: { p: { question_id: 'Q-1', text: '80; the proxy is gone.', by: 'ada' }, r: { ...TAKEN, told: 2 } },
    ask: ({ question_id, ...said }) => desk('answers.correct', { question: question_id, ...said }),
  }),
  'answers.users': procedure({
    means: 'Who would be told of a correction: users of the answer, and of answers that rest on it.',
    does: 'nothing',
    params: z.object({ question_id: questionId }),
    result: z.object({ users: z.array(user.extend({ question: z.string() })) }),
    example: {
      p: { question_id: 'Q-1' },
      r: { users: [{ asker: 'coder', task: 'TASK-1', atMs: 0, question: 'Q-1' }] },
    },
    ask: ({ question_id }) => desk('answers.users', { question: question_id }),
  }),
  'answers.judge': procedure({
    means: 'Says whether an answer proved right, so that confidence is worth more.',
    params: z.object({
      question_id: questionId,
      was_right: z.boolean(),
      had_right_sources: z.boolean().nullable().default(null),
      satisfaction: z.number().min(1).max(5).nullable().default(null),
    }),
    result: order,
    example: { p: { question_id: 'Q-1', was_right: true }, r: TAKEN },
    ask: ({ question_id, was_right, had_right_sources, satisfaction }) =>
      desk('answers.judge', {
        question: question_id,
        wasRight: was_right,
        hadRightSources: had_right_sources,
        satisfaction,
      }),
  }),
  'answers.erase': procedure({
    means: 'Removes what people wrote from a settled question and from all that was made of it.',
    does: 'destroys',
    params: z.object({ question_id: questionId, by }),
    result: order,
    example: { p: { question_id: 'Q-1', by: 'ada' }, r: TAKEN },
    ask: ({ question_id, ...rest }) => desk('answers.erase', { question: question_id, ...rest }),
  }),
  'answers.search': procedure({
    means: 'What people said about questions like this one, the most similar first.',
    does: 'nothing',
    params: z.object({ text: z.string().trim().min(1).max(2_000), limit: z.int().min(1).max(50).default(10) }),
    result: z.object({
      found: z.array(saying.extend({ question: z.string(), text: z.string(), likeness: z.number() })),
    }),
    example: { p: { text: 'Which currency do customers pay in?' }, r: { found: [] } },
    ask: (wanted) => desk('answers.search', wanted),
  }),
  'answers.show': procedure({
    means: 'One question with its answer, its users, and what was said before.',
    does: 'nothing',
    params: z.object({ question_id: questionId }),
    result: z.object({ question: row.nullable(), users: z.array(user), earlier: z.array(saying) }),
    mcp: {
      resource: {
        uri: 'answer://{question_id}',
        name: 'answer',
        description: 'A question by its id, with its answer, who has it, and what was said before.',
        needs: 'question',
      },
    },
    example: { p: { question_id: 'Q-1' }, r: { question: null, users: [], earlier: [] } },
    ask: ({ question_id }) => desk('answers.show', { question: question_id }),
  }),
  'answers.list': procedure({
    means: 'A page of questions, the latest first.',
    does: 'nothing',
    params: z.object({
      is_open: z.boolean().optional(),
      before: z.int().positive().optional().describe('`next` of the page before.'),
      limit: z.int().min(1).max(200).default(50),
    }),
    result: z.object({ questions: z.array(row), next: z.int().nullable() }),
    example: { p: { is_open: true }, r: { questions: [], next: null } },
    ask: ({ is_open, before, limit }) =>
      desk('answers.list', {
        limit,
        ...(is_open !== undefined && { isOpen: is_open }),
        ...(before !== undefined && { before }),
      }),
  }),
  'answers.metrics': procedure({
    means: 'The figures of the answer team beside their targets, and its calibration.',
    does: 'nothing',
    params: z.object({}),
    result: z.object({
      figures: z.array(
        z.object({
          name: z.string(),
          value: z.number().nullable(),
          count: z.number(),
          target: z.string().nullable(),
          isMet: z.boolean().nullable(),
        }),
      ),
      queued: z.int(),
      places: z.int(),
      bins: z.array(z.object({ used: z.number(), right: z.number() })),
    }),
    example: { p: {}, r: { figures: [], queued: 0, places: 0, bins: [] } },
    ask: () => desk('answers.metrics', {}),
  }),
  'tickets.report': procedure({
    means:
      'Reports an issue that you cannot settle. It becomes a ticket for people; a critical one, or one for at once, ' +
      'is asked with the highest urgency and blocks its task.',
    params: z.object({
      issue_description: issue,
      severity: severity.describe('1 is critical.'),
      task_id: issueTask,
      file_path: file,
      repro_steps: steps,
      immediate: immediate.describe('People are to see it at once, whatever its severity.'),
    }),
    result: order.extend({ logged: z.boolean(), escalated: z.boolean(), ticket: z.string().nullable() }),
    mcp: { tool: 'reportIssue', profiles: ['coder', 'hub'] },
    example: {
      p: { issue_description: 'The tests need a database that is not there.', severity: 1, task_id: 'TASK-1' },
      r: { ...TAKEN, logged: true, escalated: true, ticket: 'TK-0001' },
    },
    ask: ({ issue_description: said, task_id, file_path, repro_steps, ...rest }, caller) => ({
      address: DESKS.tickets,
      event: {
        type: 'tickets.report',
        ...{ ...rest, description: said, task: task_id, file: file_path, steps: repro_steps },
        creator: nameOf(caller),
      },
    }),
  }),
} satisfies Procedures;

/** The procedure with which clients search the host's knowledge. */
export function knowledgeProcedures(retrieve: Port<Retrieve, Retrieval>) {
  return {
    'knowledge.search': procedure({
      means: 'Searches the folder for lines that speak about a question, the strongest first.',
      scope: 'actor:read',
      does: 'nothing',
      params: z.object({
        question: z.string().trim().min(1).max(1_000),
        options: z.array(z.string().min(1).max(NAME_CHARS_MAX)).max(20).nullable().default(null),
        limit: z.int().min(1).max(50).default(10),
      }),
      result: retrievalSchema,
      mcp: { tool: 'searchKnowledge', profiles: ['coder', 'hub'] },
      example: { p: { question: 'Which port does the server listen on?' }, r: { evidence: [], complete: true } },
      port: async ({ question: text, options, limit }) =>
        retrieve(
          { question: text, options, limit, scopes: null },
          { signal: AbortSignal.timeout(WAIT_SECONDS * 1_000) },
        ),
    }),
  } satisfies Procedures;
}
