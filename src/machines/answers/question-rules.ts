/**
 * The rules of one question: the score of a draft, the answer made of it, the ticket that people get, and whether their
 * answer confirms a provisional one. Pure.
 */
import { type Known } from '../work/port.ts';
import { type TicketOrder, type TicketResolution } from '../people/tickets/ticket-messages.ts';
import {
  TICKET_ESCALATION_DESCRIPTION_CHARS_MAX,
  TICKET_ESCALATION_TITLE_CHARS_MAX,
  TICKET_EVIDENCE_MAX,
  TICKET_OPTIONS_MAX,
} from '../limits.ts';
import { type Draft } from './answer-ports.ts';
import { strategyInstead } from './bundle-breaking.ts';
import { type AnswerResponse, type AnswerSource } from './bundle.ts';
import { calibrationOf } from './calibration.ts';
import { judgeDraft, judgeEvidence } from './confidence.ts';
import { type Evidence, givesOrders, isBinding, placeOf, sameValue } from './evidence.ts';
import { type FirstResult, type QuestionContext, type Scored, type Settlement } from './question-state.ts';
import { formatted } from './response-format.ts';
import { verdictOf } from './thresholds.ts';
import { triggerOf } from './triggers.ts';

/** The scope of evidence from precedents. The file of such evidence is the question that the precedent answered. */
export const PRECEDENT_SCOPE = 'precedents';

/**
 * The score of a draft; null if there is none. A draft that could not be read (AT-065) or that has no sources (AT-015)
 * is not used.
 */
export function scoredOf(
  { bundle, profile, evidence, isComplete, bins }: QuestionContext,
  known: Known<Draft | null>,
): Scored | null {
  if (!known.isKnown || known.value === null) return null;
  // A line that gives orders is no source, whatever a model that has read it says.
  const draft = { ...known.value, citations: known.value.citations.filter(({ excerpt }) => !givesOrders(excerpt)) };
  const calibrate = calibrationOf(bins);
  const judgement = judgeEvidence({ evidence, isComplete, calibrate });
  const { confidence: own, uncalibrated } =
    draft.confidence === null
      ? { confidence: judgement.confidence, uncalibrated: judgement.factors.uncalibrated }
      : judgeDraft({ ...bundle, answer: draft.answer, base: draft.confidence }, judgement, { calibrate });
  const gates = {
    directPercent: Math.round(profile.escalation_threshold * 100),
    sourcesMin: profile.min_source_citations,
  };
  const { verdict, decisions } = verdictOf({ confidence: own, sources: draft.citations.length }, gates);
  const { factors, contradicting } = judgement;
  return { draft, confidence: own, uncalibrated, factors, verdict, decisions, contradicting };
}

/** The draft that may be given at the deadline: one whose score makes it usable. */
export function usableDraft({ scored }: QuestionContext): Scored | null {
  return scored === null || scored.verdict === 'discarded' ? null : scored;
}

/** The answer made from a scored draft. `isEscalated`: a person is asked as well. */
export function responseOf(
  context: QuestionContext,
  { draft, confidence }: Scored,
  { isProvisional, isEscalated }: { readonly isProvisional: boolean; readonly isEscalated: boolean },
): AnswerResponse {
  const actions = [...(draft.suggested_next_actions ?? []), ...proposalsOf(context)];
  return formatted(
    {
      answer: draft.answer,
      confidence,
      sources: draft.citations.map(sourceOf),
      escalated_to_user: isEscalated,
      follow_up_needed: isProvisional,
      suggested_next_actions: actions.length === 0 ? null : actions,
    },
    context.profile,
  );
}

/** Proposals that accompany an answer: another strategy for a context that did not fit, or a task for a cause. */
function proposalsOf({ tweak, trigger, profile, bundle }: QuestionContext): readonly string[] {
  const { proposes } = triggerOf(trigger, profile);
  const instead =
    proposes === 'strategy tweak' ? strategyInstead(`${bundle.question} ${bundle.context_summary}`) : null;
  return [
    ...(tweak === null ? [] : [tweak]),
    ...(instead === null ? [] : [instead]),
    ...(proposes === 'update task' ? [`Propose an update task that removes the cause: ${bundle.question}`] : []),
  ];
}

/** The first result of a question, as the desk records it. */
export function firstResult(context: QuestionContext, verdict: FirstResult['verdict']): FirstResult {
  const { scored, hasTimedOut, dropped, notKnown } = context;
  const isGiven = verdict === 'direct' || verdict === 'provisional';
  const isProvisional = scored?.verdict === 'provisional';
  const response =
    isGiven && scored !== null
      ? responseOf(context, scored, { isProvisional, isEscalated: verdict === 'provisional' })
      : null;
  return {
    response,
    verdict,
    confidence: scored?.confidence ?? 0,
    uncalibrated: scored?.uncalibrated ?? 0,
    factors: scored?.factors ?? null,
    decisions: scored?.decisions ?? [],
    hasTimedOut,
    restsOn: response === null ? [] : precedentsIn(context, scored!),
    dropped,
    notKnown,
  };
}

