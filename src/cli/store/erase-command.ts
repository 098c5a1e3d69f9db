/** `bosun erase`: removes an actor of a stopped store for good, and all of its data from the store's files. */
import { hasStore, onHold, storeDirectory } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { STOPPED_EXITS } from './stopped-store.ts';
import { type DataCommand, logTo } from '../surroundings.ts';

export interface EraseCommand extends DataCommand {
  readonly address: string;
}

/**
 * Erases an actor. Resolves to exit code 0: erased; 1: the store cannot be read or written; 2: no store, or no actor at
 * the address; 4: in use.
 */
export async function eraseCommand(command: EraseCommand): Promise<ExitCode> {
  const { address, json, out, err } = command;
  const directory = storeDirectory(command);
  if (!hasStore(directory)) {
    writeError(command, 'BOSUN_CONFIG_INVALID', `${directory.path} holds no store`);
    return EXIT.badInput;
  }
  return carriedOut(
    command,
    async () => {
      await onHold(directory, { log: logTo(err) }, (system) => system.erase(address));
      out.write(
        json
          ? `${JSON.stringify({ erased: address })}\n`
          : `${address} is erased from ${directory.path}. Backups still have it.\n`,
      );
    },
    STOPPED_EXITS,
  );
}
