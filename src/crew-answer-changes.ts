/**
 * Procedures by which people say what holds (they correct, keep, limit and erase answers, and decide on changes of the
 * desk), and by which programs report what they have seen. Each asks the answer desk, which decides.
 */
import { z } from 'zod';
import { procedure, type Procedures } from './actors/api/procedure.ts';
import { by, NAME_CHARS_MAX, nameOf, order, questionId, TAKEN, toDesk, toDeskAbout } from './crew-answer-orders.ts';
import { customTrigger, observation, reading } from './machines/answers/custom-trigger.ts';

const reason = z.string().min(1).max(500).nullable().default(null);
const byPerson = z.object({ question_id: questionId, by });
const fired = z.array(z.string()).describe('The names of the triggers that fire.');
const { observation: noticed, task: observedTask, measure: observedMeasure, value: observedValue } = observation.shape;

const proposal = z.looseObject({
  id: z.string(),
  change: z.looseObject({ kind: z.string() }),
  because: z.string(),
  isUrgent: z.boolean(),
  status: z.string(),
  decidedBy: z.string().nullable(),
});

/** Procedures by which answers and the answer desk change. */
export const answerChangeProcedures = {
  'answers.correct': procedure({
    means: 'Replaces an answer by what a person says. Everybody who has the old one is told.',
    params: z.object({
      question_id: questionId,
      text: z.string().trim().min(1).max(2_000),
      by,
      reason,
    }),
    result: order.extend({ told: z.int().default(0).describe('How many users of the old answer are told.') }),
    mcp: { tool: 'correctAnswer', profiles: ['coder', 'hub'], isForPeople: true },
    example: { p: { question_id: 'Q-1', text: '80; the proxy is gone.', by: 'ada' }, r: { ...TAKEN, told: 2 } },
    ask: (said) => toDeskAbout('answers.correct', said),
  }),
  'answers.pin': procedure({
    means: 'Keeps the answer of a settled question for all who ask it, by the word of a person.',
    params: byPerson,
    result: order,
    example: { p: { question_id: 'Q-1', by: 'ada' }, r: TAKEN },
    ask: (pinned) => toDeskAbout('answers.pin', pinned),
  }),
  'answers.scope': procedure({
    means: 'Says for whom a kept answer holds: in one scope or in all, and for this version of the plan or for all.',
    params: z.object({
      question_id: questionId,
      by,
      scope: z.string().min(1).max(NAME_CHARS_MAX).nullable().describe('null: the whole work.'),
      plan_only: z.boolean().default(false).describe('Only for the present version of the plan.'),
    }),
    result: order,
    example: { p: { question_id: 'Q-1', by: 'ada', scope: 'shop' }, r: TAKEN },
    ask: ({ plan_only: planOnly, ...rest }) => toDeskAbout('answers.scope', { ...rest, planOnly }),
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
    ask: ({ was_right: wasRight, had_right_sources: hadRightSources, ...rest }) =>
      toDeskAbout('answers.judge', { ...rest, wasRight, hadRightSources }),
  }),
  'answers.erase': procedure({
    means: 'Removes what people wrote from a settled question and from all that was made of it.',
    does: 'destroys',
    params: byPerson,
    result: order,
    example: { p: { question_id: 'Q-1', by: 'ada' }, r: TAKEN },
    ask: (erased) => toDeskAbout('answers.erase', erased),
  }),
  'answers.review': procedure({
    means: 'Looks for patterns of the last day and proposes changes of the desk, of which it applies none.',
    params: z.object({}),
    result: z.object({ proposals: z.array(proposal), isPaused: z.boolean() }),
    example: { p: {}, r: { proposals: [], isPaused: false } },
    ask: () => toDesk('answers.review', {}),
  }),
  'answers.decide': procedure({
    means: 'Applies or refuses a proposal for a person. What was applied is taken back with `approve: false`.',
    params: z.object({ proposal: z.string().min(1).max(NAME_CHARS_MAX), by, approve: z.boolean(), reason }),
    result: order,
    example: { p: { proposal: 'UV-000000000001', by: 'ada', approve: true, reason: 'Too many tickets.' }, r: TAKEN },
    ask: (decision) => toDesk('answers.decide', decision),
  }),
  'answers.trigger': procedure({
    means: 'Defines a trigger that asks its question when a measure falls below a bound, or replaces that of its name.',
    params: customTrigger,
    result: order,
    example: {
      p: { name: 'coverage', measure: 'coverage', below: 80, question: 'Which files need tests first?' },
      r: TAKEN,
    },
    ask: (trigger) => toDesk('answers.trigger', trigger),
  }),
  'answers.triggers': procedure({
    means: 'The triggers that users have defined.',
    does: 'nothing',
    params: z.object({}),
    result: z.object({ triggers: z.array(customTrigger) }),
    example: { p: {}, r: { triggers: [] } },
    ask: () => toDesk('answers.triggers', {}),
  }),
  'answers.measure': procedure({
    means: 'Reports a reading. Each trigger of users that fires for it asks its question.',
    params: reading,
    result: z.object({ fired }),
    example: { p: { measure: 'coverage', value: 79 }, r: { fired: ['coverage'] } },
    ask: (given, caller) => toDesk('answers.measure', { ...given, asker: nameOf(caller) }),
  }),
  'answers.observe': procedure({
    means:
      'Reports what you have noticed, for people to see. It asks nothing and is no evidence for an answer; with a ' +
      'measure and its value it fires the triggers that users have defined.',
    params: z.object({
      observation: noticed,
      task_id: observedTask,
      measure: observedMeasure.describe('The name of what you have measured, such as `coverage`.'),
      value: observedValue,
    }),
    result: order.extend({ fired }),
    mcp: {
      tool: 'reportObservation',
      profiles: ['coder', 'hub'],
      isDetail: true,
      retry: { attemptsMax: 2, baseSeconds: 30 },
    },
    example: {
      p: { observation: 'The tests of the till cover less than before.', measure: 'coverage', value: 79 },
      r: { ...TAKEN, fired: ['coverage'] },
    },
    ask: ({ task_id, ...rest }, caller) => toDesk('answers.observe', { ...rest, task: task_id, asker: nameOf(caller) }),
  }),
} satisfies Procedures;
