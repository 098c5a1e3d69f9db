/**
 * Cron schedules of an agent, kept as durable timers of each of its actors: the options, and the pure rules for what is
 * due, what was missed and what comes next. world.ts and recovery.ts decide when a schedule is armed.
 */
import { type EventObject } from 'xstate';
import { BosunError, messageOf } from '../../errors.ts';
import { SCHEDULES_PER_AGENT_MAX, SCHEDULE_CATCH_UP_MAX } from '../../limits.ts';
import { admit } from './value-check.ts';
import { Calendar } from './calendar.ts';
import { EVENT_TIMEOUT_ID } from './timers.ts';

/**
 * The policy for planned times that passed while nothing could run. `once`: one event for all of them. `each`: one
 * event each, oldest first. `skip`: none at the next start; the schedule goes on with its next time.
 */
export type CatchUp = 'once' | 'each' | 'skip';

const CATCH_UPS: readonly CatchUp[] = ['once', 'each', 'skip'];

/** The options of a schedule: when it sends which event to its actor. */
export interface ScheduleOptions {
  /**
   * The expression: five fields (minute, hour, day of the month, month, day of the week), or six with seconds first; or
   * `@daily` and the like.
   */
  readonly cron: string;
  /** The IANA name of a time zone, such as `Europe/Berlin`. Default `UTC`. */
  readonly timezone?: string;
  /**
   * The event that the actor gets, with `scheduledForMs` and `missed` added. It need not be among the agent's `events`.
   */
  readonly event: EventObject & Readonly<Record<string, unknown>>;
  /** The policy for planned times that passed while nothing ran. Default `once`. */
  readonly catchUp?: CatchUp;
  /** The number of missed times, the latest ones, that get an event with `each`. Default 100, at most 1,000. */
  readonly max?: number;
}

/** Fields that a schedule's event has in addition to its declared ones. */
export interface ScheduledFacts {
  /** The planned time, in milliseconds since 1970. If the event stands for several times, the latest. */
  readonly scheduledForMs: number;
  /** Planned times without an event since the last event; counted up to 1,000. */
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
 * The stored event of a schedule's timer: the expression and zone that it was planned by, to be compared with the code.
 */
export interface Plan extends EventObject {
  readonly type: 'bosun.schedule';
  readonly cron: string;
  readonly timezone: string;
  readonly missed: number;
}

const DEFAULT_MAX = 100;

/** Prefix of timer ids that belong to the kernel. */
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
 * Parses declared schedules.
 *
 * @param flawOf Says why an event type cannot be sent to the machine. Throws an Error that names the schedule.
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
  if (typeof cron !== 'string' || typeof timezone !== 'string') throw new Error('cron and timezone must be strings');
  if (typeof event?.type !== 'string') throw new Error('event has no type');
  const flaw = flawOf(event.type);
  if (flaw !== undefined) throw new Error(flaw);
  if (!CATCH_UPS.includes(catchUp)) throw new Error(`catchUp must be one of ${CATCH_UPS.join(', ')}`);
  if (!Number.isSafeInteger(max) || max < 1 || max > SCHEDULE_CATCH_UP_MAX) {
    throw new Error(`max must be a whole number from 1 to ${SCHEDULE_CATCH_UP_MAX}`);
  }
  const calendar = new Calendar(cron, timezone);
  return Object.freeze({ name, cron, timezone, event: admit(event, `event ${event.type}`), catchUp, max, calendar });
}

/** Whether a stored timer was planned by the same expression and zone as the code has now. */
export function isPlannedBy(schedule: Schedule, event: EventObject): boolean {
  const { cron, timezone } = event as Plan;
  return cron === schedule.cron && timezone === schedule.timezone;
}

/** The first planned time after a moment, with the number of missed times that the event reports. */
export function planAfter(
  { cron, timezone, calendar }: Schedule,
  ms: number,
  missed = 0,
): { deadlineMs: number; event: Plan } {
  return { deadlineMs: calendar.after(ms), event: Object.freeze({ type: 'bosun.schedule', cron, timezone, missed }) };
}

/**
 * Returns the event of a schedule that is due.
 *
 * @param planned The schedule's timer: the oldest planned time without an event.
 */
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

/**
 * Applies `skip` at a start: the new plan of a stored schedule whose time has come; null if the stored one stays.
 */
export function skipped(
  schedule: Schedule,
  planned: { deadlineMs: number; event: EventObject },
  nowMs: number,
): ReturnType<typeof planAfter> | null {
  if (schedule.catchUp !== 'skip' || planned.deadlineMs > nowMs) return null;
  const { count } = schedule.calendar.backlog(planned.deadlineMs, nowMs, 1);
  return planAfter(schedule, nowMs, (planned.event as Plan).missed + count);
}

/** The next plan of a schedule after a turn that has consumed its event. */
export function planNext(schedule: Schedule, event: EventObject): ReturnType<typeof planAfter> {
  return planAfter(schedule, (event as EventObject & ScheduledFacts).scheduledForMs);
}

/** Checks the id of a machine's timer; a Boss's timers have the ids of its children. Throws BOSUN_VALUE_REFUSED. */
export function checkTimerId(
  id: unknown,
  owner: { readonly role: { readonly isOfRuntime: boolean }; readonly address: string },
): void {
  if (typeof id !== 'string')
    throw new BosunError('BOSUN_VALUE_REFUSED', `${owner.address} names a timer with a value that is not a string`);
  if (owner.role.isOfRuntime || !id.startsWith(KERNEL_TIMER_PREFIX) || id === EVENT_TIMEOUT_ID) return;
  throw new BosunError('BOSUN_VALUE_REFUSED', `${owner.address} names a timer ${id}, a name reserved for the runtime`);
}
