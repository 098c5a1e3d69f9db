/**
 * `bosun show`: what became of an actor that has ended, in a running system or a stopped store, or how it stands with
 * one that has not; with `--wait`, what becomes of it. Changes nothing.
 */
import { type ActorResult } from '../../actors/model/results.ts';
import { isBosunError } from '../../errors.ts';
import { ActorViews } from '../../gateway/topics/actor-views.ts';
import { RunViews } from '../../gateway/topics/run-views.ts';
import { type RunView } from '../../gateway/protocol/run-view.ts';
import { type ActorView } from '../../gateway/protocol/views.ts';
import { plainLine } from '../../plain-text.ts';
import { type Shard } from '../../shard.ts';
import { withData } from '../reach/data-work.ts';
import { EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { isGone, nextGateway } from '../reach/following.ts';
import { type LiveGateway } from '../reach/live-gateway.ts';
import { dataOption } from '../invocation.ts';
import { durationText } from './runs-command.ts';
import { jsonLine } from '../json-lines.ts';
import { errorText, timeText, whenKnown } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';
import { type Facts, factsText } from '../table.ts';
import { stateText } from './tree-command.ts';

export interface ShowCommand extends DataCommand {
  readonly address: string;
  /** Waits for the end of the actor until aborted; undefined to show how it stands now. */
  readonly wait: AbortSignal | undefined;
}

/** An ended actor. The stack of its error is known in a stopped store only, since a gateway gives none away. */
type Shown = RunView & { readonly stack?: string | undefined };

/** Milliseconds of one call that waits. A gateway that closes lets calls under way end first, so they are short. */
const WAIT_MS = 2_000;

type Standing = Pick<ActorView, 'address' | 'agent' | 'status' | 'value' | 'sequence' | 'error'>;

/**
 * Prints how an actor ended, or stands. Resolves to 0 however it ended, 2 if nobody lives or has ended there, 7 if only
 * a running system can wait for its end, 130 when interrupted.
 */
export async function showCommand(command: ShowCommand): Promise<ExitCode> {
  const { address, wait } = command;
  let waitsInVain = false;
  const code = await withData(command, {
    live: async (gateway) => {
      const now = await nowAt(gateway, address);
      if ('endedAtMs' in now) return printRun(command, now, liveHints(command));
      if (wait === undefined) return printStanding(command, now, standingHints(command));
      command.err.write(`${plainLine(`${address} has not ended; waiting for its end`)}\n`);
      const run = await endOf(command, gateway, wait);
      if (run === undefined) return EXIT.interrupted;
      printRun(command, run, liveHints(command));
    },
    stopped: async (system) => {
      if (system.snapshot(address) === undefined)
        return printRun(command, storedRun(system, await system.results.result(address)));
      waitsInVain = wait !== undefined;
      if (!waitsInVain) printStanding(command, new ActorViews(system).actor(address) as Standing);
    },
  });
  if (!waitsInVain || code !== EXIT.completed) return code;
  const message = `${address} has not ended, and no system runs that goes on with it: start one with bosun serve`;
  writeError(command, 'BOSUN_SYSTEM_CLOSED', message);
  return EXIT.notRunning;
}

/** The end of an actor, or how it stands. Rejects with BOSUN_ACTOR_UNKNOWN if nobody lives or has ended there. */
async function nowAt(gateway: LiveGateway, address: string): Promise<RunView | Standing> {
  const { run } = await gateway.call<RunAnswer>('run.get', { address });
  if (run !== null) return run;
  try {
    return await gateway.call<ActorView>('actor.get', { address });
  } catch (error) {
    // It has ended since.
    if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return nowAt(gateway, address);
    throw error;
  }
}

interface RunAnswer {
  readonly run: RunView | null;
}

/** Waits for the end of an actor, over restarts of the system; undefined once interrupted. */
async function endOf(command: ShowCommand, first: LiveGateway, interrupt: AbortSignal): Promise<RunView | undefined> {
  const { address, err } = command;
  let gateway: LiveGateway | undefined = first;
  let isLost = false;
  while (gateway !== undefined && !interrupt.aborted) {
    try {
      const within = { deadlineMs: WAIT_MS, signal: interrupt };
      const { run } = await gateway.call<RunAnswer>('run.get', { address, wait: true }, within);
      if (run !== null) return run;
    } catch (error) {
      if (interrupt.aborted) break;
      if (isBosunError(error, 'BOSUN_TIMEOUT')) {
        isLost = false;
        continue;
      }
      if (!isGone(error)) throw error;
      // A gateway that drains answers for a while.
      if (!isLost) err.write('the gateway has closed; waiting for the next one\n');
      isLost = true;
      gateway = await nextGateway(command, interrupt);
    }
  }
  return undefined;
}

/** The result as a gateway shows it, and the stack. */
function storedRun(system: Shard, result: ActorResult): Shown {
  const { stack } = (result.error ?? {}) as { readonly stack?: unknown };
  const view = new RunViews(system, new ActorViews(system)).run(result);
  return typeof stack === 'string' ? { ...view, stack } : view;
}

function printRun(command: ShowCommand, run: Shown, hints: Facts = []): void {
  const { json, out } = command;
  if (json) return void out.write(jsonLine(run));
  const { address, status, agent, version, startedAtMs, endedAtMs, attempts, sequence, output, error, stack } = run;
  const facts = factsText([
    ['address', address],
    ['status', status],
    ['agent', `${agent}, version ${version}`],
    ['started', whenKnown(startedAtMs)],
    ['ended', timeText(endedAtMs)],
    ['duration', durationText(run)],
    ['attempts', attempts],
    ['changes', sequence],
    ['output', status === 'done' ? JSON.stringify(output) : null],
    ['error', error === null ? null : error.message],
    ['code', error?.code ?? null],
    ['records', `bosun records ${address} NAME${place(command)}`],
    ...hints,
  ]);
  out.write(`${facts}${stack === undefined ? '' : stackText(stack)}`);
}

/** Lines of a stack, each of which stays one line. */
function stackText(stack: string): string {
  const lines = stack.split('\n').map((line) => `  ${plainLine(line)}\n`);
  return `stack\n${lines.join('')}`;
}

/** Commands that a running system alone carries out, by what they show of an ended actor. */
function liveHints(command: ShowCommand): Facts {
  return [['turns', `bosun call actor.history address=${command.address}${place(command)}`]];
}

/** The same for an actor that has not ended. */
function standingHints(command: ShowCommand): Facts {
  const { address } = command;
  return [
    ['its end', `bosun show ${address} --wait${place(command)}`],
    ['its turns', `bosun tail --trace ${address}${place(command)}`],
  ];
}

function printStanding({ json, out }: ShowCommand, standing: Standing, hints: Facts = []): void {
  const { address, agent, status, value, sequence, error } = standing;
  if (json) return void out.write(jsonLine({ address, agent, status, state: value, sequence, error, endedAtMs: null }));
  out.write(
    factsText([
      ['address', address],
      ['status', `${status}, has not ended`],
      ['agent', agent],
      ['state', value === null || value === undefined ? null : stateText(value)],
      ['changes', sequence],
      ['error', errorText(error) ?? null],
      ...hints,
    ]),
  );
}

/** The options of a command to copy that name the same system. */
function place({ remote, data }: ShowCommand): string {
  return remote === undefined ? dataOption(data) : ` --url ${remote.url}`;
}
