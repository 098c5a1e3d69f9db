/** Questions, answers and their desk as the page shows them: words, figures, and the orders of people. Pure. */
import type { PROVISIONAL_GATE } from '../../machines/answers/confidence.ts';
import type { GATHERED as GatheredKeys } from '../../machines/answers/desk-state.ts';
import type { PLACES as DeskPlaces } from '../../machines/answers/desk-queue.ts';
import type { REWARD_MIN, REWARDED_MIN } from '../../machines/answers/evolution.ts';
import { BY, type DeskOrder, field } from '../desks/desk-orders.ts';
import { type DeskContexts } from '../desks/desk-shapes.ts';
import { counted, duration } from '../format.ts';
import { atLeast, openPartOf, type Part, partOf } from '../part.ts';
import {
  type CapShown,
  type FactorsShown,
  type FigureShown,
  type Holds,
  type ProposalShown,
  type QuestionShown,
  type QuestionStatus,
  type TriggerShown,
  type UserShown,
} from './answer-shapes.ts';

/** Words and tone of each status of a question. */
export const QUESTION_STATES: Readonly<Record<QuestionStatus, readonly [words: string, tone: string]>> = {
  queued: ['waits for a place', 'calm'],
  working: ['is worked on', 'calm'],
  answered: ['answered', 'good'],
  provisional: ['provisional', 'warn'],
  waiting: ['waits for a person', 'warn'],
  confirmed: ['confirmed', 'good'],
  revoked: ['changed since', 'bad'],
  unanswered: ['no answer', 'calm'],
  failed: ['failed', 'bad'],
};

/** Why a confidence is bounded. */
const CAP_WORDS: Readonly<Record<CapShown, string>> = {
  noSource: 'no source says anything about it',
  mentionsOnly: 'the words occur, but nothing declares, decides or uses the value',
  quotation: 'whether the line is about the question, a reader has to see',
  incomplete: 'not everything had been read',
  contradiction: 'two sources say different things',
};

/** A factor of a confidence: its name, its value, and the value as a share of 1 if it has one. */
export interface FactorRow {
  readonly name: string;
  readonly value: string;
  readonly share: number | null;
}

/** The factors of a confidence, in words. */
export function factorRows({ margin, kinds, best, caps, uncalibrated }: FactorsShown): readonly FactorRow[] {
  return [
    { name: 'lead over the next value', value: percentText(margin), share: margin },
    { name: 'strongest source', value: percentText(best), share: best },
    { name: 'kinds of sources', value: String(kinds), share: null },
    { name: 'before calibration', value: `${Math.floor(uncalibrated)} %`, share: uncalibrated / 100 },
    ...caps.map((cap) => ({ name: 'bounded, since', value: CAP_WORDS[cap], share: null })),
  ];
}

function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The confidence, in percent, from which on an answer is given provisionally; the type is the desk's own number. */
const PROVISIONAL: typeof PROVISIONAL_GATE = 40;

/** The confidence, in percent, from which on a desk gives an answer without a person. */
export function directPercent({ profile }: Pick<AnswerDeskShown, 'profile'>): number {
  return Math.round(profile.escalation_threshold * 100);
}

/** The thresholds of a confidence, in a sentence. `direct`: as {@link directPercent}. */
export function thresholdText(direct: number): string {
  return `An answer is given from ${PROVISIONAL} % on, and without asking a person from ${direct} % on.`;
}

/** The triggers of users: those of the settings, and those defined since, which replace others of their name. */
export function triggersIn({ profile, triggers }: AnswerDeskShown): readonly TriggerShown[] {
  return [...new Map([...profile.custom_triggers, ...triggers].map((one) => [one.name, one])).values()];
}

/** A user of an answer in words: `coder, at work on TASK-1`. */
export function userText({ asker, task }: Pick<UserShown, 'asker' | 'task'>): string {
  return task === null ? asker : `${asker}, at work on ${task}`;
}

/** The context of the answer desk. */
type AnswerDeskShown = DeskContexts['answer-desk'];

/** Differs when a question, an answer or a user of one may have changed: answers are then read again. */
export function versionOf(context: AnswerDeskShown): string {
  const { rows, users, figures, newsCount, bins, queue, precedents } = context;
  return JSON.stringify([openPartOf(rows), rows.size, users.size, figures, newsCount, bins, queue, precedents]);
}

/** The beginning of the keys of gathered questions in the queue; the type is the desk's own text. */
const GATHERED: typeof GatheredKeys = 'gathered ';

