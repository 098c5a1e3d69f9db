/**
 * A connection of the conformance tests: a client without rules of its own, which sends what it is told and records
 * what it receives.
 */
import { type Clock } from '../../clock.ts';
import { connectOut, type OutboundSocket } from '../../gateway/client/outbound-socket.ts';
import { BEARER_PREFIX } from '../../gateway/protocol/protocol.ts';

/** An unchecked frame from the server. */
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
  /** Milliseconds to wait for an expected frame. */
  readonly patienceMs: number;
  /** Resolves when one more frame may be sent. */
  readonly pace: () => Promise<void>;
}

/** A violation of the protocol by the server. */
export class Deviation extends Error {}

export class Peer {
  /** All frames received, except pings, oldest first. */
  readonly frames: Frame[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #options: PeerOptions;
  readonly #socket: OutboundSocket;
  #isOpen = false;
  /** Frames already returned by `next`. */
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

  /** Resolves when the connection is established; throws if that fails. */
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

  /** Waits for the first frame that fits and that was not returned before. */
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
   * All frames that no step waited for, once the server has answered everything. Shows frames that should not have
   * come.
   */
  async rest(): Promise<Frame[]> {
    for (const pass of [1, 2]) {
      const id = `fence-${this.#fences++}-${pass}`;
      // Two round trips, since consequences of a call may arrive after its answer.
      await this.call(id, 'actor.get', { address: 'root' });
    }
    return this.frames.filter((frame) => !this.#given.has(frame));
  }

  /** Resolves with the close code of the connection. */
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
      // Recorded as a frame that fits nothing, so that it is reported.
      this.frames.push({ t: 'not a frame', said: String(error) });
    }
    for (const tell of this.#told.splice(0)) tell();
  }
}
