/** What `bosun run` tells: JSON lines for machines, a live picture or plain lines for people. Formatting only. */
import {
  type CoordinatorContext,
  itemIn,
  itemsIn,
  resultsOf,
} from '../machines/coordination/coordinator/coordinator-context.ts';
import { itemOf } from '../machines/work/task.ts';
import { planIndexOf } from '../machines/coordination/plan/plan-index.ts';
import { isAtGate, type ItemProgress } from '../machines/coordination/coordinator/progress.ts';
import { DESK_SENTENCES, deskSentence } from './desk-sentences.ts';
import { logTo, type Output } from './surroundings.ts';

/** An event as an actor emitted it. */
export interface Told {
  readonly type: string;
  readonly task?: string;
  readonly item?: string;
  readonly effectId?: string;
  readonly attempt?: number;
  readonly error?: string;
  readonly reason?: string;
  readonly [fact: string]: unknown;
}

export interface Reporter {
  /** An event that is durable. */
  told(event: Told): void;
  /** The coordinator's state changed. */
  progress(context: CoordinatorContext): void;
  /** Something for a person. */
  talk(text: string): void;
  /** The last object of a run, for machines. */
  line(object: object): void;
  /** What came of the plan, for a person. */
  result(lines: readonly string[]): void;
  log(...args: unknown[]): void;
  /** Ends a live picture. */
  close(): void;
}

/** Words that a line begins with, by type of event. */
const WORDS: Readonly<Record<string, string>> = {
  'task.started': 'started',
  'task.completed': 'completed',
  'task.failed': 'failed',
  'task.overdue': 'overdue',
  'item.paused': 'paused',
  'item.resumed': 'resumed',
  'item.failed': 'gave up',
  'item.expired': 'expired',
};

/** Types of events that whoever follows a plan is told of. */
export const TOLD = new Set([...Object.keys(WORDS), ...Object.keys(DESK_SENTENCES)]);

/** One JSON object a line on `out`, nothing else. */
export function jsonReporter(out: Output, err: Output): Reporter {
  const write = (object: object) => out.write(`${JSON.stringify(object)}\n`);
  // A pause names the failure that led to it; the coordinator knows the task, its lines know effect and attempt.
  const failures = new Map<string, Told>();
  return {
    told(event) {
      if (!TOLD.has(event.type)) return;
      if (event.type === 'task.failed') failures.set(event.task!, event);
      const cause = event.type === 'item.paused' ? failures.get(event.task ?? '') : undefined;
      write(
        event.type === 'item.paused'
          ? { ...event, effectId: cause?.effectId ?? null, attempt: cause?.attempt ?? null }
          : event,
      );
    },
    progress() {},
    talk: (text) => err.write(`${text}\n`),
    line: write,
    result() {},
    log: logTo(err),
    close() {},
  };
}

/** Plain lines, for a pipe or a log file. */
export function plainReporter(out: Output, err: Output): Reporter {
  const say = (text: string) => err.write(`${text}\n`);
  return {
    told: (event) => void (TOLD.has(event.type) && say(sentence(event))),
    progress() {},
    talk: say,
    line() {},
    result: (lines) => out.write(`${lines.join('\n')}\n`),
    log: logTo(err),
    close() {},
  };
}

/** A picture that is drawn over itself: a bar per item, who works on what, what is paused and why. */
export function terminalReporter(out: Output, terminal: Output, colour: boolean): Reporter {
  let drawn = 0;
  const attempts = new Map<string, number>();
  const clear = () => {
    if (drawn > 0) terminal.write(`\u001b[${drawn}A\u001b[J`);
    drawn = 0;
  };
  const aside = (text: string) => {
    clear();
    terminal.write(`${text}\n`);
  };
  return {
    told(event) {
      if (event.type === 'task.started') attempts.set(event.task!, event.attempt ?? 1);
      if (event.type === 'task.failed' || event.type in DESK_SENTENCES) aside(sentence(event));
    },
    progress(context) {
      // A terminal that does not know its width says 0.
      const lines = picture(context, { attempts, width: terminal.columns || 80, colour });
      clear();
      terminal.write(`${lines.join('\n')}\n`);
      drawn = lines.length;
    },
    talk: (text) => terminal.write(`${text}\n`),
    line() {},
    result: (lines) => out.write(`${lines.join('\n')}\n`),
    log: (...args) => aside(args.map(String).join(' ')),
    close() {
      drawn = 0;
    },
  };
}

/** Reasons come from whatever was thrown. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

function sentence(told: Told): string {
  const { type, task, item, attempt, error, reason } = told;
  const word = WORDS[type];
  if (word === undefined) return deskSentence(told);
  const subject = type.startsWith('task.') ? task : item;
  const again = attempt !== undefined && attempt > 1 ? ` (attempt ${attempt})` : '';
  const why = error ?? reason;
  return `${word.padEnd(10)} ${subject}${again}${why === undefined ? '' : `: ${oneLine(why)}`}`;
}

interface PictureOptions {
  readonly attempts: ReadonlyMap<string, number>;
  readonly width: number;
  readonly colour: boolean;
}

const BAR_CHARS = 20;
/** Items shown at once; a picture longer than the screen cannot be drawn over. */
const ITEMS_MAX = 30;

