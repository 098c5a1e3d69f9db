/**
 * The one system of a data directory, whoever runs it: it is joined where it runs, and started where it does not. Which
 * of several processes may start it, the lock of its store decides. When its owner ends, the next call of another one
 * takes over.
 */
import { systemClock } from '../../clock.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { type Config, readConfig } from '../files/config-file.ts';
import { type DataDirectory, dataDirectory, isStore, makeDirectory } from '../store/data-directory.ts';
import { type FrontDoor, frontDoor } from '../reach/front-door.ts';
import { LiveGateway } from '../reach/live-gateway.ts';
import { makeHome } from './mcp-home.ts';
import { type ServedSystem, servedSystem } from './served-system.ts';
import { type ServiceLog } from './service-log.ts';
import { type Environment, type RemoteGateway } from '../surroundings.ts';

/** Milliseconds to wait for the announcement of a system that another process has locked. */
const START_MS = 20_000;

/** Milliseconds to wait for a program that runs its own system on the directory, which may be starting again. */
const PROGRAM_MS = 5_000;

/** Milliseconds between two checks of a directory that another process has locked. */
const LOOK_MS = 50;

/**
 * Milliseconds that other programs' calls may take when the owner ends. Their callers repeat longer ones at the next
 * owner, which cannot begin before this one has ended.
 */
const GRACE_MS = 500;

export interface SharedPlace {
  /** The root of the repository, where a config is searched for. */
  readonly root: string;
  /** The data directory that the user names. Undefined: the config's, or `.bosun` at the root. */
  readonly data: string | undefined;
  /** A remote gateway, which is never started here. */
  readonly remote: RemoteGateway | undefined;
  /** The name of the calling program; undefined for the operator, or the holder of the token. */
  readonly as: string | undefined;
  readonly env: Environment;
  readonly log: ServiceLog;
}

/** The data directory, and the config of the system to run on it. */
interface Found {
  readonly directory: DataDirectory;
  readonly config: Config | undefined;
}

/** A system that this process runs. */
interface Owned {
  readonly served: ServedSystem;
  readonly door: FrontDoor;
  readonly unfollow: () => void;
}

export class SharedSystem {
  readonly #place: SharedPlace;
  #found: Promise<LiveGateway> | undefined;
  #owned: Owned | undefined;
  #isClosed = false;

  constructor(place: SharedPlace) {
    this.#place = place;
  }

  /** The gateway of the system, which is found or started. Rejects with the error for which there is none. */
  gateway(): Promise<LiveGateway> {
    this.#found ??= this.#find().catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  /** Forgets a gateway that no longer answers, so that the next call searches for another. */
  async lost(gateway: LiveGateway): Promise<void> {
    const found = await this.#found?.catch(() => undefined);
    if (found === gateway) this.#found = undefined;
  }

  /** Ends the system if this process runs it. Calls under way are answered, and everything durable is kept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#found?.catch(() => undefined);
    await this.#end();
  }

  async #find(): Promise<LiveGateway> {
    const { remote, as, root, log } = this.#place;
    if (remote !== undefined) return (await LiveGateway.of({ remote, data: root, cwd: root }, as))!;
    const place = await this.#directory();
    const isOfProgram = isStore(place.directory.path);
    const untilMs = systemClock.monotonicMs() + (isOfProgram ? PROGRAM_MS : START_MS);
    for (;;) {
      if (this.#isClosed) throw new BosunError('BOSUN_CALL_CANCELLED', 'this server is closing');
      const gateway = await LiveGateway.of({ data: place.directory.path, cwd: root }, as);
      if (gateway !== undefined) {
        log.info(`joined the system at ${gateway.url}, data in ${place.directory.path}`);
        return gateway;
      }
      try {
        await this.#start(place);
      } catch (error) {
        const mayCome = isOfProgram || isBosunError(error, 'BOSUN_STORE_LOCKED');
        if (!mayCome || systemClock.monotonicMs() > untilMs) throw error;
        await paused(LOOK_MS);
      }
    }
  }

  async #directory(): Promise<Found> {
    const { root: cwd, data, env } = this.#place;
    const config = await readConfig({ file: undefined, cwd, env });
    return { directory: dataDirectory({ data: data ?? config?.data ?? (await makeHome(cwd)), cwd }), config };
  }

  /** Starts the system here and announces it. Rejects with BOSUN_STORE_LOCKED if another process runs it. */
  async #start({ directory, config }: Found): Promise<void> {
    await this.#end();
    await makeDirectory(directory);
    const { root: cwd, env, log } = this.#place;
    const place = { directory, config, plan: undefined, cwd, env, trustWallClock: false, log: log.runtime };
    const served = await servedSystem({ ...place, hasDesks: true });
    const { system, procedures } = served;
    const settings = { ...config?.gateway, port: 0 };
    const door = frontDoor(system, directory, { settings, log: log.runtime, procedures });
    try {
      await system.start();
      served.begun();
      const url = await door.open();
      this.#owned = { served, door, unfollow: served.follow(() => {}) };
      log.info(`runs ${served.what} at ${url}, data in ${directory.path}`);
    } catch (error) {
      await system.stop().catch(() => {});
      await served.ended();
      throw error;
    }
    system.closed.catch((error: unknown) => {
      log.error(`the system closed: ${messageOf(error)}`);
      this.#found = undefined;
    });
  }

  async #end(): Promise<void> {
    const owned = this.#owned;
    this.#owned = undefined;
    if (owned === undefined) return;
    await owned.door.close(GRACE_MS);
    owned.unfollow();
    await owned.served.system.stop();
    await owned.served.ended();
  }
}

function paused(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.setTimeout(resolve, ms));
}
