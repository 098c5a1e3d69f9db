/**
 * The Verification Team (MX-007, D4): has a finished task checked by the port `verify` once the task says that its
 * files are quiet, judges what was found, and hands on what does not pass. What no test and no check shows is
 * confirmed by the owner, after the Answer Team was asked where most of it is open (T4). One check runs at a time.
 */
import { ANSWER_GATE } from '../../answers/confidence.ts';
import { VERIFICATION_GATE } from '../../answers/thresholds.ts';
import { ANSWERER } from '../../people/system-ids.ts';
import { type Known } from '../../work/port.ts';
import { type Rules } from '../../rules/turn.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { type Verdict, verdictOf, wantedTests } from '../checks/verdict.ts';
import { type Checked, CONTRACTS, type Findings } from '../delivery-ports.ts';
import { type HandoffGiven, type HandoffRefused, offerHandoff } from '../organisation/handoff-messages.ts';
import { type Warning } from '../oversight/oversight-rules.ts';
import { askOwner } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type DoneReport } from '../tasks/task-messages.ts';
import { addJob, toTask, type TeamContext, type TeamTurn, type TeamWork } from './team.ts';

interface Check {
  readonly item: WorkItem;
  readonly report: DoneReport;
  /** Its number among the checks of the task; absent in one of an earlier version. */
  readonly round?: number;
  /** The answer of the Answer Team to what its criteria are shown by; absent before. */
  readonly hint?: string;
}
type VerificationTurn = TeamTurn<Check>;

/** The answer of an owner who was asked about a finished task. */
type CheckAnswered = Readonly<{ item: WorkItem; isMet: boolean; text: string }>;
/** The result of a check that somebody outside has made. */
type CheckReported = Readonly<{ item: WorkItem; found: Findings }>;
/** A check that waits for an answer of the Answer Team. */
type Undecided = Readonly<{ job: Check; verdict: Verdict }>;
/** The answer of the Answer Team. */
type AnswerGiven = Readonly<{ task: string | null; confidence: number; answer: string | null }>;

const NOTHING: Findings = { failures: [], tests: null, unmet: [], visual: [] };

const RULES = {
  'handoff.given': given,
  'handoff.refused': (turn: VerificationTurn, { item, because }: HandoffRefused) =>
    askAbout(turn, item as WorkItem, `It was handed to nobody: ${because}.`),
  'check.due': (turn: VerificationTurn, { item, report, round }: Required<Omit<Check, 'hint'>>) => {
    // A task that is checked again waits for nothing that was asked before.
    forget(turn, item.id);
    addJob(turn, { item, report, round });
  },
  'check.reported': (turn: VerificationTurn, { item, found: findings }: CheckReported) => found(turn, item, findings),
  'check.answered': (turn: VerificationTurn, { item, isMet, text }: CheckAnswered) => {
    if (isMet) toTask(turn, item.id, { type: 'task.passed' });
    else found(turn, item, { ...NOTHING, unmet: [text] });
  },
  'answer.given': (turn: VerificationTurn, { task, confidence, answer }: AnswerGiven) => {
    if (task !== null) hinted(turn, task, confidence >= ANSWER_GATE ? answer : null);
  },
  'hint.late': (turn: VerificationTurn, { task }: { readonly task: string }) => hinted(turn, task, null),
} satisfies Rules<TeamContext<Check>>;

/** The work of the Verification Team. */
export const verificationWork: TeamWork<Check, Checked, Findings> = {
  team: 'verification',
  rules: RULES as never,
  contract: CONTRACTS.verify as never,
  ask: ({ item, report }) => ({ ...item, report, wanted: wantedTests(item) }),
  finish(turn, job, answer: Known<Findings | null>) {
    const { item, report } = job;
    if (answer.isKnown && answer.value !== null) {
      tellConflict(turn, job, answer.value);
      found(turn, item, answer.value, job);
    } else askAbout(turn, item, answer.isKnown ? saidIn(report) : answer.why);
  },
};

/** Tells the overseer of criteria that a session says are met, and the check of its task finds unmet. */
function tellConflict(turn: VerificationTurn, { item, report }: Check, { unmet }: Findings): void {
  const claimed = report.criteria.filter(({ criterion, isMet }) => isMet && unmet.includes(criterion));
  const detail = claimed.map(({ criterion }) => criterion).join('\n');
  const title = `The session of ${item.id} says that it is done, its check does not: ${item.title}`;
  const warning: Warning = { severity: 'warning', about: item.id, kind: 'conflict', title, detail };
  if (claimed.length > 0) turn.send(DELIVERY_DESKS.overseer, { ...warning, type: 'oversight.warned' });
}

