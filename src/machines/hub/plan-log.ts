/** The log of a work plan: decisions of its hub, refusals, and the moves of a recovery (HS-009, CN-012). */
import { z } from 'zod';
import { name, text } from '../work/message-schema.ts';
import { roleSchema } from './roles.ts';

/** An entry of the log. */
export const planLogEntry = z.object({
  /**
   * `decided`: a move of the hub. `refused`: an order or spawn that was refused. `recovery`: one move
   * of a recovery.
   */
  kind: z.enum(['decided', 'spawned', 'refused', 'recovery', 'stopped']),
  atMs: z.number(),
  run: name,
  /** The session that it is about, or that asked. */
  session: name,
  role: roleSchema,
  /** The number of the last hand-off that the hub had read. */
  seq: z.int(),
  /** A reason code, or the name of the move. */
  code: z.string().max(100).nullable(),
  text,
});
export type PlanLogEntry = z.output<typeof planLogEntry>;
