/**
 * The orders of a session to its own actor, with the schemas of these events. The actor has its role from birth, and no
 * order has a field for it.
 */
import { z } from 'zod';
import { name } from '../work/message-schema.ts';
import { preparationRequest } from './preparation.ts';
import { isHub, policyOf, type Role, roleSchema } from './roles.ts';

const TASK_CHARS_MAX = 200_000;
const REASON_CHARS_MAX = 2_000;
const ARTIFACTS_MAX = 100;

const WAIT_MS_MAX = 24 * 60 * 60_000;

/** The order to spawn a session. */
export const spawnOrder = z.object({
  role: roleSchema,
  task: z.string().max(TASK_CHARS_MAX).default(''),
  /** Why the work plan changes, for a role that spawns at a pivot only. */
  pivotReason: z.string().max(REASON_CHARS_MAX).nullable().default(null),
  /** Makes repeats one spawn, also behind the end of the session; null: only while an equal one is open. */
  key: z.string().min(1).max(200).nullable().default(null),
  /**
   * The id of a prepared session, whose prompt it gets, or of a session that this one has spawned and waits for again;
   * null: a new one, whose prompt is made now.
   */
  prepared: z.string().max(200).nullable().default(null),
  /** Whether the reply comes when the session has closed. */
  waits: z.boolean().default(false),
  /** Milliseconds after which a reply that waits says that the session is open still; null: it waits as long. */
  waitMs: z.int().positive().max(WAIT_MS_MAX).nullable().default(null),
});
export type SpawnOrder = z.output<typeof spawnOrder>;

/** The workspace that a caller means, if it names one. */
const place = z.string().max(4_096).optional();

/** The schemas of the orders by event type. */
export const sessionOrders = {
  /** Asks for the session with its role, its limits and its prompt. */
  'session.get': z.object({}),
  'session.spawn': spawnOrder,
  /** Prepares a spawn and executes nothing. */
  'session.prepare': z.object({
    request: preparationRequest,
    pivotReason: spawnOrder.shape.pivotReason,
  }),
  'session.handoff': z.object({ said: z.looseObject({}), workspace: place }),
  'session.complete': z.object({
    summary: z.string().max(REASON_CHARS_MAX).default(''),
    artifacts: z.array(z.string().max(REASON_CHARS_MAX)).max(ARTIFACTS_MAX).default([]),
    workspace: place,
  }),
  /** Changes the work plan; the plan decides by the role of the session. */
  'session.change': z.object({ order: z.looseObject({ type: name }) }),
} as const;

/** The fields of an order by its schema, or what is wrong with them, one sentence each. */
export function orderIn<Type extends keyof typeof sessionOrders>(
  type: Type,
  event: object,
): { readonly order: z.output<(typeof sessionOrders)[Type]> } | { readonly problems: readonly string[] } {
  const { data, error } = sessionOrders[type].safeParse(event);
  if (error === undefined) return { order: data as z.output<(typeof sessionOrders)[Type]> };
  return { problems: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
}

/** Whether the tools of a role list the spawn and its preparation. Others are refused by their actor all the same. */
export function listsSpawn(role: Role): boolean {
  const { spawns, needsPivot } = policyOf(role);
  return isHub(role) || (needsPivot && spawns.length > 0);
}
