/** The hand-off of a command that hands off by its exit code: 0 is the good outcome of its role. Pure. */
import { type HandoffSaid, handoffSaid } from './handoff.ts';
import { isProgress, outcomesOf } from './handoff-rules.ts';
import { type Role } from './roles.ts';

/** The outcome of a role for an exit code. Undefined for a role that hands nothing off. */
export function exitOutcome(role: Role, exitCode: number): string | undefined {
  const outcomes = Object.keys(outcomesOf(role));
  if (exitCode === 0) return role === 'Tester' ? 'passed' : outcomes[0];
  return outcomes.find((outcome) => !isProgress(outcome)) ?? outcomes.at(-1);
}

/** The hand-off of a command; null for a role that hands nothing off. */
export function exitHandoff(
  { role, hub }: { readonly role: Role; readonly hub: Role },
  { command, exitCode }: { readonly command: string; readonly exitCode: number },
): HandoffSaid | null {
  const outcome = exitOutcome(role, exitCode);
  if (outcome === undefined) return null;
  const [next] = outcomesOf(role)[outcome]!;
  return handoffSaid.parse({
    to: hub,
    outcome,
    recommended: next === 'hub' ? null : next,
    reason: `the command ended with exit code ${exitCode}`,
    build: { command: command.slice(0, 2_000), exitCode },
    testsPass: exitCode === 0,
  });
}
