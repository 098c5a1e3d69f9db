/** Watches for epochs of any worker, or only for those that change one actor. */
import { type ChangeListener } from '../topics/listing.ts';
import { allWorkers, type WorkerGateways } from './worker-port.ts';

export class WorkerEpochs {
  readonly #gateways: WorkerGateways;
  readonly #listener: ChangeListener;
  readonly #address: string | undefined;
  /** The run of the worker gateway that has answered last. */
  #run: string | null = null;
  readonly #waits = new Map<number, () => void>();

  /** Begins to watch. With an address, only epochs count that change the actor there; its end is a failure. */
  constructor(gateways: WorkerGateways, listener: ChangeListener, address?: string) {
    this.#gateways = gateways;
    this.#listener = listener;
    this.#address = address;
    const workers = address === undefined ? allWorkers(gateways) : gateways.homesOf(address).slice(0, 1);
    for (const worker of workers) this.#wait(worker);
  }

  stop(): void {
    for (const end of this.#waits.values()) end();
  }

  /** Waits for the next epoch before announcing this one, so that none is missed. */
  #wait(worker: number): void {
    const answer = (run: unknown) => {
      if (typeof run === 'string') this.#run = run;
      this.#wait(worker);
      this.#listener.changed();
    };
    const reject = (error: unknown) => this.#listener.failed(error);
    const [verb, args] = this.#address === undefined ? ['nextEpoch', []] : ['nextChange', [this.#address, this.#run]];
    this.#waits.set(worker, this.#gateways.begin(worker, verb, args, { answer, reject }));
  }
}