/** RACI 7: a task to check, once its files are quiet. RACI 9: a surface at which its owner has to look. */
function given(turn: VerificationTurn, { occasion, item, load }: HandoffGiven): void {
  if (occasion === 'done') return toTask(turn, item.id, { type: 'task.settle' });
  const { visual } = load as Pick<Verdict, 'visual'>;
  askOwner(turn, item as WorkItem, {
    ...{ about: 'visual', title: `Does ${item.id} look right? ${item.title}`, text: visual.join('\n') },
    options: LOOKS,
  });
}

/** The answers to a question about a finished task; the first one is the good one. */
export const MET = ['yes', 'no'] as const;
export const LOOKS = ['confirm', 'reject'] as const;

/** Asks the owner of a finished task, where nothing checks it. */
function askAbout(turn: VerificationTurn, item: WorkItem, text: string, open = item.context.acceptance): void {
  const criteria = open.map((one) => `- ${one}`).join('\n');
  const title = `Does ${item.id} meet its criteria? ${item.title}`;
  askOwner(turn, item, { about: 'check', title, text: `${criteria}\n${text}`, options: MET });
}

/** The report of a finished task in a few lines. */
function saidIn({ details, testing, files }: DoneReport): string {
  return [details, testing, `Changed: ${files.slice(0, 5).join(', ')}`].filter((line) => line !== '').join('\n');
}

/** Judges what was found, tells the dashboard (MX-035), and hands on what does not pass. */
function found(turn: VerificationTurn, item: WorkItem, findings: Findings, job?: Check): void {
  const verdict = verdictOf(item, findings);
  const { matches, remaining, open, visual, match } = verdict;
  turn.send(DELIVERY_DESKS.dashboard, { type: 'check.summary', task: item.id, matches, remaining, open, match });
  toTask(turn, item.id, { type: 'task.judged', verdict, ...roundOf(job) });
  const failed = findings.failures.length;
  if (remaining.length > 0 || (open.length === 0 && visual.length > 0)) {
    const facts = { failures: failed, unmet: remaining.length - failed, visual: visual.length, match: match.value };
    const load = { found: { ...findings, unmet: remaining.slice(failed) }, visual, ...roundOf(job) };
    offerHandoff(turn, { occasion: 'checked', from: 'verification', item, facts, load });
  } else if (open.length > 0) undecided(turn, item, verdict, job);
  else toTask(turn, item.id, { type: 'task.passed', ...roundOf(job) });
}

function roundOf(job: Check | undefined): { readonly round?: number } {
  // The job of an earlier version has no number.
  return job?.round === undefined ? {} : { round: job.round };
}

/** Asks for what the open criteria are shown by: the Answer Team where most are open, then the owner. */
function undecided(turn: VerificationTurn, item: WorkItem, verdict: Verdict, job?: Check): void {
  const { open, visual, match } = verdict;
  const isAsked = job === undefined || job.hint !== undefined || turn.find(ANSWERER) === undefined;
  if (isAsked || match.value >= VERIFICATION_GATE) {
    const told = job?.hint ? [`The Answer Team: ${job.hint}`] : [];
    const text = ['No test and no check shows this.', ...told, ...(job === undefined ? [] : [saidIn(job.report)])];
    return askAbout(turn, item, text.join('\n'), [...open, ...visual]);
  }
  const question = `Which test shows that "${open[0]!.slice(0, 200)}"?`;
  turn.assign({ asked: turn.context.asked.set(nameKey(item.id), { job, verdict }) });
  turn.raise({ type: 'hint.late', task: item.id }, { id: `hint ${item.id}`, delay: HINT_MS });
  turn.send(ANSWERER, {
    ...{ type: 'answers.ask', trigger: 'verification_low_confidence', asker: 'verification', askedBy: turn.self },
    ...{ key: `${item.id} ${open[0]!.slice(0, 100)}`, taskPriority: item.priority, maxWaitMs: 0 },
    bundle: { question, current_task_id: item.id, confidence_level: match.value, priority_level: item.priority },
  });
}

/** Milliseconds after which an answer of the Answer Team is not waited for any more: it answers within 60 s. */
const HINT_MS = 65_000;

/** T4: checks a task again with what the Answer Team has said, or asks its owner. */
function hinted(turn: VerificationTurn, task: string, answer: string | null): void {
  const waiting = turn.context.asked.get(nameKey(task)) as Undecided | undefined;
  if (waiting === undefined) return;
  forget(turn, task);
  const { job, verdict } = waiting;
  const { item } = job;
  const [criterion] = verdict.open;
  const test = /["'`“](.{1,200}?)["'`”]/.exec(answer ?? '')?.[1];
  const hint = answer?.slice(0, 300) ?? '';
  if (test === undefined || criterion === undefined) return undecided(turn, item, verdict, { ...job, hint });
  const proofs = [...(item.context.proofs ?? []), { criterion, test }];
  addJob(turn, { ...job, hint, item: { ...item, context: { ...item.context, proofs } } });
}

function forget(turn: VerificationTurn, task: string): void {
  turn.cancel(`hint ${task}`);
  turn.assign({ asked: turn.context.asked.delete(nameKey(task)) });
}
