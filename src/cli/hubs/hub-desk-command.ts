/**
 * `bosun hub list`, `show`, `lineage` and `stop`: runs of hubs in a running system, through its gateway, or in a
 * stopped store. A stop needs a running system.
 */
import { DESKS } from '../../machines/desks.ts';
import { amountsText } from '../../machines/hub/budget.ts';
import { type HubDeskContext, type RunRecord } from '../../machines/hub/hub-desk.ts';
import { stepsIn, type WorkPlanContext } from '../../machines/hub/work-plan.ts';
import { firstOf } from '../../machines/hub/words.ts';
import { type SessionOutput } from '../../machines/hub/session-records.ts';
import { type StopLevel } from '../../machines/hub/stop-levels.ts';
import { type GateDeskContext } from '../../machines/people/gates/gate-desk.ts';
import { listed } from '../../machines/rules/desk.ts';
import { type OrderReply } from '../../machines/rules/turn.ts';
import { rowsOf } from '../../table.ts';
import { plainLine, plainText } from '../../plain-text.ts';
import { withData } from '../reach/data-work.ts';
import { type DeskView, liveView, notThere, refusedOrder, withDesks } from '../desks/desk-view.ts';
import { type ExitCode } from '../exit-codes.ts';
import { type Usage } from '../../machines/hub/budget.ts';
import { readHubFile } from './hub-file.ts';
import { lineageLine } from './hub-report.ts';
import { closedSessionsOf, lastRunOf, lineageOf, planAddress, questionsOf, runsIn, sessionOf } from './hub-runs.ts';
import { jsonLine } from '../json-lines.ts';
import { timeText, whenKnown } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';
import { factsText, tableText } from '../table.ts';

/** Files of a session that its text names; `--json` has all of them. */
const FILES_SHOWN = 20;

async function runsOf(view: DeskView): Promise<readonly RunRecord[]> {
  return runsIn((await view.look<HubDeskContext>(DESKS.hubs))?.context);
}

/** A run by its id, or the last one of a work plan by the id of that. */
async function runOf(view: DeskView, id: string): Promise<RunRecord> {
  const runs = await runsOf(view);
  const run = runs.find((row) => row.id === id) ?? lastRunOf(runs, id);
  if (run === undefined) throw notThere(`no run or work plan "${id}"; bosun hub list shows them`);
  return run;
}

/** The id that a person means who may have named the file of the run instead. Rejects with BOSUN_CONFIG_INVALID. */
async function idIn({ cwd }: DataCommand, text: string): Promise<string> {
  return /\.(ya?ml|json)$/.test(text) ? (await readHubFile({ file: text, cwd })).plan : text;
}

export function listHubs(command: DataCommand): Promise<ExitCode> {
  const { json, out, err } = command;
  return withDesks(command, async (view) => {
    const runs = await runsOf(view);
    if (json) return void out.write(runs.map((run) => jsonLine(listed(run))).join(''));
    if (runs.length === 0) return void err.write('no runs of hubs\n');
    const rows = runs.map(({ id, plan, hub, status, startedAtMs, because, title }) => [
      ...[id, plan, hub, status, timeText(startedAtMs), because, title],
    ]);
    out.write(tableText([['RUN', 'PLAN', 'HUB', 'STATUS', 'SINCE', 'BECAUSE', 'GOAL'], ...rows]));
  });
}

export function showHub(command: DataCommand, named: string): Promise<ExitCode> {
  const { json, out } = command;
  return withDesks(command, async (view) => {
    const run = await runOf(view, await idIn(command, named));
    const { id } = run;
    const plan = (await view.look<WorkPlanContext>(planAddress(run.plan)))?.context;
    const gates = (await view.look<GateDeskContext>(DESKS.gates))?.context;
    const questions = gates === undefined ? [] : questionsOf(gates, id).map(({ id: gate, title }) => ({ gate, title }));
    const steps = plan === undefined ? [] : stepsIn(plan);
    const open = plan === undefined ? [] : rowsOf(plan.sessions).filter((session) => session.run === id);
    const recommended = plan?.recommended ?? null;
    // Without its output, which `bosun hub session` shows.
    const closed = (await closedSessionsOf(run, view.records)).map(({ output: _, ...session }) => session).reverse();
    if (json) return void out.write(jsonLine({ ...listed(run), recommended, open, closed, steps, questions }));
    const { title, hub, status, because, startedAtMs, endedAtMs, sessions, spentUsd, spentTokens = 0 } = run;
    out.write(
      factsText([
        ['run', id],
        ['plan', run.plan],
        ['goal', title],
        ['hub', hub],
        ['status', status],
        ['because', because],
        ['since', timeText(startedAtMs)],
        ['ended', whenKnown(endedAtMs)],
        ['sessions', endedAtMs === null ? null : sessions],
        ['spent', amountsText({ costUsd: spentUsd, tokens: spentTokens })],
        ['recommended', recommended],
        ...closed.map(
          ({ session, role, outcome, summary }) =>
            [session, `${role}, ${[outcome, summary].filter(Boolean).join(': ')}`] as const,
        ),
        ...open.map(({ session, role }) => ['at work', `${role} (${session})`] as const),
        ...questions.map(({ gate, title: asked }) => ['asks', `${gate}: ${asked}`] as const),
        ...steps.map(({ id: step, task, status: now }) => [step, `${now}: ${task}`] as const),
      ]),
    );
  });
}

