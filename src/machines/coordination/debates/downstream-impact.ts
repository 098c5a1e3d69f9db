/**
 * The impact of a changed value on the calculations that used it (CA-134, CA-135): the direct and indirect dependents,
 * the change of each, which of them run again and in which order, and which are only updated. Pure.
 */
import { z } from 'zod';
import { buildGraph, downstreamOf, findCycle, type GraphTask, longestRemaining } from '../../work/dependency-graph.ts';
import { type GateDecision, judge, type ThresholdGate } from '../../work/threshold-gate.ts';

const name = z.string().min(1).max(200);

/** A calculation that used the value, directly or through another calculation. */
export const dependent = z.object({
  id: name,
  /** The measure that the calculation produces, declared with the desk (packs.ts) together with a threshold. */
  measure: name,
  /** The present value of the measure; null if unknown or not a number. */
  current: z.number().nullable(),
  /** How the calculation depends on the value: in proportion, by an amount per unit, or unpredictably. */
  response: z.union([z.literal('proportional'), z.object({ perUnit: z.number() }), z.literal('unknown')]),
  runMs: z.number().nonnegative(),
  /** Ids of the other dependents on which the calculation depends. */
  after: z.array(name).max(1_000).default([]),
  confidence: z.number().min(0).max(1).nullable().default(null),
});
export type Dependent = z.infer<typeof dependent>;

/** Dependents of one debate: ids are unique, and there is no cycle. */
export const dependents = z
  .array(dependent)
  .max(1_000)
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, {
    error: 'two dependents have the same id',
    abort: true,
  })
  .refine((list) => findCycle(buildGraph(graphTasks(list))) === null, 'dependents depend on each other in a cycle');

/** The outcome for a calculation whose value has changed. */
type Redone = 'update' | 'rerun';

interface Revision {
  readonly id: string;
  readonly measure: Dependent['measure'];
  readonly before: number | null;
  /** The new value, if predictable. */
  readonly after: number | null;
  /** The change, in the unit of the measure's threshold; null if not predictable. */
  readonly delta: number | null;
  /**
   * The decision whether the calculation runs again (CA-135); null where the change is not predictable, in which case
   * it does. Records of earlier builds have none.
   */
  readonly decision: GateDecision<Redone> | null;
  /** The confidence of the calculation, capped by the confidence of the decision. */
  readonly confidence: number | null;
}

export interface Impact {
  /** All calculations that used the value, to be reviewed. */
  readonly flagged: readonly string[];
  /**
   * Calculations beyond their threshold, which run again: the largest change first, but after those that they depend
   * on.
   */
  readonly rerun: readonly Revision[];
  /** Calculations that changed too little to run again. */
  readonly updated: readonly Revision[];
  readonly mode: 'serial' | 'parallel';
  /** Milliseconds until all have run again. */
  readonly totalMs: number;
}

/**
 * The threshold of a measure (CA-135). A change beyond it makes a calculation run again; `share` is relative to the old
 * value, `points` is in the measure's own unit.
 */
export interface Measure {
  readonly threshold: number;
  readonly of: 'share' | 'points';
}
export type Measures = Readonly<Record<string, Measure>>;

/** The threshold of an undeclared measure: after any change the calculation runs again. */
const UNDECLARED: Measure = { threshold: 0, of: 'points' };

/** Up to this many calculations run one after the other. */
const SERIAL_MAX = 2;

/** Tolerance for rounding errors: a change that exceeds a threshold by less than this counts as equal to it. */
const PRECISION = 1e-9;

export interface ChangedValue {
  readonly before: number | string | null;
  readonly after: number | string | null;
  /** Confidence of the decision that changed the value, from 0 to 1. */
  readonly confidence: number;
}

