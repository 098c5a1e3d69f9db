/**
 * The cycle of test-driven development (HS-042, HS-043): RED has a test that fails, GREEN passes it, REFACTOR keeps it
 * passing; then the next cycle begins or the work is complete. Pure.
 */
import { type Role } from './roles.ts';

export type TddPhase = 'red' | 'green' | 'refactor' | 'complete';

/** The state of a TDD hub. */
export interface TddCycle {
  /** The number of the cycle, from 1. */
  readonly cycle: number;
  readonly phase: TddPhase;
  /** Tries of the current phase so far. */
  readonly iterations: number;
  /** Cycles that the work has in all. */
  readonly cycles: number;
}

/** The role that does a phase. */
export const TDD_ROLES: Readonly<Record<Exclude<TddPhase, 'complete'>, Role>> = {
  red: 'Tester',
  green: 'Executor',
  refactor: 'Reviewer',
};

export function firstCycle(cycles: number): TddCycle {
  return { cycle: 1, phase: 'red', iterations: 0, cycles };
}

/** Whether a role does the present phase. People may have another one spawned in between, which changes no phase. */
export function isOfPhase({ phase }: TddCycle, role: Role): boolean {
  return phase !== 'complete' && TDD_ROLES[phase] === role;
}

const WANTS = {
  red: 'write a test that fails, since what it tests is not there yet',
  green: 'make the failing test pass, with as little as that takes',
  refactor: 'look over the code; all tests have to pass still',
} as const;

/** Why a phase goes on after a session of it; undefined at its first try. */
export function phaseProblem({ phase, iterations }: TddCycle): string | undefined {
  if (iterations === 0) return undefined;
  return phase === 'red' ? 'no test failed, which proves nothing' : 'its tests do not all pass';
}

/** The phase as its sessions are told beside their task. */
export function phaseTask(tdd: TddCycle): string {
  const { phase, cycle, cycles } = tdd;
  if (phase === 'complete') return '';
  const problem = phaseProblem(tdd);
  const before = problem === undefined ? '' : ` The session before you did not: ${problem}.`;
  return `Cycle ${cycle} of ${cycles} is at ${phase.toUpperCase()}: ${WANTS[phase]}.${before}`;
}

/** The result of a run of the tests at the end of a phase. */
export interface TddResult {
  /** Whether the tests pass; null where none ran. */
  readonly pass: boolean | null;
}

/**
 * The state after a phase. A phase whose tests are not as it wants them is tried again: at RED a test that passes
 * proves
 * nothing.
 */
export function afterPhase(before: TddCycle, { pass }: TddResult): TddCycle {
  const again = { ...before, iterations: before.iterations + 1 };
  if (pass === null) return again;
  switch (before.phase) {
    case 'red':
      return pass ? again : { ...before, phase: 'green', iterations: 0 };
    case 'green':
      return pass ? { ...before, phase: 'refactor', iterations: 0 } : again;
    case 'refactor':
      if (!pass) return again;
      return before.cycle < before.cycles
        ? { ...before, cycle: before.cycle + 1, phase: 'red', iterations: 0 }
        : { ...before, phase: 'complete', iterations: 0 };
    case 'complete':
      return before;
  }
}
