/** Questions that people ask on the page: the event of a question, and what the reply means for its asker. Pure. */
import type { PROGRESS as ProgressText } from '../../machines/answers/question-setup.ts';
import { type AskReplyShown } from './answer-shapes.ts';
import { QUESTION_STATES } from './answers.ts';

/** The text while the desk works on a question (AT-033). It has the type of the desk's own text, so it is the same. */
export const PROGRESS: typeof ProgressText = 'Processing query...';

/** The longest wait of a call for an answer, in milliseconds. Then the reply says `waiting`. */
const WAIT_MS = 25_000;

/** The longest question, as in the procedure `answers.ask`. */
export const QUESTION_CHARS_MAX = 300;

/** The contents of the form. */
export interface TypedQuestion {
  readonly text: string;
  readonly options: string;
  readonly priority: string;
}

export const BLANK: TypedQuestion = { text: '', options: '', priority: '2' };

/** The possible answers in a text: one a line, or separated by commas where there is one line only. */
export function optionsIn(text: string): readonly string[] {
  const parts = text.trim().split(text.trim().includes('\n') ? '\n' : ',');
  return [...new Set(parts.map((part) => part.trim()))].filter((part) => part !== '');
}

/** The reason why a question cannot be asked yet; undefined if it can. Bounds of answers are the desk's affair. */
export function obstacleOf({ text }: TypedQuestion, by: string): string | undefined {
  if (text.trim() === '') return 'Write a question.';
  return by.trim() === '' ? 'Your name is needed.' : undefined;
}

/**
 * The event with which a person asks. A person states no confidence: 0 is none, so nobody is told that the asker is
 * half sure, and the question goes before those of the same urgency whose askers are surer.
 */
export function questionEvent({ text, options, priority }: TypedQuestion, by: string) {
  const answers = optionsIn(options);
  return {
    type: 'answers.ask',
    asker: by.trim(),
    trigger: 'user_direct_query',
    bundle: {
      question: text.trim(),
      possible_options: answers.length === 0 ? null : answers,
      priority_level: Number(priority),
      confidence_level: 0,
    },
    maxWaitMs: WAIT_MS,
  };
}

/** Words and tone of a reply. A question that waits has a ticket, or its time was too short for the desk. */
export function replyState({ status, ticket_id: ticket }: AskReplyShown): readonly [words: string, tone: string] {
  if (status === 'refused') return ['refused', 'bad'];
  return QUESTION_STATES[status === 'waiting' && ticket === null ? 'working' : status];
}

/** The next step of the asker, before the name of the ticket if there is one; empty where nothing is left to do. */
export function nextStep({ status, question_id: id, ticket_id: ticket }: AskReplyShown): string {
  if (status === 'provisional') return 'Go on with it. A person is asked whether it holds:';
  if (status !== 'waiting') return '';
  return ticket === null
    ? `The desk is still at work on it. ${id} will have the answer.`
    : `A person is asked, and ${id} will have the answer. If you know it, reply to`;
}
