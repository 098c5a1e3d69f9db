/**
 * The alert desk (seed 002 by CA-075 to CA-078): every alert becomes a card of its own, an actor (alert-card.ts),
 * unless it is about what an open card is about. The desk routes to the cards, lists them, and counts deliveries: more
 * than ten in five minutes wait for a summary. A card ends when a person acknowledges it, or whoever raised it says
 * that it is settled. Pure; the rules are in alert-rules.ts.
 */
import { type AnyActorRef, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { reply } from '../../../actors/model/talk-actions.ts';
import { alertCard, type CardEvent, type CardFacts, type CardReport } from './alert-card.ts';
import {
  type Alert,
  bannerOf,
  DELIVERIES_MAX,
  forgettable,
  isOpen,
  isStop,
  joins,
  recent,
  SUMMARY,
  summaryDelayMs,
  summaryOf,
} from './alert-rules.ts';
import { recordIn, recordsUnder } from '../keyed-records.ts';
import { type AlertAction, type AlertMessage } from './alert-messages.ts';
import { DESKS } from '../../work/system-ids.ts';

/** A card in the list. What it says in full is with the card itself: its address is `alert-cards/` and the id. */
export interface AlertRecord extends CardFacts {
  readonly id: string;
  /** Null until it has begun. */
  readonly card: AnyActorRef | null;
  /** What it is to be told once it has. */
  readonly untold: readonly CardEvent[];
}

interface BatchMark {
  readonly item: string;
  readonly batchId: string;
}

export type AlertDeskContext = {
  readonly nextCard: number;
  /** Times of the deliveries of the last minutes. */
  readonly deliveries: readonly number[];
  /** Cards that wait for the next summary. */
  readonly held: readonly string[];
  readonly summarisedAtMs: number | null;
} & { readonly [key in `card:${string}`]?: AlertRecord } & { readonly [key in `batch:${string}`]?: BatchMark };

/** What is said to whoever watches, once it is durable. */
export type AlertDeskEmitted =
  | ({ readonly type: 'alert.changed'; readonly id: string } & CardFacts)
  /** Above the cards; null takes it away. */
  | { readonly type: 'alert.banner'; readonly text: string | null };

type Event =
  | AlertMessage
  | { readonly type: 'pause.complete'; readonly item: string; readonly pausedAtMs: number }
  | { readonly type: 'batch.finished'; readonly batchId: string }
  | { readonly type: 'alert.open'; readonly id: string }
  | { readonly type: 'alert.acknowledge'; readonly id: string; readonly by?: string | undefined }
  | { readonly type: 'alert.choose'; readonly id: string; readonly action: string; readonly by?: string | undefined }
  | { readonly type: 'alert.list' | 'alert.summarise' }
  | { readonly type: 'child.exited'; readonly id: string }
  | CardReport;

const record = recordIn<AlertDeskContext>();

const machine = setup({
  types: {} as { context: AlertDeskContext; events: Event; emitted: AlertDeskEmitted },
  delays: { summary: ({ context, self }) => summaryDelayMs(context.summarisedAtMs, timeOf(self)) },
  actions: {
    replyWhetherKnown: reply(({ context, event }) => ({
      isKnown: 'id' in event && context[`card:${event.id}`] !== undefined,
    })),
  },
}).createMachine({
  id: 'alert-desk',
  context: { nextCard: 1, deliveries: [], held: [], summarisedAtMs: null },
  on: {
    'alert.raise': {
      actions: enqueueActions(({ context, event: { type: _, ...alert }, enqueue, self, system }) => {
        const mark = alert.item === null ? undefined : context[`batch:${alert.item}`];
        const whole =
          mark === undefined || !isStop(alert)
            ? alert
            : { ...alert, actions: [...alert.actions, resumeAll(mark.batchId)] };
        const card = cardOf(context, whole);
        if (card === undefined) openCards(enqueue as Enqueue, { context, alerts: [whole], self, system });
        else tell(enqueue as Enqueue, card, { type: 'card.update', alert: whole });
      }),
    },
    // Its items have a card each, and each card the button for all of them (CA-075).
    'alert.batch': {
      actions: enqueueActions(({ context, event: { batchId, items, reason }, enqueue, self, system }) => {
        const missing: Alert[] = [];
        for (const item of new Set(items)) {
          const alert = batchAlert(item, { batchId, reason });
          const card = cardOf(context, alert);
          enqueue.assign(record(`batch:${item}`, { item, batchId }));
          if (card === undefined) missing.push(alert);
          else
            tell(enqueue as Enqueue, card, {
              type: 'card.update',
              alert: { detail: alert.detail, actions: [resumeAll(batchId)] },
            });
        }
        openCards(enqueue as Enqueue, { context, alerts: missing, self, system });
      }),
    },
    'alert.settled': {
      actions: enqueueActions(({ context, event: { item, kinds, because }, enqueue }) => {
        for (const card of openAlerts(context))
          if (card.item === item && kinds.includes(card.kind))
            tell(enqueue as Enqueue, card, { type: 'card.settle', because });
      }),
    },
    'batch.finished': {
      actions: enqueueActions(({ context, event: { batchId }, enqueue }) => {
        const marks = recordsUnder<BatchMark>(context, 'batch:').filter((mark) => mark.batchId === batchId);
        for (const { item } of marks) enqueue.assign(record(`batch:${item}`, undefined));
      }),
    },
    'pause.complete': {
      actions: enqueueActions(({ context, event: { item, pausedAtMs }, enqueue }) => {
        const card = cardOf(context, { item, kind: 'item.paused' });
        if (card !== undefined)
          tell(enqueue as Enqueue, card, { type: 'card.update', alert: { data: { status: 'PAUSED', pausedAtMs } } });
      }),
    },
    'alert.open': {
      actions: [
        'replyWhetherKnown',
        enqueueActions(({ context, event: { id }, enqueue }) =>
          forward(enqueue as Enqueue, context, id, { type: 'card.open' }),
        ),
      ],
    },
    'alert.acknowledge': {
      actions: [
        'replyWhetherKnown',
        enqueueActions(({ context, event: { id, by = null }, enqueue }) =>
          forward(enqueue as Enqueue, context, id, { type: 'card.acknowledge', by }),
        ),
      ],
    },
    'alert.choose': {
      actions: [
        'replyWhetherKnown',
        enqueueActions(({ context, event: { id, action, by = null }, enqueue }) =>
          forward(enqueue as Enqueue, context, id, { type: 'card.choose', action, by }),
        ),
      ],
    },
    'alert.list': {
      actions: reply(({ context }) => ({
        banner: bannerOf(openAlerts(context)),
        alerts: alertsIn(context).map(shown),
      })),
    },
    // It wants to be delivered: at once while there is room, with the next summary where there is none.
    'card.asked': {
      actions: enqueueActions(({ context, event: { id, card }, enqueue, self }) => {
        const known = context[`card:${id}`];
        if (known === undefined) return;
        enqueue.assign(record(`card:${id}`, { ...known, card, untold: [] }));
        for (const event of known.untold) enqueue.sendTo(card, event);
        const deliveries = recent(context.deliveries, timeOf(self));
        if (known.kind === SUMMARY || deliveries.length < DELIVERIES_MAX) {
          enqueue.sendTo(card, { type: 'card.deliver' });
          if (known.kind !== SUMMARY) enqueue.assign({ deliveries: [...deliveries, timeOf(self)] });
          return;
        }
        if (context.held.length === 0) enqueue.raise({ type: 'alert.summarise' }, { delay: 'summary', id: 'summary' });
        enqueue.assign({ held: [...new Set([...context.held, id])] });
      }),
    },
    'alert.summarise': {
      actions: enqueueActions(({ context, enqueue, self, system }) => {
        const waiting = context.held.flatMap((id) => context[`card:${id}`] ?? []).filter(isOpen);
        enqueue.assign({ held: [] });
        if (waiting.length === 0) return;
        enqueue.assign({ summarisedAtMs: timeOf(self) });
        openCards(enqueue as Enqueue, { context, alerts: [summaryOf(waiting)], self, system });
        for (const card of waiting) tell(enqueue as Enqueue, card, { type: 'card.summarised' });
      }),
    },
    'card.changed': {
      actions: enqueueActions(({ context, event: { id, facts }, enqueue }) => {
        const known = context[`card:${id}`];
        if (known === undefined) return;
        enqueue.assign(record(`card:${id}`, { ...known, ...facts }));
        for (const old of forgettable([...alertsIn(context).filter((other) => other.id !== id), { id, ...facts }]))
          enqueue.assign(record(`card:${old}`, undefined));
        enqueue.emit({ type: 'alert.changed', id, ...facts });
        if (!isOpen(facts) && isOpen(known))
          emitBanner(
            enqueue as Enqueue,
            openAlerts(context).filter((other) => other.id !== id),
          );
      }),
    },
    // A card that is over has ended; its record here says all that is left to say.
    'child.exited': {
      actions: enqueueActions(({ event: { id }, enqueue, system }) =>
        enqueue.sendTo(system.get(DESKS.alertCards) as AnyActorRef, { type: 'child.delete', id }),
      ),
    },
  },
});

export const alertDesk = defineAgent({
  name: 'alert-desk',
  machine,
  events: {
    /** Somebody looks at the card. This and the next two reply with whether there is such a card. */
    'alert.open': z.object({ id: z.string() }),
    'alert.acknowledge': z.object({ id: z.string(), by: z.string().max(200).optional() }),
    /** A button of the card, by its name. */
    'alert.choose': z.object({ id: z.string(), action: z.string(), by: z.string().max(200).optional() }),
    /** Replies with the banner and the cards, the latest first. */
    'alert.list': z.object({}),
  },
});

/** The cards, the latest first. */
export function alertsIn(context: AlertDeskContext): AlertRecord[] {
  return recordsUnder<AlertRecord>(context, 'card:').sort((a, b) => numberOf(b) - numberOf(a));
}

interface Enqueue {
  assign(patch: Partial<AlertDeskContext>): void;
  sendTo(to: AnyActorRef, event: { readonly type: string }): void;
  emit(event: AlertDeskEmitted): void;
}

interface Opening {
  readonly context: AlertDeskContext;
  readonly alerts: readonly Alert[];
  readonly self: AnyActorRef;
  readonly system: { get(key: string): AnyActorRef | undefined };
}

/** A card for each of these alerts, as actors of their own. */
function openCards(enqueue: Enqueue, { context, alerts, self, system }: Opening): void {
  if (alerts.length === 0) return;
  const facts = {
    state: 'SENT',
    raisedAtMs: timeOf(self),
    repeats: 0,
    deliveredAtMs: null,
    openedAtMs: null,
    acknowledgedAtMs: null,
    acknowledgedBy: null,
    settledAtMs: null,
    settledBecause: null,
    escalatedAtMs: null,
    escalation: null,
    problem: null,
  } as const;
  alerts.forEach((alert, index) => {
    const { item, kind, priority, title } = alert;
    const id = `alert-${context.nextCard + index}`;
    const spec = { id, agent: alertCard.name, restart: 'transient', reportTo: self, input: { id, alert, desk: self } };
    enqueue.assign(record(`card:${id}`, { id, item, kind, priority, title, ...facts, card: null, untold: [] }));
    enqueue.sendTo(system.get(DESKS.alertCards)!, { type: 'child.start', id, spec } as { type: string });
    enqueue.emit({ type: 'alert.changed', id, item, kind, priority, title, ...facts });
  });
  enqueue.assign({ nextCard: context.nextCard + alerts.length });
  emitBanner(enqueue, [...openAlerts(context), ...alerts]);
}

/** A card that has not begun yet is told when it has. */
function tell(enqueue: Enqueue, known: AlertRecord, event: CardEvent): void {
  if (known.card === null) enqueue.assign(record(`card:${known.id}`, { ...known, untold: [...known.untold, event] }));
  else enqueue.sendTo(known.card, event);
}

function forward(enqueue: Enqueue, context: AlertDeskContext, id: string, event: CardEvent): void {
  const known = context[`card:${id}`];
  if (known !== undefined && isOpen(known)) tell(enqueue, known, event);
}

function emitBanner(enqueue: Enqueue, open: readonly Pick<Alert, 'priority'>[]): void {
  enqueue.emit({ type: 'alert.banner', text: bannerOf(open) });
}

function openAlerts(context: AlertDeskContext): AlertRecord[] {
  return alertsIn(context).filter(isOpen);
}

/** The open card that is about the same, if there is one. */
function cardOf(context: AlertDeskContext, alert: Pick<Alert, 'item' | 'kind'>): AlertRecord | undefined {
  return openAlerts(context).find((card) => joins(card, alert));
}

function resumeAll(batchId: string): AlertAction {
  return { name: 'resume-all', label: 'Resume All', to: DESKS.batches, event: { type: 'batch.resume', batchId } };
}

function batchAlert(item: string, { batchId, reason }: { batchId: string; reason: string }): Alert {
  const resume = {
    name: 'resume',
    label: 'Resume',
    to: DESKS.coordinator,
    event: { type: 'resume.command', item, resumePlan: null, notify: true },
  };
  const view = { name: 'details', label: 'View Details', to: null, event: null };
  return {
    item,
    kind: 'item.paused',
    priority: 'HIGH',
    title: `${item} is paused`,
    detail: reason,
    actions: [view, resume, resumeAll(batchId)],
    data: {},
  };
}

/** As it is listed: without what is of use to the desk alone. */
function shown({ card: _, untold: __, ...rest }: AlertRecord): Omit<AlertRecord, 'card' | 'untold'> {
  return rest;
}

function numberOf({ id }: AlertRecord): number {
  return Number(id.slice('alert-'.length));
}
