/** `bosun alerts`: lists alerts to people, and acknowledges them. */
import { type AlertDeskContext, type AlertRecord, alertsIn } from '../../machines/people/alerts/alert-desk.ts';
import { type Alert, bannerOf, cardText, isOpen } from '../../machines/people/alerts/alert-rules.ts';
import { strangerProblem } from '../../machines/people/audience.ts';
import { listed } from '../../machines/rules/desk.ts';
import { DESKS } from '../../machines/desks.ts';
import { type DeskRow } from './desk-row.ts';
import { type DeskView, found, refusedOrder } from './desk-view.ts';
import { timeText } from '../store/stopped-store.ts';

type Card = ReturnType<typeof listed<AlertRecord>>;

async function cardsOf(view: DeskView): Promise<Card[]> {
  const desk = await view.look<AlertDeskContext>(DESKS.alerts);
  return desk === undefined ? [] : alertsIn(desk.context).map(listed);
}

export const ALERTS: DeskRow<Card> = {
  none: 'no alerts',
  records: async (view, all) => (await cardsOf(view)).filter((card) => all || isOpen(card)),
  find: async (view, id) => found(await cardsOf(view), id, `no alert "${id}"; bosun alerts list --all shows them`),
  banner: (cards) => bannerOf(cards.filter(isOpen)),
  cells: ({ id, state, priority, item, raisedAtMs, title }) => ({
    ID: id,
    STATE: state,
    PRIORITY: priority,
    ABOUT: item,
    SINCE: timeText(raisedAtMs),
    TITLE: title,
  }),
  facts: (card) => [
    ['alert', card.id],
    ['state', card.state],
    ['priority', card.priority],
    ['about', card.item],
    ['kind', card.kind],
    ['title', card.title],
    ['since', timeText(card.raisedAtMs)],
    ['said again', card.repeats === 0 ? null : `${card.repeats} times`],
    ['escalated', card.escalation],
    ['acknowledged', ended(card.acknowledgedAtMs, ` by ${card.acknowledgedBy ?? 'somebody'}`)],
    ['settled', ended(card.settledAtMs, `: ${card.settledBecause ?? ''}`)],
    ['problem', card.problem],
  ],
  detail: async (view, { id }) => {
    const whole = (await view.look<Alert>(`${DESKS.alertCards}/${id}`))?.context;
    if (whole === undefined) return { json: {}, text: '' };
    const { detail, actions, data } = whole;
    return { json: { detail, actions, data }, text: `\n${cardText(whole)}\n` };
  },
  orders: {
    ack: async (card, { by }, view) => {
      const { id, state } = card;
      if (!isOpen(card)) throw refusedOrder(`${id} is ${state} already`);
      const { mayAcknowledge } = (await view.look<Alert>(`${DESKS.alertCards}/${id}`))?.context ?? {};
      if (mayAcknowledge !== undefined && strangerProblem(mayAcknowledge, by) !== undefined)
        throw refusedOrder(
          `${by} may not acknowledge it; those who may: ${mayAcknowledge.join(', ')}. Name one with --by`,
        );
      return {
        desk: DESKS.alerts,
        event: { type: 'alert.acknowledge', id, by },
        said: `${id}: acknowledged by ${by}`,
      };
    },
  },
};

function ended(atMs: number | null, how: string): string | null {
  return atMs === null ? null : `${timeText(atMs)}${how}`;
}
