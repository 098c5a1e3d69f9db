/**
 * A run of `bosun hub run` in a directory, carried out by one process after the other until one ends by itself: each is
 * killed at some moment. Its commands say when they begin, and whether their session had handed off before.
 */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type LineageEntry } from '../../../src/machines/hub/handoff.ts';
import { type SessionEntry } from '../../../src/machines/hub/session-records.ts';
import { LeftOvers } from '../../../src/spokes/processes.ts';
import { type Ended, linesOf, type Process, Workspace } from '../cli/workspace.ts';
import { commandProcesses, liveWith } from '../spokes/live.ts';
import { until } from '../until.ts';

/**
 * The beginning of every command. A file of its session that is there under its final name, and not empty, is a
 * hand-off: nothing should begin then.
 */
export const BEGIN = `for file in "\${BOSUN_HANDOFF%/*}/$BOSUN_SESSION"-*.json*; do
  case $file in *.new) ;; *) [ ! -s "$file" ] || echo "$BOSUN_SESSION $BOSUN_ATTEMPT: $file" >> again ;; esac
done
echo "$BOSUN_ROLE $BOSUN_SESSION $BOSUN_ATTEMPT" >> began
`;

/** A command that hands off by its file. */
export function handsOff(said: object): string {
  return `printf '%s' '${JSON.stringify(said)}' > "$BOSUN_HANDOFF.new"\nmv "$BOSUN_HANDOFF.new" "$BOSUN_HANDOFF"\n`;
}

/** The last line of a run that has ended. */
export interface Report {
  readonly status: string;
  readonly because: string;
  readonly lineage: readonly LineageEntry[];
}

/** A start of a command. */
interface Begun {
  readonly role: string;
  readonly session: string;
}

export class KilledHub {
  readonly work = new Workspace();
  readonly plan: string;

  constructor(plan: string, file: object) {
    this.plan = plan;
    this.work.write('hub.json', JSON.stringify({ version: 1, hub: plan, goal: 'mend it', ...file }));
  }

  start(): Process {
    return this.work.spawn(['hub', 'run', 'hub.json', '--json']);
  }

  /** Starts of commands so far, the first ones first. */
  begun(): Begun[] {
    return this.#lines('began').map((line) => {
      const [role, session] = line.split(' ') as [string, string];
      return { role, session };
    });
  }

  /** Starts of commands whose session had handed off. */
  again(): string[] {
    return this.#lines('again');
  }

  /** Sessions whose command has begun and not handed off. */
  underWay(): string[] {
    const folder = this.work.file('data/handoffs');
    const files = existsSync(folder) ? readdirSync(folder) : [];
    const handedOff = (session: string) =>
      files.some((file) => {
        const isOfSession = file.startsWith(`${session}-`) && /\.json(\.exit)?$/.test(file);
        return isOfSession && statSync(join(folder, file)).size > 0;
      });
    return [...new Set(this.begun().map(({ session }) => session))].filter((session) => !handedOff(session));
  }

  /** Whether a process has made the data directory. */
  get hasData(): boolean {
    return this.work.has('data');
  }

  /** The records of the sessions that have closed, in a stopped store. */
  async sessions(): Promise<SessionEntry[]> {
    const { out } = await this.work.bosun(['records', `work-plans/${this.plan}`, 'sessions', '--json']);
    return linesOf(out).flatMap((line) => ('value' in line ? [line.value as SessionEntry] : []));
  }

  /** Waits until no command lives. Their leashes may. */
  async isQuiet(): Promise<void> {
    await until(
      () => commandProcesses(this.#store).length === 0,
      () => `the end of the commands ${JSON.stringify(commandProcesses(this.#store))}`,
    );
  }

  /** Waits until no process that a command has started lives, leashes included. */
  async isLeft(): Promise<void> {
    const living = () => liveWith(`BOSUN_STORE=${this.#store}`);
    await until(
      () => living().length === 0,
      () => `the end of the processes ${living().join(' ')}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const store = this.hasData ? this.#store : undefined;
    await this.work[Symbol.asyncDispose]();
    if (store !== undefined) await new LeftOvers(store).end();
  }

  /** The entry in the environment by which its processes are known. */
  get #store(): string {
    const { dev, ino } = statSync(this.work.file('data'), { bigint: true });
    return `${dev}:${ino}`;
  }

  #lines(file: string): string[] {
    return this.work.has(file) ? readFileSync(this.work.file(file), 'utf8').split('\n').slice(0, -1) : [];
  }
}

/** Calls back when a process has printed so many lines to stdout. */
export function afterLines({ child }: Process, lines: number, reached: () => void): void {
  let seen = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    const before = seen;
    seen += chunk.toString().split('\n').length - 1;
    if (before < lines && seen >= lines) reached();
  });
}

/** Kills a process, and resolves when it is gone. */
export async function kill({ child }: Process): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** The report of a run that has ended; undefined if it has not printed one. */
export function reportOf({ out }: Ended): Report | undefined {
  const last = linesOf(out).at(-1);
  return last?.type === 'hub.report' ? (last as unknown as Report) : undefined;
}
