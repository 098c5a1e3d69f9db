/**
 * Time, chance and the socket of wherever the client runs. The only file of the client that touches them; tests hand in
 * their own.
 */

export interface ClientClock {
  /** Never goes backwards; origin is arbitrary. */
  monotonicMs(): number;
  /** @returns What cancels it. */
  setTimeout(callback: () => void, delayMs: number): () => void;
}

/** In [0, 1). */
export interface ClientRandom {
  next(): number;
}

/** What the client needs of a WebSocket: those of browsers, of Node 22 and of `ws` have it. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

export type SocketClass = new (url: string, protocols: string[]) => Socket;

export const ownClock: ClientClock = {
  monotonicMs: () => performance.now(),
  setTimeout: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

export const ownRandom: ClientRandom = { next: () => Math.random() };

/** undefined in Node before 22. */
export function ownSocket(): SocketClass | undefined {
  return (globalThis as { readonly WebSocket?: SocketClass }).WebSocket;
}

/** Calls what somebody else wrote. What it throws is told to the platform, and stops nothing here. */
export function toldTo<Args extends unknown[]>(
  callback: ((...args: Args) => void) | undefined,
): (...args: Args) => void {
  return (...args) => {
    try {
      callback?.(...args);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 22 characters of 6 random bits: nobody guesses it. */
export function secretName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(22)), (byte) => LETTERS[byte & 63]).join('');
}
