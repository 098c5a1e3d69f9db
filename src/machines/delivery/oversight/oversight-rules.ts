/**
 * The rules of oversight (MX-017 to MX-019) as data: the bounds of the counters, whether one above its bound halts the
 * generation of work, and which warnings of a batch people see. Pure.
 */
import { type GateDecision, judge } from '../../work/threshold-gate.ts';

/** How grave a warning is, the gravest first, with the urgency of its alert. */
export const ALERTS = { critical: 'CRITICAL', error: 'HIGH', warning: 'MEDIUM', info: 'LOW' } as const;

/** A warning for people, which the overseer lets through if it is among the gravest. */
export interface Warning {
  readonly severity: keyof typeof ALERTS;
  /** The subject, such as a task: warnings of one subject and kind share a card. */
  readonly about: string;
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
}

/** Counters above which something is wrong, each with its bound. */
const BOUNDS = {
  pending: { threshold: 20, severity: 'critical', halts: true, onFail: 'too many tasks wait' },
  drift: { threshold: 0.2, severity: 'error', halts: true, onFail: 'much work is found beside what was planned' },
  failed: { threshold: 3, severity: 'warning', halts: false, onFail: 'too many tasks have failed within a day' },
  escalated: { threshold: 5, severity: 'warning', halts: false, onFail: 'too many tickets are escalated' },
} as const;
export type Measure = keyof typeof BOUNDS;

export interface OversightSettings {
  /** `loose`: nothing halts generation. `strict`: warnings halt it, too. Default: `balanced`. */
  readonly level?: 'loose' | 'balanced' | 'strict';
  /** Tasks that are there twice: the owner is asked (default), or the later one is given up. */
  readonly duplicates?: 'user-confirm' | 'auto-merge';
  /** Tickets of one cycle of 2 s; the others are opened in the next ones. Default: 5. */
  readonly decisionsMax?: number;
  readonly thresholds?: Partial<Record<Measure, number>>;
}

/** The reason for the end of the later one of two equal tasks, which is no failure. */
export const SAME_AS = 'is the same as ';
/** The period in which failed tasks and equal failures count. */
export const DAY_MS = 24 * 60 * 60_000;
/** Generated tasks that are planned without approval (MX-017). */
export const BATCH_MAX = 10;
/** Warnings of a batch that people see (MX-019). */
const SHOWN_MAX = 5;

type Judged = GateDecision & { readonly measure: Measure; readonly severity: Warning['severity'] };

/** Judges each counter by its bound. */
export function judged(facts: Readonly<Record<Measure, number>>, { thresholds = {} }: OversightSettings): Judged[] {
  return (Object.keys(BOUNDS) as Measure[]).map((measure) => {
    const { severity, halts: _, ...bound } = BOUNDS[measure];
    const gate = { gate: measure, passes: 'atMost', onPass: `${measure} is within its bound`, ...bound } as const;
    const threshold = thresholds[measure] ?? bound.threshold;
    return { ...judge<string>({ ...gate, threshold }, facts[measure]), measure, severity };
  });
}

/** How the organisation stands with these counters above their bounds: `halted`, it adds no work by itself. */
export function levelOf(over: readonly Measure[], { level = 'balanced' }: OversightSettings) {
  if (over.length === 0) return 'calm';
  const isHalted = level !== 'loose' && over.some((measure) => level === 'strict' || BOUNDS[measure].halts);
  return isHalted ? 'halted' : 'warning';
}

/** The gravest warnings, in the order of their arrival where they are equally grave. */
export function gravest(warnings: readonly Warning[]): Warning[] {
  const rank = ({ severity }: Warning) => Object.keys(ALERTS).indexOf(severity);
  return warnings.toSorted((a, b) => rank(a) - rank(b)).slice(0, SHOWN_MAX);
}
