/** The answer desk's rows, context and orders: types and schemas. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { table, type Table } from '../../table.ts';
import { QUESTIONS_KEPT_MAX } from '../limits.ts';
import { type DeskContext, type DeskRecord, newDesk } from '../rules/desk.ts';
import { name, person, programOrPerson } from '../work/message-schema.ts';
import { type AnswerCache, emptyCache } from './answer-cache.ts';
import { type AnswerResponse, type Priority, priority, queryBundle } from './bundle.ts';
import { type Bins, NO_OUTCOMES } from './calibration.ts';
import { type CustomTrigger, customTrigger, observation, reading } from './custom-trigger.ts';
import { type ConfidenceFactors } from './confidence.ts';
import { type Proposal, type Recent } from './evolution.ts';
import { type Figures, NO_FIGURES } from './metrics.ts';
import { noPrecedents, type Precedents } from './precedents.ts';
import { answerProfile, type AnswerProfile, type GivenProfile } from './profile.ts';
import { type ChangedAnswer, WAIT_MS, WAIT_MS_MAX } from './question-state.ts';
import { type TriggerName, triggerName } from './triggers.ts';

/** The status of a question. */
export type QuestionStatus =
  /** The question waits for a place, or is being worked on. */
  | 'queued'
  | 'working'
  /** The question has an answer, from the desk or from a person. */
  | 'answered'
  /** The question has an answer that a person has still to confirm, or declined to confirm. */
  | 'provisional'
  /** The question waits for a person. */
  | 'waiting'
  /** A person has confirmed the provisional answer. */
  | 'confirmed'
  /** The answer holds no longer: a person has replaced it, or an answer on which it rests. */
  | 'revoked'
  /** The question has no answer and will get none. */
  | 'unanswered'
  /** The question's actor has failed for good. */
  | 'failed';

/** The desk's record of a question. */
export interface QuestionRow extends DeskRecord {
  readonly text: string;
  readonly options: readonly string[];
  readonly asker: string;
  readonly task: string | null;
  readonly trigger: TriggerName;
  readonly priority: Priority;
  readonly status: QuestionStatus;
  /** Whether the question has a place. */
  readonly hasPlace: boolean;
  /** The question's key in the queue; null once it has had a place. */
  readonly turn: string | null;
  readonly response: AnswerResponse | null;
  /** The person who answered, or changed the answer; null for the desk itself. */
  readonly by: string | null;
  readonly ticket: string | null;
  /** The ticket in whose thread the question was asked; null for none. */
  readonly thread: string | null;
  readonly askedAtMs: number;
  readonly resolvedAtMs: number | null;
  /** The confidence before calibration, under which outcomes are counted. */
  readonly uncalibrated: number;
  /** The factors of the team's confidence; null before there is one, and for a question that had no evidence. */
  readonly factors: ConfidenceFactors | null;
  /** The part of the work that the question is about; null, or absent in old stores, for all of it. */
  readonly scope?: string | null;
  /** Whether the team's answer has proved right; null or absent while nothing tells. */
  readonly wasRight?: boolean | null;
  /** The confidence of the team's answer, if a person has replaced it before its day was over. */
  readonly corrected?: number;
  /** Whether the asker has asked the same again and had the same answer. */
  readonly wasAskedAgain?: boolean;
  /** How often the answer was changed. */
  readonly version: number;
  readonly users: number;
  /** Keys of the question's text: for the cache, and for an equal question of the same asker and task. */
  readonly textKey: string;
  readonly joinKey: string;
}

/** A person or actor that has an answer. */
export interface AnswerUser {
  readonly asker: string;
  readonly task: string | null;
  /** The actor that asked; null for a caller from outside. */
  readonly ref: AnyActorRef | null;
  readonly atMs: number;
  /** The key of `joins` under which the user has the answer of another's question; absent if it gave no key. */
  readonly joinKey?: string;
}

