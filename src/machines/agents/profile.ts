/**
 * Agent profiles: what an agent is for, what it leaves to others, and the schemas of the questions about them (seed
 * 003, AC-006 to AC-014). Lengths are counted in UTF-16 units; a longer text is refused and never cut. Pure.
 */
import { z } from 'zod';
import { closed } from '../../closed-object.ts';
import { BosunError } from '../../errors.ts';
import { commandWork, functionWork } from '../work/does.ts';

/** The agent that is recommended when no other one fits. It always exists and is always enabled (AC-018). */
export const FALLBACK_AGENT = 'standard';

/** The categories of agents (AC-011). */
export const AGENT_CATEGORIES = ['orchestrator', 'implementer', 'reviewer', 'specialist', 'generalist'] as const;
/** The category of an agent. */
export type AgentCategory = (typeof AGENT_CATEGORIES)[number];

/** The categories in requests for capabilities, with the categories of agents that each stands for. */
export const CATEGORY_ALIASES = {
  implementation: 'implementer',
  review: 'reviewer',
  strategy: 'orchestrator',
  research: 'specialist',
} as const satisfies Readonly<Record<string, AgentCategory>>;

/** Matches names that a capability may have. They become keys of a map, so they begin with a letter or a digit. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._+#/&-]*$/u;
const NAMED = 'must begin with a letter or a digit, and consist of letters, digits, spaces and . _ + # / & -';

const line = (charsMax: number) => z.string().trim().min(1).max(charsMax);
const lines = (countMax: number, charsMax: number) => z.array(line(charsMax)).max(countMax);
const names = (countMax: number) => z.array(line(100).regex(NAME, NAMED)).max(countMax);

/** The id of an agent. */
export const agentIdSchema = z
  .string()
  .max(50)
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]*$/, 'must be letters, digits, _ and -, and begin with a letter, such as api-tester');

/** A phrase that the agent does not handle, and the agent that is suggested instead (AC-012). */
export const redirectRuleSchema = closed({ phrase: line(500), suggest: line(100) });

/** The schema of the metadata by which an agent is chosen (AC-010, AC-014). */
export const selectionMetadataSchema = closed({
  primaryIntents: lines(20, 100).optional(),
  secondarySignals: lines(20, 100).optional(),
  negativeIntents: lines(20, 100).optional(),
  keywords: lines(50, 100).optional(),
  antiKeywords: lines(50, 100).optional(),
  redirectWhen: z.array(redirectRuleSchema).max(20).optional(),
  /** Tasks that the agent handles well. */
  exampleTasks: lines(10, 200).optional(),
  /** Tasks that belong to another agent. */
  notForTasks: lines(10, 200).optional(),
  agentCategory: z.enum(AGENT_CATEGORIES).optional(),
});
/** The metadata by which an agent is chosen. */
export type SelectionMetadata = z.output<typeof selectionMetadataSchema>;

/** The knowledge that an agent gets: for every task, and for tasks of a kind. */
const abilitiesSchema = closed({
  core: lines(20, 100).optional(),
  taskBased: z.record(line(100).regex(NAME, NAMED), lines(20, 100)).optional(),
});

const orchestrationSchema = closed({
  maxDelegationDepth: z.int().min(0).max(10).optional(),
  canReadWorkspaces: z.array(line(100)).max(50).optional(),
  canWriteToShared: z.boolean().optional(),
  /** The time limit of a delegated task, in milliseconds. */
  delegationTimeout: z.int().min(1).optional(),
});

/** A semantic version, such as 1.0.0 or 2.1.0-rc.1. */
const SEMVER = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,50})?(?:\+[0-9A-Za-z.-]{1,50})?$/;

