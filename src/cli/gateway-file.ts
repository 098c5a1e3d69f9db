/**
 * `DIR/bosun.gateway.json`: where the gateway of a running system is, and the token of whoever runs it. Only the owner
 * of the directory can read it; it is there while the gateway is. One that a killed process left behind is found out by
 * asking.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError, messageOf } from '../errors.ts';
import { type DataDirectory } from './data-directory.ts';

const schema = z.object({ url: z.url(), token: z.string().min(16), pid: z.number() });

export type GatewayAddress = z.output<typeof schema>;

/** Rejects with BOSUN_CONFIG_INVALID where it cannot be written. */
export async function announceGateway({ path }: DataDirectory, address: GatewayAddress): Promise<void> {
  const file = fileIn(path);
  try {
    // Never half there, and never there for others to read.
    await writeFile(`${file}.new`, `${JSON.stringify(address)}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    throw new BosunError('BOSUN_CONFIG_INVALID', `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Leaves that of another gateway, which has taken its place. */
export async function withdrawGateway(directory: DataDirectory, { token }: GatewayAddress): Promise<void> {
  if ((await announcedGateway(directory))?.token === token) await rm(fileIn(directory.path), { force: true });
}

/** What a gateway wrote that may be gone; undefined where there is nothing that one would write. */
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
