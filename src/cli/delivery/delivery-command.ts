/** `bosun tasks` and `bosun org`: hands in plans, reads and changes tasks, and shows who hands work to whom. */
import { resolve } from 'node:path';
import { type z } from 'zod';
import { type deliveryProcedures } from '../../crew-delivery.ts';
import { PROBLEMS_MAX } from '../../machines/coordination/plan/plan.ts';
import { keyOf, planDocument, type PlannedTask, tasksOf } from '../../machines/delivery/plans/plan-document.ts';
import { type list } from '../../machines/delivery/tasks/task-orders.ts';
import { type Metrics } from '../../machines/delivery/tasks/task-figures.ts';
import { type TaskContext } from '../../machines/delivery/tasks/task-state.ts';
import { type PlanReply } from '../../machines/delivery/teams/planning-work.ts';
import { DESKS } from '../../machines/desks.ts';
import { BosunError } from '../../errors.ts';
import { plainLine } from '../../plain-text.ts';
import { called, ordered, withDesk } from '../answers/answer-calls.ts';
import { liveView, notThere, refusedOrder } from '../desks/desk-view.ts';
import { carriedOut, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-lines.ts';
import { timeText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';
import { type Options } from '../verb.ts';
import { factsText, tableText } from '../table.ts';
import { explain, type Problem, problemOf, readYaml } from '../files/yaml-source.ts';

type TaskPage = ReturnType<typeof list>;
type Task = TaskPage['tasks'][number];
type Org = z.output<(typeof deliveryProcedures)['org.show']['result']>;
type Log = z.output<(typeof deliveryProcedures)['org.handoffs']['result']>;

/** The options of these verbs. */
export type Given = Options & { by: string; verb: string; note?: string; minutes?: number } & Drain;
type Drain = { drained?: true; resume?: true };

/** Carries out a verb about a task, a file, a team or a number. */
type Carries = (command: DataCommand, options: Given, about: string) => Promise<ExitCode>;

/** Prints tasks in the order of their numbers, and one line of counts. */
export function listTasks(command: DataCommand, { status }: Given): Promise<ExitCode> {
  return withDesk(command, async (gateway) => {
    const tasks: Task[] = [];
    let page: TaskPage | undefined;
    for (let after: number | null = 0; after !== null; after = page.next) {
      page = await called<TaskPage>(gateway, 'tasks.list', { after, status });
      tasks.push(...page.tasks);
    }
    print(command, tasks, (task) => {
      const { id, status: state, priority: p, minutes: min, coder, title } = task;
      return { id, state, p, min, with: state === 'ready' ? null : coder, title, because: whyOf(task) };
    });
    const { counts, places, working, queued, isDrained } = page!;
    const states = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
    const sessions = `${working} of ${places} sessions at work${isDrained ? ', drained' : ''}`;
    if (!command.json) command.out.write(`${[...states, `${queued} queued`, sessions].join(', ')}\n`);
  });
}

function whyOf({ because, status, waitsFor, dependencies, parts }: Task): string | null {
  if (because !== null || status === 'decomposed') return because ?? `parts to go: ${parts}`;
  const some = waitsFor < dependencies.length ? `${waitsFor} of ` : '';
  return waitsFor > 0 && status === 'pending' ? `waits for ${some}${dependencies.join(', ')}` : null;
}

/** Prints one task with its tickets, its hand-offs, and what was said about it as long as it has not ended. */
export function showTask(command: DataCommand, _: Given, id: string): Promise<ExitCode> {
  return withDesk(command, async (gateway) => {
    const { task } = await called<{ task: Task | null }>(gateway, 'tasks.show', { task_id: id });
    if (task === null) throw notThere(`no task "${id}"; bosun tasks list shows them`);
    const { handoffs } = await called<Log>(gateway, 'org.handoffs', { task_id: id, limit: 500 });
    const actor = await liveView(gateway).look<TaskContext>(`${DESKS.delivery}/tasks/${id}`);
    const { notes = [], tokens = 0, report = null }: Partial<TaskContext> = actor?.context ?? {};
    const shown = { ...task, notes, tokens, report, handoffs };
    command.out.write(command.json ? jsonLine(shown) : shownText(shown));
  });
}

type ShownTask = Task & Pick<TaskContext, 'notes' | 'tokens' | 'report'> & Pick<Log, 'handoffs'>;

function shownText({ notes, tokens, report, handoffs, ...task }: ShownTask): string {
  const { id, title, kind, status, percent, coder, attempts, owner, priority, urgency, minutes, concerns } = task;
  const { fixes, pause, questions, tickets, check, context } = task;
  const { acceptance: criterion, files, style, plan } = context;
  const noisy = check?.isTimedOut ? ', its files were not quiet' : '';
  const facts = {
    ...{ task: id, title, kind, state: status, percent, because: whyOf(task), since: timeText(task.atMs) },
    ...{ with: coder, attempts, plan, owner, priority, urgency, minutes, concerns, 'part of': task.parent },
    ...{ needs: task.dependencies, files, style, questions, tokens, tickets },
    ...{ paused: pause && `since ${timeText(pause.pausedAtMs)}`, fixes, investigations: check?.investigations },
    ...{ done: report?.details, tested: report?.testing, changed: report?.files, about: task.description },
    checks: check && `${check.checks}, ${check.match} % met at the last${noisy}`,
  };
  const found = { met: check?.matches, 'not met': check?.remaining, open: check?.open, 'to look at': check?.visual };
  const told = handoffs.toReversed().map((one) => Object.values(viewOf(one)).join('  '));
  const lists = { criterion, ...found, note: notes, 'hand-off': told };
  return factsText([
    ...Object.entries(facts).map(([name, value]) => [name, [value || []].flat().join(', ')] as const),
    ...Object.entries(lists).flatMap(([name, all = []]) => all.map((one) => [name, one] as const)),
  ]);
}

/** Hands in a plan of tasks, and prints their ids. What is wrong with it is said with its place in the file. */
export function addTasks(command: DataCommand, { by }: Given, file: string): Promise<ExitCode> {
  const path = resolve(command.cwd, file);
  return carriedOut(command, async () => {
    const { value, refuse } = await readYaml({ file, path, kind: 'plan of tasks', code: 'BOSUN_PLAN_INVALID' });
    const { data: plan, error } = planDocument.safeParse(value, { error: explain });
    if (plan === undefined) throw refuse(error.issues.slice(0, PROBLEMS_MAX).map(problemOf));
    return withDesk(command, async (gateway) => {
      const all = tasksOf(plan);
      const { taken, problems, plan: id, tasks } = await called<PlanReply>(gateway, 'tasks.submit', { plan, by });
      const placed = problems.map((message) => ({ message, path: pathOf(message, plan.tasks, ['tasks']) ?? [] }));
      if (!taken) throw refusedOrder(refuse(placed).message);
      const added = tasks.map((task, at) => ({ task, title: all[at]!.title, plan: id }));
      print(command, added, (one) => one);
      if (!command.json) command.out.write('next: bosun tasks list; agents get them by getNextTask of bosun mcp\n');
    });
  });
}

/** The place of the task that a problem of a plan names by its key, of twins the second; undefined if it names none. */
function pathOf(problem: string, tasks: readonly PlannedTask[], path: Problem['path']): Problem['path'] | undefined {
  const isNamed = (key: string) => problem.startsWith(`"${key}" `) || problem.includes(`: ${key} -> `);
  const at = tasks.findLastIndex((task) => isNamed(keyOf(task)));
  if (at >= 0) return [...path, at];
  return tasks.map(({ subtasks }, index) => pathOf(problem, subtasks, [...path, index, 'subtasks'])).find(Boolean);
}

/** Gives an order of a person; `isWhole`: whether the options say what to do. */
function order(command: DataCommand, procedure: string, params: Readonly<Record<string, unknown>>, isWhole = true) {
  return withDesk(command, async (gateway) => {
    if (!isWhole) throw new BosunError('BOSUN_CALL_INVALID', 'say what: --help lists the options');
    const reply = await ordered(gateway, procedure, params);
    const said = `${procedure.split('.')[1]} ${Object.values(params)[0]}: done, by ${params['by']}`;
    command.out.write(command.json ? jsonLine({ ...params, ...reply }) : `${plainLine(said)}\n`);
  });
}

/** Lets a task go on, or gives it up. */
export const orderTask: Carries = (command, { verb, note, reason, by }, task_id) =>
  order(command, `tasks.${verb}`, { task_id, note, reason, by });

/** Changes the priority or the estimate of a task. */
export const changeTask: Carries = (command, { priority, minutes, by }, task_id) =>
  order(command, 'tasks.change', { task_id, priority, minutes, by }, (priority ?? minutes) !== undefined);

/** Sets how many coding sessions work at once. */
export const setPlaces: Carries = (command, { by }, places) =>
  order(command, 'tasks.places', { places: Number(places) || places, by });

/** Drains a team, or lets it go on. */
export const setTeam: Carries = (command, { drained, resume, by }, team) =>
  order(command, 'org.set', { team, is_drained: drained === true, by }, drained ?? resume ?? false);

/** Prints the teams and the gates between them, or the table of responsibilities with the hand-offs of each row. */
export const showOrg: Carries = (command, { verb }) =>
  withDesk(command, async (gateway) => {
    const { teams, raci, gates } = await called<Org>(gateway, 'org.show', {});
    const columns = ['row', 'occasion', 'condition', 'responsible', 'accountable', 'consulted', 'informed'];
    if (verb === 'raci') return print(command, raci, pick(columns));
    print(command, teams, pick(['id', 'number', 'title', 'state', 'load', 'escalation']));
    if (!command.json) command.out.write('\n');
    print(command, gates, ({ gate, onPass, onFail, ...rest }) => ({ gate, passes: boundOf(rest), onPass, onFail }));
  });

/** Prints the figures of tasks and hand-offs. */
export const showMetrics: Carries = (command) =>
  withDesk(command, async (gateway) => {
    const figures = await called<Metrics>(gateway, 'org.metrics', {});
    const lines = Object.entries(figures).map(([name, value]) => [name.replaceAll('_', ' '), figureOf(value)] as const);
    command.out.write(command.json ? jsonLine(figures) : factsText(lines));
  });

function figureOf(value: Metrics[keyof Metrics]): string {
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  const counts = Object.entries(value ?? {}).map(([name, one]) => `${name}: ${one}`);
  return value === null ? 'nothing to count yet' : counts.join(', ');
}

const pick = (names: readonly string[]) => (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(names.map((name) => [name, record[name]]));

const boundOf = ({ passes, threshold }: { readonly passes?: unknown; readonly threshold: number }) =>
  `${passes === 'atMost' ? 'at most' : 'at least'} ${threshold}`;

/** Prints hand-offs, the latest first. */
export const listHandoffs: Carries = (command, { task, limit }) =>
  withDesk(command, async (gateway) => {
    const { handoffs } = await called<Log>(gateway, 'org.handoffs', { task_id: task, limit });
    print(command, handoffs, viewOf);
  });

function viewOf({ decisions, ...entry }: Log['handoffs'][number]) {
  const { number: no, atMs, item: task, occasion: when, from, to, row, isAccepted } = entry;
  const judged = decisions.map((one) => `${one.gate} ${one.value ?? 'unknown'} (${boundOf(one)}): ${one.outcome}`);
  const because = isAccepted ? `row ${row}` : judged.join('; ');
  return { no, at: timeText(atMs), task, when, from, to: to ?? 'refused', because };
}

/** Prints records: lines of JSON, or a table of views, whose fields are its columns. */
function print<Row>({ json, out, err }: DataCommand, rows: readonly Row[], columnsOf: (row: Row) => object): void {
  if (json) return void out.write(rows.map(jsonLine).join(''));
  const views = rows.map(columnsOf);
  if (views.length === 0) return void err.write('nothing yet\n');
  const cells = views.map((view) => Object.values(view).map((cell) => [cell].flat().join(', ')));
  out.write(tableText([Object.keys(views[0]!).map((name) => name.toUpperCase()), ...cells]));
}
