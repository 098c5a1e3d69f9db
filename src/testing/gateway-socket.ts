/**
 * A WebSocket without a network: a client connects to a gateway in the same process, through the same codec.
 * Connections can be cut as by a network, which loses frames in transit.
 */
import { type Clock, systemClock } from '../clock.ts';
import { type SocketClass } from '../client/platform.ts';
import { type Connection } from '../gateway/client/connection.ts';
import { type Gateway } from '../gateway/network/server.ts';

/** Close code of a broken connection. */
const BROKEN = 1006;

interface Line {
  /** Breaks the connection so that both sides notice. */
  cut(): void;
  /** Drops all further frames to the client without either side noticing. */
  deafen(): void;
}

/** A WebSocket class whose other end is a gateway in the same process. */
export interface GatewaySocket {
  /** The class to pass to `createClient({ WebSocket })`. */
  readonly WebSocket: SocketClass;
  /** Open connections. */
  readonly lines: ReadonlySet<Line>;
  /** Number of sockets opened so far. */
  readonly opened: number;
}

/**
 * Makes a WebSocket class that connects clients to a gateway without a network.
 *
 * @param gateway Called at each connect; undefined if no gateway listens, so that the connection fails.
 * @param clock Schedules each frame. Default: the machine's.
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
