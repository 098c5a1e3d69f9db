/** The context, events and reports of one question at the answer desk: types, and schemas of what askers are told. */
import { type AnyActorRef } from 'xstate';
import { z } from 'zod';
import { type Table } from '../../table.ts';
import { type PassedOrder } from '../rules/desk.ts';
import { type GateDecision } from '../work/threshold-gate.ts';
import { type TicketNotice, type TicketResolution } from '../people/tickets/ticket-messages.ts';
import { answerSource, type AnswerResponse, type Priority, type QueryBundle } from './bundle.ts';
import { type Dropped } from './bundle-breaking.ts';
import { type Draft } from './answer-ports.ts';
import { type ConfidenceFactors } from './confidence.ts';
import { type Evidence, type Retrieval } from './evidence.ts';
import { type AnswerProfile } from './profile.ts';
import { type Verdict } from './thresholds.ts';
import { type TriggerName } from './triggers.ts';
import { type Bins } from './calibration.ts';

/** Longest wait of one call for an answer, in milliseconds: hosts of agents end a call after 60 s. */
export const WAIT_MS_MAX = 50_000;
/** Default wait of a call, in milliseconds. */
export const WAIT_MS = 45_000;

export interface QuestionInput {
  readonly id: string;
  readonly bundle: QueryBundle;
  readonly asker: string;
  readonly trigger: TriggerName;
  readonly priority: Priority;
  /** The time at which the question was asked. Deadlines count from it, so that waiting in the queue counts too. */
  readonly askedAtMs: number;
  readonly profile: AnswerProfile;
  /** People's answers to similar questions. */
  readonly precedents: readonly Evidence[];
  readonly bins: Bins;
  /** The scopes to search; null for all. */
  readonly scopes: readonly string[] | null;
  readonly desk: AnyActorRef;
  /** The team that researches; null if there is none. */
  readonly researcher: AnyActorRef | null;
}

/** A draft with its judgement. */
export interface Scored {
  readonly draft: Draft;
  readonly confidence: number;
  readonly uncalibrated: number;
  readonly factors: ConfidenceFactors;
  readonly verdict: Verdict;
  readonly decisions: readonly GateDecision<Verdict>[];
  /** Sources that support another value. */
  readonly contradicting: readonly Evidence[];
}

export interface QuestionContext extends QuestionInput {
  readonly deadlineAtMs: number;
  readonly evidence: readonly Evidence[];
  readonly isComplete: boolean;
  readonly scored: Scored | null;
  readonly hasResearched: boolean;
  readonly hasBrokenAgain: boolean;
  readonly hasTimedOut: boolean;
  /** The parts of the asker's context that were left out. */
  readonly dropped: readonly Dropped[];
  readonly tweak: string | null;
  /** The facts that ports failed to provide, in words. */
  readonly notKnown: readonly string[];
  readonly ticket: string | null;
  /** The first result; null before it. */
  readonly resolvedAs: FirstResult['verdict'] | null;
  /** Orders waiting for the answer, by number. */
  readonly waiters: Table<{ readonly order: number }>;
}

/** The events that a question receives. */
export type QuestionEvent =
  /** The desk has assigned a place to the question. */
  | { readonly type: 'place.granted' }
  | { readonly type: 'question.deadline' }
  /** The answer of the team that researches, as a port would give it. */
  | ({ readonly type: 'research.done' } & ({ readonly output: Retrieval } | { readonly error: unknown }))
  /** An asker waits for the answer, for at most `maxWaitMs`. */
  | ({ readonly type: 'question.await'; readonly maxWaitMs: number; readonly asker?: string | null } & PassedOrder)
  | { readonly type: 'wait.over'; readonly order: number }
  /** A correction of the precedent on which the provisional answer rested. */
  | { readonly type: 'draft.revoked' }
  /** The time by which a ticket has to be there is over. */
  | { readonly type: 'question.overdue' }
  | TicketNotice;

/** The first result of a question: an answer, or none. */
export interface FirstResult {
  readonly response: AnswerResponse | null;
  readonly verdict: 'direct' | 'provisional' | 'escalated' | 'unanswered';
  readonly confidence: number;
  /** The confidence before calibration, under which the outcome of the answer counts. */
  readonly uncalibrated: number;
  readonly factors: ConfidenceFactors | null;
  readonly decisions: readonly GateDecision<Verdict>[];
  readonly hasTimedOut: boolean;
  /** Questions whose precedents the answer cites, and what those said. */
  readonly restsOn: readonly { readonly question: string; readonly said: string }[];
  readonly dropped: readonly Dropped[];
  readonly notKnown: readonly string[];
}

/** A person's decision about a question. */
export interface Settlement {
  readonly outcome: 'answered' | 'confirmed' | 'revoked' | 'unanswered';
  readonly resolution: TicketResolution | null;
  /** The reason why there is no answer; null if there is one. */
  readonly because: string | null;
}

/** Reports from a question to the desk. */
export type QuestionReport =
  | { readonly type: 'question.opened'; readonly id: string; readonly question: AnyActorRef }
  | { readonly type: 'question.resolved'; readonly id: string; readonly result: FirstResult }
  | { readonly type: 'question.settled'; readonly id: string; readonly settlement: Settlement };

/** Events emitted to watchers once they are durable. */
export interface QuestionEmitted {
  readonly type: 'question.progress';
  readonly question: string;
  readonly text: string;
}

/** The status of a question as reported to askers. */
export const askStatus = z.enum(['answered', 'provisional', 'waiting', 'refused']);
export type AskStatus = z.output<typeof askStatus>;

/** An answer that was changed after an asker had it. */
export const changedAnswer = z.object({
  question_id: z.string(),
  question: z.string(),
  answer: z.string().nullable(),
  by: z.string().nullable(),
  reason: z.string().nullable(),
});
export type ChangedAnswer = z.output<typeof changedAnswer>;

/** The reply to a question (MX-111), whatever its status. */
export const askReply = z.object({
  status: askStatus.default('refused'),
  question_id: z.string().nullable().default(null),
  ticket_id: z.string().nullable().default(null),
  answer: z.string().nullable().default(null),
  /** The first source in one line; null if there is none. */
  source: z.string().nullable().default(null),
  sources: z.array(answerSource).default([]),
  /** The person who decided it; null for an answer of the team. */
  decided_by: z.string().nullable().default(null),
  confidence: z.number().default(0),
  follow_up_needed: z.boolean().default(false),
  escalated_to_user: z.boolean().default(false),
  suggested_next_actions: z.array(z.string()).nullable().default(null),
  /** The reasons for a refusal; empty otherwise. */
  problems: z.array(z.string()).default([]),
  /** The next step for the asker, in a sentence; null if there is none. */
  next: z.string().nullable().default(null),
  /** Answers to earlier questions of this asker that were changed since its last call. */
  changed_answers: z.array(changedAnswer).default([]),
});
export type AskReply = z.output<typeof askReply>;
