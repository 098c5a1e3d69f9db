/**
 * What the Lead Coordinator decides about debates (CA-124, CA-134): work goes on with the value that holds for now, and
 * what rests on it is flagged; where people override it, what has used it runs again, in the order that the debate
 * gives, and so does what is behind it. Pure: it reads and writes through the ledger.
 */
import { type EventOf } from './coordinator-events.ts';
import {
  decidedDebate,
  deferredDebate,
  provisionalDebate,
  type Rerun,
  tasksNamed,
  withDebate,
  withoutDebate,
} from './item-debates.ts';
import { type ItemDebate } from '../../work/agent-function.ts';
import { createResumePlan } from '../pauses/resume-plan.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { isLost } from './progress.ts';

export function debateProvisional(ledger: PlanLedger, event: EventOf<'debate.provisional'>): void {
  const { item, provisional } = event;
  const flagged = tasksNamed(ledger.plan, item, provisional.dependents);
  remember(ledger, item, flagged, (own) => provisionalDebate(event, own));
  const { debate, topic, position } = provisional;
  ledger.emitted.push({ type: 'debate.provisional', debate, item, topic, statement: position.statement, flagged });
}

/** There is no value to go on with: the work goes on with what it has. */
export function debateDeferred(ledger: PlanLedger, event: EventOf<'debate.deferred'>): void {
  const { item, debate, untilMs } = event;
  remember(ledger, item, [], () => deferredDebate(event));
  ledger.emitted.push({ type: 'debate.deferred', debate, item, untilMs });
}

export function debateResolved(ledger: PlanLedger, { resolution }: EventOf<'debate.resolved'>): void {
  const { debate, item, outcome, position, by, impact, again } = resolution;
  if (again !== null) return heldAgain(ledger, item, { debate, next: again.id });
  const dependents = impact?.flagged ?? resolution.provisional?.dependents ?? [];
  const flagged = tasksNamed(ledger.plan, item, dependents);
  remember(ledger, item, flagged, (own) => decidedDebate(resolution, own));
  const rerun = tasksNamed(ledger.plan, item, impact?.rerun.map(({ id }) => id) ?? []);
  const isSerial = impact?.mode !== 'parallel';
  for (const [name, tasks] of byItem(ledger, rerun)) runAgain(ledger, name, { tasks, isSerial });
  const statement = position?.statement ?? null;
  ledger.emitted.push({ type: 'debate.decided', debate, item, outcome, statement, by, rerun });
}

/** Its value holds until the debate that follows has ended. */
function heldAgain(
  ledger: PlanLedger,
  item: string | null,
  { debate, next }: { readonly debate: string; readonly next: string },
): void {
  for (const name of ledger.itemsOfDebate(debate)) {
    const { debates } = ledger.item(name);
    const known = debates?.[debate];
    if (known !== undefined)
      ledger.change(name, { debates: withDebate(withoutDebate(debates, debate), { ...known, debate: next }) });
  }
  const nothing = { statement: null, by: null, rerun: [] };
  ledger.emitted.push({ type: 'debate.decided', debate, item, outcome: 'redebate', ...nothing });
}

/** Beside the item that it is about, and beside each item that has a task that rests on it. */
function remember(
  ledger: PlanLedger,
  item: string | null,
  flagged: readonly string[],
  of: (own: readonly string[]) => ItemDebate,
): void {
  const tasks = new Map(byItem(ledger, flagged));
  if (item !== null && ledger.has(item) && !tasks.has(item)) tasks.set(item, []);
  for (const [name, own] of tasks) ledger.change(name, { debates: withDebate(ledger.item(name).debates, of(own)) });
}

function byItem(
  ledger: PlanLedger,
  tasks: readonly string[],
): readonly (readonly [item: string, tasks: readonly string[]])[] {
  const items = new Map<string, string[]>();
  for (const id of tasks) {
    const name = itemOf(ledger.task(id)!); // named by tasksNamed
    items.set(name, [...(items.get(name) ?? []), id]);
  }
  return [...items];
}

/** Of one item: all of them at once, or the first now and the others as each is done. */
function runAgain(
  ledger: PlanLedger,
  item: string,
  { tasks, isSerial }: { readonly tasks: readonly string[]; readonly isSerial: boolean },
): void {
  if (isLost(ledger.item(item))) return;
  const { rerun } = ledger.item(item);
  const waiting = [...(rerun === undefined || rerun === null ? [] : rerun.next), ...tasks];
  if (!isSerial || ledger.task(tasks[0]!)!.stage === null) return reopen(ledger, tasks);
  if (rerun !== undefined && rerun !== null)
    return ledger.change(item, { rerun: { ...rerun, next: [...new Set(waiting)] } });
  nextAgain(ledger, item, tasks);
}

/** A task that was run again is done: the one behind it is next. */
export function rerunGoesOn(ledger: PlanLedger, item: string, task: string): void {
  const { rerun } = ledger.item(item);
  if (rerun?.current === task) nextAgain(ledger, item, rerun.next);
}

function nextAgain(ledger: PlanLedger, item: string, [current, ...next]: readonly string[]): void {
  const rerun: Rerun | null = current === undefined ? null : { current, next };
  ledger.change(item, { rerun });
  if (current !== undefined) reopen(ledger, [current]);
}

/**
 * By the resume plan: these tasks and all behind them are to be done anew, the rest stands. What runs with the old
 * value ends first, and its result does not count: a word of it may be on its way already, and must not be taken for
 * that of the next start.
 */
function reopen(ledger: PlanLedger, tasks: readonly string[]): void {
  const [first] = tasks.map((id) => ledger.task(id)!);
  const item = first!.stage === null ? null : itemOf(first!);
  const own = item === null ? [...ledger.items()] : [[item, ledger.item(item)] as const];
  const completed = own.flatMap(([, { done }]) => done);
  const running = own.flatMap((entry) => entry[1].running);
  const { restart } = createResumePlan(ledger.plan, item, tasks, { completed, running });
  const again = new Set([...restart, ...tasks]);
  for (const [name, progress] of own) {
    if (isLost(progress)) continue;
    if (progress.done.some((id) => again.has(id)))
      ledger.keepDone(
        name,
        progress.done.filter((id) => !again.has(id)),
      );
    const stale = progress.running.filter((id) => again.has(id));
    if (stale.length > 0) ledger.change(name, { stale: [...new Set([...(progress.stale ?? []), ...stale])] });
  }
}
