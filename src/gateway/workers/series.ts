/**
 * One subscription at a worker gateway, fetched by the gateway: a batch of frames at a time, over deaths of the worker.
 * After one, the worker gateway begins it anew at the place that the gateway had come to.
 */
import { randomUUID } from 'node:crypto';
import { isBosunError } from '../../errors.ts';
import { type Caller, SCOPES } from '../client/callers.ts';
import { type ServerFrame, type Sub } from '../protocol/frames.ts';
import { type Cursor } from '../protocol/protocol.ts';
import { callWorker, type WorkerGateways } from './worker-port.ts';

interface SeriesParts {
  readonly gateways: WorkerGateways;
  readonly worker: number;
  readonly caller: Caller;
  readonly sub: Pick<Sub, 'topic' | 'mode'>;
  readonly hear: (frames: readonly ServerFrame[]) => void;
  /** The gateway closes with its system: that is no failure, and is not told. */
  readonly fail?: (error: unknown) => void;
}

/** The gateway itself, for what it shares among callers: it shows each only what that one may see. */
export const EVERYTHING: Caller = { id: 'gateway', scopes: new Set(SCOPES), addresses: ['**'], expiresAtMs: undefined };

export class Series {
  readonly #parts: SeriesParts;
  /** Resolves with the first frames heard; rejects with what keeps them away. */
  readonly ready: Promise<void>;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };
  readonly #name = randomUUID();
  #at: Cursor | undefined;
  #end: (() => void) | undefined;
  #isOver = false;

  constructor(parts: SeriesParts) {
    this.#parts = parts;
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Whoever needs it awaits it.
    this.ready.catch(() => {});
  }

  /** Something is being fetched. */
  get isUnderWay(): boolean {
    return this.#end !== undefined;
  }

  /** Asks for what comes next. One fetch at a time. @param from Of the first: where to begin. */
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
        // The clients of a gateway that closes come back, and to them this is no end.
        if (isBosunError(error, 'BOSUN_SYSTEM_CLOSED')) return;
        fail?.(error);
        this.#settle.reject(error);
      },
    });
  }

  /** Resolves when all has been heard that there is now. Rejects with BOSUN_SYSTEM_CLOSED. */
  async refresh(): Promise<void> {
    const { gateways, worker } = this.#parts;
    await callWorker(gateways, worker, 'refresh', [this.#name]);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // What ends a fetch ends the subscription.
    if (this.#end === undefined) this.fetch();
    this.#end?.();
    this.#end = undefined;
  }
}
