/**
 * Workers as threads of this process. This side supervises them as one_for_one: a thread that ends for any reason is
 * restarted on its store, unless that happens too often. Workers talk to each other by ports of their own; a restarted
 * worker gets new ones.
 */
import { resolve } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type Clock } from '../clock.ts';
import { BosunError, messageOf } from '../errors.ts';
import { LogLine } from '../log.ts';
import { plainLine } from '../plain-text.ts';
import { addRestart, DEFAULT_INTENSITY, type Intensity, type Window } from '../supervisor/intensity.ts';
import { errorOf, refusedStart, type ToldError, unpacked } from './call-messages.ts';
import { type Staff, type StaffListener } from './staff.ts';
import { type SpreadOptions } from './options.ts';
import { type FromThread, type ThreadData, type ToThread } from './thread-messages.ts';

/** The module of the thread: it is beside this file, whether compiled or not. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);

export interface ThreadStaffParts {
  readonly clock: Clock;
  readonly log: (...args: unknown[]) => void;
  /** URL of the module that makes the worker gateway (WorkerGatewayModule). */
  readonly workerGateway?: URL;
  /** The script of threads. For tests, where Node may not read TypeScript. */
  readonly entry?: URL;
}

interface Thread {
  readonly worker: Worker;
  isUp: boolean;
  /** The error that the worker reported, or that was thrown in it. */
  reason: BosunError | undefined;
}

/** The pending result of a thread's first start. */
interface Start {
  readonly resolve: () => void;
  readonly reject: (error: BosunError) => void;
}

export class ThreadStaff implements Staff {
  readonly count: number;
  readonly directory: string;
  readonly #options: SpreadOptions['workers'];
  readonly #parts: ThreadStaffParts;
  readonly #limit: Intensity;
  readonly #threads = new Map<number, Thread>();
  readonly #starts = new Map<number, Start>();
  #window: Window = [];
  #listener!: StaffListener;
  /** Workers whose stores match, waiting for the others. */
  readonly #waiting: number[] = [];
  #hasBegun = false;
  #isEnding = false;

  constructor(options: SpreadOptions['workers'], parts: ThreadStaffParts) {
    const {
      count,
      directory,
      intensity = DEFAULT_INTENSITY.intensity,
      periodMs = DEFAULT_INTENSITY.periodMs,
    } = options;
    this.count = count;
    this.directory = resolve(directory);
    this.#options = options;
    this.#parts = parts;
    this.#limit = { intensity, periodMs };
  }

  async start(listener: StaffListener): Promise<void> {
    this.#listener = listener;
    const begun = Array.from(
      { length: this.count },
      (_, index) => new Promise<void>((resolve, reject) => this.#starts.set(index, { resolve, reject })),
    );
    for (let index = 0; index < this.count; index++) this.#begin(index);
    await Promise.all(begun);
  }

  post(index: number, bytes: Uint8Array): void {
    this.#tell(index, { is: 'calls', bytes });
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#threads.values()].map(({ worker }) => worker.terminate()));
  }

  async kill(index: number): Promise<void> {
    await this.#threads.get(index)?.worker.terminate();
  }

  #begin(index: number): void {
    const { module, exported = 'options', count, directory, resourceLimits, execArgv } = this.#options;
    const peers: [number, MessagePort][] = [];
    for (const [other] of this.#threads) {
      if (other === index) continue;
      const { port1, port2 } = new MessageChannel();
      peers.push([other, port1]);
      this.#tell(other, { is: 'peer', index, port: port2 }, [port2]);
    }
    const data: ThreadData = {
      module: String(module),
      exported,
      index,
      count,
      workerGateway: this.#parts.workerGateway?.href,
      directory,
      peers,
    };
    const worker = new Worker(this.#parts.entry ?? ENTRY, {
      workerData: data,
      transferList: peers.map(([, port]) => port),
      name: `bosun ${index}`,
      ...(resourceLimits && { resourceLimits }),
      ...(execArgv && { execArgv: [...execArgv] }),
    });
    const thread: Thread = { worker, isUp: false, reason: undefined };
    this.#threads.set(index, thread);
    worker.on('message', (word: FromThread) => this.#hear(index, thread, word));
    worker.on(
      'error',
      (error) =>
        (thread.reason ??= new BosunError('BOSUN_WORKER_DOWN', `worker ${index} died: ${messageOf(error)}`, {
          cause: error,
        })),
    );
    worker.on('exit', (code) => this.#ended(index, thread, code));
  }

  #hear(index: number, thread: Thread, word: FromThread): void {
    if (this.#threads.get(index) !== thread) return;
    if (word.is === 'answers') this.#listener.heard(index, word.bytes);
    else if (word.is === 'logged')
      this.#parts.log(word.facts === null ? word.text : new LogLine(word.text, word.facts));
    else if (word.is === 'ready') this.#ready(index);
    else if (word.is === 'failed') {
      const error = errorOf(unpacked<ToldError>(word.error));
      this.#failed(index, thread.isUp ? error : refusedStart(index, error));
    } else {
      thread.isUp = true;
      this.#listener.up(index, word.facts);
      this.#starts.get(index)?.resolve();
      this.#starts.delete(index);
    }
  }

  /** Lets a worker run. At the first start, workers that are ready wait until all are. */
  #ready(index: number): void {
    this.#waiting.push(index);
    if (!this.#hasBegun && this.#waiting.length < this.count) return;
    this.#hasBegun = true;
    for (const ready of this.#waiting.splice(0)) this.#tell(ready, { is: 'go' });
  }

  /**
   * Reports that a worker failed: to the start that waits for it, otherwise to the listener. A worker that closes by
   * itself is not restarted: it would close again.
   */
  #failed(index: number, error: BosunError): void {
    const start = this.#starts.get(index);
    this.#starts.delete(index);
    if (start === undefined) this.#listener.failed(error);
    else start.reject(error);
  }

  #ended(index: number, thread: Thread, code: number): void {
    if (this.#isEnding || this.#threads.get(index) !== thread) return;
    const why = thread.reason ?? new BosunError('BOSUN_WORKER_DOWN', `worker ${index} ended with exit code ${code}`);
    if (this.#starts.has(index)) {
      this.#failed(index, why);
      return;
    }
    this.#listener.down(index, why);
    const window = addRestart(this.#window, this.#parts.clock.monotonicMs(), this.#limit);
    const { intensity, periodMs } = this.#limit;
    if (window === null) {
      this.#threads.delete(index);
      this.#listener.failed(
        new BosunError(
          'BOSUN_INTENSITY_EXCEEDED',
          `workers died more than ${intensity} times in ${periodMs} ms: ${why.message}`,
          { cause: why },
        ),
      );
      return;
    }
    this.#window = window;
    const facts = {
      incident: 'workerRestarted',
      worker: index,
      error: why.message,
      code: why.code,
      intensity,
      periodMs,
    };
    this.#parts.log(new LogLine(`worker ${index} is started again: ${plainLine(why.message)}`, facts));
    this.#begin(index);
  }

  #tell(index: number, word: ToThread, transfer: MessagePort[] = []): void {
    this.#threads.get(index)?.worker.postMessage(word, transfer);
  }
}
