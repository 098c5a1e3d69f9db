/**
 * The rules of oversight (MX-017 to MX-019) as data: the bounds of the counters, whether one above its bound halts the
 * generation of work, and which warnings of a batch people see. Pure.
 */
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
  pending: { bound: 20, severity: 'critical', halts: true, title: 'too many tasks wait' },
  drift: { bound: 0.2, severity: 'error', halts: true, title: 'much work is found beside what was planned' },
  failed: { bound: 3, severity: 'warning', halts: false, title: 'too many tasks have failed within a day' },
  escalated: { bound: 5, severity: 'warning', halts: false, title: 'too many tickets are escalated' },
} as const;
export type Measure = keyof typeof BOUNDS;

export interface OversightSettings {
  /** `loose`: nothing halts generation. `strict`: warnings halt it, too. Default: `balanced`. */
  readonly level?: 'loose' | 'balanced' | 'strict';
  /** Tickets of one cycle of 2 s; the others are opened in the next ones. Default: 5. */
  readonly decisionsMax?: number;
  readonly thresholds?: Partial<Record<Measure, number>>;
}

/** The period in which failed tasks and equal failures count. */
export const DAY_MS = 24 * 60 * 60_000;
/** Generated tasks that are planned without approval (MX-017). */
export const BATCH_MAX = 10;
/** Warnings of a batch that people see (MX-019). */
const SHOWN_MAX = 5;

/** Judges counters by their bounds. */
export function judged(facts: Readonly<Partial<Record<Measure, number>>>, { thresholds = {} }: OversightSettings) {
  return (Object.keys(BOUNDS) as Measure[]).map((measure) => {
    const { severity, title, bound: usual } = BOUNDS[measure];
    const { [measure]: value = 0 } = facts;
    const { [measure]: bound = usual } = thresholds;
    return { measure, severity, title, value, bound, isPassed: value <= bound };
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
