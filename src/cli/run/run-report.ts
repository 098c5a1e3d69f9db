/** The output of `bosun run`: JSON lines for programs, a live display or plain lines for people. Formatting only. */
import {
  type CoordinatorContext,
  itemsIn,
  resultsOf,
} from '../../machines/coordination/coordinator/coordinator-context.ts';
import { itemOf } from '../../machines/work/task.ts';
import { planIndexOf } from '../../machines/coordination/plan/plan-index.ts';
import {
  type ItemProgress,
  isAtGate,
  openGatesOf,
  questionsOf,
  toldPhase,
  type ToldPhase,
} from '../../machines/coordination/coordinator/progress.ts';
import { type ErrorCode } from '../../error-codes.ts';
import { DESK_SENTENCES, deskSentence } from '../desks/desk-sentences.ts';
import { writeError } from '../exit-codes.ts';
import { plainLine } from '../../plain-text.ts';
import { logTo, type Output } from '../surroundings.ts';
import { control, painted } from '../terminal.ts';

/** An event as emitted by an actor. */
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
  /** Reports a durable event, which is one of TOLD. */
  told(event: Told): void;
  /** Reports a change of the coordinator's state. */
  progress(context: CoordinatorContext): void;
  /** Prints a message for people. */
  talk(text: string): void;
  /** Prints the error that ended the run. */
  error(code: ErrorCode, message: string): void;
  /** Prints the last object of a run, for programs. */
  line(object: object): void;
  /** Prints the outcome of the plan, for people. */
  result(lines: readonly string[]): void;
  log(...args: unknown[]): void;
  /** Ends a live display. */
  close(): void;
}

/** First words of a line, by event type. */
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

/** Event types that are reported to users who follow a plan. */
export const TOLD = new Set([...Object.keys(WORDS), ...Object.keys(DESK_SENTENCES)]);

