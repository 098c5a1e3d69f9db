/**
 * Tasks that are shell commands. A command runs in a process group of its own, recorded durably before it may begin, so
 * that what a killed host left running is ended before the command runs again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type Writable } from 'node:stream';
import { type Cancel, systemClock } from '../clock.ts';
import { type WorkContext } from '../machines/work/agent-function.ts';
import { type WorkInput } from '../machines/work/stage.ts';
import { type Surroundings } from './surroundings.ts';
import { type Attempt } from './work.ts';

/** Output kept of one command, per stream: enough for a result or an error report; more belongs in a file. */
export const SHELL_OUTPUT_BYTES_MAX = 64 * 1024;

/** Between two looks at processes that are dying. */
const DYING_MS = 10;

/** Between the polite and the final signal to a command that must end. */
const KILL_AFTER_MS = 2_000;

/**
 * Waits for one line on descriptor 3 before it becomes the command: a host that dies before it has recorded the group
 * closes the descriptor, and the command never begins.
 */
const GATE = 'IFS= read -r _ <&3 || exit 125; exec 3<&-; exec /bin/sh -c "$BOSUN_RUN"';

/** What is recorded of a command: its process group, whose leader is the process of that number. */
interface ProcessGroup {
  readonly processGroup: number;
}

export interface ShellResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether either stream was longer than what is kept. */
  readonly truncated: boolean;
}

export interface ShellCommands {
  readonly attempt: Attempt;
  /** Resolves when no command runs. After an abort that takes no longer than the final signal does to come. */
  ended(): Promise<void>;
}

export interface ShellPlace extends Pick<Surroundings, 'env' | 'cwd'> {
  /** Tells the commands of one store from those of another. */
  readonly storeId: string;
}

export function shellCommands(place: ShellPlace): ShellCommands {
  const running = new Set<Promise<unknown>>();
  const attempt: Attempt = async (work, context) => {
    const before = context.checkpointed as ProcessGroup | undefined;
    if (before !== undefined) await endGroup(before.processGroup, place.storeId, context);
    const child = start(work, context, place);
    const result = outcome(child, context.signal);
    const end = result.catch(() => {}).finally(() => running.delete(end));
    running.add(end);
    // The group is on disk before the gate opens.
    await Promise.race([
      context.checkpoint({ processGroup: child.pid! } satisfies ProcessGroup),
      result.catch(() => {}),
    ]);
    const gate = child.stdio[3] as Writable;
    gate.on('error', () => {});
    gate.end('go\n');
    child.stdin!.on('error', () => {});
    child.stdin!.end(JSON.stringify(work.input ?? null));
    return result;
  };
  return { attempt, ended: async () => void (await Promise.all(running)) };
}

function start(
  { task }: WorkInput,
  { effectId, attempt }: WorkContext,
  { storeId, env, cwd }: ShellPlace,
): ChildProcess {
  return spawn('/bin/sh', ['-c', GATE], {
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: {
      ...env,
      // Undefined leaves it out: a command of a plan has no business with the store's key.
      BOSUN_SECRET_KEY: undefined,
      BOSUN_SECRET_KEY_PREVIOUS: undefined,
      BOSUN_RUN: task.run!,
      BOSUN_TASK: task.id,
      BOSUN_EFFECT_ID: effectId,
      BOSUN_ATTEMPT: String(attempt),
      BOSUN_STORE: storeId,
    },
  });
}

function outcome(child: ChildProcess, signal: AbortSignal): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    const stdout = keep(child.stdout!);
    const stderr = keep(child.stderr!);
    let cancelKill: Cancel = () => {};
    const kill = () => {
      signalGroup(child.pid, 'SIGKILL');
      // What has left the group may hold them open for ever.
      child.stdout!.destroy();
      child.stderr!.destroy();
    };
    const end = () => {
      signalGroup(child.pid, 'SIGTERM');
      cancelKill = systemClock.setTimeout(kill, KILL_AFTER_MS);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      signal.removeEventListener('abort', end);
      cancelKill();
      const result: ShellResult = {
        exitCode: code ?? -1,
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: stdout.isCut() || stderr.isCut(),
      };
      if (code === 0) resolve(result);
      else reject(new Error(failureText(code, killedBy, result.stderr)));
    });
  });
}

function failureText(code: number | null, killedBy: string | null, stderr: string): string {
  const how = code === null ? `was ended by ${killedBy}` : `exit code ${code}`;
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last === '' ? how : `${how}: ${last.slice(0, 500)}`;
}

/** Keeps the first bytes of a stream and lets the rest pass. */
function keep(stream: NodeJS.ReadableStream): { text(): string; isCut(): boolean } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    const room = SHELL_OUTPUT_BYTES_MAX - bytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    bytes += chunk.length;
  });
  return {
    text: () => Buffer.concat(chunks).toString('utf8').toWellFormed(),
    isCut: () => bytes > SHELL_OUTPUT_BYTES_MAX,
  };
}

/**
 * Ends what an earlier attempt or host left of this effect, and waits until it has ended. Numbers are used again, so
 * each process must carry the effect's mark.
 */
async function endGroup(processGroup: number, storeId: string, { effectId, signal }: WorkContext): Promise<void> {
  const marks = [`BOSUN_EFFECT_ID=${effectId}`, `BOSUN_STORE=${storeId}`];
  const killed = new Set<number>();
  // One that is dying loses its environment first, while files of its may still be open.
  const isLeft = ({ pid, environment, isDead }: Process) =>
    (killed.has(pid) && !isDead) || marks.every((mark) => environment.includes(mark));
  for (;;) {
    const left = [...processes()].filter((found) => found.group === processGroup && isLeft(found));
    if (left.length === 0) return;
    for (const { pid } of left) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself in the meantime.
      }
    }
    await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, DYING_MS));
    signal.throwIfAborted();
  }
}

interface Process {
  readonly pid: number;
  readonly group: number;
  readonly environment: readonly string[];
  /** Only its parent has not heard of it yet. */
  readonly isDead: boolean;
}

function* processes(): Iterable<Process> {
  for (const name of numberedDirectories('/proc')) {
    try {
      // The command's name may hold anything; the fields after its closing bracket are: state, parent, group.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      yield { pid: Number(name), group: Number(group), environment, isDead: state === 'Z' || state === 'X' };
    } catch {
      // Gone, or somebody else's: not ours either way.
    }
  }
}

/** Empty where the system has no /proc; there a left-over command is not found. */
function numberedDirectories(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // The group has ended.
  }
}
