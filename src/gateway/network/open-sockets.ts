/**
 * Open sockets without a WebSocket: how many there may be, and which one is closed. Sockets of unauthenticated clients
 * are shared out by network address, those of authenticated ones by caller, so nobody's sockets keep others out.
 * WebSockets leave the list, since the hub limits connections.
 */
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { type Clock } from '../../clock.ts';
import { FairShares } from '../../fair-shares.ts';
import { CALLER_SOCKETS_MAX, CLOSE_MS, STRANGER_SOCKETS_MAX } from '../limits.ts';
import { networkOf } from './network-address.ts';

export class OpenSockets {
  readonly #clock: Clock;
  readonly #gaveWay: () => void;
  readonly #strangers = new FairShares<Duplex>();
  readonly #known = new FairShares<Duplex>();

  /**
   * Makes the set.
   *
   * @param gaveWay Called for each socket closed because there were too many.
   */
  constructor(clock: Clock, gaveWay: () => void) {
    this.#clock = clock;
    this.#gaveWay = gaveWay;
  }

  opened(socket: Socket): void {
    socket.once('close', () => this.left(socket));
    this.#enter(this.#strangers, socket, networkOf(socket.remoteAddress), STRANGER_SOCKETS_MAX);
  }

  /** Assigns a socket to an authenticated caller. */
  recognised(socket: Duplex, callerId: string): void {
    if (socket.destroyed) return;
    this.#strangers.leave(socket);
    this.#enter(this.#known, socket, callerId, CALLER_SOCKETS_MAX);
  }

  /** Removes a socket that has closed or become a WebSocket. */
  left(socket: Duplex): void {
    this.#strangers.leave(socket);
    this.#known.leave(socket);
  }

  /**
   * Ends a socket with a last text. A peer that does not close its side is cut off: it would keep the socket for ever.
   */
  end(socket: Duplex, text: string): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(text);
    const cancel = this.#clock.setTimeout(() => socket.destroy(), CLOSE_MS, { isBackground: true });
    socket.once('close', cancel);
  }

  #enter(shares: FairShares<Duplex>, socket: Duplex, owner: string, countMax: number): void {
    shares.enter(socket, owner);
    if (shares.size <= countMax) return;
    const { value: oldest } = shares.firstToGo().next();
    if (oldest === undefined) return;
    this.left(oldest);
    oldest.destroy();
    this.#gaveWay();
  }
}
