/**
 * The worker's side of the host's calls: carries them out on the system of this worker and answers. What a call may be
 * is the table {@link HostVerbs}; its verbs are the methods of a system, and mean the same.
 */
import { type EventObject } from 'xstate';
import { type ActorSnapshot } from '../actors/world/actor-view.ts';
import { type OrderedBy } from '../actors/world/audit-record.ts';
import { type DeadLetter, type DeadLetterReason } from '../actors/world/mailbox/dead-letter.ts';
import { type TraceRecord } from '../actors/model/trace-record.ts';
import { type AskOptions } from '../actors/world/talk/ask-record.ts';
import { type Clock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { type ChildInfo, type CompleteSpec } from '../supervisor/boss-handle.ts';
import type { System } from '../system.ts';
import { type SendOptions, type SpawnOptions, type TreeNode } from '../system-options.ts';
import { type AdminVerbs, adminVerbsOf } from './admin-verbs.ts';
import {
  type AnswerMessage,
  type CallMessage,
  WORKER_GATEWAY,
  Outgoing,
  toldError,
  unpacked,
} from './call-messages.ts';

type AskedEvent = EventObject & { readonly [field: string]: unknown };

/** What the host may call. */
export interface HostVerbs extends AdminVerbs {
  send(address: string, event: EventObject, options: SendOptions): Promise<void>;
  ask(address: string, event: AskedEvent, options: AskOptions): Promise<unknown>;
  spawn(agent: string, id: string, options: SpawnOptions): Promise<void>;
  startChild(boss: string, child: object): Promise<string>;
  terminateChild(boss: string, id: string): Promise<void>;
  restartChild(boss: string, id: string): Promise<string>;
  deleteChild(boss: string, id: string): Promise<void>;
  whichChildren(boss: string): ChildInfo[];
  getChildSpec(boss: string, id: string): CompleteSpec;
  snapshot(address: string): ActorSnapshot | undefined;
  tree(address: string): TreeNode;
  lookup(name: string): { readonly address: string; readonly value: unknown } | undefined;
  members(group: string): readonly string[];
  lastSequence(session: string): number;
  deadLetters(only: { readonly reason?: DeadLetterReason }): readonly DeadLetter[];
  redeliver(number: number, as: OrderedBy | undefined): Promise<void>;
  discard(number: number, as: OrderedBy | undefined): Promise<void>;
  resume(address: string): Promise<void>;
  idle(): Promise<void>;
  /** Resolves when everything that was on its way to other workers has been taken there. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Calls that go on: each word is told until the host ends it. `undefined` after the last one. */
export interface Watches {
  /** Snapshots: the present one, then one for every durable epoch that changed the actor. */
  snapshots(address: string): ActorSnapshot;
  emitted(address: string, type: string): EventObject;
  /** Of the actor and all below it. */
  turns(address: string): TraceRecord;
}

/** What stands beside a worker's system and is called like it: the part of a gateway that has to be near. */
export interface WorkerGateway {
  /** @param onEnd Told what ends a call that takes long, once nobody waits for it any more. */
  call(verb: string, args: readonly unknown[], onEnd: (end: () => void) => void): unknown;
}

/** A module that makes one, which threads load when it is called for the first time. */
export interface WorkerGatewayModule {
  createWorkerGateway(system: System, clock: Clock): WorkerGateway;
}

export type Verb = keyof HostVerbs;
export type HostWatch = keyof Watches;

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
  return {
    ...adminVerbsOf(system),
    send: (address, event, options) => system.send(address, event, options),
    ask: (address, event, options) => system.ask(address, event, options),
    async spawn(name, id, options) {
      const agent = system.reception.agent(name);
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
    resume: (address) => system.resume(address),
    idle: () => system.idle(),
    settled: () => system.settled(),
    stop: () => system.stop(),
  };
}
