/**
 * The frame of verbs on a data directory: through the gateway of the system that runs on it, or on its stopped store
 * where that makes sense.
 */
import { type System } from '../system.ts';
import { dataDirectory } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from './exit-codes.ts';
import { LiveGateway } from './live-gateway.ts';
import { withStoppedStore } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export interface Ways {
  live(gateway: LiveGateway): Promise<ExitCode | void>;
  /** Left out by what only a running system can do. */
  stopped?(system: System): void | Promise<void>;
}

/** Rejects for faults of Bosun only. */
export async function withData(command: DataCommand, { live, stopped }: Ways): Promise<ExitCode> {
  const { err } = command;
  const directory = dataDirectory(command);
  const gateway = await LiveGateway.of(directory);
  if (gateway === undefined && stopped !== undefined) return withStoppedStore(command, stopped);
  if (gateway === undefined) {
    err.write(`no system with a gateway runs on ${directory.path}: start one by bosun serve\n`);
    return EXIT.notRunning;
  }
  return carriedOut(err, () => live(gateway));
}
