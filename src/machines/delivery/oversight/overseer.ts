/**
 * The overseer (MX-016 to MX-019): judges counters of the organisation by their bounds, halts work that the
 * organisation would add by itself, and warns people, a few at a time. It restarts nothing: the Boss does, and the
 * overseer reads there that it has. Plans of people, fixes, pulls and checks go on under a halt.
 */
import { table, type Table } from '../../../table.ts';
import { notify } from '../../people/notice.ts';
import { onNotices, type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { ruledAgent, type Rules, type Turn } from '../../rules/turn.ts';
import { askOwner, hasChosen } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type TaskStands } from '../tasks/task-progress.ts';
import { ALERTS, BATCH_MAX, DAY_MS, gravest, judged, levelOf, SAME_AS } from './oversight-rules.ts';
import { type Measure, type OversightSettings, type Warning } from './oversight-rules.ts';

export interface OverseerContext {
  readonly settings: OversightSettings;
  readonly level: ReturnType<typeof levelOf>;
  /** Counters above their bounds. */
  readonly over: readonly Measure[];
  /** Tasks that wait or are ready. */
  readonly pending: number;
  /** Tasks of plans, and those that were found on the way, which are not over. */
  readonly planned: Table<true>;
  readonly found: Table<true>;
  readonly failedAtMs: readonly number[];
  /** The person who owns the last task that failed, or was held. */
  readonly owner: string | null;
  readonly escalated: Table<true>;
  /** The time of the last restart that it has seen. */
  readonly restartedAtMs: number;
  /** Generated tasks that the Planning Team holds. */
  readonly held: number;
  readonly conflicts: number;
  /** Tickets to open in the next cycles. */
  readonly decisions: readonly Question[];
  readonly warnings: readonly Warning[];
  /** Warnings that people have not been shown: of this cycle, and of all before. */
  readonly hidden: number;
  readonly suppressed: number;
}
type OverseerTurn = Turn<OverseerContext>;

/** Milliseconds of a cycle (MX-019), and after the last change of a task until the overseer looks once more. */
const CYCLE_MS = 2_000;
const LOOK_MS = 60_000;
/** Failed tasks of a day that are remembered. */
const FAILED_KEPT = 100;
/** Fewer planned tasks than these are no measure of what was found beside them. */
const PLANNED_MIN = 5;

const DROP_THEM = 'drop them';

const RULES = {
  'task.stands': noteTask,
  'oversight.look': look,
  'oversight.warned': (turn: OverseerTurn, warning: Warning) => {
    if (warning.kind === 'conflict') turn.assign({ conflicts: turn.context.conflicts + 1 });
    say(turn, warning);
  },
  'oversight.cycle': cycle,
  'generation.held': (turn: OverseerTurn, { count, owner }: { readonly count: number; readonly owner: string }) => {
    turn.assign({ held: turn.context.held + count, owner });
    approve(turn);
  },
  ...onNotices((turn: OverseerTurn, notice: TicketNotice) => {
    const { type, ticket, about } = notice;
    const { escalated } = turn.context;
    const key = nameKey(ticket);
    turn.assign({ escalated: type === 'ticket.escalated' ? escalated.set(key, true) : escalated.delete(key) });
    if (about === 'batch' && (type === 'ticket.resolved' || type === 'ticket.rejected'))
      release(turn, type === 'ticket.resolved' && !hasChosen(notice, DROP_THEM));
    look(turn);
  }),
} satisfies Rules<OverseerContext>;

function noteTask(turn: OverseerTurn, { item, status, because, isFound, pending }: TaskStands): void {
  const { id, kind, owner } = item;
  const of = isFound ? 'found' : 'planned';
  const rows = turn.context[of];
  turn.assign({ pending });
  if (kind !== 'fix')
    turn.assign({ [of]: status === 'verified' || status === 'failed' ? rows.delete(id) : rows.set(id, true) });
  if (status === 'failed' && because?.startsWith(SAME_AS) !== true)
    turn.assign({ failedAtMs: [...turn.context.failedAtMs, turn.nowMs].slice(-FAILED_KEPT), owner });
  lookAfter(turn, 'look', LOOK_MS);
  look(turn);
}

/** Judges the counters, and says what has changed. */
function look(turn: OverseerTurn): void {
  const { settings, over: before, level: was, pending, planned, found, escalated, owner } = turn.context;
  const failedAtMs = turn.context.failedAtMs.filter((atMs) => atMs > turn.nowMs - DAY_MS);
  const drift = found.size / Math.max(planned.size, PLANNED_MIN);
  const facts = { pending, drift, failed: failedAtMs.length, escalated: escalated.size };
  const all = judged(facts, settings);
  const over = all.flatMap(({ measure, isPassed }) => (isPassed ? [] : [measure]));
  turn.assign({ failedAtMs, over, level: levelOf(over, settings) });
  for (const { measure, isPassed, outcome: title, value, threshold, severity } of all)
    if (isPassed === before.includes(measure)) {
      const detail = `${value}, the bound is ${threshold}`;
      say(turn, { severity: isPassed ? 'info' : severity, about: 'oversight', kind: measure, title, detail });
      if (measure === 'failed' && !isPassed)
        decide(turn, { kind: 'investigation', owner, key: `failed ${turn.nowMs}`, title, text: `Why? ${detail}` });
    }
  const isHalted = turn.context.level === 'halted';
  if (isHalted !== (was === 'halted')) turn.send(DELIVERY_DESKS.planning, { type: 'generation.halted', isHalted });
  if (was === 'halted') approve(turn);
  lookForRestarts(turn);
  if (failedAtMs.length > 0) lookAfter(turn, 'day', failedAtMs[0]! + DAY_MS - turn.nowMs);
}

