/**
 * `bosun runs`: actors that have ended and what became of them, the newest end first, in a running system or a stopped
 * store; with `--open`, those that would be listed once they have ended. A stopped store also shows results that exceed
 * the age declared by their agent.
 */
import { RunViews } from '../../gateway/topics/run-views.ts';
import { ActorViews } from '../../gateway/topics/actor-views.ts';
import { type RunsOptions } from '../../actors/api/run-pages.ts';
import { type Ending } from '../../actors/model/results.ts';
import { type RunPageView, type RunView } from '../../gateway/protocol/run-view.ts';
import { RECORDS_LISTED, RECORDS_READ_MAX } from '../../limits.ts';
import { plainLine } from '../../plain-text.ts';
import { withData } from '../reach/data-work.ts';
import { type ExitCode } from '../exit-codes.ts';
import { type ActorRow, actorsTable, liveRows, storedRows } from './ps-command.ts';
import { jsonLine } from '../json-lines.ts';
import { timeText } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';
import { tableText } from '../table.ts';
import { spanText } from '../times.ts';

export interface RunsCommand extends DataCommand {
  readonly agent: string | undefined;
  /** How they ended; empty for all. */
  readonly statuses: readonly Ending[];
  /** Time in milliseconds since 1970 from which on they ended. */
  readonly sinceMs: number | undefined;
  /** Number of the latest to print; default RECORDS_LISTED. */
  readonly last: number | undefined;
}

type ListRuns = (which: RunsOptions & { readonly limit: number }) => Promise<RunPageView>;

/** The agent of Bosses as lists name it. An agent of a host with this name is taken for one. */
const LISTED_BOSS = 'boss';

/** Length of an output or an error in the table; `bosun show` prints all of it. */
const BRIEF_CHARS = 60;

/** Prints ended actors. */
export function runsCommand(command: RunsCommand): Promise<ExitCode> {
  const { json, out } = command;
  const show = async (list: ListRuns) => {
    const runs = await latest(command, list);
    if (runs.length === 0) return sayNone(command);
    out.write(json ? runs.map(jsonLine).join('') : runsTable(runs));
  };
  return withData(command, {
    live: (gateway) => show((which) => gateway.call<RunPageView>('run.list', { ...which })),
    stopped: (system) => show((which) => new RunViews(system, new ActorViews(system)).list(which)),
  });
}

export interface OpenRunsCommand extends DataCommand {
  readonly agent: string | undefined;
  /** Number of actors to print, in order of addresses; default RECORDS_LISTED. */
  readonly last: number | undefined;
}

/** Prints actors that have not ended, and leave a result when they do: children of Bosses that are no Bosses. */
export function openRunsCommand(command: OpenRunsCommand): Promise<ExitCode> {
  const { agent, last = RECORDS_LISTED, json, out } = command;
  const isOpen = (row: ActorRow) =>
    row.agent !== LISTED_BOSS && row.restarts !== null && (agent === undefined || row.agent === agent);
  const show = (rows: readonly ActorRow[]) => {
    if (rows.length === 0) return sayNone(command);
    out.write(json ? rows.map(jsonLine).join('') : actorsTable(rows));
  };
  return withData(command, {
    live: async (gateway) => show(await liveRows(gateway, { agent }, { isWanted: isOpen, count: last })),
    stopped: (system) => show(storedRows(system).filter(isOpen).slice(0, last)),
  });
}

/** The latest ends, the newest first. A list is of one way to end or of all, so several ways are several lists. */
async function latest(
  { agent, statuses, sinceMs, last = RECORDS_LISTED }: RunsCommand,
  list: ListRuns,
): Promise<RunView[]> {
  const latestOf = async (status: Ending | undefined) => {
    const runs: RunView[] = [];
    let from: string | null | undefined;
    while (runs.length < last && from !== null) {
      const limit = Math.min(last - runs.length, RECORDS_READ_MAX);
      const page: RunPageView = await list({ agent, status, sinceMs, from, limit });
      runs.push(...page.runs);
      from = page.next;
    }
    return runs;
  };
  const lists = await Promise.all((statuses.length === 0 ? [undefined] : statuses).map(latestOf));
  return lists
    .flat()
    .sort((a, b) => (a.cursor < b.cursor ? 1 : -1))
    .slice(0, last);
}

function runsTable(runs: readonly RunView[]): string {
  return tableText([['ADDRESS', 'AGENT', 'STATUS', 'ENDED', 'DURATION', 'ATTEMPTS', 'RESULT'], ...runs.map(cellsOf)]);
}

function cellsOf({ address, agent, status, endedAtMs, startedAtMs, attempts, output, error }: RunView): string[] {
  return [
    address,
    agent,
    status,
    timeText(endedAtMs),
    durationText({ startedAtMs, endedAtMs }),
    String(attempts),
    brief(error?.message ?? (output === null ? '' : JSON.stringify(output))),
  ];
}

/** How long an actor lived; empty where its start is unknown. */
export function durationText({ startedAtMs, endedAtMs }: Pick<RunView, 'startedAtMs' | 'endedAtMs'>): string {
  return startedAtMs === null ? '' : spanText(endedAtMs - startedAtMs);
}

function brief(text: string): string {
  const line = plainLine(text);
  return line.length > BRIEF_CHARS ? `${line.slice(0, BRIEF_CHARS - 1)}…` : line;
}

function sayNone({ json, err }: DataCommand): void {
  if (!json) err.write('no runs\n');
}
