/**
 * The preparation of a spawn (`memory_spawn_agent`, HS-051 to HS-056): it makes the prompt of a session and executes
 * nothing. Strict mode refuses what belongs to execution; legacy mode ignores it with a warning. Pure.
 */
import { z } from 'zod';
import { type PlanGlance, promptOf } from './prompt.ts';
import { type ReasonCode } from './reason-codes.ts';
import { type Role, roleSchema } from './roles.ts';
import { roleRefusal, type SpawnRefusal } from './may-spawn.ts';
import { scopeSchema } from './scope.ts';

/** How long a prepared spawn may be launched, in milliseconds. */
export const PREPARED_MS = 20 * 60_000;

const PROMPT_CHARS_MAX = 100_000;

/** The request. Fields that it does not know are kept, because strict mode refuses some of them by name. */
export const preparationRequest = z.looseObject({
  compat_mode: z.enum(['strict', 'legacy']).default('strict'),
  agent_name: roleSchema,
  workspace_id: z.string().min(1).max(200),
  plan_id: z.string().min(1).max(200),
  prompt: z.string().trim().min(1).max(PROMPT_CHARS_MAX),
  scope: scopeSchema.nullable().default(null),
  step: z.string().max(200).nullable().default(null),
});
export type PreparationRequest = z.output<typeof preparationRequest>;

/** Fields about execution, which preparation has no part in. */
const EXECUTION_FIELDS = ['execution', 'orchestration', 'lane_policy', 'run_id'] as const;

/** A prepared prompt with what it was made of. */
export interface PrepConfig {
  readonly agent_name: Role;
  readonly enriched_prompt: string;
  readonly session_id: string;
  readonly parent_session_id: string;
  readonly workspace_id: string;
  readonly plan_id: string;
  /** Kernel time after which it is no longer launched. */
  readonly expires_at_ms: number;
}

/** The reply to a request that was taken. */
export interface Preparation {
  readonly mode: 'context-prep-only';
  readonly execution: { readonly spawn_executed: false };
  readonly prep_config: PrepConfig;
  /** The deprecated name of `prep_config`, in legacy mode alone. */
  readonly spawn_config?: PrepConfig;
  readonly codes: readonly ReasonCode[];
}

/** The facts of a preparation that the request does not name. */
export interface Preparer {
  readonly role: Role;
  readonly depth: number;
  /** The session that prepares, and the id that the prepared one will have. */
  readonly session: string;
  readonly nextSession: string;
  readonly pivotReason: string | null;
  /** The work plan; null if it could not be read. */
  readonly plan: PlanGlance | null;
  readonly nowMs: number;
}

/** Prepares a spawn, or says why not. */
export function prepare(by: Preparer, request: PreparationRequest): Preparation | { readonly refused: SpawnRefusal } {
  const refusal = roleRefusal(by, request.agent_name, by.pivotReason);
  if (refusal !== undefined) return { refused: refusal };
  const extra = EXECUTION_FIELDS.filter((field) => request[field] !== undefined);
  const isLegacy = request.compat_mode === 'legacy';
  if (extra.length > 0 && !isLegacy) {
    const text = `${extra.join(', ')}: preparation executes nothing. Leave it out, or use compat_mode "legacy"`;
    return { refused: { because: 'execution-field', text } };
  }
  const known = [...Object.keys(preparationRequest.shape), ...EXECUTION_FIELDS];
  const unknown = Object.keys(request).filter((field) => !known.includes(field));
  if (unknown.length > 0 && !isLegacy) {
    const text = `${unknown.join(', ')}: preparation knows no such field. Leave it out, or use compat_mode "legacy"`;
    return { refused: { because: 'unknown-field', text } };
  }
  const { agent_name, workspace_id, plan_id, prompt: task, scope, step } = request;
  const enriched_prompt = promptOf({
    ...{ role: agent_name, task, workspace: workspace_id, plan: by.plan, step, scope },
    ...{ problems: [], handedOff: null },
  });
  const config: PrepConfig = {
    ...{ agent_name, enriched_prompt, session_id: by.nextSession, parent_session_id: by.session },
    ...{ workspace_id, plan_id, expires_at_ms: by.nowMs + PREPARED_MS },
  };
  const codes: ReasonCode[] = ['SPAWN_PREP_ONLY'];
  if (isLegacy) codes.push('SPAWN_PREP_LEGACY_ALIAS');
  if (extra.length > 0) codes.push('SPAWN_PREP_DEPRECATED_INPUT_IGNORED');
  if (by.plan === null) codes.push('SPAWN_PREP_CONTEXT_PARTIAL');
  const prepared = { mode: 'context-prep-only', execution: { spawn_executed: false }, prep_config: config } as const;
  return isLegacy ? { ...prepared, spawn_config: config, codes } : { ...prepared, codes };
}
