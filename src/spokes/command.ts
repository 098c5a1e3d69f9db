/**
 * Shell commands as effects. A command runs in a process group on a leash, which its effect's own checkpoint records
 * before the command may begin. First of all, commands that earlier hosts of the store left running are ended, and no
 * command begins while a process of an earlier start of it lives.
 */
import type { EffectFacts } from '../actors/model/ref.ts';
import { systemClock } from '../clock.ts';
import { COMMAND_OUTPUT_BYTES_MAX } from '../limits.ts';
import { type Exit, leash, type Leashed } from './leash.ts';
import { DEATH_MS, groupEnd } from './groups.ts';
import { type Killed, LeftOvers, NAME_MARK, STORE_MARK } from './processes.ts';
import { OUTPUT_DRAIN_MS } from './limits.ts';
import { type OutputSink } from './outputs.ts';
import { Strays } from './strays.ts';
import { isWithin, nextTurn } from './waits.ts';

/**
 * Time for which output is taken of a command that has exited while others hold its streams: long enough for a program
 * that ends with its input, such as `tee`, and less than anybody notices.
 */
export const COMMAND_LINGER_MS = 250;

export interface Command {
  /** The name of the command, unique among those of the store: there is one process group of a name at a time. */
  readonly name: string;
  /** The script for `/bin/sh -c`. */
  readonly run: string;
  /** Any data, passed as JSON on stdin. */
  readonly input: unknown;
  /**
   * Whether processes that the command leaves in its group when it has succeeded run on: until the command starts
   * again, or its host ends. Default: they are ended.
   */
  readonly keepsBackground?: boolean;
  /** Its directory. Default: that of its place. */
  readonly cwd?: string;
  /** Variables of this command beside those of its place. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether either stream was longer than what is kept. */
  readonly truncated: boolean;
}

/** The part of an effect that runs a command. */
export type CommandEffect = Pick<EffectFacts, 'effectId' | 'attempt' | 'checkpointed' | 'checkpoint'>;

/** The checkpoint of the effect. */
interface Recorded {
  /** The number of the process group, which is also that of its leader. */
  readonly processGroup: number;
  /** The wall-clock time at which the host began, which distinguishes it from earlier hosts. */
  readonly hostSinceMs: number;
}

export interface CommandPlace {
  /** Identifies the commands of one store, over all starts of its hosts. */
  readonly store: string;
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** The environment, read at each start, beside the marks of the command. Undefined leaves a variable out. */
  env(): Readonly<Record<string, string | undefined>>;
  /**
   * Whether processes that have left the group of a command end soon after it. Default: they live until the command
   * starts again, or a host of the store does.
   */
  readonly endsStrays?: boolean;
  /** Bytes that are kept of either stream. Default: `COMMAND_OUTPUT_BYTES_MAX`. */
  readonly outputBytes?: number;
}

/** The circumstances of one run. */
export interface CommandRun {
  readonly effect: CommandEffect;
  /** Ends the command when it is aborted. */
  readonly signal: AbortSignal;
  /** Called when the command has succeeded: only its output is still taken, for `COMMAND_LINGER_MS` at most. */
  readonly succeeded?: () => void;
  /** Takes all output, beside what the result keeps of it. */
  readonly output?: OutputSink;
}

export class Commands {
  readonly #place: CommandPlace;
  readonly #leftOvers: LeftOvers;
  readonly #strays: Strays;
  readonly #sinceMs = systemClock.wallMs();
  /** The end of each command and of what it leaves, by name. */
  readonly #running = new Map<string, Promise<unknown>>();
  /** Groups that run on after their command, by its name. */
  readonly #kept = new Map<string, Leashed>();
  #cleared: Promise<Killed> | undefined;
  #lastStart: Promise<void> = Promise.resolve();

  constructor(place: CommandPlace) {
    this.#place = place;
    this.#leftOvers = new LeftOvers(place.store);
    this.#strays = new Strays(this.#leftOvers);
  }

  /**
   * Ends commands that earlier hosts left running, once. Only for the host that has the store open: commands of another
   * host must not be taken for left over.
   */
  clear(): Promise<Killed> {
    this.#cleared ??= this.#leftOvers.end();
    return this.#cleared;
  }

  /** Resolves when no process of an earlier start of a command lives. Rejects when the signal is aborted before. */
  async alone(name: string, { checkpointed }: CommandEffect, signal: AbortSignal): Promise<void> {
    await this.#running.get(name);
    await this.#alone(name, checkpointed as Recorded | undefined, signal);
  }

