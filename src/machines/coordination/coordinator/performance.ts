/**
 * How agent types do (seed 002, CA-002, CA-006): tasks, failures, durations against what was expected, and which type
 * is the bottleneck. Pure; the coordinator keeps one record a type.
 */
import { type Forecast } from '../plan/schedule.ts';

/** Of one agent type, since the plan began. */
export interface Performance {
  readonly started: number;
  readonly completed: number;
  /** Attempts that failed, those that were tried again included. */
  readonly failures: number;
  /** Tasks that took longer than expected and were flagged (CA-014). */
  readonly overdue: number;
  /** From start to end of completed tasks, waits between attempts included. */
  readonly busyMs: number;
  /** What the plan expected for them; 0 where its unit is no unit of time. */
  readonly expectedMs: number;
}

export const NO_PERFORMANCE: Performance = {
  started: 0,
  completed: 0,
  failures: 0,
  overdue: 0,
  busyMs: 0,
  expectedMs: 0,
};

/** Units of plans that are units of time, singular and plural. */
const UNIT_MS: Readonly<Record<string, number>> = {
  millisecond: 1,
  ms: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** What one unit of a plan is on the clock; null where its name is no unit of time. */
export function unitMsOf(unit: string): number | null {
  const name = unit.trim().toLowerCase();
  const singular = name === 'ms' ? name : name.replace(/s$/, '');
  return Object.hasOwn(UNIT_MS, singular) ? UNIT_MS[singular]! : null;
}

export interface PerformanceReport {
  readonly agentType: string;
  readonly performance: Performance;
  /** busyMs / expectedMs: above 1 it is slower than planned; null where nothing was expected or completed. */
  readonly slowness: number | null;
  /** Failed attempts of all that ended; null where none has. */
  readonly failureRate: number | null;
}

/** The slowest first. */
export function performanceReport(
  figures: Iterable<readonly [agentType: string, performance: Performance]>,
): readonly PerformanceReport[] {
  return [...figures]
    .map(([agentType, performance]): PerformanceReport => {
      const { completed, failures, busyMs, expectedMs } = performance;
      const ended = completed + failures;
      return {
        agentType,
        performance,
        slowness: expectedMs === 0 ? null : busyMs / expectedMs,
        failureRate: ended === 0 ? null : failures / ended,
      };
    })
    .sort((a, b) => (b.slowness ?? 0) - (a.slowness ?? 0));
}

/** What holds a plan up, and what would help. */
export interface BottleneckReport {
  /** null where no task waits for a place. */
  readonly agentType: string | null;
  readonly capacity: number | null;
  /** Units the rest of the plan takes, as it is and with one more place for that type. */
  readonly makespan: number;
  readonly makespanWithOneMore: number;
}

/** @param rest The forecast under a capacity. */
export function bottleneckReport(
  rest: (capacity: Readonly<Record<string, number>>) => Forecast,
  capacity: Readonly<Record<string, number>>,
): BottleneckReport {
  const { bottleneck, makespan } = rest(capacity);
  if (bottleneck === null) return { agentType: null, capacity: null, makespan, makespanWithOneMore: makespan };
  const places = capacity[bottleneck]!; // only types with a capacity can be the bottleneck
  return {
    agentType: bottleneck,
    capacity: places,
    makespan,
    makespanWithOneMore: rest({ ...capacity, [bottleneck]: places + 1 }).makespan,
  };
}
