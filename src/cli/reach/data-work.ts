/**
 * Runs verbs on a data directory: through the gateway of the system that runs on it, or on its stopped store if the
 * verb allows that. With `--url`, through the gateway that is named.
 */
import { BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { dataDirectory, type Held } from '../store/data-directory.ts';
import { carriedOut, type ExitCode } from '../exit-codes.ts';
import { LiveGateway } from './live-gateway.ts';
import { refuseOwnRun } from './spoke-refusal.ts';
import { withStoppedStore } from '../store/stopped-store.ts';
import { type DataCommand } from '../surroundings.ts';

export interface Ways {
  live(gateway: LiveGateway): Promise<ExitCode | void>;
  /** Absent if only a running system can do it. */
  stopped?(system: Shard, held: Held): void | Promise<void>;
  /** The command that starts such a system. Default: `bosun serve`. */
  readonly starter?: string;
}

/** Does the work on a running system or a stopped store. Rejects for internal errors only. */
export async function withData(
  command: DataCommand,
  { live, stopped, starter = 'bosun serve' }: Ways,
): Promise<ExitCode> {
  return carriedOut(command, async () => {
    if (command.remote === undefined) refuseOwnRun(command.env, dataDirectory(command));
    const gateway = await LiveGateway.of(command);
    if (gateway !== undefined) return live(gateway);
    if (stopped !== undefined) return withStoppedStore(command, stopped);
    const { path } = dataDirectory(command);
    const wayOut = `start one with ${starter}, or name one with --url`;
    throw new BosunError('BOSUN_SYSTEM_CLOSED', `no system with a gateway runs on ${path}: ${wayOut}`);
  });
}
