/**
 * What a gateway needs of a system that is spread over workers: who is where, who is up, and calls of the worker gateways
 * beside them.
 */
import { type BosunError } from '../errors.ts';
import { type HostCalls } from './host-calls.ts';

interface WorkerGatewaysParts {
  readonly count: number;
  readonly calls: HostCalls;
  readonly homesOf: (address: string) => readonly number[];
}

/** What a call comes to. */
interface Heard {
  answer(what: unknown): void;
  reject(error: BosunError): void;
}

export class WorkerGateways {
  readonly #parts: WorkerGatewaysParts;

  constructor(parts: WorkerGatewaysParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#parts.count;
  }

  isUp(worker: number): boolean {
    return this.#parts.calls.isUp(worker);
  }

  /**
   * The workers that have an actor at an address, or a partition of it. Throws BOSUN_ADDRESS_INVALID,
   * BOSUN_SYSTEM_CLOSED before the start.
   */
  homesOf(address: string): readonly number[] {
    return this.#parts.homesOf(address);
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
      (answer, reject) => void this.#parts.calls.workerGateway(worker, verb, args, { isRepeatable, answer, reject }),
    );
  }

  /** Begins a call that may take long, and is repeated over deaths of the worker. @returns What ends it. */
  begin(worker: number, verb: string, args: readonly unknown[], heard: Heard): () => void {
    return this.#parts.calls.workerGateway(worker, verb, args, { isRepeatable: true, ...heard });
  }
}
