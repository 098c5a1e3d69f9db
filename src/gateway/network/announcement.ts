/**
 * `DIR/bosun.gateway.json`: the URL of a running system's gateway and the operator's token, by which verbs of the
 * command line find it. Only the file's owner can read it; it exists while the gateway runs. A file left behind by a
 * killed process is detected by asking what answers at the URL which gateway it is, before the token is shown to it.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { BosunError, messageOf } from '../../errors.ts';

const schema = z.object({ url: z.url(), token: z.string().min(16), instance: z.string() });

/** The place of a gateway. `instance` is new with every gateway, and `/healthz` of the same one answers with it. */
export type GatewayAddress = z.output<typeof schema>;

/** The announcement of one gateway. */
export class Announcement {
  readonly #directory: string;
  readonly #known: Omit<GatewayAddress, 'url'>;
  #writing: Promise<void> | undefined;

  constructor(directory: string, known: Omit<GatewayAddress, 'url'>) {
    this.#directory = resolve(directory);
    this.#known = known;
  }

  /** Writes the file, in place of one of another gateway. Rejects with BOSUN_CONFIG_INVALID if it cannot be written. */
  make(url: string): Promise<void> {
    return (this.#writing = this.#write({ ...this.#known, url }));
  }

  /**
   * Removes the file, unless another gateway has replaced it. Never rejects: a file that is left behind leads to no
   * other gateway.
   */
  async withdraw(): Promise<void> {
    try {
      await this.#writing;
      const announced = await announcedGateway(this.#directory);
      if (announced?.instance === this.#known.instance) await rm(fileIn(this.#directory), { force: true });
    } catch {
      // It was never written, or cannot be removed.
    }
  }

  async #write(address: GatewayAddress): Promise<void> {
    const file = fileIn(this.#directory);
    const whole = `${file}.${address.instance}`;
    try {
      // A new file is renamed into place, so that it is never incomplete and never readable by others.
      await writeFile(whole, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(whole, file);
    } catch (error) {
      await rm(whole, { force: true }).catch(() => {});
      throw new BosunError('BOSUN_CONFIG_INVALID', `${file} cannot be written: ${messageOf(error)}`, { cause: error });
    }
  }
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
