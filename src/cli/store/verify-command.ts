/**
 * `bosun verify`: reads every record of a stopped store, or of a backup, and reports damage and the affected actors.
 */
import { isBosunError } from '../../errors.ts';
import { plainLine } from '../../plain-text.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { type Finding, type Verification, verify } from '../../persistence/upkeep/verify.ts';
import { hasStore, storeDirectory } from './data-directory.ts';
import { EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { type DataCommand } from '../surroundings.ts';

/** Verifies a store. Resolves to exit code 0: sound; 1: damaged; 2: no store; 4: in use. */
export async function verifyCommand(command: DataCommand): Promise<ExitCode> {
  const { json, out } = command;
  const directory = storeDirectory(command);
  if (!hasStore(directory)) {
    writeError(command, 'BOSUN_CONFIG_INVALID', `${directory.path} holds no store`);
    return EXIT.badInput;
  }
  const store = levelStore(directory.store, { createIfMissing: false });
  try {
    await store.open();
    const result = await verify(store);
    out.write(
      json
        ? `${JSON.stringify(result)}\n`
        : `${[...result.findings.map((finding) => plainLine(findingLine(finding))), summary(result)].join('\n')}\n`,
    );
    return result.sound ? EXIT.completed : EXIT.failed;
  } catch (error) {
    if (!isBosunError(error)) throw error;
    if (json && error.code === 'BOSUN_STORE_DAMAGED')
      out.write(`${JSON.stringify({ sound: false, message: error.message, findings: [] })}\n`);
    writeError(command, error.code, error.message);
    return error.code === 'BOSUN_STORE_LOCKED' ? EXIT.inUse : EXIT.failed;
  } finally {
    await store.close();
  }
}

function findingLine({ gravity, message, epoch, address, agent, life, sequence }: Finding): string {
  const who = address ?? (life === null ? null : `life ${life}`);
  const place = [
    ...(who === null ? [] : [agent === null || agent === '' ? who : `${who} (${agent})`]),
    ...(sequence === null ? [] : [`change ${sequence}`]),
    ...(epoch === null ? [] : [`epoch ${epoch}`]),
  ];
  return `${gravity.padEnd(9)}  ${place.length === 0 ? '' : `${place.join(', ')}: `}${message}`;
}

function summary({ sound, epoch, actors, records, bytes, recoverable, aside }: Verification): string {
  const size =
    `${records} records, ${bytes} bytes, ${actors} ` +
    `${actors === 1 ? 'actor' : 'actors'}${aside === 0 ? '' : `, ${aside} records set aside`}`;
  if (sound) return `sound at epoch ${epoch ?? 0}: ${size}`;
  if (recoverable === null) return `damaged: ${size}`;
  return `damaged: ${size}; it can continue from epoch ${recoverable.to} (--recover-to ${recoverable.to})`;
}
