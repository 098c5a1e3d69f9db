/**
 * The Verification Team (MX-007): waits until the files have been quiet, has a finished task checked by the port
 * `verify`, or by its owner, and hands on what does not pass. The whole of verification comes with its own rules; this
 * is the part that the hand-offs 7, 8 and 9 need.
 */
import { type Known } from '../../work/port.ts';
import { type Rules } from '../../rules/turn.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { CONTRACTS, type Findings } from '../delivery-ports.ts';
import { type HandoffGiven, type HandoffRefused, offerHandoff } from '../organisation/handoff-messages.ts';
import { askOwner } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type DoneReport } from '../tasks/task-messages.ts';
import { addJob, toTask, type TeamContext, type TeamTurn, type TeamWork } from './team.ts';

/** Milliseconds for which the files of a finished task have to be quiet (MX-035). */
export const QUIET_MS = 60_000;

interface Check {
  readonly item: WorkItem;
  readonly report: DoneReport;
}
type VerificationTurn = TeamTurn<Check>;

/** The answer of an owner who was asked about a finished task. */
type CheckAnswered = Readonly<{ item: WorkItem; about: 'check' | 'visual'; isMet: boolean; text: string }>;

const NOTHING: Findings = { failures: [], unmet: [], visual: [] };

const RULES = {
  'handoff.given': given,
  'handoff.refused': (turn: VerificationTurn, { item, because }: HandoffRefused) =>
    askAbout(turn, item as WorkItem, `It was handed to nobody: ${because}.`),
  'check.answered': (turn: VerificationTurn, { item, about, isMet, text }: CheckAnswered) => {
    if (isMet && about === 'visual') passed(turn, item);
    else found(turn, item, isMet ? NOTHING : { ...NOTHING, unmet: [text] });
  },
} satisfies Rules<TeamContext<Check>>;

/** The work of the Verification Team. */
export const verificationWork: TeamWork<Check, WorkItem & { readonly report: DoneReport }, Findings> = {
  team: 'verification',
  rules: RULES,
  contract: CONTRACTS.verify as never,
  ask: ({ item, report }) => ({ ...item, report }),
  finish(turn, { item, report }, answer: Known<Findings | null>) {
    if (answer.isKnown && answer.value !== null) found(turn, item, answer.value);
    else askAbout(turn, item, answer.isKnown ? saidIn(report) : answer.why);
  },
};

/** RACI 7: a task to check, once its files are quiet. RACI 9: a surface at which its owner has to look. */
function given(turn: VerificationTurn, { occasion, item, load }: HandoffGiven): void {
  if (occasion === 'done')
    return addJob(turn, { item: item as WorkItem, ...(load as Pick<Check, 'report'>) }, QUIET_MS);
  const { visual } = (load as { readonly found: Findings }).found;
  askOwner(turn, item as WorkItem, {
    ...{ about: 'visual', title: `Does ${item.id} look right? ${item.title}`, text: visual.join('\n') },
    options: LOOKS,
  });
}

/** The answers to a question about a finished task; the first one is the good one. */
export const MET = ['yes', 'no'] as const;
export const LOOKS = ['confirm', 'reject'] as const;

/** Asks the owner of a finished task, where nothing checks it. */
function askAbout(turn: VerificationTurn, item: WorkItem, text: string): void {
  const criteria = item.context.acceptance.map((one) => `- ${one}`).join('\n');
  const title = `Does ${item.id} meet its criteria? ${item.title}`;
  askOwner(turn, item, { about: 'check', title, text: `${criteria}\n${text}`, options: MET });
}

/** The report of a finished task in a few lines. */
function saidIn({ details, testing, files }: DoneReport): string {
  return [details, testing, `Changed: ${files.slice(0, 5).join(', ')}`].filter((line) => line !== '').join('\n');
}

/** Tells the dashboard what was found (MX-035), and hands on what does not pass. */
function found(turn: VerificationTurn, item: WorkItem, findings: Findings): void {
  const { failures, unmet, visual } = findings;
  const remaining = [...failures.map(({ test }) => test), ...unmet];
  const matches = item.context.acceptance.filter((one) => !unmet.includes(one));
  turn.send(DELIVERY_DESKS.dashboard, { type: 'check.summary', task: item.id, matches, remaining });
  if (remaining.length + visual.length === 0) return passed(turn, item);
  const facts = { failures: failures.length, unmet: unmet.length, visual: visual.length };
  offerHandoff(turn, { occasion: 'checked', from: 'verification', item, facts, load: { found: findings } });
}

function passed(turn: VerificationTurn, { id: task }: WorkItem): void {
  toTask(turn, task, { type: 'task.passed' });
}
