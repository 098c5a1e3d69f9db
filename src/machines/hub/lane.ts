/**
 * The writing lane of a work plan (HS-014, X-54): one session at a time that may write in one place; those that only
 * read run beside it, and so do writers in worktrees with scopes that cannot meet. Pure.
 */
import { type Scope, scopesMeet } from './scope.ts';

/** A session as far as the lane is concerned. */
export interface LaneSession {
  readonly session: string;
  readonly writes: Scope | null;
  /** Whether it works in a tree of its own. */
  readonly isIsolated: boolean;
}

/** Why a session may not begin beside the open ones; null if it may. */
export function laneProblem(wanted: Omit<LaneSession, 'session'>, open: readonly LaneSession[]): string | null {
  if (wanted.writes === null) return null;
  const { writes } = wanted;
  const other = open.find(
    (one) => one.writes !== null && !(one.isIsolated && wanted.isIsolated && !scopesMeet(one.writes, writes)),
  );
  return other === undefined ? null : `${other.session} has the writing lane: wait until it has closed`;
}
