/**
 * The ticket and the task that follow from a check that has failed (D4, MX-056, MX-058): somebody investigates, and
 * somebody mends. Pure.
 */
import { type TicketOrder } from '../../people/tickets/ticket-messages.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { type Findings } from '../delivery-ports.ts';
import { type WrittenTask } from '../plans/plan-document.ts';

/** The subject of the ticket of an investigation, as its notices repeat it. */
export const INVESTIGATION = 'investigation';

/** The bounds of titles and descriptions (MX-094, MX-058). */
const TITLE_CHARS_MAX = 200;
const TEXT_CHARS_MAX = 500;

type Failure = Findings['failures'][number];

/** The ticket about what a check has found. The Planning Team looks into it, the orchestrator if it is urgent. */
export function investigationOf(
  { id: task, title, priority }: Pick<WorkItem, 'id' | 'title' | 'priority'>,
  { failures, unmet }: Findings,
  cycle: number,
): TicketOrder<'tickets.open'> {
  const [failure] = failures;
  const subject = failure === undefined ? `${unmet[0] ?? title} is not met` : symptomOf(failure);
  const told = failure === undefined ? unmet.join('\n') : failures.map(detailOf).join('\n');
  return {
    ...{ type: 'tickets.open', kind: 'investigation', priority, title: cut(`Investigation: ${subject}`) },
    ...{ description: cut(told, TEXT_CHARS_MAX), options: [], evidence: [], creator: 'verification' },
    ...{ assignee: priority === 1 ? 'orchestrator' : 'planning', audience: ['*'], task, isBlocking: false },
    ...{ isEscalation: false, about: INVESTIGATION, key: `${INVESTIGATION}-${task}-${cycle}` },
  };
}

/** The task that mends what a check has found. It takes no longer than what it mends (MX-035). */
export function fixOf(item: WorkItem, { failures, unmet }: Findings, ticket: string | null): WrittenTask {
  const what = failures.length > 0 ? failures.map(({ test }) => test) : unmet;
  const said = [...(ticket === null ? [] : [`${ticket} investigates it.`]), ...failures.map(detailOf), ...unmet];
  return {
    ...{ key: `fix-${item.id}`, title: cut(`Fix: ${what.join(', ')}`), kind: 'fix', minutes: item.minutes },
    ...{ description: cut(said.join('\n'), 4_000), files: [...item.context.files] },
  };
}

/** The symptom of a failure: with the test's name, unless it begins with what the test is about. */
function symptomOf({ test, message }: Failure): string {
  const symptom = message.split('\n')[0]!.trim();
  if (symptom === '') return `${test} failed`;
  const [subject] = test.split(/\s/);
  return symptom.startsWith(`${subject} `) ? symptom : `${test} failed – ${symptom}`;
}

function detailOf({ test, message, expected, actual }: Failure): string {
  const values = Object.entries({ expected, actual }).flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
  return [`${test}: ${message}`.trim(), values.join(', ')].filter((line) => line !== '').join('\n');
}

function cut(text: string, charsMax = TITLE_CHARS_MAX): string {
  return text.slice(0, charsMax).toWellFormed();
}