/** The schema of an agent's profile (AC-013). */
export const agentProfileSchema = closed({
  agentId: agentIdSchema,
  displayName: line(100).optional(),
  version: z.string().regex(SEMVER, 'must be a version of three numbers, such as 1.0.0').optional(),
  description: line(5_000),
  role: line(200).optional(),
  expertise: lines(20, 100).optional(),
  capabilities: names(50).optional(),
  systemPrompt: z.string().max(32_000).optional(),
  abilities: abilitiesSchema.optional(),
  orchestration: orchestrationSchema.optional(),
  selectionMetadata: selectionMetadataSchema.optional(),
  /** The way in which its tasks are carried out. */
  does: z.discriminatedUnion('kind', [functionWork.strict(), commandWork.strict()]).optional(),
  team: line(50).optional(),
  tags: lines(20, 50).optional(),
  priority: z.int().min(1).max(100).optional(),
  enabled: z.boolean().default(true),
});
/** The profile of an agent. */
export type AgentProfile = z.output<typeof agentProfileSchema>;

/** The schema of a request for the agent that fits a task best (AC-006, AC-014). */
export const recommendRequestSchema = z.object({
  task: z.string().min(1).max(2_000).describe('The task, in words'),
  team: z.string().max(50).optional().describe('Only agents of this team'),
  requiredCapabilities: z.array(z.string().max(100)).max(10).optional().describe('Capabilities that it must have'),
  excludeAgents: z.array(z.string().max(50)).max(20).optional().describe('Agents to leave out'),
  maxResults: z.int().min(1).max(10).default(3).describe('Largest number of agents in the result'),
  mode: z
    .enum(['blended', 'rules'])
    .default('blended')
    .describe('blended: authored signals and retrieval. rules: weights of single words and phrases'),
  explain: z.boolean().default(false).describe('Whether the result has every factor with its points'),
});
/** A request for the agent that fits a task best. */
export type RecommendRequest = z.input<typeof recommendRequestSchema>;

/** The schema of one reason for or against an agent, in points: thousandths of confidence (CN-012). */
export const factorSchema = z.object({
  kind: z.string(),
  points: z.int(),
  /** The matching text of the profile or of the request. */
  evidence: z.string(),
});
/** One reason for or against an agent. */
export type Factor = z.output<typeof factorSchema>;

const confidence = z.number().min(0).max(1);

/** The answer to a {@link RecommendRequest} (AC-007); `explanation` only if it was asked for. */
export const recommendResultSchema = z.object({
  recommended: z.string(),
  confidence,
  reason: z.string(),
  alternatives: z.array(z.object({ agentId: z.string(), confidence, reason: z.string().optional() })),
  explanation: z
    .array(
      z.object({
        agentId: z.string(),
        points: z.int(),
        factors: z.array(factorSchema),
        /** The means by which the agent's tasks are carried out, where they are known. */
        runs: z.string().optional(),
      }),
    )
    .optional(),
});
/** The answer to a {@link RecommendRequest}. */
export type RecommendResult = z.output<typeof recommendResultSchema>;

/** The schema of a request for the capabilities of all agents (AC-008). */
export const capabilitiesRequestSchema = z.object({
  category: z.enum(['implementation', 'review', 'strategy', 'research', 'all', ...AGENT_CATEGORIES]).optional(),
  includeDisabled: z.boolean().default(false),
});
/** A request for the capabilities of all agents. */
export type CapabilitiesRequest = z.input<typeof capabilitiesRequestSchema>;

/** The schema of the answer to a {@link CapabilitiesRequest} (AC-009). */
export const capabilitiesResultSchema = z.object({
  capabilities: z.array(z.string()),
  agentsByCapability: z.record(z.string(), z.array(z.string())),
  capabilitiesByAgent: z.record(z.string(), z.array(z.string())),
});
/** The answer to a {@link CapabilitiesRequest}: agents by capability, and capabilities by agent. */
export type CapabilitiesResult = z.output<typeof capabilitiesResultSchema>;

/**
 * Parses a request.
 *
 * @throws BOSUN_CALL_INVALID naming the first field that is wrong.
 */
export function checkedRequest<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(given);
  if (error === undefined) return data;
  const { path, message } = error.issues[0]!;
  const place = z.core.toDotPath([...path]);
  throw new BosunError('BOSUN_CALL_INVALID', place === '' ? message : `${place}: ${message}`);
}

/** Compares texts by UTF-16 code units, so that the order does not depend on the machine's language. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