export interface AnswerDeskContext extends DeskContext<QuestionRow>, AnswerCache, Precedents {
  /** The settings, with the changes that people have approved. */
  readonly profile: AnswerProfile;
  /** The settings as the host gave them last. */
  readonly given: AnswerProfile;
  readonly scopes: readonly string[] | null;
  /** How many settled questions are kept. */
  readonly questionsMax: number;
  /** Number of questions with a place at work. */
  readonly placesTaken: number;
  /** Ids of waiting questions by turn. Gathered questions follow them, under {@link GATHERED} and their turns. */
  readonly queue: Table<string>;
  /** Ids of questions by asker, task and text. */
  readonly joins: Table<string>;
  /** Users by question and user. */
  readonly users: Table<AnswerUser>;
  /** Questions whose answers rest on another question's answer, by both ids. */
  readonly rests: Table<string>;
  /** Changed answers that askers have not been told in a reply, by asker and number. */
  readonly news: Table<ChangedAnswer>;
  readonly newsCount: number;
  readonly figures: Figures;
  readonly bins: Bins;
  /** The number of the last question of which time has told whether its answer was right. */
  readonly outcomesUpTo: number;
  /** The entries of the last day, by number. */
  readonly recent: Table<Recent>;
  readonly recentCount: number;
  readonly proposals: Table<Proposal>;
  readonly proposalCount: number;
  /** The triggers defined at run time, at most a hundred; a context has no room for another table. */
  readonly triggers: readonly CustomTrigger[];
}

/** The prefix of the keys of gathered questions, which sorts after all other keys. */
export const GATHERED = 'gathered ';

/** The answer desk's input. */
export interface AnswerDeskInput {
  /** Settings that differ from the defaults. */
  readonly profile?: GivenProfile;
  /** The scopes to search; default: all. */
  readonly scopes?: readonly string[];
  /** How many settled questions are kept. Default: 20,000, which is also the most. */
  readonly questionsMax?: number;
}

/** The context of a new desk. Throws a zod error for invalid settings. */
export function deskContext({ profile = {}, scopes, questionsMax }: AnswerDeskInput = {}): AnswerDeskContext {
  return {
    ...newDesk<QuestionRow>(),
    ...emptyCache(),
    ...noPrecedents(),
    profile: answerProfile.parse(profile),
    given: answerProfile.parse(profile),
    scopes: scopes ?? null,
    questionsMax: z
      .int()
      .min(1)
      .max(QUESTIONS_KEPT_MAX)
      .parse(questionsMax ?? QUESTIONS_KEPT_MAX),
    placesTaken: 0,
    queue: table(),
    joins: table(),
    users: table(),
    rests: table(),
    news: table(),
    newsCount: 0,
    figures: NO_FIGURES,
    bins: NO_OUTCOMES,
    outcomesUpTo: 0,
    recent: table(),
    recentCount: 0,
    proposals: table(),
    proposalCount: 0,
    triggers: [],
  };
}

const questionId = z.string().regex(/^Q-\d{1,12}$/, 'the id of a question is Q- and a number');
const waitMs = z.int().min(0).max(WAIT_MS_MAX).default(WAIT_MS);
const reason = z.string().min(1).max(500);
/** The schema of a text written by a person. */
const saying = z.string().trim().min(1).max(2_000);

