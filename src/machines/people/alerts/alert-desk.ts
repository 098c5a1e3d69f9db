/**
 * The alert desk (seed 002 by CA-075 to CA-078): every alert becomes a card of its own, an actor (alert-card.ts),
 * unless it is about what an open card is about. The desk routes to the cards, lists them, and counts deliveries: more
 * than ten in five minutes wait for a summary. A card ends when a person acknowledges it, or whoever raised it says
 * that it is settled. Pure; the rules are in alert-rules.ts.
 */
import { z } from 'zod';
import { alertCard, blankFacts, type CardFacts, type CardReport } from './alert-card.ts';
import {
  type Alert,
  bannerOf,
  DELIVERIES_MAX,
  ENDED_KEPT,
  isOpen,
  isStop,
  joins,
  recent,
  SUMMARY,
  summaryDelayMs,
  summaryOf,
} from './alert-rules.ts';
import {
  type ChildExited,
  Desk,
  deskChildren,
  type DeskOf,
  type DeskPlaces,
  type DeskRecord,
  deskRecordsIn,
  listed,
  type OrderAnswered,
} from '../desk.ts';
import { resumeButton, VIEW_DETAILS } from '../notice.ts';
import { type Places, type RecordKind } from '../records.ts';
import { order, ruledAgent, type Rules, type Turn } from '../turn.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type AlertAction, type AlertMessage } from './alert-messages.ts';

/** A card in the list. What it says in full is with the card itself: its address is `alert-cards/` and the id. */
export interface AlertRecord extends CardFacts, DeskRecord {}

/** The batch that an item is paused with. */
interface BatchMark {
  readonly item: string;
  readonly batchId: string;
}

export type AlertDeskContext = DeskPlaces<AlertRecord> & {
  /** Times of the deliveries of the last minutes. */
  readonly deliveries: readonly number[];
  /** Cards that wait for the next summary. */
  readonly waiting: readonly string[];
  readonly summarisedAtMs: number | null;
} & Places<'batch', BatchMark>;

/** What is said to whoever watches, once it is durable. */
export type AlertDeskEmitted =
  | ({ readonly type: 'alert.changed'; readonly id: string } & CardFacts)
  /** Above the cards; null takes it away. */
  | { readonly type: 'alert.banner'; readonly text: string | null };

type AlertTurn = Turn<AlertDeskContext, AlertDeskEmitted>;

const CARDS: DeskOf<AlertRecord> = {
  noun: 'alert',
  overMax: ENDED_KEPT,
  boss: DESKS.alertCards,
  ending: ({ state }) => state.toLowerCase(),
};

const MARKS: RecordKind<BatchMark> = { kind: 'batch', keyOf: ({ item }) => item };

const desk = (turn: AlertTurn) => new Desk(turn, CARDS);

const aCard = z.object({ id: z.string() });
const by = z.string().max(200).optional();

const RULES = {
  'alert.raise': (turn: AlertTurn, { type: _, ...alert }: AlertMessage<'alert.raise'>) => {
    const mark = alert.item === null ? undefined : turn.records(MARKS).get(alert.item);
    const actions = mark === undefined || !isStop(alert) ? [] : [resumeAll(mark.batchId)];
    const whole = { ...alert, actions: [...alert.actions, ...actions] };
    const card = cardOf(turn, whole);
    if (card === undefined) openCards(turn, [whole]);
    else desk(turn).tell(card, { type: 'card.update', alert: whole });
  },
  'alert.batch': batchPaused,
  'alert.settled': (turn: AlertTurn, { item, kinds, because }: AlertMessage<'alert.settled'>) => {
    for (const card of openCardsIn(turn))
      if (card.item === item && kinds.includes(card.kind)) desk(turn).tell(card, { type: 'card.settle', because });
  },
  'batch.finished': (turn: AlertTurn, { batchId }: Pick<BatchMark, 'batchId'>) => {
    const marks = turn.records(MARKS);
    for (const mark of marks.all()) if (mark.batchId === batchId) marks.remove(mark.item);
  },
  'pause.complete': (turn: AlertTurn, { item, pausedAtMs }: { readonly item: string; readonly pausedAtMs: number }) => {
    const card = cardOf(turn, { item, kind: 'item.paused' });
    const alert = { data: { status: 'PAUSED', pausedAtMs } };
    if (card !== undefined) desk(turn).tell(card, { type: 'card.update', alert });
  },
  /** Somebody looks at the card. */
  'alert.open': order(aCard, (turn: AlertTurn, { id, replyTo }) => desk(turn).pass(id, { type: 'card.open', replyTo })),
  'alert.acknowledge': order(aCard.extend({ by }), (turn: AlertTurn, { id, by = null, replyTo }) =>
    desk(turn).pass(id, { type: 'card.acknowledge', by, replyTo }),
  ),
  /** A button of the card, by its name. */
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
  context: (): AlertDeskContext => ({ next: 1, deliveries: [], waiting: [], summarisedAtMs: null }),
});

