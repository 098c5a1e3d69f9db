/**
 * `DIR/bosun.gateway.json`: the URL of a running system's gateway and the operator's token. Only the directory's owner
 * can read it; it exists while the gateway runs. A file left behind by a killed process is detected by calling the
 * gateway.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError, messageOf } from '../errors.ts';
import { type DataDirectory } from './data-directory.ts';

const schema = z.object({ url: z.url(), token: z.string().min(16), pid: z.number() });

export type GatewayAddress = z.output<typeof schema>;

/** Writes the file. Rejects with BOSUN_CONFIG_INVALID if it cannot be written. */
export async function announceGateway({ path }: DataDirectory, address: GatewayAddress): Promise<void> {
  const file = fileIn(path);
  try {
    // Renamed into place, so that it is never incomplete and never readable by others.
    await writeFile(`${file}.new`, `${JSON.stringify(address)}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    throw new BosunError('BOSUN_CONFIG_INVALID', `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Removes the file unless another gateway has replaced it. */
export async function withdrawGateway(directory: DataDirectory, { token }: GatewayAddress): Promise<void> {
  if ((await announcedGateway(directory))?.token === token) await rm(fileIn(directory.path), { force: true });
}

/** The address that a gateway announced; that gateway may have ended. Undefined if the file is missing or invalid. */
export async function announcedGateway({ path }: DataDirectory): Promise<GatewayAddress | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(fileIn(path), 'utf8')));
  } catch {
    return undefined;
  }
}

function fileIn(path: string): string {
  return join(path, 'bosun.gateway.json');
}
