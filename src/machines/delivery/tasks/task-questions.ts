/**
 * Questions about tasks and the tickets in which people answer them (D3, D5): what the Answer Team and the ticket desk
 * report becomes hand-offs 5, 6 and 10, and reaches the task that waits.
 */
import { type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { type HandoffOffer } from '../organisation/handoff-messages.ts';
import { MET, LOOKS } from '../teams/verification-work.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type OrchestratorTurn, desk } from './orchestrator-state.ts';
import { passOn } from './task-orders.ts';

/** A question about a task, as the answer desk reports it. */
interface QuestionFacts {
  readonly question: string;
  readonly task: string;
}

function offer(
  turn: OrchestratorTurn,
  task: string,
  offered: Pick<HandoffOffer, 'occasion' | 'from' | 'facts' | 'load'>,
): void {
  const row = desk(turn).records.get(task);
  if (row === undefined || row.isOver) return;
  turn.send(DELIVERY_DESKS.organisation, {
    ...offered,
    type: 'handoff.offer',
    by: turn.self,
    item: row.item,
  } satisfies HandoffOffer);
}

/** RACI 5: a session has asked the Answer Team. */
export function asked(turn: OrchestratorTurn, { question, task }: QuestionFacts): void {
  offer(turn, task, { occasion: 'asked', from: 'coding-ai', facts: {}, load: { question } });
}

/** RACI 6: the Answer Team has not answered, and a ticket asks people. */
export function escalated(
  turn: OrchestratorTurn,
  { question, task, confidence, waitedMs }: QuestionFacts & { readonly confidence: number; readonly waitedMs: number },
): void {
  const facts = { confidence, seconds: waitedMs / 1_000 };
  offer(turn, task, { occasion: 'unanswered', from: 'orchestrator', facts, load: { question } });
}

/** Handles what happens to a ticket about a task. An answer that was scored is handed over by the Clarity Agent. */
export function ticketNotice(turn: OrchestratorTurn, notice: TicketNotice): void {
  const row = notice.task === null ? undefined : desk(turn).records.get(notice.task);
  if (row === undefined || row.isOver) return;
  const { about } = notice;
  if (notice.type === 'ticket.resolved' || notice.type === 'ticket.rejected') {
    if (about === 'check' || about === 'visual') checkAnswered(turn, notice);
    const score = notice.type === 'ticket.resolved' ? notice.resolution.score : null;
    if (score !== null)
      return offer(turn, row.id, { occasion: 'replied', from: 'clarity', facts: { clarity: score }, load: { notice } });
  }
  // By hand a person decides, whose word nobody scores.
  passOn(turn, { notice });
}

function checkAnswered(
  turn: OrchestratorTurn,
  notice: Extract<TicketNotice, { readonly type: 'ticket.resolved' | 'ticket.rejected' }>,
): void {
  const { item } = desk(turn).records.get(notice.task!)!;
  const said = notice.type === 'ticket.resolved' ? notice.resolution : { option: null, text: notice.reason };
  const good = notice.about === 'check' ? MET[0] : LOOKS[0];
  const isMet = notice.type === 'ticket.resolved' && [said.option, said.text.toLowerCase()].includes(good);
  const text = `${item.title}: ${said.text}`.slice(0, 500).toWellFormed();
  turn.send(DELIVERY_DESKS.verification, { type: 'check.answered', item, about: notice.about, isMet, text });
}
