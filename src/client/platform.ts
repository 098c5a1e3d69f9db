/**
 * Time, randomness, sockets and the console of the platform. The only file of the client that uses them; tests pass in
 * their own.
 */
import { watch } from '../user-code.ts';

/** Time and timeouts for a client. */
export interface ClientClock {
  /** Monotonic milliseconds from an arbitrary origin. */
  monotonicMs(): number;
  /**
   * Calls a function later. Any delay is allowed, even months; Infinity never ends.
   *
   * @returns A function that cancels it.
   */
  setTimeout(callback: () => void, delayMs: number): () => void;
}

/** A source of random numbers in [0, 1). */
export interface ClientRandom {
  next(): number;
}

/** The members of a WebSocket that the client uses; browsers, Node 22 and `ws` have them. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

/** A WebSocket class, as in browsers and Node. */
export type SocketClass = new (url: string, protocols: string[]) => Socket;

/**
 * The longest step of a wait, as in the clock of a system: a timeout of the platform longer than 2^31 - 1 ms is over at
 * once, and one during which the machine sleeps is late by the sleep.
 */
const TIMEOUT_STEP_MS = 10_000;

export const ownClock: ClientClock = {
  monotonicMs: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    const dueMs = performance.now() + delayMs;
    let timer: ReturnType<typeof setTimeout>;
    const step = () => wait(Math.max(0, dueMs - performance.now()));
    const wait = (leftMs: number) => {
      timer = leftMs <= TIMEOUT_STEP_MS ? setTimeout(callback, leftMs) : setTimeout(step, TIMEOUT_STEP_MS);
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};

export const ownRandom: ClientRandom = { next: () => Math.random() };

/** The platform's WebSocket class; undefined in Node before 22. */
export function ownSocket(): SocketClass | undefined {
  return (globalThis as { readonly WebSocket?: SocketClass }).WebSocket;
}

/** Writes a line to the platform's console. */
export function ownLog(...args: unknown[]): void {
  console.error(...args);
}

/** Receives what a user's function has thrown, or what its promise rejects with. Never throws. */
export type Failed = (thrown: unknown) => void;

/** Wraps a user's callback: what it throws or rejects with goes to `failed`, and interrupts nothing here. */
export function toldTo<Args extends unknown[]>(
  callback: ((...args: Args) => void) | undefined,
  failed: Failed,
): (...args: Args) => void {
  return (...args) => watch(() => callback?.(...args), failed);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** An unguessable name: 22 characters of 6 random bits. */
export function secretName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(22)), (byte) => LETTERS[byte & 63]).join('');
}
