/**
 * A subscription at a worker gateway, fetched by the gateway in batches of frames. After a death of the worker, the
 * subscription is reopened at the gateway's last position.
 */
import { randomUUID } from 'node:crypto';
import { isBosunError } from '../../errors.ts';
import { SCOPES } from '../../actors/api/procedure.ts';
import { type Caller } from '../callers/callers.ts';
import { type ServerFrame } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { callWorker, type WorkerGateways, type WorkerSub } from './worker-port.ts';

interface SeriesParts {
  readonly gateways: WorkerGateways;
  readonly worker: number;
  readonly caller: Caller;
  readonly sub: Omit<WorkerSub, 'from'>;
  readonly hear: (frames: readonly ServerFrame[]) => void;
  /** Called on failure. The close of the system, which closes the gateway, is not a failure. */
  readonly fail?: (error: unknown) => void;
}

/** The caller for data that the gateway shares among callers; it filters the data for each of them itself. */
export const EVERYTHING: Caller = { id: 'gateway', scopes: new Set(SCOPES), addresses: ['**'], expiresAtMs: undefined };

export class Series {
  readonly #parts: SeriesParts;
  /** Resolves with the first frames; rejects if the subscription fails before. */
  readonly ready: Promise<void>;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };
  readonly #name = randomUUID();
  #at: Cursor | undefined;
  #end: (() => void) | undefined;
  #isOver = false;

  constructor(parts: SeriesParts) {
    this.#parts = parts;
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Users of `ready` await it and see its rejection.
    this.ready.catch(() => {});
  }

  /** Whether a fetch is under way. */
  get isUnderWay(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Fetches the next frames. One fetch at a time.
   *
   * @param from Where the first fetch begins.
   */
  fetch(from?: Cursor): void {
    const { gateways, worker, caller, sub, hear, fail } = this.#parts;
    this.#at ??= from;
    this.#end = gateways.begin(worker, 'pull', [this.#name, caller, { ...sub, from: this.#at }], {
      answer: (what) => {
        this.#end = undefined;
        const frames = what as readonly ServerFrame[];
        for (const frame of frames) if ('at' in frame) this.#at = frame.at;
        this.#isOver = frames.at(-1)?.t === 'end';
        hear(frames);
        this.#settle.resolve();
      },
      reject: (error) => {
        this.#end = undefined;
        this.#isOver = true;
        // The gateway closes too, and its clients reconnect, so this does not end their subscriptions.
        if (isBosunError(error, 'BOSUN_SYSTEM_CLOSED')) return;
        fail?.(error);
        this.#settle.reject(error);
      },
    });
  }

  /** Resolves when all present frames have arrived. Rejects with BOSUN_SYSTEM_CLOSED. */
  async refresh(): Promise<void> {
    const { gateways, worker } = this.#parts;
    await callWorker(gateways, worker, 'refresh', [this.#name]);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Ending the fetch ends the subscription.
    if (this.#end === undefined) this.fetch();
    this.#end?.();
    this.#end = undefined;
  }
}
