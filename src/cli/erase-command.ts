/** `bosun erase`: removes an actor of a stopped store for good, and every byte of it from the store's files. */
import { hasStore, onHold, storeDirectory } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from './exit-codes.ts';
import { STOPPED_EXITS } from './stopped-store.ts';
import { type DataCommand, logTo } from './surroundings.ts';

export interface EraseCommand extends DataCommand {
  readonly address: string;
}

/** Exit code 0: erased; 1: the store cannot be read or written; 2: no store, or nobody at the address; 4: in use. */
export async function eraseCommand(command: EraseCommand): Promise<ExitCode> {
  const { address, json, out, err } = command;
  const directory = storeDirectory(command);
  if (!hasStore(directory)) {
    err.write(`${directory.path} holds no store\n`);
    return EXIT.badInput;
  }
  return carriedOut(
    err,
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
