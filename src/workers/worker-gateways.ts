/**
 * What a gateway needs of a system that is spread over workers: who is where, who is up, and calls of the worker
 * gateways beside them.
 */
import { type BosunError } from '../errors.ts';
import { type PlacedCalls } from './placed-calls.ts';

/** What a call comes to. */
interface Heard {
  answer(what: unknown): void;
  reject(error: BosunError): void;
}

export class WorkerGateways {
  readonly #calls: PlacedCalls;

  constructor(calls: PlacedCalls) {
    this.#calls = calls;
  }

  get count(): number {
    return this.#calls.workers.length;
  }

  isUp(worker: number): boolean {
    return this.#calls.calls.isUp(worker);
  }

  /** As {@link PlacedCalls.homesOf}. */
  homesOf(address: string): readonly number[] {
    return this.#calls.homesOf(address);
  }

  /**
   * `isRepeatable`: it changes nothing, or nothing a second time. Rejects as the worker gateway does, and with
   * BOSUN_WORKER_DOWN, BOSUN_SYSTEM_CLOSED.
   */
  call(
    worker: number,
    verb: string,
    args: readonly unknown[],
    { isRepeatable }: { readonly isRepeatable: boolean },
  ): Promise<unknown> {
    return new Promise(
      (answer, reject) => void this.#calls.calls.workerGateway(worker, verb, args, { isRepeatable, answer, reject }),
    );
  }

  /** Begins a call that may take long, and is repeated over deaths of the worker. @returns What ends it. */
  begin(worker: number, verb: string, args: readonly unknown[], heard: Heard): () => void {
    return this.#calls.calls.workerGateway(worker, verb, args, { isRepeatable: true, ...heard });
  }
}
