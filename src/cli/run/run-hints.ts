/** Commands that a user may want after a run, as lines that can be copied. Formatting only. */
import { type CoordinatorContext, itemsIn } from '../../machines/coordination/coordinator/coordinator-context.ts';
import { type BatchRecord } from '../../machines/coordination/batches/batch-rules.ts';
import { type TicketRow } from '../../machines/people/tickets/ticket-state.ts';
import { type GateRecord } from '../../machines/people/gates/gate-desk.ts';
import { gateName, PLAN_GATES } from '../../machines/people/gates/gate-name.ts';
import { dataOption, type Invocation } from '../invocation.ts';
import { plainLine } from '../../plain-text.ts';
import { filesOf } from './run-report.ts';

/** Open work of the desks that waits for people. */
export interface Waiting {
  readonly batches: readonly Pick<BatchRecord, 'id' | 'phase' | 'total' | 'reason'>[];
  readonly gates: readonly Pick<GateRecord, 'id' | 'title' | 'item' | 'stage'>[];
  readonly tickets: readonly Pick<TicketRow, 'id' | 'title'>[];
}

export function completedHints(context: CoordinatorContext, data: string, { bosun, again }: Invocation): string[] {
  const text = filesOf(context).find((file) => file.endsWith('.md'));
  const look = text === undefined ? [] : [`Look at a report: less ${text}`];
  return [
    ...look,
    `The actors that did it: ${bosun} tree${dataOption(data)}. Run it again from the start: ${again('--fresh')}.`,
  ];
}

export function resumeHints(
  context: CoordinatorContext,
  { batches, gates, tickets }: Waiting,
  data: string,
  { bosun }: Invocation,
): string[] {
  const paused = [...itemsIn(context)]
    .filter(([, { phase }]) => phase === 'paused')
    .map(
      ([item, { reason }]) =>
        `${item} is paused: ${plainLine(reason ?? '')}. When that is fixed: ${bosun} plan resume ` +
        `${item}${dataOption(data)}, then run again.`,
    );
  const together = batches
    .filter(({ phase }) => phase === 'paused')
    .map(
      ({ id, total, reason }) =>
        `${id} is ${total} items together: ${plainLine(reason)}. To resume all of them: ${bosun} batches resume ` +
        `${id}${dataOption(data)}, then run again.`,
    );
  const asked = gates.map(
    ({ id, ...gate }) =>
      `${id} asks: ${ended(plainLine(gateName(gate)))} ${wayToAnswer(id, bosun)}${dataOption(data)}, then run again.`,
  );
  const open = tickets.map(
    ({ id, title }) =>
      `${id} asks: ${ended(plainLine(title))} To answer: ${bosun} tickets reply ${id} "..."${dataOption(data)}, ` +
      'then run again.',
  );
  return [...paused, ...together, ...asked, ...open];
}

/** Only a gate of the plan is known to take a decision; any other, such as that of a debate, has a form of its own. */
function wayToAnswer(gate: string, bosun: string): string {
  return gate.startsWith(PLAN_GATES)
    ? `To answer: ${bosun} gates answer ${gate} decision=approve`
    : `To see what it takes and how to answer: ${bosun} gates show ${gate}`;
}

/** A sentence with a full stop, unless it ends with a question mark or a full stop already. */
function ended(sentence: string): string {
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}
