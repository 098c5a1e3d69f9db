/**
 * The module of the workers of `bosun serve`: each thread loads it, reads the config named in the module's URL, and
 * exports the options of the system.
 */
import { BosunError } from '../../errors.ts';
import { type WorkerOptions } from '../../workers/options.ts';
import { readConfig } from '../files/config-file.ts';
import { secretKeysOf } from '../store/secret-keys.ts';
import { serviceLog } from './service-log.ts';
import { safe } from '../terminal.ts';

export const options: WorkerOptions = await optionsFrom(new URL(import.meta.url).searchParams);

/** Makes a worker's options. Rejects with BOSUN_CONFIG_INVALID. */
async function optionsFrom(given: URLSearchParams): Promise<WorkerOptions> {
  const file = given.get('config') ?? '';
  const config = await readConfig({ file, cwd: given.get('cwd') ?? '', env: process.env });
  if (config === undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `${file} is not a config file`);
  const { agents, tree = {}, residentActors } = config;
  return {
    agents,
    tree,
    residentActors,
    trustWallClock: given.get('trustWallClock') === 'true',
    log: serviceLog(safe(process.stderr)).runtime,
    ...secretKeysOf(process.env),
  };
}
