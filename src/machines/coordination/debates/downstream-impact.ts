/**
 * What has to be looked at again when a value that others used turns out to be another (CA-134, CA-135): who used it,
 * directly or through others; how far each moves; what is run again, in which order, and what is only updated. Pure.
 */
import { z } from 'zod';
import { buildGraph, downstreamOf, findCycle, type GraphTask, longestRemaining } from '../../work/dependency-graph.ts';

const name = z.string().min(1).max(200);

/** A calculation that used the value, or one that used such a calculation. */
export const dependent = z.object({
  id: name,
  /** What it states; each measure has a threshold of its own. */
  measure: z.enum(['target_price', 'confidence', 'rating', 'risk']),
  /** What it states now; null where it is not known, or no number. */
  current: z.number().nullable(),
  /** How it follows the value: by the same share, by so much per unit, or not in a way that can be foretold. */
  response: z.union([z.literal('proportional'), z.object({ perUnit: z.number() }), z.literal('unknown')]),
  runMs: z.number().nonnegative(),
  /** Other dependents that it waits for. */
  after: z.array(name).max(1_000).default([]),
  confidence: z.number().min(0).max(1).nullable().default(null),
});
export type Dependent = z.infer<typeof dependent>;

/** Dependents of one debate: ids that are unique, and no circle. */
export const dependents = z
  .array(dependent)
  .max(1_000)
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, {
    error: 'two dependents of one id',
    abort: true,
  })
  .refine((list) => findCycle(buildGraph(graphTasks(list))) === null, 'dependents wait for each other in a circle');

interface Revision {
  readonly id: string;
  readonly measure: Dependent['measure'];
  readonly before: number | null;
  /** As far as it can be foretold. */
  readonly after: number | null;
  /** In the measure of its threshold: a share for a target price, points for the others. Null: not to be foretold. */
  readonly delta: number | null;
  /** No higher than that of what it rests on. */
  readonly confidence: number | null;
}

export interface Impact {
  /** Everything that used the value, to be looked at again. */
  readonly flagged: readonly string[];
  /** Past its threshold: run again, the largest change first, and what waits for another one behind it. */
  readonly rerun: readonly Revision[];
  /** Changed by too little to be run again. */
  readonly updated: readonly Revision[];
  readonly mode: 'serial' | 'parallel';
  /** Until all are run again. */
  readonly totalMs: number;
}

/** CA-135: what moves by more than this is run again. A rating is, whatever its change. */
const THRESHOLDS: Readonly<Record<Dependent['measure'], number>> = {
  target_price: 0.1,
  confidence: 0.15,
  rating: 0,
  risk: 0.1,
};

/** So few are run one after the other. */
const SERIAL_MAX = 2;

/** Changes are computed from decimal fractions: what is over a threshold by less than this is at it. */
const PRECISION = 1e-9;

export interface ChangedValue {
  readonly before: number | string | null;
  readonly after: number | string | null;
  /** Of the decision that changed it, from 0 to 1. */
  readonly confidence: number;
}

export function impactOf(list: readonly Dependent[], changed: ChangedValue): Impact {
  const revisions = list.map((one) => revise(one, changed));
  const isRerun = new Set(revisions.filter(isOverThreshold).map(({ id }) => id));
  const waits = waitsIn(list);
  const rerun = inOrder(
    revisions.filter(({ id }) => isRerun.has(id)),
    waits,
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

/** CA-134: all that used the value, through others too. */
export function flaggedIn(list: readonly Dependent[]): readonly string[] {
  const ids = list.map(({ id }) => id);
  const reached = downstreamOf(buildGraph(graphTasks(list)), ids);
  return [...new Set([...ids, ...reached])];
}

function revise(
  { id, measure, current, response, confidence }: Dependent,
  { before, after, confidence: decided }: ChangedValue,
): Revision {
  const capped = confidence === null ? null : Math.min(confidence, decided);
  const unknown: Revision = { id, measure, before: current, after: null, delta: null, confidence: capped };
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
  const delta = measure === 'target_price' ? (current === 0 ? null : moved / Math.abs(current)) : moved;
  return { ...unknown, after: next, delta };
}

/** What cannot be foretold is run again: nobody could say that it need not be. */
function isOverThreshold({ measure, delta }: Revision): boolean {
  return delta === null || delta - THRESHOLDS[measure] > PRECISION;
}

/** The largest change first, measured by its threshold; but never before what it waits for, be it through others. */
function inOrder(revisions: readonly Revision[], waits: Waits): readonly Revision[] {
  const weight = ({ measure, delta }: Revision) =>
    delta === null ? Infinity : delta / (THRESHOLDS[measure] || PRECISION);
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

/** Whether one dependent waits for another, directly or through others. No circle: {@link dependents}. */
type Waits = (id: string, other: string) => boolean;

function waitsIn(list: readonly Dependent[]): Waits {
  const graph = buildGraph(graphTasks(list));
  const behind = new Map(list.map(({ id }) => [id, downstreamOf(graph, [id])]));
  return (id, other) => behind.get(other)!.has(id); // both are of the list
}

function graphTasks(list: readonly Dependent[]): readonly GraphTask[] {
  const ids = new Set(list.map(({ id }) => id));
  return list.map(({ id, runMs, after }) => ({ id, duration: runMs, after: after.filter((other) => ids.has(other)) }));
}
