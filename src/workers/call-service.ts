/**
 * The worker's side of the host's calls: carries them out on the system of this worker and answers. What a call may be
 * is the table {@link Verbs}; its verbs are the methods of a system, and mean the same.
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
import { type Answer, type Call, OUTPOST, Outgoing, toldError, unpacked } from './calls.ts';

type Asked = EventObject & { readonly [field: string]: unknown };

/** What the host may call. */
export interface Verbs extends AdminVerbs {
  send(address: string, event: EventObject, options: SendOptions): Promise<void>;
  ask(address: string, event: Asked, options: AskOptions): Promise<unknown>;
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
export interface Outpost {
  /** @param onEnd Told what ends a call that takes long, once nobody waits for it any more. */
  call(verb: string, args: readonly unknown[], onEnd: (end: () => void) => void): unknown;
}

/** A module that makes one, which threads load when it is called for the first time. */
export interface OutpostModule {
  createOutpost(system: System, clock: Clock): Outpost;
}

export type Verb = keyof Verbs;
export type Watch = keyof Watches;

interface CallServiceParts {
  readonly clock: Clock;
  readonly post: (bytes: Uint8Array) => void;
  readonly build?: () => Outpost | Promise<Outpost>;
}

export class CallService {
  readonly #verbs: Verbs;
  readonly #system: System;
  readonly #out: Outgoing<Answer>;
  readonly #build: (() => Outpost | Promise<Outpost>) | undefined;
  #outpost: Outpost | Promise<Outpost> | undefined;
  /** What ends calls that go on. */
  readonly #ends = new Map<number, () => void>();

  /** @param build Asked at the first call for the outpost. */
  constructor(system: System, { clock, post, build }: CallServiceParts) {
    this.#system = system;
    this.#build = build;
    this.#verbs = verbsOf(system);
    this.#out = new Outgoing(clock, post);
  }

  hear(bytes: Uint8Array): void {
    for (const call of unpacked<readonly Call[]>(bytes)) this.#answer(call);
  }

  #answer([number, verb, args]: Call): void {
    const refuse = (error: unknown) => this.#say([number, 'error', toldError(error)]);
    const answer = (what: unknown) => this.#say(what === undefined ? number : [number, 'answer', what]);
    try {
      if (verb === null) this.#end(number);
      else if (verb === OUTPOST) this.#toOutpost(number, args).then(answer, refuse);
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
  async #toOutpost(number: number, [verb, ...args]: readonly unknown[]): Promise<unknown> {
    let end: (() => void) | undefined;
    let isEnded = false;
    this.#ends.set(number, () => {
      isEnded = true;
      end?.();
    });
    try {
      const outpost = (this.#outpost ??= this.#built());
      const there = outpost instanceof Promise ? await outpost : outpost;
      return await there.call(verb as string, args, (given) => {
        end = given;
        if (isEnded) given();
      });
    } finally {
      this.#ends.delete(number);
    }
  }

  #built(): Outpost | Promise<Outpost> {
    if (this.#build === undefined)
      throw new BosunError('BOSUN_OVER_WORKERS', 'these workers were made without what a gateway needs beside them');
    const outpost = this.#build();
    if (outpost instanceof Promise)
      void outpost.then(
        (there) => (this.#outpost = there),
        () => (this.#outpost = undefined),
      );
    return outpost;
  }

  #watch(number: number, watch: Watch, [address, type]: readonly unknown[]): void {
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

  #say(answer: Answer): void {
    this.#out.say(answer);
  }
}

function verbsOf(system: System): Verbs {
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