/** The places of questions in the queue, in words by id, in the order in which the desk gives them places at work. */
export function queueOf({ queue }: Pick<AnswerDeskShown, 'queue'>): ReadonlyMap<string, string> {
  const turns = Object.entries(queue.rows).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    turns.map(([turn, id], at) => [
      id,
      turn.startsWith(GATHERED) ? 'gathered with others' : `place ${at + 1} in the queue`,
    ]),
  );
}

/**
 * The questions under way by urgency: those at work, those in the queue in the order in which they get places, and
 * those of people, the oldest first.
 *
 * @param queue As {@link queueOf}.
 */
export function openQuestions(
  questions: readonly QuestionShown[],
  queue: ReadonlyMap<string, string>,
): readonly QuestionShown[] {
  const places = [...queue.keys()];
  const stage = ({ id, status }: QuestionShown) =>
    status === 'working' ? 0 : status === 'queued' ? 1 + places.indexOf(id) : 2 + places.length;
  return questions.toSorted((a, b) => a.priority - b.priority || stage(a) - stage(b) || a.number - b.number);
}

/** The number of questions in each state of a desk, in words. */
export function loadOf(
  { rows }: Pick<AnswerDeskShown, 'rows'>,
  { queued, places }: { readonly queued: number; readonly places: number },
): readonly (readonly [words: string, count: string])[] {
  const part = partOf(rows);
  const inState = (...states: QuestionStatus[]) =>
    atLeast(part, part.rows.filter(({ status }) => states.includes(status)).length);
  return [
    ['in the queue', String(queued)],
    ['at work', `${places} of ${PLACES}`],
    ['with a person', inState('waiting')],
    ['provisional', inState('provisional')],
    ['answered', inState('answered', 'confirmed')],
    ['changed since', inState('revoked')],
  ];
}

/** Places for questions that are worked on at a time; the type is the desk's own number. */
const PLACES: typeof DeskPlaces = 3;

/** The name of a figure in words: `resolution_time_p1` is `resolution time p1`. */
export function figureName({ name }: Pick<FigureShown, 'name'>): string {
  return name.replaceAll('_', ' ');
}

const SHARES: ReadonlySet<string> = new Set(['p1_in_time', 'confidence_accuracy', 'source_citation_quality']);

/** The value of a figure with its unit; empty where there is too little to go by. */
export function figureValue({ name, value }: Pick<FigureShown, 'name' | 'value'>): string {
  if (value === null) return '';
  if (name.startsWith('resolution_time')) return duration(value);
  if (name.endsWith('_rate') || SHARES.has(name)) return percentText(value);
  return String(Math.round(value * 100) / 100);
}

/** Proposals of a desk, open ones first, then the latest. */
export function proposalRows({ proposals }: AnswerDeskShown): Part<ProposalShown> {
  const isOpen = ({ status }: ProposalShown) => Number(status !== 'proposed');
  const { rows, left } = partOf(proposals);
  return { rows: rows.toSorted((a, b) => isOpen(a) - isOpen(b) || b.proposedAtMs - a.proposedAtMs), left };
}

/** The change that a proposal would make, in a sentence. */
export function changeText({ change }: Pick<ProposalShown, 'change'>): string {
  switch (change.kind) {
    case 'threshold':
      return `Ask people below ${percentText(change.to)} instead of ${percentText(change.from)}.`;
    case 'faster calls':
      return 'The functions that find evidence should be faster.';
    case 'precedent':
      return `Keep the answer of ${change.question} for all who ask it.`;
  }
}

/** An order that replaces an answer. It shows first whom it tells. */
export function correctAnswer(desk: string, { id }: Pick<QuestionShown, 'id'>): DeskOrder {
  return {
    title: `Correct ${id}`,
    verb: 'Correct',
    address: desk,
    fields: [field('answer'), BY, field('reason')],
    means: 'The answer is replaced by yours. Everybody who has the old one is told once.',
    concerns: {
      title: 'Will be told',
      method: 'answers.users',
      params: { question_id: id },
      lines: ({ users }: { readonly users: readonly (UserShown & { readonly question: string })[] }) =>
        users.map(
          (user) => `${userText(user)}${user.question === id ? '' : ` (has ${user.question}, which rests on it)`}`,
        ),
      nobody: 'Nobody has this answer.',
    },
    eventOf: ({ answer = '', by = '', reason = '' }) => ({
      type: 'answers.correct',
      question: id,
      text: answer,
      by,
      reason,
    }),
    done: `${id} is corrected.`,
  };
}

