/**
 * The record of one pause and what follows from its age (CA-018, CA-019, CA-027, CA-029, CA-030, X-29): days, texts,
 * extension. Pure; the PauseManager keeps the record and acts. Times are milliseconds of kernel time, durations count
 * from the pause.
 */
import { FAILED_PLANS_MAX, PAUSE_FAILURES_MAX } from '../../../limits.ts';
import { cancelButton, type Notice, resumeButton } from '../../people/notice.ts';
import { type AlertPriority } from '../../people/alerts/alert-messages.ts';
import { type PauseTrigger, type ResumePlan } from '../messages/messages.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Days on which people are told that an item is still paused (CA-018). */
export const ALERT_DAYS = [3, 7, 14, 30] as const;
export type AlertDay = (typeof ALERT_DAYS)[number];

/** A pause that nobody attends to is stale from this day on, unless it was extended. */
export const STALE_DAY = 14;
/** The last day of any pause. */
export const EXPIRY_DAY = 30;

/**
 * How long the end of tasks under way is waited for; then they are stopped, and start again when the item is resumed.
 */
export const PAUSING_MS = 24 * HOUR_MS;
/** Auto-resumes in a row that may fail; then somebody has to look (CA-032). */
export const AUTO_RESUMES_MAX = 3;
/** Time to live of an item's working memory, at work and paused (CA-027). */
export const MEMORY_TTL_MS = 24 * HOUR_MS;
export const PAUSED_MEMORY_TTL_MS = 14 * DAY_MS;
/** How long the record of a pause that ended well is kept (CA-030), and with it the plan that it was resumed by. */
export const RESUMED_RETENTION_MS = 30 * DAY_MS;
/** The same for plans by which resuming failed. */
export const FAILED_PLAN_RETENTION_MS = 90 * DAY_MS;

export type PauseStatus = 'PAUSING' | 'PAUSED' | 'RESUMING' | 'RESUMED' | 'STALE' | 'EXPIRED';

/** Why an item is paused, and who asked (CA-025). */
export interface PauseRequest {
  readonly reason: string;
  readonly trigger: PauseTrigger;
  /** The task whose failure led to it. */
  readonly failedTask: string | null;
  readonly batchId: string | null;
  readonly createdBy: string;
}

export interface PauseRecord extends PauseRequest {
  /** `AAPL#2`: the second pause of the item. Names its checkpoint too. */
  readonly id: string;
  readonly item: string;
  readonly status: PauseStatus;
  readonly pausedAtMs: number;
  readonly resumedAtMs: number | null;
  /** null until the item stands at a boundary. */
  readonly checkpointId: string | null;
  readonly resumeDependencies: ResumePlan | null;
  readonly alertDay3Sent: boolean;
  readonly alertDay7Sent: boolean;
  readonly extendedUntilMs: number | null;
  readonly extensionReason: string | null;
  /** What else failed while it was pausing (CA-017). */
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
    checkpointId: null,
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

/** A plan by which resuming failed, and when it did. */
export interface FailedPlan {
  readonly atMs: number;
  readonly plan: ResumePlan;
}

export function withFailedPlan(plans: readonly FailedPlan[], plan: FailedPlan): readonly FailedPlan[] {
  return [...plans, plan].slice(-FAILED_PLANS_MAX);
}

/** When that day of the pause comes, from now; 0 for one that has passed. */
export function untilDay({ pausedAtMs }: PauseRecord, day: number, nowMs: number): number {
  return Math.max(0, pausedAtMs + day * DAY_MS - nowMs);
}

/** The record with its one extension, or why it cannot be extended. */
export function extended(
  record: PauseRecord,
  { untilMs, reason }: { readonly untilMs: number; readonly reason: string },
): PauseRecord | { readonly problem: string } {
  if (record.extendedUntilMs !== null) return { problem: `${record.item} was extended before` };
  const staleAtMs = record.pausedAtMs + STALE_DAY * DAY_MS;
  if (untilMs <= staleAtMs) return { problem: `an extension ends after day ${STALE_DAY}` };
  return {
    ...record,
    extendedUntilMs: Math.min(untilMs, record.pausedAtMs + EXPIRY_DAY * DAY_MS),
    extensionReason: reason,
  };
}

/**
 * What people are told on a day of the pause; day 0 is its beginning. The days go by the pause, whatever it was
 * extended to.
 */
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

/** @param said `day` is that of the pause, where it is about one. */
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
