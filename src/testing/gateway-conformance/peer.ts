/**
 * A client that keeps no rules: it sends what it is told to, and says what came. One connection of the conformance
 * table.
 */
import { type Clock } from '../../clock.ts';
import { connectOut, type OutboundSocket } from '../../gateway/client/outbound-socket.ts';
import { BEARER_PREFIX } from '../../gateway/protocol/protocol.ts';

/** A frame of the server, before anybody has checked it. */
export interface Frame {
  readonly t?: string;
  readonly id?: string;
  readonly ok?: boolean;
  readonly r?: unknown;
  readonly e?: { readonly code?: string; readonly details?: Readonly<Record<string, unknown>> };
  readonly [field: string]: unknown;
}

export interface PeerOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly subprotocol: string;
  readonly clock: Clock;
  /** How long to wait for what has to come. */
  readonly patienceMs: number;
  /** Resolves when one more frame may be sent. */
  readonly pace: () => Promise<void>;
}

/** What a server did that the protocol does not say, or did not do that it says. */
export class Deviation extends Error {}

export class Peer {
  /** All that came but pings, oldest first. */
  readonly frames: Frame[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #options: PeerOptions;
  readonly #socket: OutboundSocket;
  #isOpen = false;
  /** Frames that somebody waited for and got. */
  readonly #given = new Set<Frame>();
  #told: (() => void)[] = [];
  #fences = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    const { url, token, subprotocol } = options;
    const carrier = token === undefined ? [] : [`${BEARER_PREFIX}${Buffer.from(token).toString('base64url')}`];
    this.#socket = connectOut(url, {
      protocols: [subprotocol, ...carrier],
      opened: () => this.#tell(() => (this.#isOpen = true)),
      received: (data) => this.#tell(() => this.#receive(data)),
      closed: (code, reason) => this.#tell(() => (this.closed = { code, reason })),
    });
  }

  /** Resolves when the connection stands; throws where it does not come to that. */
  async opened(): Promise<this> {
    await this.until(() => this.#isOpen || this.closed !== undefined, 'the connection to stand');
    if (!this.#isOpen) throw new Deviation(`the connection was refused: ${this.closed!.reason}`);
    return this;
  }

  async send(frame: object): Promise<void> {
    await this.raw(JSON.stringify(frame));
  }

  async raw(data: string): Promise<void> {
    await this.#options.pace();
    this.#socket.send(data);
  }

  /** Sends a call and waits for its answer. */
  async call(id: string, m: string, p: object = {}, more: object = {}): Promise<Frame> {
    await this.send({ t: 'req', id, m, p, ...more });
    return this.next((frame) => frame.t === 'res' && frame.id === id, `the answer to ${m}`);
  }

  /** The first frame that fits and was not given before; waits for it. */
  async next(fits: (frame: Frame) => boolean, what: string): Promise<Frame> {
    let found: Frame | undefined;
    await this.until(
      () =>
        (found = this.frames.find((frame) => !this.#given.has(frame) && fits(frame))) !== undefined ||
        this.closed !== undefined,
      what,
    );
    if (found === undefined)
      throw new Deviation(`the connection was closed with ${this.closed!.code} before ${what} came`);
    this.#given.add(found);
    return found;
  }

  /**
   * What came and nobody asked for, once the server has answered all that was sent: so that what should not come is
   * found.
   */
  async rest(): Promise<Frame[]> {
    for (const pass of [1, 2]) {
      const id = `fence-${this.#fences++}-${pass}`;
      // Two round trips: what an answered call sets off may come behind its answer.
      await this.call(id, 'actor.get', { address: 'root' });
    }
    return this.frames.filter((frame) => !this.#given.has(frame));
  }

  /** Resolves with the code of the close. */
  async end(): Promise<number> {
    await this.until(() => this.closed !== undefined, 'the connection to be closed');
    return this.closed!.code;
  }

  leave(): void {
    this.#socket.close();
  }

  async until(isSo: () => boolean, what: string): Promise<void> {
    const { clock, patienceMs } = this.#options;
    let isLate = false;
    const cancel = clock.setTimeout(() => this.#tell(() => (isLate = true)), patienceMs);
    try {
      while (!isSo()) {
        if (isLate)
          throw new Deviation(
            `waited ${patienceMs} ms in vain for ${what}; last came ` +
              `${JSON.stringify(this.frames.at(-1) ?? null)?.slice(0, 300)}`,
          );
        await new Promise<void>((resolve) => this.#told.push(resolve));
      }
    } finally {
      cancel();
    }
  }

  #receive(data: string): void {
    const frame = JSON.parse(data) as Frame;
    if (frame.t === 'ping') this.#socket.send('{"t":"pong"}');
    else this.frames.push(frame);
  }

  #tell(what: () => void): void {
    try {
      what();
    } catch (error) {
      // As a frame that fits nothing, so that it is in the report.
      this.frames.push({ t: 'not a frame', said: String(error) });
    }
    for (const tell of this.#told.splice(0)) tell();
  }
}
