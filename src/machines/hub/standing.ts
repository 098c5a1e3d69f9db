/** A session as it sees itself: its role, its limits, its prompt, and whether it has handed off. Pure. */
import { type Usage } from './budget.ts';
import { policyOf, type Role } from './roles.ts';
import { type Scope } from './scope.ts';

/** The facts of a session that its actor keeps. */
interface SessionFacts {
  readonly session: string;
  readonly run: string;
  readonly plan: string;
  readonly role: Role;
  /** The hub that gets control back; null for the first hub of a run. */
  readonly hub: Role | null;
  readonly depth: number;
  readonly step: string | null;
  readonly task: string;
  readonly workspace: string;
  readonly prompt: string;
  readonly scope: Scope | null;
  readonly stepsMax: number | null;
  /** The number of its hand-off; null before it. */
  readonly handoff: number | null;
  /** Whether it has handed off, and its files are still to be looked at. */
  readonly isHeld: boolean;
  readonly usage: Usage;
}

/** The reply to `session.get`. */
export function standing(facts: SessionFacts) {
  const { kind, mayWrite, mayImplement, mayChangePlan, mayArchive, contextTokensMax } = policyOf(facts.role);
  return {
    ...facts,
    kind,
    mayWrite: mayWrite && facts.scope !== null,
    mayImplement,
    mayChangePlan,
    mayArchive,
    contextTokensMax,
  };
}
export type Standing = ReturnType<typeof standing>;
