/**
 * The worker's side of the host's calls: carries them out at this worker's shard, by the table of calls, and answers.
 */
import { SendLine } from '../actors/world/mailbox/inbound.ts';
import { FROM_HOST } from '../actors/world/mailbox/message.ts';
import { type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import type { Shard } from '../shard.ts';
import {
  type CallArguments,
  type CallName,
  callNamed,
  SYSTEM_WATCHES,
  watchNamed,
  type WatchName,
} from '../system-calls.ts';
import {
  type AnswerMessage,
  type CallMessage,
  WORKER_GATEWAY,
  Outgoing,
  toldError,
  unpacked,
} from './call-messages.ts';

/** The part of a gateway that runs beside a worker's system, and is called in the same way. */
export interface WorkerGateway {
  /**
   * Handles a call.
   *
   * @param onEnd Receives the function that ends a long call when nobody waits for it any more.
   */
  call(verb: string, args: readonly unknown[], onEnd: (end: () => void) => void): unknown;
}

/** A module that makes a worker gateway; threads load it at the first call. */
export interface WorkerGatewayModule {
  createWorkerGateway(system: Shard, clock: Clock): WorkerGateway;
}

interface CallServiceParts {
  readonly clock: Clock;
  readonly post: (bytes: Uint8Array) => void;
  readonly build?: () => WorkerGateway | Promise<WorkerGateway>;
}

export class CallService {
  readonly #system: Shard;
  /** The sends of the host, by the numbers of their calls. */
  readonly #sends = new SendLine({
    durable: (last) => this.#say([last, 'durable']),
    refused: (number, error) => this.#say([number, 'error', toldError(error)]),
    lost: (first, last, error) => this.#say([last, 'lost', { first, error: toldError(error) }]),
  });
  readonly #out: Outgoing<AnswerMessage>;
  readonly #build: (() => WorkerGateway | Promise<WorkerGateway>) | undefined;
  #workerGateway: WorkerGateway | Promise<WorkerGateway> | undefined;
  /** Functions that end long calls, by call number. */
  readonly #ends = new Map<number, () => void>();

  /** Makes the service. `build` makes the worker gateway at the first call for it. */
  constructor(system: Shard, { clock, post, build }: CallServiceParts) {
    this.#system = system;
    this.#build = build;
    this.#out = new Outgoing({
      clock,
      post,
      refused: (answer, error) => (typeof answer === 'number' ? answer : [answer[0], 'error', toldError(error)]),
    });
  }

  hear(bytes: Uint8Array): void {
    for (const call of unpacked<readonly CallMessage[]>(bytes)) this.#answer(call);
  }

  #answer([number, verb, args]: CallMessage): void {
    const refuse = (error: unknown) => this.#say([number, 'error', toldError(error)]);
    const answer = (what: unknown) => this.#say(what === undefined ? number : [number, 'answer', what]);
    try {
      if (verb === null) this.#end(number);
      else if (verb === WORKER_GATEWAY) this.#toWorkerGateway(number, args).then(answer, refuse);
      else if (verb === 'send') this.#send(number, args as CallArguments<'send'>);
      else if (Object.hasOwn(SYSTEM_WATCHES, verb)) this.#watch(number, verb as WatchName, args);
      else {
        const result = callNamed(verb as CallName).run(this.#system, ...args);
        if (result instanceof Promise) result.then(answer, refuse);
        else answer(result);
      }
    } catch (error) {
      refuse(error);
    }
  }

  #send(number: number, [to, event, { session } = {}]: CallArguments<'send'>): void {
    this.#system.clientApi.deliverOn(this.#sends, number, { to, event, session }, FROM_HOST);
  }

  /** Passes a call on; calls that arrived while the module was loading keep their order. */
  async #toWorkerGateway(number: number, [verb, ...args]: readonly unknown[]): Promise<unknown> {
    let end: (() => void) | undefined;
    let isEnded = false;
    this.#ends.set(number, () => {
      isEnded = true;
      end?.();
    });
    try {
      const workerGateway = (this.#workerGateway ??= this.#built());
      const there = workerGateway instanceof Promise ? await workerGateway : workerGateway;
      return await there.call(verb as string, args, (given) => {
        end = given;
        if (isEnded) given();
      });
    } finally {
      this.#ends.delete(number);
    }
  }

  #built(): WorkerGateway | Promise<WorkerGateway> {
    if (this.#build === undefined)
      throw new BosunError('BOSUN_OVER_WORKERS', 'these workers were started without support for a gateway');
    const workerGateway = this.#build();
    if (workerGateway instanceof Promise)
      void workerGateway.then(
        (there) => (this.#workerGateway = there),
        () => (this.#workerGateway = undefined),
      );
    return workerGateway;
  }

  #watch(number: number, name: WatchName, args: readonly unknown[]): void {
    const hearer = {
      next: (what: unknown) => this.#say([number, 'word', what]),
      completed: () => {
        this.#ends.delete(number);
        this.#say(number);
      },
    };
    this.#ends.set(number, watchNamed(name)(this.#system, hearer, ...args));
  }

  #end(number: number): void {
    this.#ends.get(number)?.();
    this.#ends.delete(number);
  }

  #say(answer: AnswerMessage): void {
    this.#out.say(answer);
  }
}