/** The orders that the answer desk takes. */
export const answerOrders = {
  /** Asks a question. The reply comes with the answer, or after `maxWaitMs` without one. */
  'answers.ask': z.object({
    bundle: queryBundle,
    asker: programOrPerson,
    trigger: triggerName.default('mcp_askQuestion'),
    /** The urgency of the asker's task. */
    taskPriority: priority.nullable().default(null),
    /** The ticket in whose thread the question is asked. */
    thread: name.nullable().default(null),
    /** A key of the asker's choice. Equal keys of one asker denote the same question. */
    key: name.nullable().default(null),
    /** The part of the work that the question is about, such as a repository or a package. Default: all of it. */
    scope: name.nullable().default(null),
    maxWaitMs: waitMs,
  }),
  /** Waits for the answer to a question that was asked before. */
  'answers.wait': z.object({
    question: questionId,
    asker: programOrPerson.nullable().default(null),
    maxWaitMs: waitMs,
  }),
  /** Replaces the answer of a question with a person's, and tells everyone who has the old one. */
  'answers.correct': z.object({
    question: questionId,
    text: saying,
    by: person,
    reason: reason.nullable().default(null),
  }),
  /** The users that a correction would tell: of the answer, and of those that rest on it. */
  'answers.users': z.object({ question: questionId }),
  /** Reports the outcome of an answer. */
  'answers.judge': z.object({
    question: questionId,
    wasRight: z.boolean(),
    hadRightSources: z.boolean().nullable().default(null),
    satisfaction: z.number().min(1).max(5).nullable().default(null),
  }),
  /** Removes people's words from a question and from everything derived from it. */
  'answers.erase': z.object({ question: questionId, by: person }),
  /** Keeps the answer of a settled question for all who ask it, by the word of a person. */
  'answers.pin': z.object({ question: questionId, by: person }),
  /** Says for whom a kept answer holds: in one scope or in all, and for this version of the plan alone or for all. */
  'answers.scope': z.object({
    question: questionId,
    by: person,
    scope: name.nullable(),
    planOnly: z.boolean().default(false),
  }),
  /** A page of the kept answers, the earliest first. `after`: the `next` of the page before. */
  'answers.export': z.object({
    after: z.int().nonnegative().default(0),
    limit: z.int().min(1).max(200).default(100),
  }),
  'answers.show': z.object({ question: questionId }),
  /** Finds answered questions that are like a text. */
  'answers.search': z.object({ text: saying, limit: z.int().min(1).max(50).default(10) }),
  'answers.list': z.object({
    isOpen: z.boolean().optional(),
    before: z.int().positive().optional(),
    limit: z.int().min(1).max(200).default(50),
  }),
  'answers.metrics': z.object({}),
  /** Looks for patterns in the last day and proposes changes, without applying any. */
  'answers.review': z.object({}),
  /** Applies or refuses a proposal for a person, or takes back one that was applied. */
  'answers.decide': z.object({
    proposal: name,
    by: person,
    approve: z.boolean(),
    reason: reason.nullable().default(null),
  }),
  /**
   * Replaces the settings of the answer team, if they differ from those given last. Where they do not, what people have
   * approved since then stays.
   */
  'answers.configure': z.object({ profile: answerProfile, by: person }),
  /** Names the version of the plan. Cached answers hold for one version. */
  'answers.plan': z.object({ version: z.string().max(200) }),
  /** Defines a trigger, or replaces the trigger of that name. */
  'answers.trigger': customTrigger,
  /** The triggers that users have defined. */
  'answers.triggers': z.object({}),
  /** Reports a reading. Triggers that fire for it ask their questions. */
  'answers.measure': reading.extend({ asker: programOrPerson }),
  /**
   * Records what an agent has noticed, for people and patterns; it is no evidence. With a measure it is a reading, too.
   */
  'answers.observe': observation.extend({ asker: programOrPerson }),
} as const;

export type AnswerOrder<Type extends keyof typeof answerOrders> = Readonly<z.output<(typeof answerOrders)[Type]>>;

/** Events emitted to watchers once they are durable, and sent to actors that asked a question. */
export type AnswerEmitted =
  | {
      /** A question has been settled: with its first answer, a person's answer, or none. */
      readonly type: 'answer.given';
      readonly question: string;
      readonly asker: string;
      readonly task: string | null;
      readonly status: QuestionStatus;
      readonly answer: string | null;
      /** The confidence of the answer in percent; 0 without one. */
      readonly confidence: number;
      readonly ticket: string | null;
    }
  | (AnswerChange & { readonly type: 'answer.changed' });

/** A changed answer, as one user is told. */
export interface AnswerChange {
  readonly question: string;
  /** The question whose answer was corrected: the same one, or one on which the answer rests. */
  readonly because: string;
  readonly asker: string;
  readonly task: string | null;
  /** The new answer. Null if the old one holds no longer and there is no new one. */
  readonly answer: string | null;
  readonly by: string | null;
  readonly reason: string | null;
}
