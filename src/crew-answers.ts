/**
 * Procedures by which clients of a gateway, coding agents among them, use the answer desk (docs/answer-desk.md): they
 * ask, wait, search and read; how answers and the desk change is in crew-answer-changes.ts. Each asks the desk, which
 * decides; a question is answered or said to be waiting within the time that its caller gives it.
 */
import { z } from 'zod';
import { procedure, type ProcedureCaller, type Procedures, type PromptMark } from './actors/api/procedure.ts';
import { answerChangeProcedures } from './crew-answer-changes.ts';
import { NAME_CHARS_MAX, nameOf, order, questionId, TAKEN, toDesk, toDeskAbout } from './crew-answer-orders.ts';
import { BosunError } from './errors.ts';
import { percent, priority, queryBundle } from './machines/answers/bundle.ts';
import { type Retrieval, retrievalSchema, type Retrieve } from './machines/answers/evidence.ts';
import { doubt, DOUBTS, QUESTIONS_PER_TASK, SURE_PERCENT } from './machines/answers/question-quality.ts';
import { askReply } from './machines/answers/question-state.ts';
import { triggerName } from './machines/answers/triggers.ts';
import { issueReport } from './machines/people/tickets/ticket-messages.ts';
import { type Port } from './machines/work/port.ts';
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
  scope: z
    .string()
    .min(1)
    .max(NAME_CHARS_MAX)
    .nullable()
    .default(null)
    .describe('The package or repository of a larger work that the question is about.'),
  idempotency_key: z.string().min(1).max(NAME_CHARS_MAX).nullable().default(null),
  max_wait_seconds: waitSeconds.default(WAIT_SECONDS),
});
type Question = z.output<typeof question>;

/** A question as programs ask it by one of the triggers. */
const triggered = question.omit({ current_file: true, relevant_snippets: true, categories: true }).extend({
  trigger: triggerName,
  confidence_level: percent.default(50).describe('How sure the asker is, in percent.'),
  task_priority: priority.nullable().default(null).describe('The urgency of the task, where the trigger inherits it.'),
  thread: z
    .string()
    .min(1)
    .max(NAME_CHARS_MAX)
    .nullable()
    .default(null)
    .describe('The ticket in whose thread the question is asked and answered.'),
});
type Triggered = Pick<z.output<typeof triggered>, 'trigger' | 'task_priority' | 'thread'>;

const ANSWERED = {
  status: 'answered' as const,
  question_id: 'Q-1',
  answer: '8080 (declared in server.json:4).',
  source: 'server.json:4',
  sources: [{ type: 'code' as const, location: 'server.json:4', excerpt: '"port": 8080' }],
  confidence: 93,
};

/** The event with which a caller asks a question, by a trigger if it names one. */
function asking(
  { relevant_snippets, current_file, context_summary, ...given }: Question & Partial<Triggered>,
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
    scope: given.scope,
    maxWaitMs: waitMs(given.max_wait_seconds),
    ...(given.trigger !== undefined && {
      trigger: given.trigger,
      taskPriority: given.task_priority,
      thread: given.thread,
    }),
  };
  return { address: DESKS.answers, event };
}

/** The milliseconds for which the desk lets a caller wait, so that its reply comes within the seconds. */
function waitMs(seconds: number): number {
  return Math.max(0, seconds * 1_000 - REPLY_MS);
}

const row = z.looseObject({ id: z.string(), text: z.string(), status: z.string() });
const user = z.object({ asker: z.string(), task: z.string().nullable(), atMs: z.number() });
const saying = z.looseObject({ answer: z.string(), by: z.string(), atMs: z.number() });
const held = z.looseObject({
  scope: z.string().nullable().default(null).describe('The part of the work for which it holds; null for all of it.'),
  planVersion: z.string().nullable().default(null).describe('The version of the plan for which alone it holds.'),
});
const kept = saying.extend({ question: z.string(), text: z.string(), ...held.shape });

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
    mcp: {
      tool: 'askQuestion',
      profiles: ['coder', 'hub'],
      prompts: [WHEN_TO_ASK],
      retry: { attemptsMax: 4, baseSeconds: 10, maxSeconds: 120 },
    },
    example: {
      p: { question: 'Does the server listen on 80 or 8080?', possible_options: ['80', '8080'] },
      r: ANSWERED,
    },
    ask: asking,
  }),
  'answers.fire': procedure({
    means:
      'Asks a question by one of the eight triggers of the answer team, for programs that direct the work of others. ' +
      'The trigger decides whether it is asked at all, how urgent it is, and whether it blocks the task.',
    params: triggered,
    result: askReply,
    example: {
      p: { trigger: 'planning_ambiguity', question: 'Does the calendar sync?', task_priority: 1 },
      r: { ...ANSWERED, answer: 'Yes (stated in plan.json:7).', source: 'plan.json:7', sources: [] },
    },
    ask: (given, caller) => asking({ ...given, relevant_snippets: [], categories: [] }, caller),
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
      return toDesk('answers.wait', asked);
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
  'answers.users': procedure({
    means: 'Who would be told of a correction: users of the answer, and of answers that rest on it.',
    does: 'nothing',
    params: z.object({ question_id: questionId }),
    result: z.object({ users: z.array(user.extend({ question: z.string() })) }),
    example: {
      p: { question_id: 'Q-1' },
      r: { users: [{ asker: 'coder', task: 'TASK-1', atMs: 0, question: 'Q-1' }] },
    },
    ask: (asked) => toDeskAbout('answers.users', asked),
  }),
  'answers.search': procedure({
    means: 'What people said about questions like this one, the most similar first.',
    does: 'nothing',
    params: z.object({ text: z.string().trim().min(1).max(2_000), limit: z.int().min(1).max(50).default(10) }),
    result: z.object({
      found: z.array(kept.extend({ likeness: z.number() })),
    }),
    example: { p: { text: 'Which currency do customers pay in?' }, r: { found: [] } },
    ask: (wanted) => toDesk('answers.search', wanted),
  }),
  'answers.export': procedure({
    means: 'A page of the kept answers, the earliest first.',
    does: 'nothing',
    params: z.object({
      after: z.int().nonnegative().default(0).describe('`next` of the page before.'),
      limit: z.int().min(1).max(200).default(100),
    }),
    result: z.object({ kept: z.array(kept), next: z.int().nullable() }),
    example: { p: {}, r: { kept: [], next: null } },
    ask: (page) => toDesk('answers.export', page),
  }),
  'answers.show': procedure({
    means: 'One question with its answer, its users, and what was said before.',
    does: 'nothing',
    params: z.object({ question_id: questionId }),
    result: z.object({
      question: row.nullable(),
      users: z.array(user),
      kept: held.nullable(),
      earlier: z.array(saying),
    }),
    mcp: {
      resource: {
        uri: 'answer://{question_id}',
        name: 'answer',
        description: 'A question by its id, with its answer, who has it, and what was said before.',
        needs: 'question',
      },
    },
    example: { p: { question_id: 'Q-1' }, r: { question: null, users: [], kept: null, earlier: [] } },
    ask: (asked) => toDeskAbout('answers.show', asked),
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
      toDesk('answers.list', {
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
    ask: () => toDesk('answers.metrics', {}),
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
  ...answerChangeProcedures,
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
