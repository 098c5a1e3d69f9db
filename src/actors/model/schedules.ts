/**
 * Cron schedules of an agent, as durable timers of each of its actors: what the options mean, and the pure rules of
 * what is due, what was missed and what comes next. When a schedule is armed is decided in world.ts and recovery.ts.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { SCHEDULES_PER_AGENT_MAX, SCHEDULE_CATCH_UP_MAX } from '../../limits.ts';
import { admit } from './value-check.ts';
import { Calendar } from './calendar.ts';
import { EVENT_TIMEOUT_ID } from './timers.ts';

/**
 * What happens to planned times that passed while nothing could run. `once`: one event for all of them. `each`: one for
 * each, oldest first. `skip`: none at the next start; the schedule goes on with its next time.
 */
export type CatchUp = 'once' | 'each' | 'skip';

const CATCH_UPS: readonly CatchUp[] = ['once', 'each', 'skip'];

export interface ScheduleOptions {
  /**
   * Five fields (minute, hour, day of the month, month, day of the week), or six with seconds first; or `@daily` and
   * the like.
   */
  readonly cron: string;
  /** IANA name, such as `Europe/Berlin`. Default `UTC`. */
  readonly timezone?: string;
  /** Sent to the actor itself with `scheduledForMs` and `missed` added. It need not be among the agent's `events`. */
  readonly event: EventObject & Readonly<Record<string, unknown>>;
  /** Default `once`. */
  readonly catchUp?: CatchUp;
  /** Of `each`: how many missed times get an event, the latest of them. Default 100, highest 1,000. */
  readonly max?: number;
}

/** What a schedule's event has beside the fields it was declared with. */
export interface ScheduledFacts {
  /** The planned time, milliseconds since 1970. Of several that one event stands for, the latest. */
  readonly scheduledForMs: number;
  /** Planned times since the last event that got none; counted up to 1,000. */
  readonly missed: number;
}

export interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly timezone: string;
  readonly event: EventObject;
  readonly catchUp: CatchUp;
  readonly max: number;
  readonly calendar: Calendar;
}

/**
 * What the row of a schedule's timer holds in place of an event: what it was planned by, to be compared with the code.
 */
export interface Plan extends EventObject {
  readonly type: 'bosun.schedule';
  readonly cron: string;
  readonly timezone: string;
  readonly missed: number;
}

const DEFAULT_MAX = 100;

/** Timers whose ids begin so are the kernel's. */
export const KERNEL_TIMER_PREFIX = 'bosun.';

const SCHEDULE_PREFIX = `${KERNEL_TIMER_PREFIX}schedule.`;

export function timerIdOf(schedule: Schedule): string {
  return `${SCHEDULE_PREFIX}${schedule.name}`;
}

/** The name of the schedule that a timer belongs to; undefined for any other timer. */
export function scheduleNameOf(timerId: string): string | undefined {
  return timerId.startsWith(SCHEDULE_PREFIX) ? timerId.slice(SCHEDULE_PREFIX.length) : undefined;
}

/**
 * @param flawOf What keeps an event type from being one the machine may be sent. Throws an Error that names the
 *   schedule.
 */
export function parseSchedules(
  options: Readonly<Record<string, ScheduleOptions>>,
  flawOf: (type: string) => string | undefined,
): ReadonlyMap<string, Schedule> {
  const entries = Object.entries(options);
  if (entries.length > SCHEDULES_PER_AGENT_MAX)
    throw new Error(`it has more than ${SCHEDULES_PER_AGENT_MAX} schedules`);
  return new Map(
    entries.map(([name, schedule]) => {
      try {
        return [name, parseSchedule(name, schedule, flawOf)];
      } catch (error) {
        throw new Error(`schedule "${name}": ${messageOf(error)}`, { cause: error });
      }
    }),
  );
}

function parseSchedule(name: string, options: ScheduleOptions, flawOf: (type: string) => string | undefined): Schedule {
  const { cron, timezone = 'UTC', event, catchUp = 'once', max = DEFAULT_MAX } = options;
  if (typeof cron !== 'string' || typeof timezone !== 'string') throw new Error('cron and timezone are texts');
  if (typeof event?.type !== 'string') throw new Error('event has no type');
  const flaw = flawOf(event.type);
  if (flaw !== undefined) throw new Error(flaw);
  if (!CATCH_UPS.includes(catchUp)) throw new Error(`catchUp is one of ${CATCH_UPS.join(', ')}`);
  if (!Number.isSafeInteger(max) || max < 1 || max > SCHEDULE_CATCH_UP_MAX) {
    throw new Error(`max is a whole number from 1 to ${SCHEDULE_CATCH_UP_MAX}`);
  }
  const calendar = new Calendar(cron, timezone);
  return Object.freeze({ name, cron, timezone, event: admit(event, `event ${event.type}`), catchUp, max, calendar });
}

/** Whether a stored timer is this schedule's as the code has it now. */
export function isPlannedBy(schedule: Schedule, event: EventObject): boolean {
  const { cron, timezone } = event as Plan;
  return cron === schedule.cron && timezone === schedule.timezone;
}

/** The first planned time after a moment, with the misses that the event is to carry. */
export function planAfter(
  { cron, timezone, calendar }: Schedule,
  ms: number,
  missed = 0,
): { deadlineMs: number; event: Plan } {
  return { deadlineMs: calendar.after(ms), event: Object.freeze({ type: 'bosun.schedule', cron, timezone, missed }) };
}

/** The event of a schedule that is due. @param planned Its timer: the oldest planned time without an event. */
export function dueEvent(
  schedule: Schedule,
  planned: { deadlineMs: number; event: EventObject },
  nowMs: number,
): EventObject & ScheduledFacts {
  const { times, count } = schedule.calendar.backlog(
    planned.deadlineMs,
    nowMs,
    schedule.catchUp === 'each' ? schedule.max : 1,
  );
  const missed = (planned.event as Plan).missed + count - times.length;
  return Object.freeze({ ...schedule.event, scheduledForMs: times[0]!, missed });
}

/** What a start makes of a stored schedule whose time has come: null where it stands. */
export function skipped(
  schedule: Schedule,
  planned: { deadlineMs: number; event: EventObject },
  nowMs: number,
): ReturnType<typeof planAfter> | null {
  if (schedule.catchUp !== 'skip' || planned.deadlineMs > nowMs) return null;
  const { count } = schedule.calendar.backlog(planned.deadlineMs, nowMs, 1);
  return planAfter(schedule, nowMs, (planned.event as Plan).missed + count);
}

/** What a turn that has consumed a schedule's event plans next. */
export function planNext(schedule: Schedule, event: EventObject): ReturnType<typeof planAfter> {
  return planAfter(schedule, (event as EventObject & ScheduledFacts).scheduledForMs);
}

/** Checks a timer id of a machine; those of a Boss are the ids of its children. Throws BOSUN_VALUE_REFUSED. */
export function checkTimerId(id: string, owner: { readonly isBoss: boolean; readonly address: string }): void {
  if (owner.isBoss || !id.startsWith(KERNEL_TIMER_PREFIX) || id === EVENT_TIMEOUT_ID) return;
  throw new BosunError('BOSUN_VALUE_REFUSED', `${owner.address} names a timer ${id}, which only the runtime may`);
}
