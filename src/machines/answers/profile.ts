/**
 * The settings of the answer team, key by key as in its profile (AT-009 to AT-027): a schema with every default. Each
 * key has an effect, or only the values that are kept; any other is refused by the name of the key. Pure.
 */
import { z } from 'zod';
import { customTrigger } from './custom-trigger.ts';
import { CUSTOM_TRIGGERS_MAX } from '../limits.ts';
import { VERIFICATION_GATE } from './thresholds.ts';

const percentOfOne = z.number().min(0).max(1);

/** The kinds of proposals, in the words of the specification. */
const UPDATE_TRIGGERS = [
  'New trigger types from Critic patterns',
  'Threshold adjustments based on RL rewards',
  'Response format improvements',
] as const;

/** The metrics of the specification. */
const METRICS_TRACKED = [
  'resolution_time_by_priority',
  'escalation_rate',
  'confidence_accuracy',
  'token_efficiency',
  'source_citation_quality',
] as const;

/** The schema of a key that has one value. */
function only<const Value extends string | number | boolean>(value: Value, why: string) {
  return z.literal(value, { error: why }).prefault(value);
}

const mcpAskQuestion = z.strictObject({
  type: z.literal('mcp_askQuestion'),
  /** Whether urgent questions overtake others. Otherwise these questions queue as if of urgency 2. */
  priority_boost: z.boolean().default(true),
  /** Seconds until the answer to the most urgent questions; others have twice and four times as many, up to 60. */
  max_response_time_sec: z.number().positive().max(60).default(15),
});
const userDirectQuery = z.strictObject({
  type: z.literal('user_direct_query'),
  via: z.literal('ticket_system').default('ticket_system'),
  auto_clarity_check: only(true, 'the review of replies in tickets cannot be switched off'),
});
const planningAmbiguity = z.strictObject({
  type: z.literal('planning_ambiguity'),
  auto_escalate: z.boolean().default(false),
  background_mode: z.boolean().default(true),
});
const verificationLowConfidence = z.strictObject({
  type: z.literal('verification_low_confidence'),
  /** The confidence, as a share of 1, from which on a verification goes on without asking. */
  threshold: percentOfOne.default(VERIFICATION_GATE / 100),
  /** Whether a person is asked about the most urgent ones without research first. */
  escalate_p1_immediately: z.boolean().default(true),
});
const copilotDelegationIssue = z.strictObject({
  type: z.literal('copilot_delegation_issue'),
  via: z.literal('reportIssue').default('reportIssue'),
  inherit_task_priority: z.boolean().default(true),
});
const contextOverflow = z.strictObject({
  type: z.literal('context_overflow_clarification'),
  from: z.literal('breaking_failures').default('breaking_failures'),
  suggest_strategy_tweaks: z.boolean().default(true),
});
const patternBasedQuery = z.strictObject({
  type: z.literal('pattern_based_query'),
  from: z.literal('critic_team').default('critic_team'),
  research_enabled: z.boolean().default(true),
});

const standaloneTrigger = z.discriminatedUnion('type', [
  mcpAskQuestion,
  userDirectQuery,
  planningAmbiguity,
  verificationLowConfidence,
  copilotDelegationIssue,
  contextOverflow,
  patternBasedQuery,
]);

/** The specification's triggers with their settings. A trigger that a profile leaves out keeps its defaults. */
const standaloneTriggers = z
  .array(standaloneTrigger)
  .refine((given) => new Set(given.map(({ type }) => type)).size === given.length, 'two entries have the same type')
  .prefault([])
  .transform((given) => {
    const own = new Map(given.map((one) => [one.type, one]));
    return standaloneTrigger.options.map(
      ({ shape }) => own.get(shape.type.value) ?? standaloneTrigger.parse({ type: shape.type.value }),
    );
  });

/** The settings of the answer team. `answerProfile.parse({})` has every default. */
export const answerProfile = z.strictObject({
  template_version: only(1, 'the only version is 1.0'),
  /** The role that the port `formulate` is told. */
  team_role: z.string().min(1).max(1_000).default('On-demand resolver for ambiguities and questions'),
  activation_mode: only('trigger_only', 'the team works by triggers alone: trigger_only'),
  /** The askers that are allowed. */
  invoke_trigger: z.enum(['any_agent', 'coding_ai_only', 'manual_only']).default('any_agent'),
  response_depth: z.enum(['brief', 'detailed']).default('brief'),
  max_token_output: z.int().min(50).max(100_000).default(1_000),
  max_input_bundle: z.int().min(500).max(100_000).default(2_500),
  /** The confidence, as a share of 1, from which on an answer is given without a ticket. */
  escalation_threshold: percentOfOne.default(0.7),
  min_source_citations: z.int().min(1).max(20).default(1),
  standalone_triggers: standaloneTriggers,
  /** The triggers that users define, besides those defined at run time. */
  custom_triggers: z
    .array(customTrigger)
    .max(CUSTOM_TRIGGERS_MAX)
    .refine((given) => new Set(given.map(({ name }) => name)).size === given.length, 'two triggers have the same name')
    .default([]),
  response_format: z
    .strictObject({
      include_confidence: z.boolean().default(true),
      include_sources: z.boolean().default(true),
      include_follow_up_needed: z.boolean().default(true),
      max_length_chars: z.int().min(100).max(20_000).default(1_500),
    })
    .prefault({}),
  integrations: z
    .strictObject({
      researcher_team: z.boolean().default(true),
      clarity_agent: only(true, 'replies in tickets are always reviewed'),
      ticket_system: z.boolean().default(true),
    })
    .prefault({}),
  evolvable_via_uv: z.boolean().default(true),
  /** The kinds of proposals that are made. */
  update_triggers: z.array(z.enum(UPDATE_TRIGGERS)).default([...UPDATE_TRIGGERS]),
  /** The metrics that reports contain, besides the measures of success. */
  metrics_tracked: z.array(z.enum(METRICS_TRACKED)).default([...METRICS_TRACKED]),
});
/** The settings of the answer team, after parsing. */
export type AnswerProfile = z.output<typeof answerProfile>;
/** The settings as a host gives them. */
export type GivenProfile = z.input<typeof answerProfile>;

type Standalone = AnswerProfile['standalone_triggers'][number];

/** The settings of one trigger. */
export function settingsOf<Type extends Standalone['type']>(
  profile: AnswerProfile,
  type: Type,
): Extract<Standalone, { readonly type: Type }> {
  // Parsing has put in every trigger.
  return profile.standalone_triggers.find((one) => one.type === type) as Extract<Standalone, { readonly type: Type }>;
}
