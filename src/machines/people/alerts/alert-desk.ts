/**
 * The alert desk (seed 002, CA-075 to CA-078): every alert becomes a card, an actor of its own (alert-card.ts), unless
 * an open card has the same subject. The desk routes to the cards, lists them, and counts deliveries: those beyond ten
 * in five minutes wait for a summary. A card ends when a person acknowledges it, or when the agent that raised it
 * reports it settled. Pure; the rules are in alert-rules.ts.
 */
import { z } from 'zod';
import { speaker } from '../../../actors/model/person.ts';
import { type Whole, table, type Table } from '../../../table.ts';
import { alertCard, blankFacts, type CardFacts, type CardReport } from './alert-card.ts';
import {
  type Alert,
  bannerOf,
  bannerOfCounts,
  counted,
  DELIVERIES_MAX,
  ENDED_KEPT,
  isOpen,
  isStop,
  joins,
  NO_CARDS,
  PRIORITIES,
  type PriorityCounts,
  recent,
  SUMMARY,
  summaryDelayMs,
  summaryOf,
} from './alert-rules.ts';
import {
  type ChildExited,
  Desk,
  type DeskApart,
  deskChildren,
  type DeskContext,
  deskInOneTable,
  type DeskOf,
  type DeskRecord,
  listed,
  newDesk,
  type OrderAnswered,
} from '../../rules/desk.ts';
import { resumeButton, VIEW_DETAILS } from '../notice.ts';
import { inArrivalOrder, recordsIn } from '../../rules/records.ts';
import { nameKey, pairKey, pairsOf, rankedKey } from '../../rules/table-keys.ts';
import { order, ruledAgent, type Rules, type Turn } from '../../rules/turn.ts';
import { PEOPLE_DESKS } from '../system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type AlertAction, type AlertMessage } from './alert-messages.ts';

/** A card in the list. Its full text is held by the card itself, whose address is `alert-cards/` and the id. */
export interface AlertRecord extends CardFacts, DeskRecord {}

/** The batch with which an item is paused. */
interface BatchMark {
  readonly item: string;
  readonly batchId: string;
}

export interface AlertDeskContext extends DeskContext<AlertRecord> {
  /** Ids of the open cards about each subject. */
  readonly cardsAbout: Table<string>;
  readonly openCounts: PriorityCounts;
  /** Batch marks by item. */
  readonly batchMarks: Table<BatchMark>;
  /** The items of each marked batch. */
  readonly markedItems: Table<string>;
  /** Times of the deliveries in the current window, in milliseconds. */
  readonly deliveries: readonly number[];
  /** Places in the queue for the next summary, by id of card. */
  readonly waiting: Table<number>;
  readonly summarisedAtMs: number | null;
  /** The id of the latest summary of each open card, and the ids of the open cards in each summary. */
  readonly summaries: Table<string>;
  readonly summarised: Table<string>;
}

/** Events emitted to watchers once they are durable. */
export type AlertDeskEmitted =
  | ({ readonly type: 'alert.changed'; readonly id: string } & CardFacts)
  /** The text above the cards; null removes it. */
  | { readonly type: 'alert.banner'; readonly text: string | null };

type AlertTurn = Turn<AlertDeskContext, AlertDeskEmitted>;

const CARDS: DeskOf<AlertRecord> = {
  noun: 'alert',
  endedMax: ENDED_KEPT,
  placeOf: ({ priority, number }) => rankedKey(PRIORITIES, priority, number),
  boss: PEOPLE_DESKS.alertCards,
  ending: ({ state }) => state.toLowerCase(),
};

const desk = (turn: AlertTurn) => new Desk(turn, CARDS);

const aCard = z.object({ id: z.string() });
const by = speaker(z.string().max(200)).optional();

