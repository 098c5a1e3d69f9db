/** Watches for epochs of any worker. */
import { allWorkers, type WorkerGateways } from './worker-port.ts';

interface EpochListener {
  changed(): void;
  failed(error: unknown): void;
}

export class WorkerEpochs {
  readonly #gateways: WorkerGateways;
  readonly #listener: EpochListener;
  readonly #waits = new Map<number, () => void>();

  constructor(gateways: WorkerGateways, listener: EpochListener) {
    this.#gateways = gateways;
    this.#listener = listener;
    for (const worker of allWorkers(gateways)) this.#wait(worker);
  }

  stop(): void {
    for (const end of this.#waits.values()) end();
  }

  /** Waits for the next epoch before announcing this one, so that none is missed. */
  #wait(worker: number): void {
    const answer = () => {
      this.#wait(worker);
      this.#listener.changed();
    };
    const reject = (error: unknown) => this.#listener.failed(error);
    this.#waits.set(worker, this.#gateways.begin(worker, 'nextEpoch', [], { answer, reject }));
  }
}