/** Opens a ticket about a restart since the last look. Bosses tell no actor of restarts: their states have the last. */
function lookForRestarts(turn: OverseerTurn): void {
  type Seen = { readonly context?: { readonly window?: readonly (number | readonly number[])[] } } | undefined;
  const seen = turn.find(DELIVERY_DESKS.delivery)?.getSnapshot() as Seen;
  const [atMs = 0] = [seen?.context?.window?.[0] ?? 0].flat();
  if (atMs <= turn.context.restartedAtMs) return;
  turn.assign({ restartedAtMs: atMs });
  const title = 'An agent of the delivery organisation was restarted';
  const text = 'Its Boss "delivery" has restarted it: `bosun tree` and the log say which one, and why.';
  decide(turn, { owner: null, key: `restarted ${atMs}`, title: `Incident: ${title}`, text });
  say(turn, { severity: 'error', about: 'oversight', kind: 'restart', title, detail: text });
}

/** Looks again after a while. */
function lookAfter(turn: OverseerTurn, id: string, delay: number): void {
  turn.cancel(id);
  turn.raise({ type: 'oversight.look' }, { id, delay });
}

function say(turn: OverseerTurn, warning: Warning): void {
  arm(turn);
  const { warnings, hidden } = turn.context;
  const shown = gravest([...warnings, warning]);
  turn.assign({ warnings: shown, hidden: hidden + warnings.length + 1 - shown.length });
}

function decide(turn: OverseerTurn, decision: Question): void {
  arm(turn);
  turn.assign({ decisions: [...turn.context.decisions, decision] });
}

/** Begins a cycle, unless one is under way. */
function arm(turn: OverseerTurn, { warnings, decisions } = turn.context): void {
  if (warnings.length + decisions.length === 0)
    turn.raise({ type: 'oversight.cycle' }, { id: 'cycle', delay: CYCLE_MS });
}

/** Shows the gravest warnings of a cycle, and opens so many tickets. */
function cycle(turn: OverseerTurn): void {
  const { settings, decisions, warnings, hidden, suppressed } = turn.context;
  const { decisionsMax = 5 } = settings;
  turn.assign({ warnings: [], hidden: 0, suppressed: suppressed + hidden, decisions: [] });
  for (const [at, { severity, about: subject, kind, title, ...told }] of warnings.entries()) {
    const detail = at === 0 && hidden > 0 ? `${told.detail}\n${hidden} more are not shown.` : told.detail;
    notify(turn, { subject, kind: `oversight.${kind}`, priority: ALERTS[severity], title, detail });
  }
  for (const decision of decisions.slice(0, decisionsMax)) ask(turn, decision);
  for (const decision of decisions.slice(decisionsMax)) decide(turn, decision);
}

/** A question of the overseer to the owner of what it is about; null: to anybody. */
type Question = Omit<Parameters<typeof askOwner>[2], 'about' | 'creator'> &
  Readonly<{ owner: string | null; about?: string }>;

function ask(turn: OverseerTurn, { owner, about = 'oversight', ...question }: Question): void {
  askOwner(turn, { id: null, owner, priority: 2 }, { ...question, about, creator: 'boss-ai' });
}

/** Decides about held work: few tasks, and those that fit when it is calm, are planned; else the owner is asked. */
function approve(turn: OverseerTurn): void {
  const { settings, held, level, pending, owner } = turn.context;
  if (held === 0 || level === 'halted') return;
  const [waiting] = judged({ pending: pending + held, drift: 0, failed: 0, escalated: 0 }, settings);
  if (held <= BATCH_MAX || (level === 'calm' && waiting!.isPassed)) return release(turn, true);
  const title = `May ${held} tasks be added that were found on the way?`;
  const text = `${pending} tasks wait already. Without a word they are kept, and not planned.`;
  const options = ['plan them', DROP_THEM];
  decide(turn, { owner, key: `batch ${turn.nowMs}`, about: 'batch', options, title, text });
}

function release(turn: OverseerTurn, isKept: boolean): void {
  turn.assign({ held: 0 });
  turn.send(DELIVERY_DESKS.planning, { type: 'generation.released', isKept });
}

/** The agent of the overseer. */
export const overseer = ruledAgent({
  name: 'overseer',
  rules: RULES,
  context: (settings: OversightSettings): OverseerContext => ({
    ...{ settings, level: 'calm', over: [], pending: 0, planned: table(), found: table(), failedAtMs: [], owner: null },
    ...{ escalated: table(), restartedAtMs: 0, held: 0, conflicts: 0, decisions: [], warnings: [] },
    ...{ hidden: 0, suppressed: 0 },
  }),
});