/** An order that says what came of an answer. */
export function judgeAnswer(desk: string, { id }: Pick<QuestionShown, 'id'>, wasRight: boolean): DeskOrder {
  return {
    title: `${id} was ${wasRight ? 'right' : 'wrong'}`,
    verb: wasRight ? 'Was right' : 'Was wrong',
    address: desk,
    fields: [],
    means: wasRight
      ? 'Counts for the confidence of later answers.'
      : 'Counts against the confidence of later answers. The answer stays as it is: correct it too.',
    eventOf: () => ({ type: 'answers.judge', question: id, wasRight, hadRightSources: null, satisfaction: null }),
    done: `${id} is judged.`,
  };
}

/** An order that keeps an answer for all who ask the same. */
export function keepAnswer(desk: string, { id }: Pick<QuestionShown, 'id'>): DeskOrder {
  return {
    title: `Keep the answer of ${id}`,
    verb: 'Keep for all',
    address: desk,
    fields: [BY],
    means: 'All who ask the same get this answer, until a person corrects it.',
    eventOf: ({ by = '' }) => ({ type: 'answers.pin', question: id, by }),
    done: `The answer of ${id} is kept.`,
  };
}

const PLANS = ['every version', 'this version alone'] as const;

/** An order that says for whom a kept answer holds. */
export function limitAnswer(desk: string, { id }: Pick<QuestionShown, 'id'>, { scope, planVersion }: Holds): DeskOrder {
  const [every, alone] = PLANS;
  return {
    title: `For whom ${id} holds`,
    verb: 'Holds for',
    address: desk,
    fields: [
      field('scope', {
        isRequired: false,
        initial: scope ?? '',
        hint: 'such as a repository or a package; empty: all',
      }),
      field('plan', { kind: 'choice', options: PLANS, initial: planVersion === null ? every : alone }),
      BY,
    ],
    means: 'Others who ask the same do not get this answer.',
    eventOf: ({ scope: typed = '', plan = '', by = '' }) => ({
      type: 'answers.scope',
      question: id,
      by,
      scope: typed.trim() || null,
      planOnly: plan === alone,
    }),
    done: `It is said for whom ${id} holds.`,
  };
}

/** The words for whom an answer holds. `now`: the version of the plan. */
export function holdsText({ scope, planVersion }: Holds, now: string): string {
  const plan = planVersion === null ? '' : `, ${planVersion === now ? 'this' : 'another'} version of the plan alone`;
  return `for ${scope ?? 'all'}${plan}`;
}

/** An order that looks for patterns of the last day. */
export function reviewAnswers(desk: string): DeskOrder {
  return {
    title: 'Look for patterns',
    verb: 'Look',
    address: desk,
    fields: [],
    means:
      'The questions of the last day are looked through. What is found is proposed, and changes nothing by itself.',
    eventOf: () => ({ type: 'answers.review' }),
    done: 'The last day was looked through.',
  };
}

/** An order that applies or refuses a proposal, or takes back one that was applied. */
export function decideProposal(desk: string, proposal: ProposalShown, approve: boolean): DeskOrder {
  const { id, status } = proposal;
  const [verb, done, means] = approve
    ? ['Approve', 'applied', changeText(proposal)]
    : status === 'applied'
      ? ['Take back', 'taken back', takenBackText(proposal)]
      : ['Refuse', 'refused', 'Nothing changes.'];
  return {
    title: `${verb} ${id}`,
    verb,
    address: desk,
    fields: [BY, field('reason')],
    means,
    eventOf: ({ by = '', reason = '' }) => ({ type: 'answers.decide', proposal: id, by, approve, reason }),
    done: `${id} is ${done}.`,
  };
}

/** The setting after a proposal was taken back, in a sentence. */
function takenBackText({ change }: ProposalShown): string {
  return change.kind === 'threshold'
    ? `Ask people below ${percentText(change.from)} again.`
    : 'It is no longer among the changes that were applied.';
}

/** The mean reward below which the desk takes back a change by itself, and the rewards that it needs for that. */
const REWARD: typeof REWARD_MIN = 0.2;
const REWARDS: typeof REWARDED_MIN = 20;

/** The mean reward of a change since it was applied, and what would take it back, in words. */
export function rewardTexts({
  status,
  rewards: { count, total },
}: Pick<ProposalShown, 'status' | 'rewards'>): readonly string[] {
  const since = count === 0 ? [] : [`${(total / count).toFixed(2)} is the mean of ${counted(count, 'reward')} since`];
  return status === 'applied'
    ? [...since, `is taken back by itself below ${REWARD} on average, from ${REWARDS} rewards on`]
    : since;
}

/** How many answers a page of the list has, in words. */
export function pageText(count: number, isFirst: boolean): string {
  return isFirst ? `The latest ${counted(count, 'question')}` : `${counted(count, 'older question')}`;
}