const RULES = {
  'alert.raise': (turn: AlertTurn, { type: _, ...alert }: AlertMessage<'alert.raise'>) => {
    const mark = alert.item === null ? undefined : turn.context.batchMarks.get(nameKey(alert.item));
    const actions = mark === undefined || !isStop(alert) ? [] : [resumeAll(mark.batchId)];
    const whole = { ...alert, actions: [...alert.actions, ...actions] };
    const card = cardOf(turn, whole);
    if (card === undefined) openCards(turn, [whole]);
    else desk(turn).tell(card, { type: 'card.update', alert: whole });
  },
  'alert.batch': batchPaused,
  'alert.settled': (turn: AlertTurn, { item, kinds, because }: AlertMessage<'alert.settled'>) => {
    for (const card of cardsAbout(turn, item))
      if (kinds.includes(card.kind)) desk(turn).tell(card, { type: 'card.settle', because });
  },
  'batch.finished': (turn: AlertTurn, { batchId }: Pick<BatchMark, 'batchId'>) => {
    for (const item of [...turn.context.markedItems.values(pairsOf(batchId))]) unmark(turn, item);
  },
  'pause.complete': (turn: AlertTurn, { item, pausedAtMs }: { readonly item: string; readonly pausedAtMs: number }) => {
    const card = cardOf(turn, { item, kind: 'item.paused' });
    const alert = { data: { status: 'PAUSED', pausedAtMs } };
    if (card !== undefined) desk(turn).tell(card, { type: 'card.update', alert });
  },
  /** A person looks at the card. */
  'alert.open': order(aCard, (turn: AlertTurn, { id, replyTo }) => desk(turn).pass(id, { type: 'card.open', replyTo })),
  'alert.acknowledge': order(aCard.extend({ by }), (turn: AlertTurn, { id, by = null, replyTo }) =>
    desk(turn).pass(id, { type: 'card.acknowledge', by, replyTo }),
  ),
  /** A person presses a button of the card; `action` is its name. */
  'alert.choose': order(aCard.extend({ by, action: z.string() }), (turn: AlertTurn, { id, by = null, ...event }) =>
    desk(turn).pass(id, { type: 'card.choose', action: event.action, by, replyTo: event.replyTo }),
  ),
  /** Replies with the banner and the cards, the latest first. */
  'alert.list': order(z.object({}), ({ context }: AlertTurn) => ({
    banner: bannerOf(alertsIn(context).filter(isOpen)),
    alerts: alertsIn(context).map(listed),
  })),
  'card.asked': deliver,
  'alert.summarise': summarise,
  'card.changed': (turn: AlertTurn, { id, facts }: Extract<CardReport, { type: 'card.changed' }>) =>
    change(turn, id, facts),
  'order.answered': (turn: AlertTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': giveUp,
} satisfies Rules<AlertDeskContext, AlertDeskEmitted>;

export const alertDesk = ruledAgent({
  name: 'alert-desk',
  rules: RULES,
  context: (): AlertDeskContext => ({
    ...newDesk(),
    cardsAbout: table(),
    openCounts: NO_CARDS,
    batchMarks: table(),
    markedItems: table(),
    deliveries: [],
    waiting: table(),
    summarisedAtMs: null,
    summaries: table(),
    summarised: table(),
  }),
  version: 2,
  // Version 1 had a table for open cards and one for others.
  migrate: { 2: (old: DeskApart<AlertDeskContext>): AlertDeskContext => deskInOneTable(old, CARDS) },
});

export function alertChildren() {
  return deskChildren({
    desk: PEOPLE_DESKS.alerts,
    boss: PEOPLE_DESKS.alertCards,
    agent: alertDesk.name,
    item: alertCard.name,
  });
}

/** The cards, the latest first. */
export function alertsIn(context: Whole<AlertDeskContext>): AlertRecord[] {
  return recordsIn(context).reverse();
}

/** Gives each item of the batch a card, and each card the button that acts on the whole batch (CA-075). */
function batchPaused(turn: AlertTurn, { batchId, items, reason }: AlertMessage<'alert.batch'>): void {
  const missing: Alert[] = [];
  for (const item of new Set(items)) {
    const alert = batchAlert(item, { batchId, reason });
    const card = cardOf(turn, alert);
    mark(turn, { item, batchId });
    const update = { detail: alert.detail, actions: [resumeAll(batchId)] };
    if (card === undefined) missing.push(alert);
    else desk(turn).tell(card, { type: 'card.update', alert: update });
  }
  openCards(turn, missing);
}

/** Records the batch with which an item is paused, in place of an earlier one. */
function mark(turn: AlertTurn, { item, batchId }: BatchMark): void {
  unmark(turn, item);
  const { batchMarks, markedItems } = turn.context;
  turn.assign({
    batchMarks: batchMarks.set(nameKey(item), { item, batchId }),
    markedItems: markedItems.set(pairKey(batchId, item), item),
  });
}

function unmark(turn: AlertTurn, item: string): void {
  const { batchMarks, markedItems } = turn.context;
  const known = batchMarks.get(nameKey(item));
  if (known === undefined) return;
  turn.assign({
    batchMarks: batchMarks.delete(nameKey(item)),
    markedItems: markedItems.delete(pairKey(known.batchId, item)),
  });
}

/** Delivers a card that asks for it: at once if the window has room, otherwise with the next summary. */
function deliver(turn: AlertTurn, { id, card }: Extract<CardReport, { type: 'card.asked' }>): void {
  desk(turn).begin(id, card);
  const known = desk(turn).records.get(id);
  if (known === undefined) return;
  const { deliveries: before, waiting, summarisedAtMs } = turn.context;
  const deliveries = recent(before, turn.nowMs);
  if (known.kind === SUMMARY || deliveries.length < DELIVERIES_MAX) {
    turn.send(card, { type: 'card.deliver' });
    if (known.kind !== SUMMARY) turn.assign({ deliveries: [...deliveries, turn.nowMs] });
    return;
  }
  const delay = summaryDelayMs(summarisedAtMs, turn.nowMs);
  if (waiting.size === 0) turn.raise({ type: 'alert.summarise' }, { id: 'summary', delay });
  if (!waiting.has(id)) turn.assign({ waiting: waiting.set(id, waiting.size) });
}

function summarise(turn: AlertTurn): void {
  const inLine = [...turn.context.waiting].sort(([, a], [, b]) => a - b);
  const waiting = inLine.flatMap(([id]) => desk(turn).records.get(id) ?? []).filter(isOpen);
  turn.assign({ waiting: table() });
  if (waiting.length === 0) return;
  turn.assign({ summarisedAtMs: turn.nowMs });
  const summary = nextId(turn);
  openCards(turn, [summaryOf(waiting)]);
  for (const card of waiting) {
    desk(turn).tell(card, { type: 'card.summarised' });
    leaveSummary(turn, card.id);
    const { summaries, summarised } = turn.context;
    turn.assign({
      summaries: summaries.set(card.id, summary),
      summarised: summarised.set(pairKey(summary, card.id), card.id),
    });
  }
}

/** Takes a card out of its summary, because it is over or in a later one. A summary without open cards is settled. */
function leaveSummary(turn: AlertTurn, id: string): void {
  const summary = turn.context.summaries.get(id);
  if (summary === undefined) return;
  const summarised = turn.context.summarised.delete(pairKey(summary, id));
  turn.assign({ summaries: turn.context.summaries.delete(id), summarised });
  const card = desk(turn).records.get(summary);
  if (card === undefined || card.isOver || !summarised.keys(pairsOf(summary)).next().done) return;
  desk(turn).tell(card, { type: 'card.settle', because: 'everything in it is over' });
}

function nextId(turn: AlertTurn): string {
  return `alert-${turn.context.next}`;
}

function change(turn: AlertTurn, id: string, facts: CardFacts): void {
  const before = desk(turn).records.get(id);
  const changed = isOpen(facts) ? desk(turn).change(id, facts) : desk(turn).close(id, facts);
  if (changed === undefined) return;
  index(turn, before, changed);
  turn.emit({ type: 'alert.changed', id, ...facts });
  if (isOpen(facts)) return;
  leaveSummary(turn, id);
  emitBanner(turn);
}

/** Records the end of a card whose actor ended without a report: nobody can acknowledge it any more. */
function giveUp(turn: AlertTurn, { id }: ChildExited): void {
  const record = desk(turn).records.get(id);
  if (record === undefined || record.isOver) return;
  const { isOver: _, ...facts } = listed(record);
  change(turn, record.id, {
    ...facts,
    state: 'SETTLED',
    settledAtMs: turn.nowMs,
    settledBecause: 'the card itself has failed',
  });
}

/** Opens a card, an actor of its own, for each of these alerts. */
function openCards(turn: AlertTurn, alerts: readonly Alert[]): void {
  for (const alert of alerts) {
    const { item, kind, priority, title } = alert;
    const id = nextId(turn);
    const facts = { item, kind, priority, title, ...blankFacts(turn.nowMs) };
    index(turn, undefined, desk(turn).open({ id, ...facts }, { id, alert }));
    turn.emit({ type: 'alert.changed', id, ...facts });
  }
  if (alerts.length > 0) emitBanner(turn);
}

function emitBanner(turn: AlertTurn): void {
  turn.emit({ type: 'alert.banner', text: bannerOfCounts(turn.context.openCounts) });
}

/** Updates counts and index after a card has changed. */
function index(turn: AlertTurn, before: AlertRecord | undefined, after: AlertRecord | undefined): void {
  if (before?.isOver === after?.isOver && before?.priority === after?.priority) return;
  for (const [card, more] of [[before, -1] as const, [after, 1] as const]) {
    if (card === undefined || card.isOver) continue;
    const { id, item, priority } = card;
    const { openCounts, cardsAbout: about } = turn.context;
    turn.assign({ openCounts: counted(openCounts, priority, more) });
    if (item === null) continue;
    const key = pairKey(item, id);
    turn.assign({ cardsAbout: more > 0 ? about.set(key, id) : about.delete(key) });
  }
}

/** Open cards about a subject, in the order of their opening. */
function cardsAbout(turn: AlertTurn, item: string): AlertRecord[] {
  const ids = [...turn.context.cardsAbout.values(pairsOf(item))];
  return inArrivalOrder(ids.flatMap((id) => desk(turn).records.get(id) ?? []));
}

/** The latest open card that an alert joins; undefined if there is none. */
function cardOf(turn: AlertTurn, alert: Pick<Alert, 'item' | 'kind'>): AlertRecord | undefined {
  return alert.item === null
    ? undefined
    : cardsAbout(turn, alert.item)
        .filter((card) => joins(card, alert))
        .at(-1);
}

function resumeAll(batchId: string): AlertAction {
  return { name: 'resume-all', label: 'Resume All', to: WORK_DESKS.batches, event: { type: 'batch.resume', batchId } };
}

function batchAlert(item: string, { batchId, reason }: { batchId: string; reason: string }): Alert {
  return {
    item,
    kind: 'item.paused',
    priority: 'HIGH',
    title: `${item} is paused`,
    detail: reason,
    actions: [VIEW_DETAILS, resumeButton(item), resumeAll(batchId)],
    data: {},
  };
}
