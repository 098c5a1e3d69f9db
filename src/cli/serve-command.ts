/**
 * `bosun serve [PLAN]`: a system that stays, and its gateway. It ends when it is told to: takes nothing more, lets
 * calls under way end, makes everything durable. The verbs of the command line find it by its data directory.
 */
import { type ErrorCode, isBosunError, messageOf } from '../errors.ts';
import { type Config, readConfig } from './config-file.ts';
import { DESK_SENTENCES, deskSentence } from './desk-sentences.ts';
import { type DataDirectory, dataDirectory, makeDirectory } from './data-directory.ts';
import { DEFAULT_DATA } from './default-data.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { frontDoor } from './front-door.ts';
import { type Told, TOLD } from './run-report.ts';
import { type ServedSystem, servedSystem } from './served-system.ts';
import { type ServiceLog, serviceLog } from './service-log.ts';
import { aborted, type DataCommand } from './surroundings.ts';

export interface ServeCommand extends Omit<DataCommand, 'data'> {
  /** Undefined where the user named none: then the config's, then the default. */
  readonly data: string | undefined;
  readonly plan: string | undefined;
  readonly config: string | undefined;
  readonly port: number | undefined;
  readonly host: string | undefined;
  /** Believe the wall clock at this start. */
  readonly trustWallClock: boolean;
  /** Aborted when the user, or whoever manages the process, wants it to end. */
  readonly interrupt: AbortSignal;
}

const BAD_INPUT: ReadonlySet<ErrorCode> = new Set([
  'BOSUN_PLAN_INVALID',
  'BOSUN_CONFIG_INVALID',
  'BOSUN_AGENT_INVALID',
  'BOSUN_CHILD_SPEC_INVALID',
  'BOSUN_AGENT_UNKNOWN',
]);

/**
 * Resolves to 0 when it was told to end, 1 when the system failed, 2 for bad input, 4 where the directory is in use.
 * Rejects for faults of Bosun only.
 */
export async function serveCommand(command: ServeCommand): Promise<ExitCode> {
  const log = serviceLog(command.err);
  try {
    const { cwd, env, port, host, trustWallClock } = command;
    const config = await readConfig({ file: command.config, cwd, env });
    const directory = dataDirectory({ data: command.data ?? config?.data ?? DEFAULT_DATA, cwd });
    await makeDirectory(directory);
    const served = await servedSystem({
      directory,
      config,
      plan: command.plan,
      cwd,
      env,
      trustWallClock,
      log: log.runtime,
    });
    const settings = { ...config?.gateway, ...(port !== undefined && { port }), ...(host !== undefined && { host }) };
    return await serve(command, { served, directory, settings, log });
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

async function serve(
  { interrupt, json, out }: ServeCommand,
  { served, directory, settings, log }: Serving,
): Promise<ExitCode> {
  const { system, what } = served;
  const unfollow = served.follow((event) => follow(event, log));
  const door = frontDoor(system, directory, { settings, log: log.runtime });
  let isServing = false;
  try {
    await system.start();
    const url = await door.open();
    isServing = true;
    log.info(`bosun serves ${what} at ${url}, data in ${directory.path}`, { url, data: directory.path });
    if (json) out.write(`${JSON.stringify({ type: 'serving', url, data: directory.path })}\n`);
    const failure = await Promise.race([aborted(interrupt), system.closed.catch((error: unknown) => error)]);
    if (failure !== undefined)
      log.error(`the system closed: ${messageOf(failure)}`, { code: isBosunError(failure) ? failure.code : undefined });
    else log.info('about to end: calls under way are answered, and everything so far is kept');
    return failure === undefined ? EXIT.completed : EXIT.failed;
  } finally {
    await door.close();
    unfollow();
    await system.stop();
    await served.ended();
    if (isServing) log.info('ended');
  }
}

/** Steps of the plan, once they are durable. */
function follow(event: Told, log: ServiceLog): void {
  if (!TOLD.has(event.type)) return;
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
