/**
 * The performance of agent types (seed 002, CA-002, CA-006): tasks, failures, actual against expected durations, and
 * the bottleneck. Pure; the coordinator keeps one record per type.
 */
import { type Forecast } from '../plan/schedule.ts';

/** Performance figures of one agent type since the plan began. */
export interface Performance {
  readonly started: number;
  readonly completed: number;
  /** Failed attempts, retried ones included. */
  readonly failures: number;
  /** Tasks flagged because they took longer than expected (CA-014). */
  readonly overdue: number;
  /** Time from start to end of completed tasks, waits between attempts included. */
  readonly busyMs: number;
  /** Expected time of the completed tasks; 0 if the plan's unit is not a unit of time. */
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

/** Milliseconds per unit of a plan; null if the unit is not a unit of time. */
export function unitMsOf(unit: string): number | null {
  const name = unit.trim().toLowerCase();
  const singular = name === 'ms' ? name : name.replace(/s$/, '');
  return Object.hasOwn(UNIT_MS, singular) ? UNIT_MS[singular]! : null;
}

export interface PerformanceReport {
  readonly agentType: string;
  readonly performance: Performance;
  /** busyMs / expectedMs: above 1, the type is slower than planned. Null if nothing was expected or completed. */
  readonly slowness: number | null;
  /** Share of failed attempts among all attempts that ended; null if none has ended. */
  readonly failureRate: number | null;
}

/** Reports of all agent types, the slowest first. */
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

/** The bottleneck of a plan and the effect of removing it. */
export interface BottleneckReport {
  /** The agent type; null if no task waits for a place. */
  readonly agentType: string | null;
  readonly capacity: number | null;
  /** Duration of the rest of the plan in its unit, as it is and with one more place for that type. */
  readonly makespan: number;
  readonly makespanWithOneMore: number;
}

/**
 * Finds the bottleneck.
 *
 * @param rest Returns the forecast for a capacity.
 */
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
