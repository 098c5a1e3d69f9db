/**
 * `DIR/bosun.gateway.json`: the URL of a running system's gateway and the operator's token, by which verbs of the
 * command line find it. Only the file's owner can read it; it exists while the gateway runs. A file left behind by a
 * killed process is detected by calling the gateway.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError, messageOf } from '../../errors.ts';

const schema = z.object({ url: z.url(), token: z.string().min(16) });

export type GatewayAddress = z.output<typeof schema>;

/** Writes the file, with the process id for its readers. Rejects with BOSUN_CONFIG_INVALID if it cannot be written. */
export async function announceGateway(directory: string, address: GatewayAddress): Promise<void> {
  const file = fileIn(directory);
  try {
    // Renamed into place, so that it is never incomplete and never readable by others.
    await writeFile(`${file}.new`, `${JSON.stringify({ ...address, pid: process.pid })}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${file} cannot be written: ${messageOf(error)}. Name another directory with announce, or false for none`,
      { cause: error },
    );
  }
}

/** Removes the file unless another gateway has replaced it. */
export async function withdrawGateway(directory: string, { token }: Pick<GatewayAddress, 'token'>): Promise<void> {
  if ((await announcedGateway(directory))?.token === token) await rm(fileIn(directory), { force: true });
}

/** The address that a gateway announced; that gateway may have ended. Undefined if the file is missing or invalid. */
export async function announcedGateway(directory: string): Promise<GatewayAddress | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(fileIn(directory), 'utf8')));
  } catch {
    return undefined;
  }
}

function fileIn(directory: string): string {
  return join(directory, 'bosun.gateway.json');
}