/** Questions whose precedents a draft cites, and what those said when the question was asked. */
function precedentsIn({ precedents }: QuestionContext, { draft }: Scored): FirstResult['restsOn'] {
  const cited = new Set(
    draft.citations.map(({ source: { scope, file } }) => (scope === PRECEDENT_SCOPE ? file : null)),
  );
  return precedents
    .filter(({ source }) => cited.has(source.file))
    .map(({ source, excerpt }) => ({ question: source.file, said: excerpt }));
}

export function sourceOf({ source, excerpt }: Evidence): AnswerSource {
  const location = source.scope === PRECEDENT_SCOPE ? source.file : placeOf(source);
  return { type: source.type, location, excerpt };
}

/** The ticket that asks a person (MX-E14). It blocks its task unless there is a provisional answer. */
export function ticketOf(context: QuestionContext): TicketOrder<'tickets.open'> {
  const { id, bundle, asker, trigger, priority, profile, evidence, scored } = context;
  const { ticketBy, blocks } = triggerOf(trigger, profile);
  const provisional = usableDraft(context);
  const facts = [
    `Asked by ${asker}${bundle.confidence_level > 0 ? `, who is ${bundle.confidence_level} % sure` : ''}.`,
    bundle.context_summary,
    provisional === null
      ? whyUnanswered(context)
      : `Meanwhile the answer is, at ${provisional.confidence} %: ${provisional.draft.answer}`,
  ];
  return {
    type: 'tickets.open',
    kind: 'ai_to_human',
    priority,
    title: bundle.question.slice(0, TICKET_ESCALATION_TITLE_CHARS_MAX).toWellFormed(),
    description: [bundle.question, ...facts.filter((fact) => fact !== '')]
      .join('\n')
      .slice(0, TICKET_ESCALATION_DESCRIPTION_CHARS_MAX)
      .toWellFormed(),
    options: (bundle.possible_options ?? []).slice(0, TICKET_OPTIONS_MAX),
    evidence: shownEvidence(scored, evidence),
    creator: ticketBy,
    assignee: null,
    audience: ['*'],
    task: bundle.current_task_id,
    isBlocking: blocks && provisional === null && bundle.current_task_id !== null,
    isEscalation: true,
    about: id,
  };
}

/** The reason why there is no answer, in a sentence. */
export function whyUnanswered({ hasTimedOut, scored, evidence, notKnown }: QuestionContext): string {
  if (hasTimedOut) return 'There was no answer in time.';
  if (notKnown.length > 0) return notKnown.at(-1)!;
  if (scored === null || evidence.length === 0) return 'No source says anything about it.';
  return `The sources are too weak for an answer: ${scored.confidence} %.`;
}

function shownEvidence(scored: Scored | null, evidence: readonly Evidence[]): TicketOrder<'tickets.open'>['evidence'] {
  const pieces = [...(scored?.draft.citations ?? []), ...(scored?.contradicting ?? []), ...evidence];
  const byPlace = new Map(pieces.map((piece) => [sourceOf(piece).location, piece]));
  // Where sources differ, the person is asked which of them holds: any answer contradicts one.
  const isSettled = (scored?.contradicting ?? []).length === 0;
  return [...byPlace].slice(0, TICKET_EVIDENCE_MAX).map(([source, piece]) => ({
    source: source.slice(0, 200),
    excerpt: piece.excerpt,
    isDeclared: isSettled && isBinding(piece),
  }));
}

/** The settlement that follows from a person's resolution: an answer, or a decision about the provisional one. */
export function settlementOf(context: QuestionContext, resolution: TicketResolution): Settlement {
  const provisional = usableDraft(context);
  if (provisional === null) return { outcome: 'answered', resolution, because: null };
  return { outcome: confirms(provisional, resolution) ? 'confirmed' : 'revoked', resolution, because: null };
}

/**
 * Whether a person repeats the provisional answer, in the same words or by naming the one value that its strongest
 * source supports. Any other text replaces the answer, since its meaning cannot be compared.
 */
function confirms({ draft }: Scored, { text, option }: TicketResolution): boolean {
  const said = [text, ...(option === null ? [] : [option])].map(sameValue);
  const value = draft.citations[0]?.speaksFor ?? null;
  return said.includes(sameValue(draft.answer)) || (value !== null && said.includes(sameValue(value)));
}
