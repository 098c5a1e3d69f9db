/**
 * The worker's side of the host's calls: carries them out on the system of this worker and answers. What a call may be
 * is the table {@link HostVerbs}.
 */
import { type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import type { System } from '../system.ts';
import { type HostVerbs, type HostWatch, type Verb } from './host-verbs.ts';
import {
  type AnswerMessage,
  type CallMessage,
  WORKER_GATEWAY,
  Outgoing,
  toldError,
  unpacked,
} from './call-messages.ts';

/** What stands beside a worker's system and is called like it: the part of a gateway that has to be near. */
export interface WorkerGateway {
  /** @param onEnd Told what ends a call that takes long, once nobody waits for it any more. */
  call(verb: string, args: readonly unknown[], onEnd: (end: () => void) => void): unknown;
}

/** A module that makes one, which threads load when it is called for the first time. */
export interface WorkerGatewayModule {
  createWorkerGateway(system: System, clock: Clock): WorkerGateway;
}

interface CallServiceParts {
  readonly clock: Clock;
  readonly post: (bytes: Uint8Array) => void;
  readonly build?: () => WorkerGateway | Promise<WorkerGateway>;
}

export class CallService {
  readonly #verbs: HostVerbs;
  readonly #system: System;
  readonly #out: Outgoing<AnswerMessage>;
  readonly #build: (() => WorkerGateway | Promise<WorkerGateway>) | undefined;
  #workerGateway: WorkerGateway | Promise<WorkerGateway> | undefined;
  /** What ends calls that go on. */
  readonly #ends = new Map<number, () => void>();

  /** @param build Asked at the first call for the worker gateway. */
  constructor(system: System, { clock, post, build }: CallServiceParts) {
    this.#system = system;
    this.#build = build;
    this.#verbs = verbsOf(system);
    this.#out = new Outgoing(clock, post);
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
      else if (verb === 'snapshots' || verb === 'emitted' || verb === 'turns') this.#watch(number, verb, args);
      else {
        const result = this.#carryOut(verb as Verb, args);
        if (result instanceof Promise) result.then(answer, refuse);
        else answer(result);
      }
    } catch (error) {
      refuse(error);
    }
  }

  #carryOut(verb: Verb, args: readonly unknown[]): unknown {
    return (this.#verbs[verb] as (...args: readonly unknown[]) => unknown)(...args);
  }

  /** Calls reach it in their order, those among them that came before it. */
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
      throw new BosunError('BOSUN_OVER_WORKERS', 'these workers were made without what a gateway needs beside them');
    const workerGateway = this.#build();
    if (workerGateway instanceof Promise)
      void workerGateway.then(
        (there) => (this.#workerGateway = there),
        () => (this.#workerGateway = undefined),
      );
    return workerGateway;
  }

  #watch(number: number, watch: HostWatch, [address, type]: readonly unknown[]): void {
    const word = (what: unknown) => this.#say([number, 'word', what]);
    if (watch === 'turns') {
      const { unsubscribe } = this.#system.admin.onTurn(address as string, word);
      this.#ends.set(number, unsubscribe);
      return;
    }
    const handle = this.#system.actor(address as string);
    const complete = () => {
      this.#ends.delete(number);
      this.#say(number);
    };
    // Of an actor that emits nothing any more the end is told too.
    const subscriptions =
      watch === 'snapshots'
        ? [handle.subscribe(word, complete)]
        : [handle.on(type as string, word), handle.subscribe(() => {}, complete)];
    this.#ends.set(number, () => subscriptions.forEach((subscription) => subscription.unsubscribe()));
  }

  #end(number: number): void {
    this.#ends.get(number)?.();
    this.#ends.delete(number);
  }

  #say(answer: AnswerMessage): void {
    this.#out.say(answer);
  }
}

function verbsOf(system: System): HostVerbs {
  const { admin } = system;
  return {
    send: (address, event, options) => system.send(address, event, options),
    ask: (address, event, options) => system.ask(address, event, options),
    async spawn(name, id, options) {
      const agent = system.clientApi.agent(name);
      if (agent === undefined)
        throw new BosunError('BOSUN_AGENT_UNKNOWN', `agent "${name}" is not among those of the workers' module`);
      await system.spawn(agent, id, options);
    },
    startChild: (boss, child) => system.boss(boss).startChild(child),
    terminateChild: (boss, id) => system.boss(boss).terminateChild(id),
    restartChild: (boss, id) => system.boss(boss).restartChild(id),
    deleteChild: (boss, id) => system.boss(boss).deleteChild(id),
    whichChildren: (boss) => system.boss(boss).whichChildren(),
    getChildSpec: (boss, id) => system.boss(boss).getChildSpec(id),
    snapshot: (address) => system.snapshot(address),
    tree: (address) => system.tree(address),
    lookup: (name) => system.lookup(name),
    members: (group) => system.members(group),
    lastSequence: (session) => system.lastSequence(session),
    deadLetters: (only) => system.deadLetters.list(only),
    redeliver: (number, as) => system.deadLetters.redeliver(number, as),
    discard: (number, as) => system.deadLetters.discard(number, as),
    idle: () => system.idle(),
    settled: () => system.settled(),
    stop: () => system.stop(),
    suspend: (address, as) => admin.suspend(address, as),
    resume: (address, as) => admin.resume(address, as),
    step: (address, as) => admin.step(address, as),
    getState: (address) => admin.getState(address),
    replaceState: (address, next, as, options) => admin.replaceState(address, next, as, options),
    kill: (address, as) => admin.kill(address, as),
    recent: (address, options) => admin.recent(address, options),
    history: (address) => admin.history(address),
    waiting: () => admin.waiting(),
    audit: (options) => admin.audit(options),
    erase: (address, as) => system.erase(address, as),
  };
}
