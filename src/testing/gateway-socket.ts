/**
 * A WebSocket without a network: a client connects by it to a gateway in the same process, through the same codec.
 * Lines can be cut, as networks do it, and what is on its way be lost.
 */
import { type Clock, systemClock } from '../clock.ts';
import { type SocketClass } from '../client/platform.ts';
import { type Connection } from '../gateway/client/connection.ts';
import { type Gateway } from '../gateway/network/server.ts';

/** Code of a close that nobody sent. */
const BROKEN = 1006;

interface Line {
  /** The line breaks; both sides notice. */
  cut(): void;
  /** From now on nothing gets through to the client; nobody notices. */
  deafen(): void;
}

export interface GatewaySocket {
  /** For `createClient({ WebSocket })`. */
  readonly WebSocket: SocketClass;
  /** Lines that are up. */
  readonly lines: ReadonlySet<Line>;
  /** Sockets opened so far. */
  readonly opened: number;
}

/**
 * @param gateway Asked at each connect; undefined where nobody listens.
 * @param clock Gives each frame its turn. Default: the machine's.
 */
export function gatewaySocket(
  gateway: () => Gateway | undefined,
  clock: Pick<Clock, 'defer'> = systemClock,
): GatewaySocket {
  const lines = new Set<Line>();
  let opened = 0;
  class Socket extends MemorySocket {
    constructor(_url: string, _protocols: string[]) {
      super({ gateway, clock, lines });
      opened += 1;
    }
  }
  return {
    WebSocket: Socket,
    lines,
    get opened() {
      return opened;
    },
  };
}

interface SocketParts {
  readonly gateway: () => Gateway | undefined;
  readonly clock: Pick<Clock, 'defer'>;
  readonly lines: Set<Line>;
}

class MemorySocket implements Line {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readonly #parts: SocketParts;
  #connection: Connection | undefined;
  #isOver = false;
  #isDeaf = false;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    parts.clock.defer(() => this.#connect());
  }

  send(data: string): void {
    this.#connection?.receive(data);
  }

  close(code = 1000, reason = ''): void {
    this.#end(code, reason);
  }

  cut(): void {
    this.#end(BROKEN, '');
  }

  deafen(): void {
    this.#isDeaf = true;
  }

  #connect(): void {
    const { gateway, clock, lines } = this.#parts;
    const open = gateway();
    if (this.#isOver) return;
    if (open === undefined) return this.#end(BROKEN, '');
    lines.add(this);
    this.#connection = open.connect({
      send: (data) => clock.defer(() => !this.#isOver && !this.#isDeaf && this.onmessage?.({ data } as never)),
      bufferedBytes: 0,
      pause: () => {},
      resume: () => {},
      close: (code, reason) => clock.defer(() => this.#end(code, reason)),
      terminate: () => this.#end(BROKEN, ''),
    });
    this.onopen?.({} as never);
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.lines.delete(this);
    this.#connection?.gone();
    this.onclose?.({ code, reason } as never);
  }
}
