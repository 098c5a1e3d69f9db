/** `bosun erase`: removes an actor of a stopped store for good, and every byte of it from the store's files. */
import { type ErrorCode, isBosunError } from '../errors.ts';
import { hasStore, openOnHold, storeDirectory } from './data-directory.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type DataCommand } from './surroundings.ts';

export interface EraseCommand extends DataCommand {
  readonly address: string;
}

const EXITS: Partial<Record<ErrorCode, ExitCode>> = {
  BOSUN_STORE_LOCKED: EXIT.inUse,
  BOSUN_ACTOR_UNKNOWN: EXIT.badInput,
  BOSUN_ADDRESS_INVALID: EXIT.badInput,
};

/** Exit code 0: erased; 1: the store cannot be read or written; 2: no store, or nobody at the address; 4: in use. */
export async function eraseCommand(command: EraseCommand): Promise<ExitCode> {
  const { address, json, out, err } = command;
  const directory = storeDirectory(command);
  if (!hasStore(directory)) {
    err.write(`${directory.path} holds no store\n`);
    return EXIT.badInput;
  }
  try {
    const system = await openOnHold(directory, { log: (...args) => err.write(`${args.map(String).join(' ')}\n`) });
    try {
      await system.erase(address);
    } finally {
      await system.stop();
    }
    out.write(
      json
        ? `${JSON.stringify({ erased: address })}\n`
        : `${address} is erased from ${directory.path}. Backups still have it.\n`,
    );
    return EXIT.completed;
  } catch (error) {
    if (!isBosunError(error)) throw error;
    err.write(`${error.message}\n`);
    return EXITS[error.code] ?? EXIT.failed;
  }
}
