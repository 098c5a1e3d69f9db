/**
 * The triggers of the answer team (AT-038 to AT-048) as data: eight rows, each an activation point of its own that
 * needs nobody else's state. A row says who may fire it and how its question is treated. Pure.
 */
import { z } from 'zod';
import { type Priority } from './bundle.ts';
import { DEADLINE_MS } from './desk-queue.ts';
import { type AnswerProfile, settingsOf } from './profile.ts';

/** The triggers, T1 to T8 in order. */
export const TRIGGERS = [
  'mcp_askQuestion',
  'user_direct_query',
  'planning_ambiguity',
  'verification_low_confidence',
  'copilot_delegation_issue',
  'context_overflow_clarification',
  'pattern_based_query',
  'custom',
] as const;
export const triggerName = z.enum(TRIGGERS);
export type TriggerName = z.output<typeof triggerName>;

/** The rules for the question of a trigger. */
export interface Trigger {
  readonly number: number;
  /** The team or person that uses the trigger. */
  readonly from: string;
  /** Whether a vague question is refused. Agents can ask again; people's questions are not judged. */
  readonly checksQuality: boolean;
  /** Whether an asker with enough confidence is told to continue without an answer (MX-052). */
  readonly checksDoubt: boolean;
  /** Whether a question without a usable answer becomes a ticket. Otherwise its asker continues without an answer. */
  readonly escalates: boolean;
  /** Whether the asker's work stops until there is an answer. */
  readonly blocks: boolean;
  /** Whether outside sources are searched at a confidence of 40 to 69 %. */
  readonly researches: boolean;
  /** The team that creates the ticket. */
  readonly ticketBy: 'orchestrator' | 'answer-team';
  /** The kind of proposal that accompanies an answer. */
  readonly proposes: 'nothing' | 'strategy tweak' | 'update task';
}

type Row = Omit<Trigger, 'escalates' | 'researches' | 'blocks'> & Partial<Trigger>;

const AGENT = { checksQuality: true, checksDoubt: false, ticketBy: 'answer-team', proposes: 'nothing' } as const;

const ROWS: Readonly<Record<TriggerName, Row>> = {
  mcp_askQuestion: { ...AGENT, number: 1, from: 'Coding AI', checksDoubt: true, ticketBy: 'orchestrator' },
  user_direct_query: { ...AGENT, number: 2, from: 'User', checksQuality: false },
  planning_ambiguity: { ...AGENT, number: 3, from: 'Planning Team' },
  verification_low_confidence: { ...AGENT, number: 4, from: 'Verification Team', blocks: false },
  copilot_delegation_issue: { ...AGENT, number: 5, from: 'Coding AI', checksQuality: false },
  context_overflow_clarification: {
    ...AGENT,
    number: 6,
    from: 'Context breaking',
    checksQuality: false,
    proposes: 'strategy tweak',
  },
  pattern_based_query: {
    ...AGENT,
    number: 7,
    from: 'Critic Team',
    checksQuality: false,
    proposes: 'update task',
    blocks: false,
  },
  custom: { ...AGENT, number: 8, from: 'Settings', checksQuality: false, blocks: false },
};

/** The rules of a trigger under the current settings. */
export function triggerOf(name: TriggerName, profile: AnswerProfile): Trigger {
  const planning = settingsOf(profile, 'planning_ambiguity');
  const row: Trigger = {
    escalates: profile.integrations.ticket_system && (name !== 'planning_ambiguity' || planning.auto_escalate),
    blocks: name !== 'planning_ambiguity' || !planning.background_mode,
    researches:
      profile.integrations.researcher_team &&
      (name !== 'pattern_based_query' || settingsOf(profile, name).research_enabled),
    ...ROWS[name],
  };
  const { suggest_strategy_tweaks } = settingsOf(profile, 'context_overflow_clarification');
  return row.proposes === 'strategy tweak' && !suggest_strategy_tweaks ? { ...row, proposes: 'nothing' } : row;
}

/** Whether an asker may use a trigger. */
export function mayFire(name: TriggerName, { invoke_trigger }: AnswerProfile): boolean {
  if (invoke_trigger === 'any_agent' || name === 'user_direct_query') return true;
  return invoke_trigger === 'coding_ai_only' && ROWS[name].from === 'Coding AI';
}

/** The urgency of a question: that of its task if the trigger inherits it and the task is known, else its own. */
export function priorityOf(
  name: TriggerName,
  { own, task }: { readonly own: Priority; readonly task: Priority | null },
  profile: AnswerProfile,
): Priority {
  const inherits =
    name === 'planning_ambiguity' ||
    name === 'verification_low_confidence' ||
    (name === 'copilot_delegation_issue' && settingsOf(profile, name).inherit_task_priority);
  return inherits && task !== null ? task : own;
}

/** The urgency by which a question queues. Without the boost, the most urgent ones of agents do not overtake others. */
export function queuedAs(name: TriggerName, urgency: Priority, profile: AnswerProfile): Priority {
  const isBoosted = name !== 'mcp_askQuestion' || settingsOf(profile, name).priority_boost;
  return urgency === 1 && !isBoosted ? 2 : urgency;
}

/**
 * The milliseconds from the trigger to the answer (X-02): 15, 30 and 60 s by urgency, or of the settings' time once,
 * twice and four times. No question has more than 60 s.
 */
export function deadlineMsOf(name: TriggerName, urgency: Priority, profile: AnswerProfile): number {
  if (name !== 'mcp_askQuestion') return DEADLINE_MS[urgency];
  const seconds = settingsOf(profile, name).max_response_time_sec;
  return Math.min(DEADLINE_MS[3], (DEADLINE_MS[urgency] / DEADLINE_MS[1]) * seconds * 1_000);
}

/** Whether outside sources are searched before a person is asked. */
export function mayResearch(name: TriggerName, urgency: Priority, profile: AnswerProfile): boolean {
  const goesToPeople =
    name === 'verification_low_confidence' && urgency === 1 && settingsOf(profile, name).escalate_p1_immediately;
  return triggerOf(name, profile).researches && !goesToPeople;
}

/** Whether a verification has too little confidence to continue (AT-019, AT-044). `confidence` is in percent. */
export function isUnsureVerification(confidence: number, profile: AnswerProfile): boolean {
  return confidence < settingsOf(profile, 'verification_low_confidence').threshold * 100;
}