/** Prints one JSON object per line on `out`, and nothing else. */
export function jsonReporter(out: Output, err: Output): Reporter {
  const write = (object: object) => out.write(`${JSON.stringify(object)}\n`);
  // A pause names the failure that led to it: the coordinator knows the task, the task's lines have effect and attempt.
  const failures = new Map<string, Told>();
  return {
    told(event) {
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
    error: (code, message) => writeError({ err, json: true }, code, message),
    line: write,
    result() {},
    log: logTo(err),
    close() {},
  };
}

/** Prints plain lines, for a pipe or a log file. */
export function plainReporter(out: Output, err: Output): Reporter {
  const say = (text: string) => err.write(`${text}\n`);
  return {
    told: (event) => say(sentence(event)),
    progress() {},
    talk: say,
    error: (_, message) => say(message),
    line() {},
    result: (lines) => out.write(`${lines.join('\n')}\n`),
    log: logTo(err),
    close() {},
  };
}

/**
 * Prints a live display that is redrawn in place: a bar per item, the work in progress, and pauses with their reasons.
 */
export function terminalReporter(out: Output, terminal: Output, colour: boolean): Reporter {
  let drawn = 0;
  const attempts = new Map<string, number>();
  const clear = () => {
    if (drawn > 0) terminal.write(`${control(`[${drawn}A`)}${control('[J')}`);
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
      // A terminal of unknown width reports 0.
      const lines = picture(context, { attempts, width: terminal.columns || 80, colour });
      clear();
      terminal.write(`${lines.join('\n')}\n`);
      drawn = lines.length;
    },
    talk: (text) => terminal.write(`${text}\n`),
    error: (_, message) => terminal.write(`${message}\n`),
    line() {},
    result: (lines) => out.write(`${lines.join('\n')}\n`),
    log: (...args) => aside(plainLine(args.map(String).join(' '))),
    close() {
      drawn = 0;
    },
  };
}

function sentence(told: Told): string {
  return plainLine(sentenceOf(told));
}

function sentenceOf(told: Told): string {
  const { type, task, item, attempt, error, reason } = told;
  const word = WORDS[type];
  if (word === undefined) return deskSentence(told);
  const subject = type.startsWith('task.') ? task : item;
  const again = attempt !== undefined && attempt > 1 ? ` (attempt ${attempt})` : '';
  const why = error ?? reason;
  return `${word.padEnd(10)} ${subject}${again}${why === undefined ? '' : `: ${why}`}`;
}

interface PictureOptions {
  readonly attempts: ReadonlyMap<string, number>;
  readonly width: number;
  readonly colour: boolean;
}

const BAR_CHARS = 20;
/** Items shown at once; a display longer than the screen cannot be redrawn in place. */
const ITEMS_MAX = 30;

function picture(context: CoordinatorContext, { attempts, width, colour }: PictureOptions): string[] {
  const totals = new Map<string, number>();
  for (const task of context.plan.tasks) totals.set(itemOf(task), (totals.get(itemOf(task)) ?? 0) + 1);
  const items = [...itemsIn(context)];
  const open = items.filter(([name, item]) => toldPhase(item, totals.get(name)!) !== 'completed');
  const shown = (items.length <= ITEMS_MAX ? items : open).slice(0, ITEMS_MAX);
  const nameWidth = Math.min(30, Math.max(...shown.map(([name]) => name.length), 4));
  // A line wrapped by the terminal could not be redrawn in place.
  const room = width - nameWidth - BAR_CHARS - 2;
  const lines = shown.map(([name, progress]) => {
    const total = totals.get(name)!;
    const facts = `${progress.done.length}/${total}  ${activity(progress, attempts)}`.trimEnd();
    const label = cut(plainLine(name), nameWidth).padEnd(nameWidth);
    return `${label} ${barOf(progress, total, colour)} ${cut(plainLine(facts), room)}`;
  });
  const done = items.reduce((sum, [, item]) => sum + item.done.length, 0);
  const hidden = items.length - shown.length;
  const asked = items.reduce((sum, [, item]) => sum + questionsOf(item).length, 0);
  const summary =
    `${context.plan.name}: ${done} of ${context.plan.tasks.length} tasks done` +
    `${asked > 0 ? `, ${asked} ${asked === 1 ? 'question' : 'questions'} to people` : ''}` +
    `${hidden > 0 ? `, ${hidden} more items` : ''}`;
  return [...lines, cut(plainLine(summary), width)];
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, Math.max(0, chars - 1))}…`;
}

function barOf(progress: ItemProgress, total: number, colour: boolean): string {
  const { done, running } = progress;
  const full = Math.floor((done.length / total) * BAR_CHARS);
  const busy = Math.min(BAR_CHARS - full, Math.ceil((running.length / total) * BAR_CHARS));
  const text = `${'█'.repeat(full)}${'▒'.repeat(busy)}${'·'.repeat(BAR_CHARS - full - busy)}`;
  if (!colour) return text;
  return painted(text, COLOURS[toldPhase(progress, total)]);
}

/** Colours by phase: green is done, cyan in progress, yellow paused, red ended. */
const COLOURS: Readonly<Record<ToldPhase, number>> = {
  completed: 32,
  running: 36,
  waitingForHuman: 33,
  pausing: 33,
  paused: 33,
  failed: 31,
  expired: 31,
};

function activity(progress: ItemProgress, attempts: ReadonlyMap<string, number>): string {
  const { running, phase, reason } = progress;
  const work = running.map((task) => {
    const attempt = attempts.get(task) ?? 1;
    const name = task.slice(task.lastIndexOf('/') + 1);
    return attempt > 1 ? `${name} (attempt ${attempt})` : name;
  });
  const endsFirst = work.length > 0 ? ` (ends first: ${work.join(', ')})` : '';
  if (phase !== 'running') return `${phase}: ${reason ?? ''}${endsFirst}`;
  const asks = questionsOf(progress);
  if (asks.length === 0) return work.join(', ');
  // A task that asks is under way itself; only a gate waits for the others.
  return `waits for people: ${asks.join(', ')}${isAtGate(progress) ? endsFirst : ''}`;
}

/** The closing object of a run. */
export function planLine(outcome: 'completed' | 'paused' | 'failed', context: CoordinatorContext): object {
  const items = [...itemsIn(context)].map(([item, progress]) => {
    const { done, reason, failed } = progress;
    const phase = toldPhase(progress, tasksIn(context, item));
    const gates = openGatesOf(progress);
    const tickets = Object.keys(progress.tickets ?? {});
    return {
      item,
      // Nothing runs any more: an item that has not ended waits for others.
      status: phase === 'running' ? 'waiting' : phase,
      done: done.length,
      ...(gates.length > 0 && { gates }),
      ...(tickets.length > 0 && { tickets }),
      ...(reason === null ? {} : { reason, failed }),
    };
  });
  return {
    type: `plan.${outcome}`,
    plan: context.plan.name,
    tasks: context.plan.tasks.length,
    done: items.reduce((sum, { done }) => sum + done, 0),
    items,
    files: filesOf(context),
  };
}

/** The outcome of each item, for people. */
export function resultLines(context: CoordinatorContext): string[] {
  const items = [...itemsIn(context)].map(([item, progress]) => {
    const phase = toldPhase(progress, tasksIn(context, item));
    if (phase === 'completed') return `${item}: completed`;
    if (phase === 'running') return `${item}: waits for other items`;
    if (phase === 'waitingForHuman') return `${item}: waits for people (${questionsOf(progress).join(', ')})`;
    return `${item}: ${phase} (${progress.reason ?? ''})`;
  });
  const files = filesOf(context);
  return [
    plainLine(context.plan.name),
    ...items.map((line) => `  ${plainLine(line)}`),
    ...(files.length > 0 ? ['files written:', ...files.map((file) => `  ${plainLine(file)}`)] : []),
  ];
}

function tasksIn({ plan }: CoordinatorContext, item: string): number {
  return planIndexOf(plan).byItem.get(item)!.length;
}

/**
 * Paths under `files: [{ path }]` in the outputs of tasks, the convention by which agents name the files they wrote.
 */
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
