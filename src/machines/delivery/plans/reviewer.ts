/**
 * The Reviewer (MX-086): one per plan, from its receipt until nothing of it is unknown. It decides by what the plan
 * says, then by the Answer Team (T3), which it asks in the background, and then by the owner.
 */
import { setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { ANSWERER } from '../../people/system-ids.ts';
import { onNotices, type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { inTurn, type Turn } from '../../rules/turn.ts';
import { askOwner } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type PlanDocument } from './plan-document.ts';
import { PROJECT_TYPES, type ProjectRules, rulesOf } from './project-kinds.ts';
import {
  bandOf,
  decisionBy,
  type Feature,
  plannedDecision,
  questionAbout,
  releaseIn,
  RELEASES,
  type Triaged,
} from './triage.ts';

export interface ReviewerInput extends Pick<PlanDocument, 'projectType' | 'notes' | 'features'> {
  readonly plan: string;
  readonly name: string;
  readonly goal: string;
  readonly owner: string;
}

interface ReviewerContext extends ReviewerInput {
  readonly decided: Readonly<Record<string, Triaged>>;
  /** The rules of the project; null if the plan names no kind, undefined while a person is asked. */
  readonly project: ProjectRules | null | undefined;
}

type Reviewed = Pick<ReviewerContext, 'plan' | 'decided'> & { readonly project: ProjectRules | null };
/** The report of the Reviewer to the Planning Team, after each decision. Its end says that there is none left. */
export type PlanReviewed = Readonly<{ type: 'plan.reviewed' }> & Reviewed;

type ReviewerTurn = Turn<ReviewerContext, FeatureDecided>;
/** Emitted to watchers once it is durable. */
type FeatureDecided = Readonly<{ type: 'feature.decided'; plan: string; feature: string } & Triaged>;

/** An answer of the Answer Team; its confidence is 0 if it knows none. */
type Answered = Readonly<{ asker: string; answer: string | null; confidence: number }>;

type ReviewerEvent =
  | TicketNotice
  | ({ readonly type: 'answer.given' } & Answered)
  | { readonly type: 'triage.late'; readonly feature: string };

/** Milliseconds after which an answer of the Answer Team is not waited for any more: it answers within 60 s. */
const ANSWER_MS = 65_000;

/** The subject of the question about a custom project, beside the ids of features. */
const PROJECT = 'the project';

const act = (does: (turn: ReviewerTurn, event: ReviewerEvent) => void) =>
  inTurn<ReviewerContext, ReviewerEvent, undefined, FeatureDecided>(does);

const HEARD = { actions: ['hear', 'report'] } as const;

const machine = setup({
  types: {} as { context: ReviewerContext; input: ReviewerInput; events: ReviewerEvent; emitted: FeatureDecided },
  guards: {
    isWhole: ({ context: { features, decided, project } }) =>
      project !== undefined && features.every(({ id }) => Object.hasOwn(decided, id)),
  },
  actions: {
    begin: act((turn) => {
      const { features, project, owner, goal } = turn.context;
      for (const feature of features) triage(turn, feature);
      if (project !== undefined) return;
      const text = `The goal is "${goal}". Say the stack, and after a semicolon what its checks look at.`;
      askOwner(turn, { id: null, owner, priority: 2 }, { about: PROJECT, title: 'What is it built with?', text });
    }),
    hear: act((turn, event) => {
      if (event.type === 'answer.given') answered(turn, event);
      else if (event.type === 'triage.late')
        answered(turn, { asker: askerOf(turn, event.feature), answer: null, confidence: 0 });
      else if (event.type !== 'ticket.opened') said(turn, event);
    }),
    report: act((turn) => {
      const { plan, decided, project } = turn.context;
      if (project === undefined) return;
      turn.send(DELIVERY_DESKS.planning, { type: 'plan.reviewed', plan, decided, project } satisfies PlanReviewed);
    }),
  },
}).createMachine({
  id: 'plan-reviewer',
  context: ({ input }) => {
    const { projectType, goal, notes } = input;
    return { ...input, decided: {}, project: projectType === undefined ? null : rulesOf(projectType, goal, notes) };
  },
  initial: 'reviewing',
  states: {
    reviewing: {
      entry: ['begin', 'report'],
      always: { guard: 'isWhole', target: 'approved' },
      on: {
        ...onNotices(HEARD),
        'answer.given': HEARD,
        'triage.late': HEARD,
      },
    },
    approved: { type: 'final' },
  },
});

/** The agent of Reviewers, which Planning has started for each plan. */
export const planReviewer = defineAgent({ name: 'plan-reviewer', machine, events: {} });

/** Decides about a feature, or asks who may know. */
function triage(turn: ReviewerTurn, feature: Feature): void {
  const decision = plannedDecision(feature);
  if (decision !== null) return decide(turn, feature.id, decision);
  const band = bandOf(feature.confidence ?? 100);
  if (band !== 'high') return askAbout(turn, feature, band);
  const { name, goal } = turn.context;
  turn.raise({ type: 'triage.late', feature: feature.id }, { id: `late ${feature.id}`, delay: ANSWER_MS });
  turn.send(ANSWERER, {
    ...{ type: 'answers.ask', trigger: 'planning_ambiguity', asker: askerOf(turn, feature.id), askedBy: turn.self },
    ...{ taskPriority: feature.priority ?? 2, maxWaitMs: 0, key: feature.id },
    bundle: {
      question: `Does the first release of ${name} need "${feature.title.slice(0, 100)}"?`,
      ...{ context_summary: goal.slice(0, 300), possible_options: [...RELEASES], confidence_level: 50 },
    },
  });
}

/** The name under which the Reviewer asks about a feature, by which it recognises the answer. */
function askerOf({ context: { plan } }: Pick<ReviewerTurn, 'context'>, feature: string): string {
  return `planning ${plan} ${feature}`.slice(0, 200);
}

/** T3: a sure answer decides; of a less sure one people hear three questions, of none everything. */
function answered(turn: ReviewerTurn, { asker, answer, confidence }: Answered): void {
  const { features, decided } = turn.context;
  const feature = features.find(({ id }) => askerOf(turn, id) === asker && !Object.hasOwn(decided, id));
  if (feature === undefined) return;
  turn.cancel(`late ${feature.id}`);
  const band = bandOf(confidence);
  const isMandatory = band === 'high' ? releaseIn(answer ?? '') : undefined;
  if (isMandatory === undefined) askAbout(turn, feature, band === 'low' ? 'low' : 'medium');
  else decide(turn, feature.id, decisionBy(feature, isMandatory, 'Answer Team'));
}

function askAbout(turn: ReviewerTurn, feature: Feature, band: 'medium' | 'low'): void {
  const { owner, goal } = turn.context;
  const asked = { about: feature.id, ...questionAbout(feature, band, goal), options: RELEASES };
  askOwner(turn, { id: null, owner, priority: feature.priority ?? 2 }, asked);
}

/** The words of a person; what says neither is asked again, and what is not answered is left for later. */
function said(turn: ReviewerTurn, notice: TicketNotice): void {
  const feature = turn.context.features.find(({ id }) => id === notice.about);
  if (notice.type === 'ticket.failed' && feature !== undefined) return askAbout(turn, feature, 'low');
  if (notice.type !== 'ticket.resolved' && notice.type !== 'ticket.rejected') return;
  const words = notice.type === 'ticket.resolved' ? (notice.resolution.option ?? notice.resolution.text) : 'later';
  const by = notice.type === 'ticket.resolved' ? notice.resolution.by : notice.by;
  if (feature === undefined) return tellProject(turn, words);
  const isMandatory = releaseIn(words);
  if (isMandatory === undefined) askAbout(turn, feature, 'low');
  else decide(turn, feature.id, decisionBy(feature, isMandatory, by));
}

function tellProject(turn: ReviewerTurn, words: string): void {
  const [stack = '', ...verification] = words.split(';').map((part) => part.trim().slice(0, 300));
  const rules = { ...PROJECT_TYPES.custom, focus: turn.context.goal };
  turn.assign({ project: { ...rules, stack, verification: verification.join('; ') } });
}

function decide(turn: ReviewerTurn, feature: string, triaged: Triaged): void {
  turn.assign({ decided: { ...turn.context.decided, [feature]: triaged } });
  turn.emit({ type: 'feature.decided', plan: turn.context.plan, feature, ...triaged });
}
