/**
 * The overseer (MX-016 to MX-019): judges counters of the organisation by their bounds, halts work that the
 * organisation would add by itself, and warns people, a few at a time. It restarts nothing: the Boss does, and the
 * overseer reads there that it has. Plans of people, fixes, pulls and checks go on under a halt.
 */
import { table, type Table } from '../../../table.ts';
import { notify, settle } from '../../people/notice.ts';
import { onNotices, type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { ruledAgent, type Rules, type Turn } from '../../rules/turn.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type ResearchDone } from '../upkeep/researcher.ts';
import { askOwner, hasChosen } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { type TaskStands } from '../tasks/task-progress.ts';
import { ALERTS, BATCH_MAX, DAY_MS, gravest, judged, levelOf } from './oversight-rules.ts';
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
  /** Warnings of all cycles before that people have not been shown. */
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

/** The subject of warnings about the organisation as a whole. */
const ORGANISATION = 'oversight';

const RULES = {
  'task.stands': noteTask,
  'oversight.look': look,
  'oversight.warned': (turn: OverseerTurn, warning: Warning) => {
    turn.assign({ conflicts: turn.context.conflicts + Number(warning.kind === 'conflict') });
    say(turn, warning);
  },
  'oversight.cycle': cycle,
  'generation.held': (turn: OverseerTurn, { count, owner }: { readonly count: number; readonly owner: string }) => {
    turn.assign({ held: turn.context.held + count, owner });
    approve(turn);
  },
  'generation.withdrawn': (turn: OverseerTurn, { count }: { readonly count: number }) =>
    turn.assign({ held: Math.max(0, turn.context.held - count) }),
  // A task that fails again and again is researched, and the ticket about it has what was found.
  'loop.failed': (turn: OverseerTurn, { ticket: about, question }: Readonly<Record<'ticket' | 'question', string>>) =>
    turn.send(DELIVERY_DESKS.researcher, {
      ...{ type: 'research.request', question, options: null, scopes: null, source: 'boss_auto', about },
      askedBy: turn.self,
    }),
  'research.done': (turn: OverseerTurn, { about: ticket, summary, sources }: ResearchDone) => {
    const places = sources.slice(0, 5).map(({ source }) => source.file);
    const text = `Found outside: ${summary}\nSources: ${places.join(', ')}`.slice(0, 1_200).toWellFormed();
    const reply = { type: 'tickets.reply', ticket, by: 'researcher', author: 'agent', text };
    if (summary !== null) turn.send(PEOPLE_DESKS.tickets, reply);
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

function noteTask(turn: OverseerTurn, { item, status, isFound, isWithdrawn, pending }: TaskStands): void {
  const { id, kind, owner } = item;
  const of = isFound ? 'found' : 'planned';
  const { [of]: rows, failedAtMs } = turn.context;
  turn.assign({ pending });
  if (kind !== 'fix')
    turn.assign({ [of]: status === 'verified' || status === 'failed' ? rows.delete(id) : rows.set(id, true) });
  if (status === 'failed' && !isWithdrawn)
    turn.assign({ failedAtMs: [...failedAtMs, turn.nowMs].slice(-FAILED_KEPT), owner });
  lookAfter(turn, 'look', LOOK_MS);
  look(turn);
}

/** Judges the counters, and says what has changed. */
function look(turn: OverseerTurn): void {
  const { settings, over: before, level: was, pending, planned, found, escalated, owner } = turn.context;
  const failedAtMs = turn.context.failedAtMs.filter((atMs) => atMs > turn.nowMs - DAY_MS);
  const drift = found.size / Math.max(planned.size, PLANNED_MIN);
  const all = judged({ pending, drift, failed: failedAtMs.length, escalated: escalated.size }, settings);
  const over = all.flatMap(({ measure, isPassed }) => (isPassed ? [] : [measure]));
  const level = levelOf(over, settings);
  turn.assign({ failedAtMs, over, level });
  for (const { measure: kind, isPassed, title, value, bound, severity } of all) {
    if (isPassed !== before.includes(kind)) continue;
    const detail = `${value}, the bound is ${bound}`;
    if (isPassed) {
      unsay(turn, kind, detail);
      continue;
    }
    say(turn, { severity, kind, title, detail });
    if (kind === 'failed')
      decide(turn, { kind: 'investigation', owner, key: `failed ${turn.nowMs}`, title, text: `Why? ${detail}` });
  }
  const isHalted = level === 'halted';
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
  const detail = 'Its Boss "delivery" has restarted it: `bosun tree` and the log say which one, and why.';
  decide(turn, { owner: null, key: `restarted ${atMs}`, title: `Incident: ${title}`, text: detail });
  say(turn, { severity: 'error', kind: 'restart', title, detail });
}

/** Looks again after a while. */
function lookAfter(turn: OverseerTurn, id: string, delay: number): void {
  turn.cancel(id);
  turn.raise({ type: 'oversight.look' }, { id, delay });
}

/** Warns people at the end of the cycle; without a subject, of the organisation. */
function say(turn: OverseerTurn, warning: Omit<Warning, 'about'> & Partial<Warning>): void {
  arm(turn);
  turn.assign({ warnings: [...turn.context.warnings, { about: ORGANISATION, ...warning }] });
}

/** Takes back a warning of the organisation whose cause is gone, shown or not. */
function unsay(turn: OverseerTurn, kind: string, because: string): void {
  const isOther = (warning: Warning) => warning.about !== ORGANISATION || warning.kind !== kind;
  turn.assign({ warnings: turn.context.warnings.filter(isOther) });
  settle(turn, { subject: ORGANISATION, kinds: [`oversight.${kind}`], because });
}

/** A question of the overseer to the owner of what it is about; null: to anybody. */
type Question = Omit<Parameters<typeof askOwner>[2], 'about'> & Readonly<{ owner: string | null; about?: string }>;

function decide(turn: OverseerTurn, decision: Question): void {
  arm(turn);
  turn.assign({ decisions: [...turn.context.decisions, decision] });
}

/** Begins a cycle, unless one is under way. */
function arm(turn: OverseerTurn): void {
  if (turn.context.warnings.length + turn.context.decisions.length === 0)
    turn.raise({ type: 'oversight.cycle' }, { id: 'cycle', delay: CYCLE_MS });
}

/** Shows the gravest warnings of a cycle, and opens so many tickets. */
function cycle(turn: OverseerTurn): void {
  const { settings, decisions, warnings, suppressed } = turn.context;
  const { decisionsMax = 5 } = settings;
  const shown = gravest(warnings);
  const hidden = warnings.length - shown.length;
  turn.assign({ warnings: [], suppressed: suppressed + hidden, decisions: [] });
  for (const [at, { severity, about: subject, kind, title, ...said }] of shown.entries()) {
    const detail = at === 0 && hidden > 0 ? `${said.detail}\n${hidden} more are not shown.` : said.detail;
    notify(turn, { subject, kind: `oversight.${kind}`, priority: ALERTS[severity], title, detail });
  }
  for (const { owner, ...question } of decisions.slice(0, decisionsMax))
    askOwner(turn, { id: null, owner, priority: 2 }, { about: 'oversight', creator: 'boss-ai', ...question });
  for (const decision of decisions.slice(decisionsMax)) decide(turn, decision);
}

/** Decides about held work: few tasks, and those that fit when it is calm, are planned; else the owner is asked. */
function approve(turn: OverseerTurn): void {
  const { settings, held, level, pending, owner } = turn.context;
  if (held === 0 || level === 'halted') return;
  const fits = judged({ pending: pending + held }, settings).every(({ isPassed }) => isPassed);
  if (held <= BATCH_MAX || (level === 'calm' && fits)) return release(turn, true);
  const title = `May ${held} tasks be added that were found on the way?`;
  const text = `${pending} tasks wait already. Without a word they are kept, and not planned.`;
  decide(turn, { owner, key: `batch ${turn.nowMs}`, about: 'batch', options: ['plan them', DROP_THEM], title, text });
}

function release(turn: OverseerTurn, isKept: boolean): void {
  turn.assign({ held: 0 });
  turn.send(DELIVERY_DESKS.planning, { type: 'generation.released', isKept });
}

/** The agent of the overseer. */
export const overseer = ruledAgent({
  name: 'overseer',
  // The first version had nothing researched.
  ...{ version: 2, migrate: { 2: (old: OverseerContext) => old } },
  rules: RULES,
  context: (settings: OversightSettings): OverseerContext => ({
    ...{ settings, level: 'calm', over: [], pending: 0, planned: table(), found: table(), failedAtMs: [], owner: null },
    ...{ escalated: table(), restartedAtMs: 0, held: 0, conflicts: 0, decisions: [], warnings: [], suppressed: 0 },
  }),
});
