/**
 * The Lead Coordinator's decisions about debates (CA-124, CA-134). Work continues with the provisional value, and its
 * dependents are flagged. If people override the value, the tasks that used it run again in the order that the debate
 * gives, and so do their dependents. Pure: it reads and writes through the ledger.
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
import { takeBack } from './gate-decisions.ts';
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

/** Records a debate that has no value yet; work continues without one. */
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

/** Carries the value of a debate over to the debate that follows it, until that one has ended. */
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

/** Records a debate with the item that it concerns, and with every item that has a flagged task. */
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

/** Runs tasks of one item again: all at once, or one after the other. */
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

/** Starts the next task of a serial rerun after one is done. */
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
 * Marks tasks to be done again, with all of their dependents according to the resume plan; other results stay. If such
 * a task is running, it still works with the old value. It runs to its end, but its result does not count: its report
 * may be under way already and must not be taken for the report of its next start.
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
    for (const { id, gate } of ledger.tasksOf(name))
      if (gate !== undefined && again.has(id)) takeBack(ledger, name, gate);
    const stale = progress.running.filter((id) => again.has(id));
    if (stale.length > 0) ledger.change(name, { stale: [...new Set([...(progress.stale ?? []), ...stale])] });
  }
}
