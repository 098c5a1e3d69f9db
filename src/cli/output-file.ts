/** Files that a verb writes where the user says. */
import { writeFile } from 'node:fs/promises';
import { BosunError, messageOf } from '../errors.ts';

/** Writes a text to a file. Rejects with BOSUN_CONFIG_INVALID if the path cannot be written. */
export async function writeOutput(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new BosunError('BOSUN_CONFIG_INVALID', `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}
