/**
 * How alerts are said: how long each may go unacknowledged, how many may be delivered at a time, which share a card,
 * and what a card and the banner read (CA-075 to CA-078). Pure.
 */
import { type AlertMessage, type AlertPriority } from './alert-messages.ts';
import { VIEW_DETAILS } from '../notice.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * CA-077: time in which somebody should have acknowledged; null is for ever, because such a card repeats itself
 * instead.
 */
export const PATIENCE_MS: Readonly<Record<AlertPriority, number | null>> = {
  AGENT_FAILURE: null,
  CRITICAL: 2 * HOUR_MS,
  HIGH: 6 * HOUR_MS,
  MEDIUM: 24 * HOUR_MS,
  LOW: 48 * HOUR_MS,
};

/**
 * CA-078: a card that must be repeated is said again so often, so far apart; the last time is its escalation, at 90
 * minutes.
 */
export const REPEAT_MS = 30 * MINUTE_MS;
export const REPEATS_MAX = 3;

/** CA-078: deliveries within a window; what is more waits for the summary. */
export const DELIVERIES_MAX = 10;
export const DELIVERY_WINDOW_MS = 5 * MINUTE_MS;

/**
 * A summary gathers what comes with its first alert, and is out within the 30 seconds that an alert may take (CA-078).
 */
export const SUMMARY_AFTER_MS = 20_000;

/** CA-075: more open cards than this have a banner above them. */
const BANNER_OVER = 3;

/** Cards that are over and still shown in the list, the latest. */
export const ENDED_KEPT = 200;

/** Lines of a summary. */
const SUMMARY_LINES_MAX = 20;

