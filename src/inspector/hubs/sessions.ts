/** The sessions of a run as the page shows them, from its work plan and the records of that. Pure. */
import { type Shown } from '../../client/contract.ts';
import type { LineageEntry } from '../../machines/hub/handoff.ts';
import type { HubAnswer, HubContext } from '../../machines/hub/hub-state.ts';
import type { SessionEntry } from '../../machines/hub/session-records.ts';
import type { SpokeContext } from '../../machines/hub/spoke-state.ts';
import type { OpenSession, WorkPlanContext } from '../../machines/hub/work-plan.ts';
import { type RunRow } from '../desks/desk-shapes.ts';
import { counted, duration, number } from '../format.ts';

export type PlanShown = Shown<Pick<WorkPlanContext, 'description' | 'goals' | 'success_criteria' | 'sessions'>>;
export type HubShown = Shown<Pick<HubContext, 'budget' | 'limits' | 'spawned'>>;
export type SpokeShown = Shown<Pick<SpokeContext, 'usage' | 'round'>>;

/** A session, open or closed. */
export interface SessionShown extends Pick<OpenSession, 'session' | 'parent' | 'role' | 'step' | 'startedAtMs'> {
  readonly closed: SessionEntry | undefined;
  readonly handoff: LineageEntry | undefined;
}

/** Label and tone of a state. */
type State = readonly [words: string, tone: string];

const GOOD = ['running', 'completed', 'done'];
const BAD = ['failed', 'refused'];
const CALM = ['starting', 'stopped'];

/** The tone of a status or an outcome. */
function toneOf(word: string): string {
  return GOOD.includes(word) ? 'good' : BAD.includes(word) ? 'bad' : CALM.includes(word) ? 'calm' : 'warn';
}

export function runState({ status }: Pick<RunRow, 'status'>): State {
  return [status === 'asking' ? 'asks people' : status, toneOf(status)];
}

export function sessionState({ closed, handoff }: Pick<SessionShown, 'closed' | 'handoff'>): State {
  if (closed === undefined) return [handoff === undefined ? 'at work' : 'has handed off', 'task running'];
  const { outcome, isForced } = closed;
  const words = outcome.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return [isForced ? `${words}, closed by its hub` : words, toneOf(outcome)];
}

interface Heard {
  readonly open: readonly OpenSession[];
  readonly closed: readonly SessionEntry[];
  readonly lineage: readonly LineageEntry[];
}

/** All sessions of a run in the order of their starts, from what is heard of its whole work plan. */
export function sessionsOf(run: string, { open, closed, lineage }: Heard): SessionShown[] {
  const handoffs = new Map(lineage.map((entry) => [entry.session, entry]));
  const ended = new Map(closed.map((entry) => [entry.session, entry]));
  return [...ended.values(), ...open.filter(({ session }) => !ended.has(session))]
    .filter((one) => one.run === run)
    .sort((a, b) => a.startedAtMs - b.startedAtMs || numberOf(a) - numberOf(b))
    .map((one) => ({ ...one, closed: ended.get(one.session), handoff: handoffs.get(one.session) }));
}

/** The number of a session in its run, which is the end of its id; 0 for the hub's own. */
function numberOf({ session, run }: Pick<OpenSession, 'session' | 'run'>): number {
  return Number(session.slice(run.length + 1));
}

type Node = Pick<SessionShown, 'session' | 'parent'>;

/** A session with those that it spawned. */
export interface Branch<Session extends Node> {
  readonly of: Session;
  /** Number of sessions from the hub of the run down to it. */
  readonly depth: number;
  readonly below: Branch<Session>[];
}

/**
 * The latest sessions, and the hubs above them, as a tree.
 *
 * @param sessions In the order of their starts. One whose hub is not before it belongs to the hub of the run.
 * @returns The sessions below that hub, the greatest depth, at least 1, and the number of those that are not shown.
 */
export function lineageOf<Session extends Node>(sessions: readonly Session[], shown: number) {
  const byId = new Map<string, Branch<Session>>();
  const below: Branch<Session>[] = [];
  for (const of of latest(sessions, shown)) {
    const hub = byId.get(of.parent);
    const branch = { of, depth: (hub?.depth ?? 0) + 1, below: [] };
    (hub?.below ?? below).push(branch);
    byId.set(of.session, branch);
  }
  const columns = [...byId.values()].reduce((most, { depth }) => Math.max(most, depth), 1);
  return { below, columns, left: sessions.length - byId.size };
}

