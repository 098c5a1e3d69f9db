/** Makes the shards of a system in worker threads of this process. */
import { BosunError } from '../errors.ts';
import { WORKERS_MAX } from '../limits.ts';
import { type SpreadOptions } from './options.ts';
import { WorkerShards } from './worker-shards.ts';
import { type ThreadStaffParts, ThreadStaff } from './thread-staff.ts';

/** Throws BOSUN_CONFIG_INVALID. */
export function spreadOverThreads({ workers }: SpreadOptions, parts: ThreadStaffParts): WorkerShards {
  const { count, module, directory } = workers;
  if (!Number.isInteger(count) || count < 1 || count > WORKERS_MAX)
    throw new BosunError('BOSUN_CONFIG_INVALID', `workers.count: must be a whole number from 1 to ${WORKERS_MAX}`);
  if (!(module instanceof URL) && !(typeof module === 'string' && URL.canParse(module)))
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `workers.module: must be a URL, such as new URL('./agents.js', import.meta.url)`,
    );
  if (directory === '')
    throw new BosunError('BOSUN_CONFIG_INVALID', 'workers.directory: must be the directory of the stores');
  return new WorkerShards(new ThreadStaff(workers, parts), parts.clock);
}
