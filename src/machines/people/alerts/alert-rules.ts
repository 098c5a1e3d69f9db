/**
 * The rules of alerting: how long each alert may go unacknowledged, how many may be delivered at a time, which alerts
 * share a card, and the texts of a card and the banner (CA-075 to CA-078). Pure.
 */
import { type AlertMessage, type AlertPriority } from './alert-messages.ts';
import { VIEW_DETAILS } from '../notice.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * CA-077: milliseconds within which somebody should acknowledge the card; null for no limit, because such a card
 * repeats.
 */
export const PATIENCE_MS: Readonly<Record<AlertPriority, number | null>> = {
  AGENT_FAILURE: null,
  CRITICAL: 2 * HOUR_MS,
  HIGH: 6 * HOUR_MS,
  MEDIUM: 24 * HOUR_MS,
  LOW: 48 * HOUR_MS,
};

/** CA-078: interval and number of a card's repetitions. The last one, at 90 minutes, is its escalation. */
export const REPEAT_MS = 30 * MINUTE_MS;
export const REPEATS_MAX = 3;

/** CA-078: most deliveries within a window. Further ones wait for the summary. */
export const DELIVERIES_MAX = 10;
export const DELIVERY_WINDOW_MS = 5 * MINUTE_MS;

/**
 * How long a summary collects alerts after the first one. It must be sent within the 30 seconds that an alert may take
 * (CA-078).
 */
export const SUMMARY_AFTER_MS = 20_000;

/** CA-075: number of open cards above which a banner is shown. */
const BANNER_OVER = 3;

/** Ended cards that the list still shows. The oldest are dropped first. */
export const ENDED_KEPT = 200;

/** Lines of a summary. */
const SUMMARY_LINES_MAX = 20;

/** Priorities, the most urgent first. */
export const PRIORITIES: readonly AlertPriority[] = ['AGENT_FAILURE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/** Open cards by priority. */
export type PriorityCounts = Readonly<Record<AlertPriority, number>>;

export const NO_CARDS: PriorityCounts = { AGENT_FAILURE: 0, CRITICAL: 0, HIGH: 0, MEDIUM: 0, LOW: 0 };

/** Kinds that share a card, because both say that an item has stopped. */
const STOPPED: ReadonlySet<string> = new Set(['item.failed', 'item.paused']);

/** Kind of the card that summarises others. */
export const SUMMARY = 'alerts.summary';

/** The content of a card. */
export type Alert = Omit<AlertMessage<'alert.raise'>, 'type'>;

/** The state of a card. SETTLED: its subject was over before anybody acknowledged it. */
export type AlertState = 'SENT' | 'DELIVERED' | 'OPENED' | 'ACKNOWLEDGED' | 'SETTLED';

/** Whether a card still has to be looked at. */
export function isOpen({ state }: { readonly state: AlertState }): boolean {
  return state !== 'ACKNOWLEDGED' && state !== 'SETTLED';
}

/** Whether an unacknowledged card repeats: always for an agent's failure, for others as long as they reach nobody. */
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

/** Whether a new alert updates an open card instead of getting a card of its own. */
export function joins(card: Pick<Alert, 'item' | 'kind'>, alert: Pick<Alert, 'item' | 'kind'>): boolean {
  if (alert.item === null || card.item !== alert.item) return false;
  return card.kind === alert.kind || (isStop(card) && isStop(alert));
}

export function isStop({ kind }: Pick<Alert, 'kind'>): boolean {
  return STOPPED.has(kind);
}

/**
 * A card updated by a newer alert on its subject: the newer texts, the higher priority, every button and fact of both.
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

/** Delay until the next summary, in milliseconds: short, but with at most one summary per window. */
export function summaryDelayMs(lastSummaryMs: number | null, nowMs: number): number {
  return Math.max(SUMMARY_AFTER_MS, (lastSummaryMs ?? -Infinity) + DELIVERY_WINDOW_MS - nowMs);
}

/** A summary alert for cards beyond the delivery limit; each of them remains a card of its own. */
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

/** The banner above the cards; null for up to three, which can be seen at a glance. */
export function bannerOf(open: readonly Pick<Alert, 'priority'>[]): string | null {
  return bannerOfCounts(open.reduce((counts, { priority }) => counted(counts, priority, 1), NO_CARDS));
}

export function bannerOfCounts(counts: PriorityCounts): string | null {
  const open = PRIORITIES.reduce((sum, priority) => sum + counts[priority], 0);
  if (open <= BANNER_OVER) return null;
  const parts = PRIORITIES.filter((priority) => counts[priority] > 0).map(
    (priority) => `${counts[priority]} ${priority}`,
  );
  return `${open} alerts: ${parts.join(', ')}`;
}

/** The counts with `more` added to one priority. */
export function counted(counts: PriorityCounts, priority: AlertPriority, more: number): PriorityCounts {
  return { ...counts, [priority]: counts[priority] + more };
}

/** The text of a card (CA-076), one line per known fact. */
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
  return PRIORITIES.indexOf(a) <= PRIORITIES.indexOf(b) ? a : b;
}

function said(value: unknown): string {
  return Array.isArray(value) ? value.map(said).join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
}