export function alertChildren() {
  return deskChildren({ desk: DESKS.alerts, boss: DESKS.alertCards, agent: alertDesk.name, item: alertCard.name });
}

/** The cards, the latest first. */
export function alertsIn(context: AlertDeskContext): AlertRecord[] {
  return deskRecordsIn<AlertRecord>(context).reverse();
}

/** Its items have a card each, and each card the button for all of them (CA-075). */
function batchPaused(turn: AlertTurn, { batchId, items, reason }: AlertMessage<'alert.batch'>): void {
  const missing: Alert[] = [];
  for (const item of new Set(items)) {
    const alert = batchAlert(item, { batchId, reason });
    const card = cardOf(turn, alert);
    turn.records(MARKS).put({ item, batchId });
    const update = { detail: alert.detail, actions: [resumeAll(batchId)] };
    if (card === undefined) missing.push(alert);
    else desk(turn).tell(card, { type: 'card.update', alert: update });
  }
  openCards(turn, missing);
}

/** It wants to be delivered: at once while there is room, with the next summary where there is none. */
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
  if (waiting.length === 0) turn.raise({ type: 'alert.summarise' }, { id: 'summary', delay });
  turn.assign({ waiting: [...new Set([...waiting, id])] });
}

function summarise(turn: AlertTurn): void {
  const waiting = turn.context.waiting.flatMap((id) => desk(turn).records.get(id) ?? []).filter(isOpen);
  turn.assign({ waiting: [] });
  if (waiting.length === 0) return;
  turn.assign({ summarisedAtMs: turn.nowMs });
  openCards(turn, [summaryOf(waiting)]);
  for (const card of waiting) desk(turn).tell(card, { type: 'card.summarised' });
}

function change(turn: AlertTurn, id: string, facts: CardFacts): void {
  const changed = isOpen(facts) ? desk(turn).change(id, facts) : desk(turn).close(id, facts);
  if (changed === undefined) return;
  turn.emit({ type: 'alert.changed', id, ...facts });
  if (!isOpen(facts)) emitBanner(turn);
}

/** A card that ended without a word of its own: nobody can acknowledge it any more. */
function giveUp(turn: AlertTurn, event: ChildExited): void {
  const record = desk(turn).exited(event);
  if (record === undefined || record.isOver) return;
  const { isOver: _, ...facts } = listed(record);
  change(turn, record.id, {
    ...facts,
    state: 'SETTLED',
    settledAtMs: turn.nowMs,
    settledBecause: 'its card has failed',
  });
}

/** A card for each of these alerts, as actors of their own. */
function openCards(turn: AlertTurn, alerts: readonly Alert[]): void {
  for (const alert of alerts) {
    const { item, kind, priority, title } = alert;
    const id = `alert-${turn.context.next}`;
    const facts = { item, kind, priority, title, ...blankFacts(turn.nowMs) };
    desk(turn).open({ id, ...facts }, { id, alert });
    turn.emit({ type: 'alert.changed', id, ...facts });
  }
  if (alerts.length > 0) emitBanner(turn);
}

function emitBanner(turn: AlertTurn): void {
  turn.emit({ type: 'alert.banner', text: bannerOf(openCardsIn(turn)) });
}

function openCardsIn(turn: AlertTurn): readonly AlertRecord[] {
  return desk(turn).records.all().filter(isOpen);
}

/** The open card that is about the same, if there is one: the latest of several. */
function cardOf(turn: AlertTurn, alert: Pick<Alert, 'item' | 'kind'>): AlertRecord | undefined {
  return openCardsIn(turn)
    .filter((card) => joins(card, alert))
    .sort((a, b) => a.number - b.number)
    .at(-1);
}

function resumeAll(batchId: string): AlertAction {
  return { name: 'resume-all', label: 'Resume All', to: DESKS.batches, event: { type: 'batch.resume', batchId } };
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
