/**
 * A command on a leash: in a process group of its own, which begins only when its host says so and ends when its host
 * does, whatever the cause. The leash is a socket whose other end only the host has open, and a shell in the group that
 * reads it. A process that leaves the group escapes the leash.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type Duplex, type Readable } from 'node:stream';
import { type Cancel, systemClock } from '../clock.ts';
import { COMMAND_GRACE_MS } from '../limits.ts';
import { DEATH_MS, signalGroup } from './processes.ts';

/**
 * The script of the two shells. Descriptor 3 is the leash: a first line opens the gate, a second one releases the
 * group, its end ends the group, and nothing begins in a group that is being ended. The first shell reports the exit
 * code over it, and stays until the leash has gone, so that it reaps the group itself. Both ignore signals that the
 * command sends to its own group.
 */
const LEASH = `
IFS= read -r _ <&3 || exit 125
trap "" HUP INT QUIT USR1 USR2 TERM
( IFS= read -r _ <&3 && exit
  kill -TERM 0; sleep ${COMMAND_GRACE_MS / 1_000}; kill -KILL 0 ) </dev/null >/dev/null 2>&1 & leash=$!
trap : HUP INT QUIT USR1 USR2
over=; trap over=1 TERM
exec 4>&2 2>/dev/null
[ "$over" ] || ( exec /bin/sh -c "$BOSUN_RUN" 2>&4 3<&- 4>&- )
echo $? >&3
exec <&- >&- 4>&-
wait $leash`;

/** How a command ended. */
export interface Exit {
  /**
   * The exit code as shells count: 128 plus the number of the signal that ended it. Null if no shell was left to report
   * it.
   */
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

export interface Leashed {
  /** The number of the process group. */
  readonly group: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<Exit>;
  /** Opens the gate, and passes the command its input. */
  begin(input: string): void;
  /** Releases the group: processes that the command has left in it continue without a leash. */
  release(): void;
  /** Ends the group: SIGTERM, and SIGKILL two seconds later. Streams that are still held open then are closed. */
  end(): void;
  /** Closes the leash after the command has ended. */
  close(): void;
}

/** Starts a command on a leash, with its gate closed. Rejects if no process can be started. */
export async function leash(
  run: string,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Leashed> {
  const child = spawn('/bin/sh', ['-c', LEASH], {
    cwd,
    env: { ...env, BOSUN_RUN: run },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) return new Promise<never>((_, reject) => void child.once('error', reject));
  return leashed(child, pid);
}

function leashed(child: ChildProcess, group: number): Leashed {
  const { stdin, stdout, stderr } = child as ChildProcess & { stdout: Readable; stderr: Readable };
  const line = child.stdio[3] as Duplex & { unref(): void };
  let isHeld = true;
  let cancel: Cancel = () => {};
  // An ended process reads nothing more.
  for (const stream of [line, stdin!]) stream.on('error', () => {});
  const kill = () => {
    signalGroup(group, 'SIGKILL');
    // Processes in the group close the streams by dying; one that has left it may hold them open for ever.
    cancel = systemClock.setTimeout(() => [stdout, stderr].forEach((stream) => stream.destroy()), DEATH_MS);
  };
  const letGo = (word: string) => {
    isHeld = false;
    line.end(word);
  };
  return {
    group,
    stdout,
    stderr,
    exit: exitOf(child, line),
    begin: (input) => {
      if (isHeld) line.write('go\n');
      stdin!.end(input);
    },
    release: () => {
      if (isHeld) letGo('over\n');
    },
    end: () => {
      if (!isHeld) return;
      letGo('');
      cancel = systemClock.setTimeout(kill, COMMAND_GRACE_MS);
    },
    close: () => {
      cancel();
      child.unref();
      line.unref();
    },
  };
}

function exitOf(child: ChildProcess, line: Duplex): Promise<Exit> {
  return new Promise((resolve) => {
    let told = '';
    line.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (told.endsWith('\n')) resolve({ code: Number(told), killedBy: null });
    });
    child.once('exit', (code, killedBy) => resolve({ code, killedBy }));
  });
}
