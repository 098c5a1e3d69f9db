/** A gateway before the system of a data directory, announced there, so that verbs of the command line find it. */
import { randomBytes } from 'node:crypto';
import { createGateway } from '../gateway/network/server.ts';
import { leadCoordinator } from '../machines/coordination/coordinator/lead-coordinator.ts';
import { type Plan } from '../machines/coordination/plan/plan.ts';
import { schedule } from '../machines/coordination/plan/schedule.ts';
import { type System } from '../system.ts';
import { type SpreadSystem } from '../workers/spread-system.ts';
import { type Config } from './config-file.ts';
import { type DataDirectory } from './data-directory.ts';
import { announceGateway, type GatewayAddress, withdrawGateway } from './gateway-file.ts';

export interface FrontDoor {
  /** Before the system starts: whether it could be opened. Rejects with BOSUN_CONFIG_INVALID. */
  tryPort(): Promise<void>;
  /** For a system that runs. Resolves to `http://127.0.0.1:4180`. Rejects with BOSUN_CONFIG_INVALID. */
  open(): Promise<string>;
  /** Takes nothing more, lets calls under way end, closes. */
  close(): Promise<void>;
}

export interface FrontDoorOptions {
  readonly settings: Config['gateway'];
  readonly log: (...args: unknown[]) => void;
}

/** What the page asks of a plan's coordinator. */
export const PLAN_SELECTORS = {
  [leadCoordinator.name]: { schedule: ({ plan }: { readonly plan: Plan }) => schedule(plan) },
};

/** Made before the system starts: settings that are refused must not cost a start. Throws BOSUN_CONFIG_INVALID. */
export function frontDoor(
  system: System | SpreadSystem,
  directory: DataDirectory,
  { settings, log }: FrontDoorOptions,
): FrontDoor {
  const token = randomBytes(24).toString('base64url');
  const made = () => createGateway(system, { ...settings, operator: token, selectors: PLAN_SELECTORS, log });
  const gateway = made();
  let announced: GatewayAddress | undefined;
  return {
    async tryPort() {
      // Not kept until then: whoever came in before the system runs would be told that nobody lives there.
      const trial = made();
      try {
        await trial.listen();
      } finally {
        await trial.close();
      }
    },
    async open() {
      const { url } = await gateway.listen();
      const address = { url, token, pid: process.pid };
      try {
        await announceGateway(directory, address);
      } catch (error) {
        await gateway.close();
        throw error;
      }
      announced = address;
      return url;
    },
    async close() {
      if (announced === undefined) return;
      const address = announced;
      announced = undefined;
      await gateway.drain();
      await withdrawGateway(directory, address);
    },
  };
}
