/**
 * Shell commands as effects. A command runs in a process group on a leash, which its effect's own checkpoint records
 * before the command may begin. First of all, commands that earlier hosts of the store left running are ended, and no
 * command begins while a process of an earlier start of it lives.
 */
import type { EffectFacts } from '../actors/model/ref.ts';
import { systemClock } from '../clock.ts';
import { COMMAND_OUTPUT_BYTES_MAX } from '../limits.ts';
import { type Exit, leash, type Leashed } from './leash.ts';
import { DEATH_MS, groupEmpty, type Killed, LeftOvers, NAME_MARK, nextTurn, STORE_MARK } from './processes.ts';

export interface Command {
  /** The name of the command, unique among those of the store: there is one process group of a name at a time. */
  readonly name: string;
  /** The script for `/bin/sh -c`. */
  readonly run: string;
  /** Any data, passed as JSON on stdin. */
  readonly input: unknown;
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
}

export class Commands {
  readonly #place: CommandPlace;
  readonly #leftOvers: LeftOvers;
  readonly #sinceMs = systemClock.wallMs();
  /** The end of each running command, by name. */
  readonly #running = new Map<string, Promise<void>>();
  #cleared: Promise<Killed> | undefined;
  #lastStart: Promise<void> = Promise.resolve();

  constructor(place: CommandPlace) {
    this.#place = place;
    this.#leftOvers = new LeftOvers(place.store);
  }

  /**
   * Ends commands that earlier hosts left running, once. Only for the host that has the store open: commands of another
   * host must not be taken for left over.
   */
  clear(): Promise<Killed> {
    this.#cleared ??= this.#leftOvers.end();
    return this.#cleared;
  }

  /**
   * Runs a command to its end. Rejects if it fails or cannot be started. When the signal is aborted its group gets
   * SIGTERM, and SIGKILL two seconds later.
   */
  run(command: Command, effect: CommandEffect, signal: AbortSignal): Promise<CommandResult> {
    const { name } = command;
    const earlier = this.#running.get(name);
    const result = this.#run(command, { effect, signal, earlier });
    const end = result
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        if (this.#running.get(name) === end) this.#running.delete(name);
      });
    this.#running.set(name, end);
    return result;
  }

  /** Resolves when no command runs. After an abort that takes no longer than until the final signal. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values(), this.#cleared]);
  }

  async #run(command: Command, { effect, signal, earlier }: Start): Promise<CommandResult> {
    await earlier;
    await this.#alone(command.name, effect.checkpointed as Recorded | undefined, signal);
    await this.#myTurn();
    signal.throwIfAborted();
    const group = await leash(command.run, { cwd: this.#place.cwd, env: this.#environment(command, effect) });
    const result = outcome(group, signal);
    // The result is awaited below, once the gate is open.
    result.catch(() => {});
    try {
      // The group is on disk before the gate opens.
      const recorded: Recorded = { processGroup: group.group, hostSinceMs: this.#sinceMs };
      await Promise.race([effect.checkpoint(recorded), group.exit]);
      group.begin(JSON.stringify(command.input ?? null));
    } catch (error) {
      group.end();
      await result.catch(() => {});
      throw error;
    }
    return result;
  }

  /** Resolves when no process of an earlier start of the command lives. */
  async #alone(name: string, before: Recorded | undefined, signal: AbortSignal): Promise<void> {
    const cleared = await this.clear();
    const isOfThisHost = before?.hostSinceMs === this.#sinceMs;
    const killed = isOfThisHost ? await this.#leftOvers.end(name) : cleared;
    await this.#leftOvers.dead(killed.get(name) ?? [], signal);
    if (before !== undefined) await this.#leftOvers.groupDead(before.processGroup, signal);
  }

  /** Queues starts, one per round of the event loop: starting a process blocks it for milliseconds. */
  #myTurn(): Promise<void> {
    this.#lastStart = this.#lastStart.then(nextTurn);
    return this.#lastStart;
  }

  #environment({ name }: Command, { effectId, attempt }: CommandEffect): NodeJS.ProcessEnv {
    return {
      ...this.#place.env(),
      [STORE_MARK]: this.#place.store,
      [NAME_MARK]: name,
      BOSUN_EFFECT_ID: effectId,
      BOSUN_ATTEMPT: String(attempt),
    };
  }
}

/** One start of a command. */
interface Start {
  readonly effect: CommandEffect;
  readonly signal: AbortSignal;
  /** The end of the earlier start in this host, if any. */
  readonly earlier: Promise<void> | undefined;
}

/**
 * Waits for the outcome of a command, which is over when it has ended and no process writes to its streams any more.
 */
async function outcome(group: Leashed, signal: AbortSignal): Promise<CommandResult> {
  const [stdout, stderr] = [keep(group.stdout), keep(group.stderr)];
  const end = () => group.end();
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const exit = await group.exit;
  // Processes that a failed command leaves behind would disturb its next attempt.
  if (exit.code !== 0) end();
  const texts = await Promise.all([stdout.text, stderr.text]);
  signal.removeEventListener('abort', end);
  // The group was killed: a process that has closed its files may still be dying.
  if (exit.code === null) await groupEmpty(group.group, DEATH_MS);
  group.release();
  group.close();
  const result = { stdout: texts[0], stderr: texts[1], truncated: stdout.isCut() || stderr.isCut() };
  if (exit.code !== 0) throw new Error(failureText(exit, result.stderr));
  return { exitCode: 0, ...result };
}

function failureText({ code, killedBy }: Exit, stderr: string): string {
  const how = code === null ? `was ended by ${killedBy}` : `exit code ${code}`;
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last === '' ? how : `${how}: ${last.slice(0, 500)}`;
}

/** Keeps the first bytes of a stream and discards the rest. */
function keep(stream: NodeJS.ReadableStream): { readonly text: Promise<string>; isCut(): boolean } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    const room = COMMAND_OUTPUT_BYTES_MAX - bytes;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    bytes += chunk.length;
  });
  const text = new Promise<string>((resolve) =>
    stream.once('close', () => resolve(Buffer.concat(chunks).toString('utf8').toWellFormed())),
  );
  return { text, isCut: () => bytes > COMMAND_OUTPUT_BYTES_MAX };
}