/** The last sessions, and those above them, in order. */
function latest<Session extends Node>(sessions: readonly Session[], shown: number): Session[] {
  const wanted = new Set<string>();
  const isShown = ({ session, parent }: Session, at: number) => {
    const is = at < shown || wanted.has(session);
    if (is) wanted.add(parent);
    return is;
  };
  return sessions.toReversed().filter(isShown).reverse();
}

export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
}

/** The budget of a run: what is used, and of how much while its hub is there. */
export function budgetOf(
  { sessions, spentUsd, spentTokens = 0, startedAtMs, endedAtMs }: RunRow,
  hub: HubShown | undefined,
  nowMs: number,
): readonly (readonly [words: string, used: string])[] {
  const of = (limit: number | null | undefined, words: (limit: number) => string) =>
    limit === null || limit === undefined ? '' : ` of ${words(limit)}`;
  const { spawns, timeMs } = hub?.limits ?? {};
  const { max, spent = { costUsd: spentUsd, tokens: spentTokens } } = hub?.budget ?? {};
  const tokens = `${number(spent.tokens)}${of(max?.tokens, number)}`;
  const ms = (endedAtMs ?? nowMs) - startedAtMs;
  return [
    ['sessions', `${number(hub?.spawned ?? sessions)}${of(spawns, number)}`],
    ['spent', `${dollars(spent.costUsd)}${of(max?.costUsd, dollars)}`],
    ...(tokens === '0' ? [] : [['tokens', tokens] as const]),
    ['time', `${duration(endedAtMs === null ? Math.floor(ms / 1_000) * 1_000 : ms)}${of(timeMs, duration)}`],
  ];
}

/** The hand-off in the words of its session, without the fields that it left empty. */
export function saidIn({ recommended, outcome, reason, data }: LineageEntry): Readonly<Record<string, unknown>> {
  const { recommendation: _, ...rest } = data;
  const isSaid = ([, value]: readonly [string, unknown]) =>
    value !== null && value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    Object.entries({ outcome, recommends: recommended ?? 'nobody', reason, ...rest }).filter(isSaid),
  );
}

/** The facts that were found out about a hand-off. Where nobody looked, it says so. */
export function verifiedIn({ verified: { files, outOfScope, signs, build } }: LineageEntry) {
  const list = (lines: readonly string[]) => (lines.length === 0 ? 'none' : lines);
  return {
    'changed files': files === null ? UNSEEN : list(files),
    'outside the scope': files === null ? UNSEEN : list(outOfScope),
    build: build === null ? UNSEEN : `${build.command}: exit code ${build.exitCode}`,
    'off script': list(signs),
  };
}

const UNSEEN = 'nobody looked';

/** The files in which what was said and what was found differ, a sentence each; none where nobody looked. */
export function mismatchesIn({ data, verified: { files } }: Pick<LineageEntry, 'data' | 'verified'>): string[] {
  if (files === null) return [];
  const found = new Set(files);
  const said = new Set(data.files_modified.map((file) => file.replace(/^\.\//, '')));
  const only = (some: ReadonlySet<string>, others: ReadonlySet<string>, words: string) =>
    [...some].filter((file) => !others.has(file)).map((file) => `${file} ${words}`);
  return [
    ...only(said, found, 'is said to be modified, and did not change'),
    ...only(found, said, 'changed, and was not said'),
  ];
}

/** The lines of a diff, each with its tone. Counts of hunks tell a removed line `-- a` from the head of a file. */
export function diffLines(patch: string): (readonly [tone: string, line: string])[] {
  let [before, after] = [0, 0];
  return patch
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      if (before <= 0 && after <= 0) {
        const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
        if (hunk === null) return ['quiet', line];
        [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
        return ['key', line];
      }
      const [sign] = line;
      if (sign === '\\') return ['quiet', line];
      if (sign !== '+') before -= 1;
      if (sign !== '-') after -= 1;
      return [sign === '+' ? 'good' : sign === '-' ? 'bad' : '', line];
    });
}

/** The words of the button that gives an answer. */
export function wordsOf(answer: HubAnswer): string {
  if (answer.choice === 'stop') return 'Stop';
  const { role, allow, extraUsd, extraTokens, extraSpawns } = answer;
  if (allow !== undefined) return `Allow ${allow.length === 1 ? 'this file' : 'these files'} and go on`;
  if (extraUsd !== undefined) return `Give ${dollars(extraUsd)} more and go on`;
  if ((extraTokens ?? extraSpawns) === undefined) return `Have ${role} go on`;
  const more =
    extraTokens === undefined ? counted(extraSpawns ?? 0, 'more session') : `${number(extraTokens)} more tokens`;
  return `Give ${more} and go on`;
}