/** Prints what a session was told, how it ended, and the end of its output. */
export function showSession(command: DataCommand, id: string): Promise<ExitCode> {
  const { json, out } = command;
  return withDesks(command, async (view) => {
    // The first session of a run, that of its hub, has the id of the run.
    const run = await runOf(view, /^R-\d+/.exec(id)?.[0] ?? id);
    const { closed, told, handoff } = await sessionOf(id, run, view.records);
    if (told === undefined) throw notThere(`no session "${id}"; bosun hub show ${run.id} shows those of its run`);
    const live = await view.told?.<{ readonly output: SessionOutput | null }>('session.output', { session: id });
    const output = live?.output ?? closed?.output ?? null;
    const status = closed === undefined ? 'at work' : 'closed';
    if (json) return void out.write(jsonLine({ ...told, status, ...closed, output, verified: handoff?.verified }));
    out.write(
      factsText([
        ['session', id],
        ['role', told.role],
        ['since', timeText(told.atMs)],
        ['ended', closed === undefined ? null : timeText(closed.endedAtMs)],
        ['outcome', closed?.outcome ?? status],
        ['summary', closed?.summary ?? null],
        ['handed off', handoff === undefined ? null : lineageLine(handoff)],
        ['changed files', firstOf(handoff?.verified.files ?? [], FILES_SHOWN)],
        ['outside the scope', firstOf(handoff?.verified.outOfScope ?? [], FILES_SHOWN)],
        ['used', closed === undefined ? null : usedText(closed.usage)],
        ['artifacts', closed?.artifacts.join(', ') ?? null],
      ]),
    );
    const texts = { prompt: told.prompt, stdout: output?.stdout.tail, stderr: output?.stderr.tail };
    for (const [name, text = ''] of Object.entries(texts))
      if (text !== '') out.write(`\n${name}\n${plainText(text.trimEnd())}\n`);
  });
}

/** The usage of a session in words; null if nothing was said of it. */
function usedText({ tokens, costUsd, steps }: Usage): string | null {
  return tokens + costUsd + steps === 0 ? null : `${tokens} tokens, ${costUsd} $, ${steps} steps`;
}

/** Prints the hand-offs of a work plan, or of one run of it. */
export function hubLineage(command: DataCommand, named: string): Promise<ExitCode> {
  const { json, out, err } = command;
  return withDesks(command, async (view) => {
    const id = await idIn(command, named);
    const runs = await runsOf(view);
    const run = runs.find((row) => row.id === id);
    const plan = run?.plan ?? runs.find((row) => row.plan === id)?.plan;
    if (plan === undefined) throw notThere(`no run or work plan "${id}"; bosun hub list shows them`);
    const entries = (await lineageOf(plan, view.records)).filter((entry) => run === undefined || entry.run === id);
    if (json) return void out.write(entries.map(jsonLine).join(''));
    if (entries.length === 0) return void err.write('no hand-offs\n');
    out.write(
      entries
        .map((entry) => `${entry.seq}. ${timeText(entry.atMs)}  ${entry.session}  ${lineageLine(entry)}`)
        .map((line) => `${plainLine(line)}\n`)
        .join(''),
    );
  });
}

export function stopHub(
  command: DataCommand,
  { named, level, by }: { readonly named: string; readonly level: StopLevel; readonly by: string },
): Promise<ExitCode> {
  const { json, out } = command;
  return withData(command, {
    starter: 'bosun hub run FILE --serve',
    live: async (gateway) => {
      const view = liveView(gateway);
      const { id: run, isOver, status } = await runOf(view, await idIn(command, named));
      if (isOver) throw refusedOrder(`${run} is over: ${status}`);
      const reply: OrderReply = await view.order(DESKS.hubs, { type: 'hub.stop', run, level, by });
      out.write(json ? jsonLine({ run, level, by, ...reply }) : `${run}: ${level} stop ordered by ${by}\n`);
    },
  });
}