const ORDER: readonly AlertPriority[] = ['AGENT_FAILURE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/** Open cards by priority. */
export type PriorityCounts = Readonly<Record<AlertPriority, number>>;

export const NO_CARDS: PriorityCounts = { AGENT_FAILURE: 0, CRITICAL: 0, HIGH: 0, MEDIUM: 0, LOW: 0 };

/** Kinds that are about one thing: an item that has stopped. */
const STOPPED: ReadonlySet<string> = new Set(['item.failed', 'item.paused']);

/** Kind of the card that stands for others. */
export const SUMMARY = 'alerts.summary';

/** What a card is made of. */
export type Alert = Omit<AlertMessage<'alert.raise'>, 'type'>;

/** SETTLED: what it was about is over before anybody acknowledged it. */
export type AlertState = 'SENT' | 'DELIVERED' | 'OPENED' | 'ACKNOWLEDGED' | 'SETTLED';

/** Whether a card still wants somebody to look. */
export function isOpen({ state }: { readonly state: AlertState }): boolean {
  return state !== 'ACKNOWLEDGED' && state !== 'SETTLED';
}

/**
 * Whether to be said again while nobody acknowledges: an agent's failure always, others as long as they reach nobody.
 */
export function mayRepeat({
  priority,
  repeats,
  isDelivered,
}: {
  priority: AlertPriority;
  repeats: number;
  isDelivered: boolean;
}): boolean {
  return repeats < REPEATS_MAX && (priority === 'AGENT_FAILURE' || !isDelivered);
}

/** Whether a new alert brings an open card up to date instead of having one of its own. */
export function joins(card: Pick<Alert, 'item' | 'kind'>, alert: Pick<Alert, 'item' | 'kind'>): boolean {
  if (alert.item === null || card.item !== alert.item) return false;
  return card.kind === alert.kind || (isStop(card) && isStop(alert));
}

export function isStop({ kind }: Pick<Alert, 'kind'>): boolean {
  return STOPPED.has(kind);
}

/**
 * A card after a newer alert about the same: the newer words, the higher priority, and every button and fact of both.
 */
export function merged<Card extends Alert>(card: Card, newer: Partial<Alert>): Card {
  const { title = card.title, detail = card.detail, priority = card.priority, actions = [], data = {} } = newer;
  const names = new Set(actions.map(({ name }) => name));
  return {
    ...card,
    title,
    detail,
    priority: higher(card.priority, priority),
    actions: [...card.actions.filter(({ name }) => !names.has(name)), ...actions],
    data: { ...card.data, ...data },
  };
}

/** Times of deliveries that still count. */
export function recent(deliveries: readonly number[], nowMs: number): number[] {
  return deliveries.filter((atMs) => atMs > nowMs - DELIVERY_WINDOW_MS);
}

/** When the next summary is due, as a delay: soon, but one in a window. */
export function summaryDelayMs(lastSummaryMs: number | null, nowMs: number): number {
  return Math.max(SUMMARY_AFTER_MS, (lastSummaryMs ?? -Infinity) + DELIVERY_WINDOW_MS - nowMs);
}

/** One alert for many that there was no room to deliver: each keeps its own card. */
export function summaryOf(alerts: readonly Pick<Alert, 'title' | 'priority'>[]): Alert {
  const lines = alerts.slice(0, SUMMARY_LINES_MAX).map(({ title, priority }) => `${priority}: ${title}`);
  const more = alerts.length - lines.length;
  return {
    item: null,
    kind: SUMMARY,
    priority: alerts.map(({ priority }) => priority).reduce(higher),
    title: `${alerts.length} more ${alerts.length === 1 ? 'alert' : 'alerts'}`,
    detail: [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n').slice(0, 2_000),
    actions: [VIEW_DETAILS],
    data: {},
  };
}

/** What stands above the cards: null for three and fewer, which can be seen at a glance. */
export function bannerOf(open: readonly Pick<Alert, 'priority'>[]): string | null {
  return bannerOfCounts(open.reduce((counts, { priority }) => counted(counts, priority, 1), NO_CARDS));
}

export function bannerOfCounts(counts: PriorityCounts): string | null {
  const open = ORDER.reduce((sum, priority) => sum + counts[priority], 0);
  if (open <= BANNER_OVER) return null;
  const parts = ORDER.filter((priority) => counts[priority] > 0).map((priority) => `${counts[priority]} ${priority}`);
  return `${open} alerts: ${parts.join(', ')}`;
}

/** With so many more of one priority. */
export function counted(counts: PriorityCounts, priority: AlertPriority, more: number): PriorityCounts {
  return { ...counts, [priority]: counts[priority] + more };
}

/** CA-076, one line a fact; what is not known has none. */
export function cardText({
  item,
  title,
  detail,
  actions,
  data,
}: Pick<Alert, 'item' | 'title' | 'detail' | 'actions' | 'data'>): string {
  const { agentType, status, progressPct, phase, day, errorType, errorMessage, completed, pending } = data;
  const place = [phase === undefined ? [] : [`phase ${said(phase)}`], day === undefined ? [] : [`day ${said(day)}`]]
    .flat()
    .join(', ');
  const progress = progressPct === undefined ? '' : ` at ${said(progressPct)} %`;
  const standing = status === undefined ? [] : [`${said(status)}${progress}${place === '' ? '' : ` (${place})`}`];
  const error = errorType === undefined ? [] : [`${said(errorType)}: ${said(errorMessage ?? '')}`];
  return [
    title,
    [item, agentType]
      .filter((part) => part !== null && part !== undefined)
      .map(said)
      .join(', '),
    ...standing,
    ...(error[0] === detail ? [] : error),
    detail,
    ...(completed === undefined ? [] : [`completed: ${said(completed)}`]),
    ...(pending === undefined ? [] : [`pending: ${said(pending)}`]),
    actions.map(({ label }) => `[${label}]`).join(' '),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function higher(a: AlertPriority, b: AlertPriority): AlertPriority {
  return ORDER.indexOf(a) <= ORDER.indexOf(b) ? a : b;
}

function said(value: unknown): string {
  return Array.isArray(value) ? value.map(said).join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
}