function picture(context: CoordinatorContext, { attempts, width, colour }: PictureOptions): string[] {
  const totals = new Map<string, number>();
  for (const task of context.plan.tasks) totals.set(itemOf(task), (totals.get(itemOf(task)) ?? 0) + 1);
  const items = [...itemsIn(context)];
  const open = items.filter(([name, { done }]) => done.length < totals.get(name)!);
  const shown = (items.length <= ITEMS_MAX ? items : open).slice(0, ITEMS_MAX);
  const nameWidth = Math.min(30, Math.max(...shown.map(([name]) => name.length), 4));
  // A line that the terminal wraps would not be drawn over.
  const room = width - nameWidth - BAR_CHARS - 2;
  const lines = shown.map(([name, progress]) => {
    const total = totals.get(name)!;
    const facts = `${progress.done.length}/${total}  ${activity(progress, attempts)}`.trimEnd();
    return `${cut(name, nameWidth).padEnd(nameWidth)} ${barOf(progress, total, colour)} ${cut(facts, room)}`;
  });
  const done = items.reduce((sum, [, item]) => sum + item.done.length, 0);
  const hidden = items.length - shown.length;
  const summary =
    `${context.plan.name}: ${done} of ${context.plan.tasks.length} tasks ` +
    `done${hidden > 0 ? `, ${hidden} more items` : ''}`;
  return [...lines, cut(summary, width)];
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, Math.max(0, chars - 1))}…`;
}

function barOf({ done, running, phase }: ItemProgress, total: number, colour: boolean): string {
  const full = Math.floor((done.length / total) * BAR_CHARS);
  const busy = Math.min(BAR_CHARS - full, Math.ceil((running.length / total) * BAR_CHARS));
  const text = `${'█'.repeat(full)}${'▒'.repeat(busy)}${'·'.repeat(BAR_CHARS - full - busy)}`;
  if (!colour) return text;
  const code = phase === 'running' ? (done.length === total ? 32 : 36) : 33;
  return `\u001b[${code}m${text}\u001b[0m`;
}

function activity({ running, phase, reason }: ItemProgress, attempts: ReadonlyMap<string, number>): string {
  const work = running.map((task) => {
    const attempt = attempts.get(task) ?? 1;
    const name = task.slice(task.lastIndexOf('/') + 1);
    return attempt > 1 ? `${name} (attempt ${attempt})` : name;
  });
  if (phase !== 'running')
    return `${phase}: ${oneLine(reason ?? '')}${work.length > 0 ? ` (ends first: ${work.join(', ')})` : ''}`;
  return work.join(', ');
}

/** The closing object of a run. */
export function planLine(outcome: 'completed' | 'paused' | 'failed', context: CoordinatorContext): object {
  const items = [...itemsIn(context)].map(([item, { phase, done, reason, failed }]) => ({
    item,
    status: phase === 'running' ? 'completed' : phase,
    done: done.length,
    ...(reason === null ? {} : { reason, failed }),
  }));
  const unfinished = ({ item, status }: { item: string; status: string }) =>
    outcome !== 'completed' &&
    status === 'completed' &&
    (!isComplete(context, item) || isAtGate(itemIn(context, item)));
  return {
    type: `plan.${outcome}`,
    plan: context.plan.name,
    tasks: context.plan.tasks.length,
    done: items.reduce((sum, { done }) => sum + done, 0),
    items: items.map((item) => (unfinished(item) ? { ...item, status: 'waiting' } : item)),
    files: filesOf(context),
  };
}

/** What came of each item, for a person. */
export function resultLines(context: CoordinatorContext): string[] {
  const items = [...itemsIn(context)].map(([item, progress]) => {
    const { phase, reason } = progress;
    if (phase !== 'running') return `${item}: ${phase} (${oneLine(reason ?? '')})`;
    if (isAtGate(progress)) return `${item}: waits for people to decide`;
    return `${item}: ${isComplete(context, item) ? 'completed' : 'waits for others'}`;
  });
  const files = filesOf(context);
  return [
    `${context.plan.name}`,
    ...items.map((line) => `  ${line}`),
    ...(files.length > 0 ? ['files written:', ...files.map((file) => `  ${file}`)] : []),
  ];
}

function isComplete(context: CoordinatorContext, item: string): boolean {
  return itemIn(context, item).done.length === planIndexOf(context.plan).byItem.get(item)!.length;
}

/** Paths under `files: [{ path }]` in the outputs of tasks: the convention by which agents say what they wrote. */
export function filesOf(context: CoordinatorContext): string[] {
  return [...itemsIn(context).keys()].flatMap((item) =>
    Object.values(resultsOf(context, item)).flatMap((output) => {
      const files = (output as { files?: unknown } | null)?.files;
      return Array.isArray(files)
        ? files.flatMap((file: { path?: unknown }) => (typeof file?.path === 'string' ? [file.path] : []))
        : [];
    }),
  );
}
