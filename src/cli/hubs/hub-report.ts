/** The output of `bosun hub run`: JSON lines for programs, plain lines for people. Formatting only. */
import { type LineageEntry } from '../../machines/hub/handoff.ts';
import { type RunRecord } from '../../machines/hub/hub-desk.ts';
import { type QuestionAbout } from '../../machines/hub/people-answer.ts';
import { type Survey } from '../../machines/hub/hub-state.ts';
import { type GateRecord } from '../../machines/people/gates/gate-desk.ts';
import { plainLine } from '../../plain-text.ts';
import { quoted } from '../../spokes/session-command.ts';
import { dataOption, invocationOf } from '../invocation.ts';
import { type DataCommand } from '../surroundings.ts';

/** An event of a run as emitted, with what is known besides. */
export interface HubTold {
  readonly type: string;
  readonly [fact: string]: unknown;
}

/** The run at its end, or where it waits. */
export type ClosedRun = Pick<RunRecord, 'id' | 'plan' | 'status' | 'because' | 'sessions' | 'spentUsd' | 'spentTokens'>;

export interface HubReporter {
  /** Reports a durable event. */
  told(event: HubTold): void;
  /** Prints a message for people. */
  talk(text: string): void;
  /** Prints the token with which somebody outside decides in the hub. */
  token(held: Readonly<Record<'run' | 'role' | 'url' | 'token', string>>): void;
  /** Prints how the run stands when the command ends, with its hand-offs. */
  result(run: ClosedRun, lineage: readonly LineageEntry[]): void;
}

/** Lines by event type: the first word, and the rest of the line. */
const LINES: Readonly<Record<string, (event: HubTold) => readonly [word: string, text: string]>> = {
  'hub.started': ({ run, hub, plan }) => ['started', `${text(run)} ${text(hub)} of ${text(plan)}`],
  'spoke.spawned': ({ session, role, because }) => ['spawned', `${text(session)} ${text(role)}${reason(because)}`],
  'handoff.recorded': ({ entry }) => {
    const { session } = entry as LineageEntry;
    return ['handed off', `${session} ${lineageLine(entry as LineageEntry)}`];
  },
  'spoke.refused': ({ role, because }) => ['refused', `spawn of ${text(role)}${reason(because)}`],
  'spoke.closed': ({ session, outcome, summary }) => [
    'closed',
    `${text(session)}${reason(outcome)}${outcome === 'done' || summary === '' ? '' : reason(summary)}`,
  ],
  'plan.archived': ({ plan, by }) => ['archived', `${text(plan)} by ${text(by)}`],
  'gate.opened': ({ gate, title }) => ['asks', `${text(gate)}${reason(title)}`],
  'gate.closed': ({ gate, outcome, by }) => [
    'decided',
    `${text(gate)}${reason(outcome)}${by === null ? '' : ` by ${text(by)}`}`,
  ],
  'hub.closed': ({ run, status, because }) => ['ended', `${text(run)} ${text(status)}${reason(because)}`],
};

function text(fact: unknown): string {
  return typeof fact === 'string' ? fact : JSON.stringify(fact);
}

function reason(fact: unknown): string {
  return typeof fact === 'string' ? `: ${fact}` : '';
}

/** A hand-off without its session: `Executor -> Reviewer: 3 files changed`. */
export function lineageLine({ from, recommended, reason: why }: LineageEntry): string {
  return `${from} -> ${recommended ?? 'nobody'}: ${why}`;
}

/** An open question of a run with its material. */
export interface OpenQuestion extends Pick<GateRecord, 'id' | 'kind' | 'title'> {
  readonly about: Partial<QuestionAbout> & { readonly survey?: Survey | null };
}

/** Changed files in an answer that gives some of them up. */
const FILES_LISTED_MAX = 20;

/** A question with its answers, a command for each. */
export function questionText({ id, kind, title, about }: OpenQuestion, { env, data }: DataCommand): string {
  const { suggested, move, survey } = about;
  const isScope = move?.kind === 'ask' && move.problem === 'scope';
  const files = (survey?.files ?? []).slice(0, FILES_LISTED_MAX);
  const unnamed = { choice: 'spawn', role: 'Executor', ...(isScope && { allow: ['FILE'] }) };
  const going = Object.keys(suggested ?? {}).length > 2 ? 'give more and go on' : 'answer';
  const recovering = {
    'keep what it has changed': { choice: 'keep' },
    ...(files.length > 0 && { 'give up some files': { choice: 'revert files', files } }),
    'give up all of it': { choice: 'revert all' },
  };
  const deciding = { [isScope ? 'allow the files' : going]: suggested ?? unnamed };
  const answers = kind === 'recovery' ? recovering : deciding;
  const ways = Object.entries({ ...answers, stop: { choice: 'stop' } }).map(
    ([what, answer]) =>
      `\n  To ${what}: ${invocationOf(env).bosun} gates answer ${id} ${fieldsOf(answer)}${dataOption(data)}`,
  );
  return `${id} asks: ${plainLine(title)}${ways.join('')}`;
}

/** The fields of an answer for a shell. */
function fieldsOf(answer: object): string {
  const fields = Object.entries(answer).map(([name, value]) => {
    const field = `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
    return /^[\w.=-]+$/.test(field) ? field : quoted(field);
  });
  return plainLine(fields.join(' '));
}

export function hubReporter({ json, out, err }: Pick<DataCommand, 'json' | 'out' | 'err'>): HubReporter {
  const write = (object: object) => out.write(`${JSON.stringify(object)}\n`);
  return {
    told(event) {
      const line = LINES[event.type];
      if (line === undefined) return;
      if (json) return void write(event);
      const [word, rest] = line(event);
      err.write(`${word.padEnd(10)} ${plainLine(rest)}\n`);
    },
    token({ run, role, url, token }) {
      if (json) return void write({ type: 'hub.token', run, role, url, token });
      err.write(
        `${role} is you, or your coding agent. Its tools by MCP:\n` +
          `  BOSUN_URL=${url} BOSUN_TOKEN=${token} npx bosun mcp\n`,
      );
    },
    talk: (said) => void err.write(`${said}\n`),
    result(run, lineage) {
      const { id, plan, status, because, sessions, spentUsd, spentTokens } = run;
      const facts = { run: id, plan, status, because, sessions, spentUsd, spentTokens };
      if (json) return void write({ type: 'hub.report', ...facts, lineage });
      const lines = lineage.map((entry) => `  ${entry.seq}. ${plainLine(lineageLine(entry))}`);
      out.write([`${plan} (${id}): ${status}: ${plainLine(because)}`, ...lines, ''].join('\n'));
    },
  };
}
