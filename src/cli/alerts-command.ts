/** `bosun alerts`: what people have been told, and to say that somebody looks after it. */
import { type AlertDeskContext, type AlertRecord, alertsIn } from '../machines/people/alerts/alert-desk.ts';
import { bannerOf, cardText, isOpen, type Alert } from '../machines/people/alerts/alert-rules.ts';
import { listed } from '../machines/people/desk.ts';
import { DESKS } from '../machines/work/system-ids.ts';
import {
  type DeskCommand,
  type DeskView,
  notThere,
  refusedOrder,
  whenText,
  withDesks,
  writeList,
} from './desk-view.ts';
import { type ExitCode } from './exit-codes.ts';
import { oneLine } from './run-report.ts';
import { jsonLine, timeText } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';
import { factsText } from './table.ts';

type Card = Omit<AlertRecord, 'number' | 'ref' | 'held' | 'orders'>;

/** @param command `all`: also those that are over. */
export function listAlerts(command: DataCommand & { readonly all: boolean }): Promise<ExitCode> {
  const { all, json, err } = command;
  return withDesks(command, async (view) => {
    const cards = await cardsOf(view);
    const banner = bannerOf(cards.filter(isOpen));
    if (banner !== null && !json) err.write(`${banner}\n`);
    const shown = cards.filter((card) => all || isOpen(card));
    writeList(command, shown, {
      none: 'no alerts',
      head: ['ID', 'STATE', 'PRIORITY', 'ABOUT', 'SINCE', 'TITLE'],
      cells,
    });
  });
}

export function showAlert(command: DataCommand & { readonly id: string }): Promise<ExitCode> {
  const { id, json, out } = command;
  return withDesks(command, async (view) => {
    const card = await cardOf(view, id);
    const whole = (await view.look<Alert>(`${DESKS.alertCards}/${id}`))?.context;
    const said = whole === undefined ? null : { detail: whole.detail, actions: whole.actions, data: whole.data };
    if (json) return void out.write(jsonLine({ ...card, ...said }));
    out.write(`${factsOf(card)}${whole === undefined ? '' : `\n${cardText(whole)}\n`}`);
  });
}

export function acknowledgeAlert(command: DeskCommand & { readonly id: string }): Promise<ExitCode> {
  const { id, by, json, out } = command;
  return withDesks(command, async (view) => {
    const card = await cardOf(view, id);
    if (!isOpen(card)) throw refusedOrder(`${id} is ${card.state} already`);
    await view.order(DESKS.alerts, { type: 'alert.acknowledge', id, by });
    out.write(
      json
        ? jsonLine({ type: 'alert.acknowledge', id, by, durable: true })
        : `${id}: acknowledged by ${by}${whenText(view)}\n`,
    );
  });
}

async function cardsOf(view: DeskView): Promise<Card[]> {
  const desk = await view.look<AlertDeskContext>(DESKS.alerts);
  return desk === undefined ? [] : alertsIn(desk.context).map(listed);
}

async function cardOf(view: DeskView, id: string): Promise<Card> {
  const card = (await cardsOf(view)).find((known) => known.id === id);
  if (card === undefined) throw notThere(`no alert "${id}"; bosun alerts list --all shows them`);
  return card;
}

function cells({ id, state, priority, item, raisedAtMs, title }: Card): string[] {
  return [id, state, priority, item ?? '', timeText(raisedAtMs), oneLine(title)];
}

function factsOf(card: Card): string {
  const {
    id,
    state,
    kind,
    priority,
    item,
    title,
    raisedAtMs,
    repeats,
    escalation,
    acknowledgedAtMs,
    acknowledgedBy,
    settledAtMs,
    settledBecause,
    problem,
  } = card;
  return factsText([
    ['alert', id],
    ['state', state],
    ['priority', priority],
    ['about', item],
    ['kind', kind],
    ['title', oneLine(title)],
    ['since', timeText(raisedAtMs)],
    ['said again', repeats === 0 ? null : `${repeats} times`],
    ['escalated', escalation],
    [
      'acknowledged',
      acknowledgedAtMs === null ? null : `${timeText(acknowledgedAtMs)} by ${acknowledgedBy ?? 'somebody'}`,
    ],
    ['settled', settledAtMs === null ? null : `${timeText(settledAtMs)}: ${settledBecause ?? ''}`],
    ['problem', problem],
  ]);
}
