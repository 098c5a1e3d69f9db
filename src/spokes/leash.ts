/**
 * A command on a leash: in a process group of its own, which begins only when its host says so and ends when its host
 * does, whatever the cause. The leash is a socket whose other end only the host has open, and a shell in the group that
 * reads it. A process that leaves the group escapes the leash.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type Socket } from 'node:net';
import { type Readable } from 'node:stream';
import { COMMAND_GRACE_MS } from '../limits.ts';
import { DEATH_MS, DYING_MS, groupEnd, signalGroup } from './groups.ts';
import { isWithin } from './waits.ts';

/**
 * The script of the two shells. Descriptor 3 is the leash: a first line opens the gate, a second one dismisses the
 * leash, its end ends the group, and nothing begins in a group that is being ended. The first shell reports the exit
 * code over it, and stays until the leash has gone, so that it reaps the leash itself. Both ignore signals that the
 * command sends to its own group.
 */
const LEASH = `
IFS= read -r _ <&3 || exit 125
trap "" HUP INT QUIT USR1 USR2 TERM
( IFS= read -r _ <&3; dismissed=$?
  kill -TERM 0
  [ $dismissed = 0 ] && exit
  sleep ${COMMAND_GRACE_MS / 1_000}; kill -KILL 0 ) </dev/null >/dev/null 2>&1 & leash=$!
trap : HUP INT QUIT USR1 USR2
over=; trap over=1 TERM
exec 4>&2 2>/dev/null
code=143
[ "$over" ] || { ( exec /bin/sh -c "$BOSUN_RUN" 2>&4 3<&- 4>&- ); code=$?; }
trap "" HUP INT QUIT USR1 USR2 TERM
echo $code >&3
exec <&- >&- 4>&-
wait $leash`;

/**
 * The script of a shell outside the group, for what is left in a group whose leash has gone: a line means that nobody
 * is left, the end of descriptor 3 that the host has ended before.
 */
const WATCH = `IFS= read -r _ <&3 || { sleep ${COMMAND_GRACE_MS / 1_000}; kill -KILL "-$BOSUN_GROUP"; }`;

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
  /** Resolves when the streams are closed. They must be read. */
  readonly closed: Promise<unknown>;
  readonly exit: Promise<Exit>;
  /** Opens the gate, and passes the command its input. */
  begin(input: string): void;
  /**
   * Dismisses the leash of a command that has exited, and ends what it has left in its group: SIGTERM, and SIGKILL two
   * seconds later, even without the host. Resolves when no process of the group lives, or all have been killed.
   */
  dismiss(): Promise<void>;
  /**
   * Ends the group: SIGTERM, and SIGKILL two seconds later, even without the host. Resolves when the streams are
   * closed, or every process of the group has been killed.
   */
  end(): Promise<void>;
  /** Lets the host end while processes hold the leash or the streams. */
  unref(): void;
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
  return leashed(child, { group: pid, env });
}

function leashed(child: ChildProcess, { group, env }: Watched): Leashed {
  const [stdin, stdout, stderr, line] = child.stdio as unknown as readonly [Socket, Socket, Socket, Socket];
  const closed = Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve))));
  const shellExit = new Promise((resolve) => child.once('exit', resolve));
  // An ended process reads nothing more.
  for (const stream of [line, stdin]) stream.on('error', () => {});
  let over: Promise<void> | undefined;
  const dismiss = async () => {
    line.end('over\n');
    await shellExit;
    // The two shells have gone, so the group is empty if the command has left nothing that ignores the signal.
    if (!(await groupEnd(group, DYING_MS))) await endWatched({ group, env });
  };
  const end = async () => {
    line.end();
    if (await isWithin(closed, COMMAND_GRACE_MS)) return;
    signalGroup(group, 'SIGKILL');
    // Processes in the group close the streams by dying; one that has left it may hold them for ever.
    await isWithin(closed, DEATH_MS);
  };
  return {
    ...{ group, stdout, stderr, closed },
    exit: exitOf(child, line),
    begin: (input) => {
      if (over === undefined) line.write('go\n');
      stdin.end(input);
    },
    dismiss: () => (over ??= dismiss()),
    end: () => (over ??= end()),
    unref: () => {
      for (const held of [child, stdin, stdout, stderr, line]) held.unref();
    },
  };
}

/** A group whose leash has gone, and the environment of its command. */
interface Watched {
  readonly group: number;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Waits for the end of a group, and kills it when its grace is over. No other group is given its number while it has a
 * process.
 */
async function endWatched({ group, env }: Watched): Promise<void> {
  const watch = spawn('/bin/sh', ['-c', WATCH], {
    env: { ...env, BOSUN_GROUP: String(group) },
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  // Without it the end of the group needs the host.
  watch.on('error', () => {});
  if (!(await groupEnd(group, COMMAND_GRACE_MS))) signalGroup(group, 'SIGKILL');
  const line = watch.stdio[3] as Socket | undefined;
  line?.on('error', () => {}).end('gone\n');
}

function exitOf(child: ChildProcess, line: Socket): Promise<Exit> {
  return new Promise((resolve) => {
    let told = '';
    line.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (told.endsWith('\n')) resolve({ code: Number(told), killedBy: null });
    });
    child.once('exit', (code, killedBy) => resolve({ code, killedBy }));
  });
}
