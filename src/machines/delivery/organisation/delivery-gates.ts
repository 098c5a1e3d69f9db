/**
 * The threshold gates of the delivery organisation: every bound of the decisions D1, D2, D3 and D5, and of the checks
 * behind a finished task, as data. Hand-offs name the gates on which they depend (raci.ts). Pure.
 */
import { type GateDecision, judge, type ThresholdGate } from '../../work/threshold-gate.ts';

/** Minutes of a task that a coding agent does in one go (MX-044, MX-047, MX-074). */
export const TASK_MINUTES_MAX = 45;

function atMost(threshold: number, onPass: string, onFail: string) {
  return { passes: 'atMost', threshold, onPass, onFail } as const;
}

function atLeast(threshold: number, onPass: string, onFail: string) {
  return { passes: 'atLeast', threshold, onPass, onFail } as const;
}

const BOUNDS = {
  /** D1 and D2: the estimate in minutes. */
  size: atMost(TASK_MINUTES_MAX, 'fits', 'Task too large. Needs decomposition first.'),
  /** D1: the number of areas that the task touches. */
  concerns: atMost(1, 'one concern', 'touches several areas'),
  /** Dependencies that can never be met. */
  blockers: atMost(0, 'nothing is in the way', 'waits for what has failed'),
  /** Flaws of a decomposition. */
  flaws: atMost(0, 'valid', 'not valid'),
  /** D2: whether the planning team has planned the task. */
  origin: atLeast(1, 'planned', 'does not come from the planning team'),
  /** D2: the number of acceptance criteria. */
  context: atLeast(1, 'has its context', 'has no acceptance criteria'),
  /** D2: places for coding sessions that are free. */
  places: atLeast(1, 'a session is free', 'no session is free'),
  /** Files that a finished task names as changed. */
  files: atLeast(1, 'files are changed', 'names no changed file'),
  /** D3: seconds without an answer. */
  seconds: atMost(30, 'in time', 'took too long'),
  /** D3: the confidence of an answer in percent. */
  confidence: atLeast(40, 'usable', 'too unsure'),
  /** Failed tests of a finished task. */
  failures: atMost(0, 'the tests pass', 'tests fail'),
  /** Acceptance criteria that a finished task does not meet. */
  unmet: atMost(0, 'the criteria are met', 'criteria are not met'),
  /** Criteria that a finished task meets, in percent (MX-108). All have to be met: this says how far it is. */
  match: atLeast(85, 'matches', 'is far from its criteria'),
  /** Parts of a finished task that only a person can see. */
  visual: atMost(0, 'nothing to look at', 'a person has to look'),
  /** D5: the score of a reply of a person. */
  clarity: atLeast(85, 'clear', 'not clear'),
} as const;

/** The name of a gate. */
export type GateName = keyof typeof BOUNDS;

/** The gates by name. */
export const GATES = Object.fromEntries(
  Object.entries(BOUNDS).map(([gate, bound]) => [gate, { gate, ...bound }]),
) as unknown as Readonly<Record<GateName, ThresholdGate>>;

/** Values by the gates that judge them. */
export type Facts = Readonly<Partial<Record<GateName, number>>>;

/** Applies a gate to the facts. A fact that is not known fails. */
export function judgeFact(gate: GateName, facts: Facts): GateDecision {
  return judge(GATES[gate], facts[gate] ?? NaN);
}
