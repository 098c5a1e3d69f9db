/**
 * `bosun serve [PLAN]`: a system that keeps running, and its gateway. When told to end, it accepts nothing more, lets
 * calls under way end, and makes everything durable. Other verbs find it by its data directory.
 */
import { existsSync } from 'node:fs';
import { systemClock } from '../../clock.ts';
import { type ErrorCode } from '../../error-codes.ts';
import { isBosunError, messageOf } from '../../errors.ts';
import { unawaitedLine } from '../../log.ts';
import { START_HALT_MS } from '../../limits.ts';
import { type Config, readConfig } from '../files/config-file.ts';
import { DESK_SENTENCES, deskSentence } from '../desks/desk-sentences.ts';
import { type DataDirectory, dataDirectory, makeDirectory } from '../store/data-directory.ts';
import { deskFolder } from '../files/answer-team-file.ts';
import { DEFAULT_DATA, rootOf } from '../default-data.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { frontDoor } from '../reach/front-door.ts';
import { makeHome } from './mcp-home.ts';
import { type Told } from '../run/run-report.ts';
import { type ServedSystem, servedFolder, servedSystem } from './served-system.ts';
import { type ServiceLog, serviceLog } from './service-log.ts';
import { aborted, type DataCommand, type OnUnawaited } from '../surroundings.ts';

export interface ServeCommand extends Omit<DataCommand, 'data'> {
  /** The data directory. If the user named none, it is undefined; then the config's is used, or the default. */
  readonly data: string | undefined;
  readonly plan: string | undefined;
  readonly config: string | undefined;
  /** A folder whose contents answer questions, instead of a plan or config. */
  readonly folder?: string;
  /** The shell command that runs the tests of the folder. */
  readonly test?: string | undefined;
  readonly port: number | undefined;
  readonly host: string | undefined;
  /** Whether to trust the wall clock at this start. */
  readonly trustWallClock: boolean;
  /** Aborted when the user or a process manager asks it to end. */
  readonly interrupt: AbortSignal;
  readonly onUnawaited: OnUnawaited | undefined;
}

const BAD_INPUT: ReadonlySet<ErrorCode> = new Set([
  'BOSUN_PLAN_INVALID',
  'BOSUN_CONFIG_INVALID',
  'BOSUN_AGENT_INVALID',
  'BOSUN_CHILD_SPEC_INVALID',
  'BOSUN_AGENT_UNKNOWN',
  'BOSUN_KNOWLEDGE_FOLDER',
]);

/**
 * Serves a system. Resolves to 0 when told to end, 1 when the system failed, 2 for invalid input, 4 if the directory is
 * in use. Rejects for internal errors only.
 */
export async function serveCommand(command: ServeCommand): Promise<ExitCode> {
  const log = serviceLog(command.err, command);
  command.onUnawaited?.((reason) => log.runtime(unawaitedLine(reason)));
  try {
    const ready = await unlessInterrupted(command.interrupt, prepared(command, log));
    return ready === undefined ? EXIT.completed : await serve(command, ready);
  } catch (error) {
    if (!isBosunError(error)) throw error;
    log.error(error.message, { code: error.code });
    if (error.code === 'BOSUN_STORE_LOCKED') return EXIT.inUse;
    return BAD_INPUT.has(error.code) ? EXIT.badInput : EXIT.failed;
  }
}

interface Serving {
  readonly served: ServedSystem;
  readonly directory: DataDirectory;
  readonly settings: Config['gateway'];
  readonly log: ServiceLog;
}

async function prepared(command: ServeCommand, log: ServiceLog): Promise<Serving> {
  const { cwd, env, port, host, plan, folder, test, trustWallClock } = command;
  const config = folder === undefined ? await readConfig({ file: command.config, cwd, env }) : undefined;
  const directory = dataDirectory({ data: command.data ?? config?.data ?? (await homeOf(folder, cwd)), cwd });
  await makeDirectory(directory);
  const place = { directory, config, plan, test, cwd, env, trustWallClock, log: log.runtime };
  const served = folder === undefined ? await servedSystem(place) : await servedFolder(place, folder);
  const settings = { ...config?.gateway, ...(port !== undefined && { port }), ...(host !== undefined && { host }) };
  return { served, directory, settings, log };
}

/** The directory where the user names none: `./data`, or that of the repository of a folder. */
async function homeOf(folder: string | undefined, cwd: string): Promise<string> {
  if (folder === undefined) return DEFAULT_DATA;
  const { path } = deskFolder(folder, cwd);
  return existsSync(path) ? makeHome(rootOf(path)) : DEFAULT_DATA;
}

async function serve(
  { interrupt, json, out }: ServeCommand,
  { served, directory, settings, log }: Serving,
): Promise<ExitCode> {
  const { system, what, hint } = served;
  const unfollow = served.follow((event) => follow(event, log));
  const door = frontDoor(system, directory, { settings, procedures: served.procedures, log: log.runtime });
  const start: Promise<unknown> = system.start();
  let isStarted = false;
  let isServing = false;
  const halted = async () => {
    await start.catch(() => {});
    await system.stop();
    await served.ended();
  };
  try {
    if ((await unlessInterrupted(interrupt, start)) === undefined) return EXIT.completed;
    isStarted = true;
    served.begun();
    const url = await door.open();
    isServing = true;
    log.info(`bosun serves ${what} at ${url}, data in ${directory.path}`, { url, data: directory.path });
    if (hint !== undefined) log.info(hint);
    if (json) out.write(`${JSON.stringify({ type: 'serving', url, data: directory.path })}\n`);
    const failure = await Promise.race([aborted(interrupt), system.closed.catch((error: unknown) => error)]);
    if (failure !== undefined)
      log.error(`the system closed: ${messageOf(failure)}`, { code: isBosunError(failure) ? failure.code : undefined });
    else log.info('stopping: calls in progress are answered, and everything so far is kept');
    return failure === undefined ? EXIT.completed : EXIT.failed;
  } finally {
    await door.close();
    unfollow();
    // A start that hangs must not keep the process alive; nothing has been acknowledged yet that could be lost.
    await (isStarted ? halted() : Promise.race([halted(), paused(START_HALT_MS)]));
    if (isServing) log.info('ended');
  }
}

/** Waits for work. Resolves to undefined if interrupted first; the work then continues without being awaited. */
function unlessInterrupted<Result>(interrupt: AbortSignal, work: Promise<Result>): Promise<Result | undefined> {
  return Promise.race([work, aborted(interrupt).then(() => undefined)]);
}

function paused(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.setTimeout(resolve, ms, { isBackground: true }));
}

/** Logs the steps of the plan, once they are durable. */
function follow(event: Told, log: ServiceLog): void {
  const { type, task, item, attempt, error, reason } = event;
  if (type in DESK_SENTENCES)
    return log.info(`${type} ${deskSentence(event).replace(/^\S+\s+/, '')}`, { ...event, event: type });
  log.info([type, task ?? item, error ?? reason].filter((part) => part !== undefined).join(' '), {
    event: type,
    task,
    item,
    attempt,
    error,
    reason,
  });
}
