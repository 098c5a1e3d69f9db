/** The gateway of a system on a data directory, announced there so that verbs of the command line find it. */
import { type Procedures } from '../../actors/api/procedure.ts';
import { createGateway } from '../../gateway/network/server.ts';
import { leadCoordinator } from '../../machines/coordination/coordinator/lead-coordinator.ts';
import { type Plan } from '../../machines/coordination/plan/plan.ts';
import { schedule } from '../../machines/coordination/plan/schedule.ts';
import { type Served } from '../../gateway/workers/worker-port.ts';
import { type Config } from '../files/config-file.ts';
import { type DataDirectory } from '../store/data-directory.ts';

export interface FrontDoor {
  /** Checks before the system starts whether the port can be opened. Rejects with BOSUN_CONFIG_INVALID. */
  tryPort(): Promise<void>;
  /**
   * Opens the gateway of a running system. Resolves to its URL, such as `http://127.0.0.1:4180`. Rejects with
   * BOSUN_CONFIG_INVALID.
   */
  open(): Promise<string>;
  /** Accepts nothing more, lets calls under way end within `graceMs` (default 10 s), and closes. */
  close(graceMs?: number): Promise<void>;
}

export interface FrontDoorOptions {
  readonly settings: Config['gateway'];
  /** Procedures of the crew. A procedure of the settings with the same name takes precedence. Default: none. */
  readonly procedures?: Procedures;
  /** The key of session tokens. Default: there are none. */
  readonly grantKey?: Uint8Array;
  readonly log: (...args: unknown[]) => void;
}

/** Selectors of a plan's coordinator for the page. */
export const PLAN_SELECTORS = {
  [leadCoordinator.name]: { schedule: ({ plan }: { readonly plan: Plan }) => schedule(plan) },
};

/**
 * Makes the gateway before the system starts, so that invalid settings do not cost a start. Throws
 * BOSUN_CONFIG_INVALID.
 */
export function frontDoor(
  system: Served,
  directory: DataDirectory,
  { settings, log, procedures, grantKey }: FrontDoorOptions,
): FrontDoor {
  const offered = { ...procedures, ...settings.procedures };
  const options = { ...settings, procedures: offered, selectors: PLAN_SELECTORS, log, ...(grantKey && { grantKey }) };
  const gateway = createGateway(system, { ...options, announce: directory.path });
  let isOpen = false;
  return {
    async tryPort() {
      // A separate gateway, closed at once: clients that connect before the system runs would be told that actors do
      // not exist.
      const trial = createGateway(system, { ...options, announce: false });
      try {
        await trial.listen();
      } finally {
        await trial.close();
      }
    },
    async open() {
      const { url } = await gateway.listen();
      isOpen = true;
      return url;
    },
    async close(graceMs) {
      if (isOpen) await gateway.drain(graceMs === undefined ? {} : { graceMs });
    },
  };
}
