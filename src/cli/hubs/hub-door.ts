/** The gateway of a hub's run: for the page, for the command line, and for whoever works in the name of a session. */
import { createHmac } from 'node:crypto';
import { type Shard } from '../../shard.ts';
import { type DataDirectory } from '../store/data-directory.ts';
import { type FrontDoor } from '../reach/front-door.ts';
import { type HubSource } from './hub-file.ts';
import { type SessionRunner } from './session-runner.ts';
import { logTo, type Output } from '../surroundings.ts';

/** Services of the host of sessions that clients have through the gateway. */
type Offers = Pick<SessionRunner, 'output' | 'changes'>;

interface HubDoorOptions {
  /** The port; undefined: the default one. */
  readonly port: number | undefined;
  /** The key of session tokens. */
  readonly key: Uint8Array;
  readonly err: Output;
}

/** Whether some work of a run is done outside, which nobody could do without a gateway. */
export function isOutside({ order: { agents, decides } }: HubSource): boolean {
  return [decides, ...Object.values(agents).map(({ does }) => does)].some(({ kind }) => kind === 'outside');
}

/** A gateway that is opened later, with its URL as a promise. */
export class HubDoor {
  /** Resolves to the URL once the gateway is open. */
  readonly url: Promise<string>;
  readonly #options: HubDoorOptions;
  #isOpen: (url: string) => void = () => {};
  #door: FrontDoor | undefined;

  constructor(options: HubDoorOptions) {
    this.#options = options;
    this.url = new Promise((resolve) => (this.#isOpen = resolve));
  }

  /**
   * The token of the page. Programs of this machine, and spokes among them, do nothing without a token. It stays the
   * same over the starts of a run, so that an open page goes on.
   */
  get pageToken(): string {
    return createHmac('sha256', this.#options.key).update('page').digest('base64url');
  }

  /** Makes the gateway, and checks whether its port can be opened. Rejects with BOSUN_CONFIG_INVALID. */
  async prepare(system: Shard, directory: DataDirectory, { output, changes }: Offers): Promise<void> {
    const { port, key, err } = this.#options;
    const { frontDoor } = await import('../reach/front-door.ts');
    const { gateProcedures } = await import('../../crew-gates.ts');
    const { hubProcedures } = await import('../../crew-hub.ts');
    const { changesProcedures, outputProcedures } = await import('../../crew-hub-looks.ts');
    const { sessionProcedures } = await import('../../crew-hub-sessions.ts');
    this.#door = frontDoor(system, directory, {
      settings: { tokens: [{ id: 'page', token: this.pageToken }], ...(port !== undefined && { port }) },
      procedures: {
        ...{ ...gateProcedures, ...hubProcedures, ...sessionProcedures(key), ...outputProcedures(output) },
        ...changesProcedures(changes),
      },
      ...{ grantKey: key, log: logTo(err) },
    });
    await this.#door.tryPort();
  }

  /** Opens the gateway of the running system. */
  async open(): Promise<string> {
    const url = await this.#door!.open();
    this.#isOpen(url);
    return url;
  }

  async close(): Promise<void> {
    await this.#door?.close();
  }
}
