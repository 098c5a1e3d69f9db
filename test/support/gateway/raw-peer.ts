/** A peer on a real socket that sends anything: requests and frames byte by byte. */
import { connect, type Socket } from 'node:net';
import { drawnBytes } from '../chance.ts';

export class RawPeer {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  readonly #ended: Promise<void>;
  #told: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#ended = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      for (const tell of this.#told.splice(0)) tell();
    });
    socket.on('close', () => {
      for (const tell of this.#told.splice(0)) tell();
    });
  }

  /** @param from Its own address. @param isStubborn It does not answer the end of what it is sent. */
  static async open(port: number, { from = '127.0.0.1', isStubborn = false } = {}): Promise<RawPeer> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: isStubborn });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawPeer(socket);
  }

  /** Whether the other side has neither ended nor cut the connection. */
  get isOpen(): boolean {
    return !this.#socket.readableEnded && !this.#socket.destroyed;
  }

  get text(): string {
    return this.#received.toString('latin1');
  }

  write(data: string | Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(data);
  }

  stopReading(): void {
    this.#socket.pause();
  }

  /** Waits until the received text matches, or nothing more will come. */
  async until(fits: (text: string) => boolean): Promise<string> {
    while (!fits(this.text) && !this.#socket.closed) await new Promise<void>((resolve) => this.#told.push(resolve));
    return this.text;
  }

  async end(): Promise<string> {
    await this.#ended;
    return this.text;
  }

  /** Keeps writing until the other side is gone. */
  async writeToTheEnd(): Promise<void> {
    while (!this.#socket.closed) {
      this.write('x');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The status of the answer, including `101`. */
  async status(): Promise<number> {
    const text = await this.until((all) => all.includes('\r\n\r\n'));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
  }

  /** Reads the rest, until the end. */
  async resume(): Promise<void> {
    this.#socket.resume();
    await this.#ended;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** A handshake; `undefined` leaves a header out. */
export function handshake(
  changes: Readonly<Record<string, string | undefined>> = {},
  { path = '/v1/ws', version = '1.1' } = {},
): string {
  const headers = {
    Host: '127.0.0.1',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': drawnBytes(16, 'the key of a handshake').toString('base64'),
    'Sec-WebSocket-Protocol': 'bosun.v1.json',
    ...changes,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `GET ${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`;
}

export interface FrameShape {
  readonly opcode?: number;
  readonly isLast?: boolean;
  readonly isMasked?: boolean;
  readonly rsv1?: boolean;
  /** A length claimed in place of the real one. */
  readonly length?: bigint;
}

export function frame(
  payload: string | Uint8Array,
  { opcode = 1, isLast = true, isMasked = true, rsv1 = false, length }: FrameShape = {},
): Buffer {
  const data = Buffer.from(payload);
  const first = (isLast ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode;
  const masked = isMasked ? 0x80 : 0;
  const head = Buffer.alloc(10);
  head[0] = first;
  let bytes = 2;
  if (length !== undefined || data.length > 0xffff) {
    head[1] = masked | 127;
    head.writeBigUInt64BE(length ?? BigInt(data.length), 2);
    bytes = 10;
  } else if (data.length > 125) {
    head[1] = masked | 126;
    head.writeUInt16BE(data.length, 2);
    bytes = 4;
  } else head[1] = masked | data.length;
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([head.subarray(0, bytes), Buffer.alloc(isMasked ? 4 : 0), data]);
}

/** The code of the close frame at the end of the received text; undefined if there is none. */
export function closeCode(text: string): number | undefined {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = bytes.indexOf('\r\n\r\n') + 4; at + 1 < bytes.length; ) {
    const short = bytes[at + 1]! & 0x7f;
    const [from, size] =
      short === 126
        ? [at + 4, bytes.readUInt16BE(at + 2)]
        : short === 127
          ? [at + 10, Number(bytes.readBigUInt64BE(at + 2))]
          : [at + 2, short];
    if ((bytes[at]! & 0x0f) === 8) return size >= 2 ? bytes.readUInt16BE(from) : 1005;
    at = from + size;
  }
  return undefined;
}