  /**
   * Runs a command until it has exited, whatever it leaves in the background. Rejects if it fails, with what is kept of
   * its output as the cause, or cannot be started. When the signal is aborted its group gets SIGTERM, and SIGKILL two
   * seconds later; so does what it has left in its group when it has exited.
   */
  run(command: Command, run: CommandRun): Promise<CommandResult> {
    this.#dismiss(command.name);
    const result = this.#run(command, run, this.#running.get(command.name));
    this.#occupy(command.name, result);
    if (this.#place.endsStrays === true)
      this.#occupy(
        command.name,
        Promise.allSettled([result]).then(() => this.#strays.end(command.name)),
      );
    return result;
  }

  /**
   * Ends what commands have left, and resolves when no command runs. After an abort that takes no longer than until the
   * final signal.
   */
  async ended(): Promise<void> {
    do {
      for (const name of this.#kept.keys()) this.#dismiss(name);
      await Promise.all([...this.#running.values(), this.#cleared]);
    } while (this.#running.size > 0);
  }

  async #run(command: Command, run: CommandRun, earlier: Promise<unknown> | undefined): Promise<CommandResult> {
    const { effect, signal } = run;
    await earlier;
    await this.#alone(command.name, effect.checkpointed as Recorded | undefined, signal);
    await this.#myTurn();
    signal.throwIfAborted();
    const group = await leash(command.run, {
      cwd: command.cwd ?? this.#place.cwd,
      env: this.#environment(command, effect),
    });
    const result = this.#outcome(group, command, run);
    // The result is awaited below, once the gate is open.
    result.catch(() => {});
    try {
      // The group is on disk before the gate opens.
      const recorded: Recorded = { processGroup: group.group, hostSinceMs: this.#sinceMs };
      await Promise.race([effect.checkpoint(recorded), group.exit]);
      group.begin(JSON.stringify(command.input ?? null));
    } catch (error) {
      void group.end();
      await result.catch(() => {});
      throw error;
    }
    return result;
  }

  /** Waits until a command has exited, takes its output, and sees to what it has left in its group. */
  async #outcome(
    group: Leashed,
    { name, keepsBackground }: Command,
    { signal, succeeded, output }: CommandRun,
  ): Promise<CommandResult> {
    const { outputBytes: most = COMMAND_OUTPUT_BYTES_MAX } = this.#place;
    const [stdout, stderr] = [kept(group.stdout, output?.stdout, most), kept(group.stderr, output?.stderr, most)];
    const end = () => void group.end();
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    const exit = await group.exit;
    if (exit.code === 0) {
      succeeded?.();
      const isClosed = await drained(group, output === undefined ? undefined : () => stdout.bytes() + stderr.bytes());
      // What had been written when the time was over is read in this round of the event loop.
      await nextTurn();
      if (keepsBackground === true) this.#kept.set(name, group);
      else this.#occupy(name, isClosed ? group.dismiss() : group.end());
    } else {
      // Processes that a failed command leaves behind would disturb its next attempt.
      await group.end();
      // The group was killed: a process that has closed its files may still be dying.
      if (exit.code === null) await groupEnd(group.group, DEATH_MS);
    }
    signal.removeEventListener('abort', end);
    group.unref();
    const printed = { stdout: stdout.take(), stderr: stderr.take(), truncated: stdout.isCut() || stderr.isCut() };
    if (exit.code !== 0) throw new Error(failureText(exit, printed.stderr), { cause: printed });
    return { exitCode: 0, ...printed };
  }

  /** Resolves when no process of an earlier start of the command lives. */
  async #alone(name: string, before: Recorded | undefined, signal: AbortSignal): Promise<void> {
    const cleared = await this.clear();
    const isOfThisHost = before?.hostSinceMs === this.#sinceMs;
    const killed = isOfThisHost ? await this.#leftOvers.end((found) => found === name) : cleared;
    await this.#leftOvers.dead(killed.get(name) ?? [], signal);
    if (before !== undefined) await this.#leftOvers.groupDead(before.processGroup, signal);
  }

  /** Ends the group that was kept of a command, if any. */
  #dismiss(name: string): void {
    const group = this.#kept.get(name);
    if (group === undefined) return;
    this.#kept.delete(name);
    this.#occupy(name, group.dismiss());
  }

  /** Keeps a command from starting again before some work is over. */
  #occupy(name: string, work: Promise<unknown>): void {
    const end = Promise.allSettled([this.#running.get(name), work]).then(() => {
      if (this.#running.get(name) === end) this.#running.delete(name);
    });
    this.#running.set(name, end);
  }

  /** Queues starts, one per round of the event loop: starting a process blocks it for milliseconds. */
  #myTurn(): Promise<void> {
    this.#lastStart = this.#lastStart.then(nextTurn);
    return this.#lastStart;
  }

  #environment({ name, env }: Command, { effectId, attempt }: CommandEffect): NodeJS.ProcessEnv {
    return {
      ...this.#place.env(),
      ...env,
      [STORE_MARK]: this.#place.store,
      [NAME_MARK]: name,
      BOSUN_EFFECT_ID: effectId,
      BOSUN_ATTEMPT: String(attempt),
    };
  }
}

function failureText({ code, killedBy }: Exit, stderr: string): string {
  const how = code === null ? `was ended by ${killedBy}` : `exit code ${code}`;
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last === '' ? how : `${how}: ${last.slice(0, 500)}`;
}

/**
 * Waits until the streams of a command that has exited are closed: no longer than for what it has left in the
 * background, or, where all output is wanted, as long as more comes.
 *
 * @returns Whether they are closed.
 */
async function drained({ closed }: Leashed, bytesSoFar: (() => number) | undefined): Promise<boolean> {
  const untilMs = systemClock.monotonicMs() + OUTPUT_DRAIN_MS;
  for (;;) {
    const before = bytesSoFar?.();
    if (await isWithin(closed, COMMAND_LINGER_MS)) return true;
    if (bytesSoFar?.() === before || systemClock.monotonicMs() > untilMs) return false;
  }
}

/** The first bytes of a stream, while it is read. */
interface Kept {
  /** The text that has been kept. What comes later is discarded. */
  take(): string;
  isCut(): boolean;
  /** Bytes read so far. */
  bytes(): number;
}

function kept(stream: NodeJS.ReadableStream, sink: NodeJS.WritableStream | undefined, bytesMax: number): Kept {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    const room = bytesMax - bytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    bytes += chunk.length;
  };
  stream.on('data', take);
  // The end of the stream does not end the sink, which its owner closes.
  if (sink !== undefined) stream.pipe(sink, { end: false });
  return {
    bytes: () => bytes,
    take: () => {
      // Somebody may go on writing, and would be stopped by a full stream.
      if (sink !== undefined) stream.unpipe(sink);
      stream.off('data', take).resume();
      return Buffer.concat(chunks).toString('utf8').toWellFormed();
    },
    isCut: () => bytes > bytesMax,
  };
}
