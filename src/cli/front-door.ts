/** A gateway before the system of a data directory, announced there, so that verbs of the command line find it. */
import { randomBytes } from 'node:crypto';
import { createGateway } from '../gateway/server.ts';
import { type System } from '../system.ts';
import { type Config } from './config-file.ts';
import { type DataDirectory } from './data-directory.ts';
import { announceGateway, withdrawGateway } from './gateway-file.ts';

export interface FrontDoor {
  /** `http://127.0.0.1:4180`. */
  readonly url: string;
  /** Takes nothing more, lets calls under way end, closes. */
  close(): Promise<void>;
}

export interface FrontDoorOptions {
  readonly settings: Config['gateway'];
  readonly log: (...args: unknown[]) => void;
}

/** For a system that runs. Rejects with BOSUN_CONFIG_INVALID. */
export async function openFrontDoor(system: System, directory: DataDirectory, { settings, log }: FrontDoorOptions): Promise<FrontDoor> {
  const token = randomBytes(24).toString('base64url');
  const gateway = createGateway(system, { ...settings, operator: token, log });
  const { url } = await gateway.listen();
  const address = { url, token, pid: process.pid };
  try {
    await announceGateway(directory, address);
  } catch (error) {
    await gateway.close();
    throw error;
  }
  return {
    url,
    async close() {
      await gateway.drain();
      await withdrawGateway(directory, address);
    },
  };
}
