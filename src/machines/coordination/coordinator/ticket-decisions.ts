/**
 * The Lead Coordinator's decisions about tickets, questions to people for whose answer a task waits: other tasks of the
 * item go on meanwhile. Pure: it reads and writes through the ledger.
 */
import { afterNotice, type WaitingNotice } from '../../people/tickets/awaited-tickets.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanLedger } from './plan-ledger.ts';

/** Records that a running task waits for a ticket, or no longer does. */
export function ticketTold(ledger: PlanLedger, notice: WaitingNotice): void {
  const task = notice.task === null ? undefined : ledger.task(notice.task);
  if (task === undefined || !ledger.isRunning(task.id)) return;
  const item = itemOf(task);
  ledger.change(item, { tickets: afterNotice(ledger.item(item).tickets ?? {}, notice) });
}
