/**
 * The module of the workers of `bosun serve`: loaded by each of their threads, it reads the config that the address of
 * the module names, and exports the options of the system.
 */
import { BosunError } from '../errors.ts';
import { type WorkerOptions } from '../workers/options.ts';
import { readConfig } from './config-file.ts';
import { secretKeysOf } from './secret-keys.ts';
import { serviceLog } from './service-log.ts';

export const options: WorkerOptions = await optionsFrom(new URL(import.meta.url).searchParams);

/** Rejects with BOSUN_CONFIG_INVALID. */
async function optionsFrom(given: URLSearchParams): Promise<WorkerOptions> {
  const file = given.get('config') ?? '';
  const config = await readConfig({ file, cwd: given.get('cwd') ?? '', env: process.env });
  if (config === undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `${file} is no config file`);
  const { agents, tree = {}, residentActors } = config;
  return {
    agents,
    tree,
    residentActors,
    trustWallClock: given.get('trustWallClock') === 'true',
    log: serviceLog(process.stderr).runtime,
    ...secretKeysOf(process.env),
  };
}
