/** Makes a system over worker threads of this process. */
import { BosunError } from '../errors.ts';
import { WORKERS_MAX } from '../limits.ts';
import { type SpreadOptions } from './options.ts';
import { SpreadSystem } from './spread-system.ts';
import { type ThreadStaffParts, ThreadStaff } from './thread-staff.ts';

/** Throws BOSUN_CONFIG_INVALID. */
export function spreadOverThreads({ workers }: SpreadOptions, parts: ThreadStaffParts): SpreadSystem {
  const { count, module, directory } = workers;
  if (!Number.isInteger(count) || count < 1 || count > WORKERS_MAX)
    throw new BosunError('BOSUN_CONFIG_INVALID', `workers.count: a whole number from 1 to ${WORKERS_MAX}`);
  if (!URL.canParse(String(module)))
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `workers.module: a URL, as of new URL('./agents.js', import.meta.url)`,
    );
  if (directory === '') throw new BosunError('BOSUN_CONFIG_INVALID', 'workers.directory: where the stores are');
  return new SpreadSystem({ staff: new ThreadStaff(workers, parts), clock: parts.clock });
}