export function impactOf(list: readonly Dependent[], changed: ChangedValue, measures: Measures): Impact {
  const of = ({ measure }: Pick<Revision, 'measure'>): Measure => measures[measure] ?? UNDECLARED;
  const revisions = list.map((one) => revise(one, changed, of(one)));
  const isRerun = new Set(revisions.filter(({ decision }) => decision?.outcome !== 'update').map(({ id }) => id));
  const waits = waitsIn(list);
  const rerun = inOrder(
    revisions.filter(({ id }) => isRerun.has(id)),
    waits,
    of,
  );
  const mode = rerun.length > SERIAL_MAX ? 'parallel' : 'serial';
  return {
    flagged: flaggedIn(list),
    rerun,
    updated: revisions.filter(({ id }) => !isRerun.has(id)),
    mode,
    totalMs: totalOf(
      list.filter(({ id }) => isRerun.has(id)),
      mode,
      waits,
    ),
  };
}

/** Ids of all direct and indirect dependents (CA-134). */
export function flaggedIn(list: readonly Dependent[]): readonly string[] {
  const ids = list.map(({ id }) => id);
  const reached = downstreamOf(buildGraph(graphTasks(list)), ids);
  return [...new Set([...ids, ...reached])];
}

function revise(
  { id, measure, current, response, confidence }: Dependent,
  { before, after, confidence: decided }: ChangedValue,
  { of, threshold }: Measure,
): Revision {
  const capped = confidence === null ? null : Math.min(confidence, decided);
  const none = { after: null, delta: null, decision: null };
  const unknown: Revision = { id, measure, before: current, ...none, confidence: capped };
  if (current === null || response === 'unknown' || typeof before !== 'number' || typeof after !== 'number')
    return unknown;
  const next =
    response === 'proportional'
      ? before === 0
        ? null
        : current * (after / before)
      : current + response.perUnit * (after - before);
  if (next === null) return unknown;
  const moved = Math.abs(next - current);
  const delta = of === 'points' ? moved : current === 0 ? null : moved / Math.abs(current);
  const decision = delta === null ? null : judge(withinThreshold(measure, threshold), delta);
  return { ...unknown, after: next, delta, decision };
}

/** The gate on a change, which has to exceed the threshold of its measure (CA-135). */
function withinThreshold(measure: string, threshold: number): ThresholdGate<Redone> {
  return {
    gate: `change of ${measure}`,
    passes: 'atMost',
    threshold: threshold + PRECISION,
    onPass: 'update',
    onFail: 'rerun',
  };
}

/**
 * Sorts revisions by change relative to the threshold, the largest first, but never before a direct or indirect
 * dependency.
 */
function inOrder(
  revisions: readonly Revision[],
  waits: Waits,
  of: (revision: Revision) => Measure,
): readonly Revision[] {
  const weight = (one: Revision) => (one.delta === null ? Infinity : one.delta / (of(one).threshold || PRECISION));
  const open = revisions.toSorted((a, b) => (weight(a) === weight(b) ? 0 : weight(b) - weight(a)));
  const ordered: Revision[] = [];
  while (open.length > 0) {
    const next = open.findIndex(({ id }) => !open.some((other) => waits(id, other.id)));
    ordered.push(...open.splice(next, 1));
  }
  return ordered;
}

function totalOf(list: readonly Dependent[], mode: Impact['mode'], waits: Waits): number {
  if (mode === 'serial') return list.reduce((sum, { runMs }) => sum + runMs, 0);
  const tasks = list.map(({ id, runMs }) => ({
    id,
    duration: runMs,
    after: list.flatMap((other) => (waits(id, other.id) ? [other.id] : [])),
  }));
  return Math.max(0, ...longestRemaining(buildGraph(tasks)).values());
}

/** Whether one dependent depends on another, directly or through others. There is no cycle: {@link dependents}. */
type Waits = (id: string, other: string) => boolean;

function waitsIn(list: readonly Dependent[]): Waits {
  const graph = buildGraph(graphTasks(list));
  const behind = new Map(list.map(({ id }) => [id, downstreamOf(graph, [id])]));
  return (id, other) => behind.get(other)!.has(id); // both are in the list
}

function graphTasks(list: readonly Dependent[]): readonly GraphTask[] {
  const ids = new Set(list.map(({ id }) => id));
  return list.map(({ id, runMs, after }) => ({ id, duration: runMs, after: after.filter((other) => ids.has(other)) }));
}
