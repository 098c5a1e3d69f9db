/**
 * The loop guard of a run: the same role that closes the same step in the same way again and again is a circle, and
 * people are asked instead of spawning once more. Pure.
 */
import { type Role } from './roles.ts';

/** Equal outcomes of one role at one step after which people are asked. */
export const SAME_OUTCOME_MAX = 3;

/** The outcomes that a run counts. Bounded by the roles, the steps and the outcomes of its table. */
export type OutcomeCounts = Readonly<Record<string, number>>;

/** One closed session as the guard counts it. */
export interface Closed {
  readonly role: Role;
  readonly step: string | null;
  readonly outcome: string;
}

function keyOf({ role, step, outcome }: Closed): string {
  return JSON.stringify([role, step, outcome]);
}

/** Counts a closed session. One that succeeded begins the count of its role and step anew. */
export function counted(counts: OutcomeCounts, closed: Closed, isProgress: boolean): OutcomeCounts {
  if (!isProgress) return { ...counts, [keyOf(closed)]: (counts[keyOf(closed)] ?? 0) + 1 };
  const beginning = JSON.stringify([closed.role, closed.step]).slice(0, -1);
  return Object.fromEntries(Object.entries(counts).filter(([key]) => !key.startsWith(`${beginning},`)));
}

/** Whether the session closed as often in this way as is allowed. */
export function isCircle(counts: OutcomeCounts, closed: Closed): boolean {
  return (counts[keyOf(closed)] ?? 0) >= SAME_OUTCOME_MAX;
}
