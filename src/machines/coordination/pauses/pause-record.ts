/**
 * The record of one pause and the effects of its age (CA-018, CA-019, CA-027, CA-029, CA-030, X-29): days, texts,
 * extension. Pure; the PauseManager keeps the record and acts. Times are milliseconds of kernel time; durations count
 * from the beginning of the pause.
 */
import { FAILED_PLANS_MAX, PAUSE_FAILURES_MAX } from '../../limits.ts';
import { cancelButton, type Notice, resumeButton } from '../../people/notice.ts';
import { type AlertPriority } from '../../people/alerts/alert-messages.ts';
import { type PauseTrigger, type ResumePlan } from '../messages/messages.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Days on which people are reminded that an item is still paused (CA-018). */
export const ALERT_DAYS = [3, 7, 14, 30] as const;
export type AlertDay = (typeof ALERT_DAYS)[number];

/** The day from which a pause counts as stale, unless it was extended. */
export const STALE_DAY = 14;
/** The last day of any pause. */
export const EXPIRY_DAY = 30;

/** How long a pause waits for running tasks to end. Then they are stopped, and start again when the item is resumed. */
export const PAUSING_MS = 24 * HOUR_MS;
/** Automatic resumes in a row that may fail before a person has to look (CA-032). */
export const AUTO_RESUMES_MAX = 3;
/** Time to live of an item's working memory, at work and paused (CA-027). */
export const MEMORY_TTL_MS = 24 * HOUR_MS;
export const PAUSED_MEMORY_TTL_MS = 14 * DAY_MS;
/** How long the record of a successfully resumed pause and its resume plan are kept (CA-030). */
export const RESUMED_RETENTION_MS = 30 * DAY_MS;
/** How long failed resume plans are kept. */
export const FAILED_PLAN_RETENTION_MS = 90 * DAY_MS;

export type PauseStatus = 'PAUSING' | 'PAUSED' | 'RESUMING' | 'RESUMED' | 'STALE' | 'EXPIRED';

/** Why an item is paused, and who asked for it (CA-025). */
export interface PauseRequest {
  readonly reason: string;
  readonly trigger: PauseTrigger;
  /** The task whose failure caused the pause. */
  readonly failedTask: string | null;
  readonly batchId: string | null;
  readonly createdBy: string;
  /** Id of a checkpoint that the sender has saved; otherwise the pause makes its own. */
  readonly checkpointId?: string | null;
}

export interface PauseRecord extends PauseRequest {
  /** Id of the pause and its checkpoint: `AAPL#2` is the second pause of the item. */
  readonly id: string;
  readonly item: string;
  readonly status: PauseStatus;
  readonly pausedAtMs: number;
  readonly resumedAtMs: number | null;
  /** The id of the checkpoint; null until the item is at a boundary, unless the request gave an id. */
  readonly checkpointId: string | null;
  /**
   * The resume plan. Until the item is at a boundary, it is the plan as of the beginning of the pause, with running
   * tasks in `wait`.
   */
  readonly resumeDependencies: ResumePlan | null;
  /** Whether people got the reminder of day 3, and that of day 7. */
  readonly alertDay3Sent: boolean;
  readonly alertDay7Sent: boolean;
  readonly extendedUntilMs: number | null;
  readonly extensionReason: string | null;
  /** Further failures while the item was pausing (CA-017). */
  readonly furtherFailures: readonly PauseRequest[];
}

export function newRecord(item: string, number: number, request: PauseRequest, atMs: number): PauseRecord {
  return {
    ...request,
    id: `${item}#${number}`,
    item,
    status: 'PAUSING',
    pausedAtMs: atMs,
    resumedAtMs: null,
    checkpointId: request.checkpointId ?? null,
    resumeDependencies: null,
    alertDay3Sent: false,
    alertDay7Sent: false,
    extendedUntilMs: null,
    extensionReason: null,
    furtherFailures: [],
  };
}

export function withFurther(record: PauseRecord, request: PauseRequest): PauseRecord {
  const batchId = request.batchId ?? record.batchId;
  return { ...record, batchId, furtherFailures: [...record.furtherFailures, request].slice(0, PAUSE_FAILURES_MAX) };
}

/** A failed resume plan and the time of its failure. */
export interface FailedPlan {
  readonly atMs: number;
  readonly plan: ResumePlan;
}

export function withFailedPlan(plans: readonly FailedPlan[], plan: FailedPlan): readonly FailedPlan[] {
  return [...plans, plan].slice(-FAILED_PLANS_MAX);
}

/** Milliseconds until a day of the pause; 0 if it has passed. */
export function untilDay({ pausedAtMs }: PauseRecord, day: number, nowMs: number): number {
  return Math.max(0, pausedAtMs + day * DAY_MS - nowMs);
}

/**
 * Whether people are still told of a day: not where a later one has passed as well, as after a time in which the system
 * was down.
 */
export function isNews(record: PauseRecord, day: AlertDay, nowMs: number): boolean {
  return ALERT_DAYS.every((other) => other <= day || untilDay(record, other, nowMs) > 0);
}

/** The record with its only extension, or why it cannot be extended. */
export function extended(
  record: PauseRecord,
  { untilMs, reason }: { readonly untilMs: number; readonly reason: string },
): PauseRecord | { readonly problem: string } {
  if (record.extendedUntilMs !== null) return { problem: `${record.item} was extended before` };
  const staleAtMs = record.pausedAtMs + STALE_DAY * DAY_MS;
  if (untilMs <= staleAtMs) return { problem: `an extension must end after day ${STALE_DAY}` };
  return {
    ...record,
    extendedUntilMs: Math.min(untilMs, record.pausedAtMs + EXPIRY_DAY * DAY_MS),
    extensionReason: reason,
  };
}

/** The notice to people on a day of the pause; day 0 is its beginning. An extension does not move these days. */
export function noticeOfDay(record: PauseRecord, day: 0 | AlertDay): Notice {
  const { item, reason, extendedUntilMs } = record;
  const isExtended = extendedUntilMs !== null;
  const said: Readonly<Record<0 | AlertDay, readonly [kind: string, priority: AlertPriority, title: string]>> = {
    0: ['item.paused', 'HIGH', `${item} paused - ${reason}`],
    3: ['pause.day3', 'MEDIUM', `${item} has been paused for 3 days: reminder`],
    7: ['pause.day7', 'HIGH', `${item} has been paused for 7 days and will be stale on day ${STALE_DAY}`],
    14: isExtended
      ? ['pause.day14', 'HIGH', `${item} has been paused for 14 days; its pause was extended`]
      : ['pause.day14', 'HIGH', `${item} is STALE after 14 days and will be purged on day ${EXPIRY_DAY}`],
    30: ['pause.day30', 'HIGH', `${item} has EXPIRED after 30 days: purged, its record is kept`],
  };
  const [kind, priority, title] = said[day];
  return pauseNotice(record, { kind, priority, title, day });
}

/**
 * The notice about a pause.
 *
 * @param said `day` is the day of the pause, if the notice is about one.
 */
export function pauseNotice(
  record: PauseRecord,
  { day, ...said }: Pick<Notice, 'kind' | 'priority' | 'title'> & { readonly day?: number },
): Notice {
  const { id, item, reason, failedTask, trigger, status, batchId } = record;
  return {
    subject: item,
    ...said,
    detail: reason,
    actions: status === 'EXPIRED' || status === 'RESUMED' ? [] : [resumeButton(item), cancelButton(item)],
    data: { pause: id, trigger, failedTask, phase: status, batchId, ...(day === undefined ? {} : { day }) },
  };
}
