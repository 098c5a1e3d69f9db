/** Answers of the procedures of the answer desk, derived from the desk's own types. No behaviour. */
import type { Cap, ConfidenceFactors } from '../../machines/answers/confidence.ts';
import type { AnswerUser, QuestionRow } from '../../machines/answers/desk-state.ts';
import type { Proposal } from '../../machines/answers/evolution.ts';
import type { Figure } from '../../machines/answers/metrics.ts';
import type { Precedent } from '../../machines/answers/precedents.ts';
import type { AskReply } from '../../machines/answers/question-state.ts';
import type { CustomTrigger } from '../../machines/answers/custom-trigger.ts';
import { type TicketShown } from '../desks/desk-shapes.ts';

/** Fields of a question that only the desk itself uses. */
type Own = 'orders' | 'ref' | 'textKey' | 'joinKey' | 'turn';

/** A question with what became of it. */
export type QuestionShown = Omit<QuestionRow, Own>;
export type QuestionStatus = QuestionRow['status'];
export type FactorsShown = ConfidenceFactors;
export type CapShown = Cap;
export type UserShown = Pick<AnswerUser, 'asker' | 'task' | 'atMs'>;
export type ProposalShown = Proposal;
export type FigureShown = Figure;
export type TriggerShown = CustomTrigger;

/** For whom a kept answer holds: a scope or all, and a version of the plan or all. */
export type Holds = Pick<Precedent, 'scope' | 'planVersion'>;

/** The desk's reply to a question. */
export type AskReplyShown = AskReply;

/** A place where evidence was found; its type is empty where it is not known. */
export interface SourceShown {
  readonly location: string;
  readonly excerpt: string;
  readonly type: string;
}

/** The part of the answer of `tickets.get` that says what was found; no question for an archived ticket. */
export interface TicketEvidence {
  readonly question: Pick<TicketShown['question'], 'evidence'> | null;
}

/** The answer of `answers.show`. */
export interface ShownQuestion {
  readonly question: QuestionShown | null;
  readonly users: readonly UserShown[];
  /** For whom the answer is kept; null if it is not. */
  readonly kept: Holds | null;
  readonly earlier: Precedent['earlier'];
}

/** The answer of `answers.list`. */
export interface ListedQuestions {
  readonly questions: readonly QuestionShown[];
  readonly next: number | null;
}

/** The answer of `answers.search`. */
export interface FoundAnswers {
  readonly found: readonly (Pick<Precedent, 'question' | 'text' | 'answer' | 'by' | 'atMs'> &
    Holds & { readonly likeness: number })[];
}

/** The answer of `answers.metrics`. */
export interface DeskFigures {
  readonly figures: readonly FigureShown[];
  readonly queued: number;
  readonly places: number;
  /** Outcomes by the tenth of confidence that their answers had. */
  readonly bins: readonly { readonly used: number; readonly right: number }[];
}
