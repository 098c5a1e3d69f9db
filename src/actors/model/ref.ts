/**
 * A durable reference to one life of an actor: what machines see as `self`, as children and in their context, and what
 * the codec writes as (life, address). It never reaches a stranger born later under the same address.
 * It carries what XState expects of an ActorRef; everything real happens in the RefHost.
 */
import { type EventObject } from 'xstate';
import { systemClock } from '../../clock.ts';
import { childIdOf } from './address.ts';
import type { AskInput } from './ask.ts';

/** What a reference asks of the kernel. */
export interface RefHost {
  readonly system: object;
  /** Kernel time, whole milliseconds since 1970. */
  nowMs(): number;
  /** The one reference to a living actor. */
  ref(life: number, address: string): Ref;
  relay(from: object | undefined, to: object, event: EventObject): void;
  /** Like relay from an effect to its parent; resolves when the event is durable. */
  tellParent(from: EffectRef, event: EventObject): Promise<void>;
  readonly effects: EffectHost;
  /** Asks on behalf of a running effect. Rejects as `ask` of ask.ts fails. */
  ask(from: EffectRef, input: AskInput): Promise<unknown>;
  /** @param attempt Of the effect that asks about itself; a superseded start sees itself stopped. */
  snapshotOf(life: number, attempt?: number): unknown;
  factsOf(
    life: number,
  ): { childId: string; parent: Ref | undefined; systemId: string | undefined; src: string } | undefined;
}

/** What a running effect asks of the kernel about itself. */
export interface EffectHost {
  checkpoint(from: EffectRef, value: unknown): Promise<void>;
  /** What was checkpointed last, by whatever start. */
  checkpointed(from: EffectRef): unknown;
  memo<T>(from: EffectRef, name: string, work: () => T | PromiseLike<T>): Promise<T>;
  beat(from: EffectRef): void;
  /** The start was watched and took too long. */
  overdue(from: EffectRef, error: unknown): void;
}

export class Ref {
  readonly life: number;
  readonly address: string;
  protected readonly host: RefHost;

  constructor(host: RefHost, life: number, address: string) {
    this.host = host;
    this.life = life;
    this.address = address;
  }

  /** XState hands it around detached; made when it is asked for, because most references never are. */
  get send(): (event: EventObject) => void {
    return (event) => this.host.relay(undefined, this, event);
  }

  /** The same after the end of the life: what is left of it then is the address. */
  get id(): string {
    return this.host.factsOf(this.life)?.childId ?? childIdOf(this.address);
  }
  get sessionId(): string {
    return `life:${this.life}`;
  }
  /** What others may hold of it. */
  get ref(): Ref {
    return this;
  }
  get system(): object {
    return this.host.system;
  }
  get src(): string | undefined {
    return this.host.factsOf(this.life)?.src;
  }
  get systemId(): string | undefined {
    return this.host.factsOf(this.life)?.systemId;
  }
  get _parent(): Ref | undefined {
    return this.host.factsOf(this.life)?.parent;
  }

  nowMs(): number {
    return this.host.nowMs();
  }

  /** Lives are numbers of one system; in another the same number is a stranger. */
  isOf(host: RefHost): boolean {
    return this.host === host;
  }

  /** Inside a turn: the state as of this turn. Outside: the last durable one. Undefined once the life has ended. */
  getSnapshot(): unknown {
    return this.host.snapshotOf(this.life);
  }

  toJSON(): { address: string; life: number } {
    return { address: this.address, life: this.life };
  }
}

/** What one start of an effect sees as `self`. A later start has another, so a stale completion is told apart. */
export class EffectRef extends Ref {
  readonly attempt: number;
  readonly effectId: string;

  constructor(host: RefHost, facts: { life: number; address: string; attempt: number; effectId: string }) {
    super(host, facts.life, facts.address);
    this.attempt = facts.attempt;
    this.effectId = facts.effectId;
  }

  override get ref(): Ref {
    return this.host.ref(this.life, this.address);
  }

  ask(input: AskInput): Promise<unknown> {
    return this.host.ask(this, input);
  }

  facts(): EffectFacts {
    const { effectId, attempt, _parent: parent, host } = this;
    return {
      effectId,
      attempt,
      parent,
      tellParent: (event) => host.tellParent(this, event),
      checkpointed: host.effects.checkpointed(this),
      checkpoint: (value) => host.effects.checkpoint(this, value),
      memo: (name, work) => host.effects.memo(this, name, work),
      beat: () => host.effects.beat(this),
    };
  }

  override getSnapshot(): unknown {
    return this.host.snapshotOf(this.life, this.attempt);
  }
}

/** What one try of a durable action sees as `self`. What it sends comes from the actor. */
export class ActionRef extends Ref {
  readonly facts: ActionFacts;

  constructor(host: RefHost, place: { life: number; address: string }, facts: ActionFacts) {
    super(host, place.life, place.address);
    this.facts = facts;
  }

  override get ref(): Ref {
    return this.host.ref(this.life, this.address);
  }
}

/**
 * What an invoked effect may need beside its input: to be idempotent towards the outside, to leave word, to go on
 * midway.
 */
export interface EffectFacts {
  /** Stable over restores and retries: use it as idempotency key. */
  readonly effectId: string;
  /** 1 for the first start, one more for each later start, whatever the reason. */
  readonly attempt: number;
  /** The machine that it belongs to. */
  readonly parent: Ref | undefined;
  /**
   * Sends an event to that machine. Resolves when it is durable; never, when this start of the effect is over.
   * Rejects with BOSUN_VALUE_REFUSED, BOSUN_MAILBOX_FULL.
   */
  tellParent(event: EventObject): Promise<void>;
  /**
   * What was checkpointed last when these facts were asked for, by this start or an earlier one; undefined when nothing
   * was.
   */
  readonly checkpointed: unknown;
  /**
   * Stores a value for later starts, in place of the one before. Resolves when it is durable.
   * Rejects with BOSUN_VALUE_REFUSED for what is not data or too large, BOSUN_EFFECT_OVER when this start is over.
   */
  checkpoint(value: unknown): Promise<void>;
  /**
   * The result of `work` under a name of the effect's own: worked out until it is durable, from then on given as it was
   * stored. Calls with one name under way at a time share one result. What `work` throws is passed on and not
   * remembered. Rejects besides with BOSUN_VALUE_REFUSED for a name or a result that cannot be stored,
   * BOSUN_EFFECT_OVER when this start is over.
   */
  memo<T>(name: string, work: () => T | PromiseLike<T>): Promise<T>;
  /** A sign of life, for `heartbeatMs`. Checkpoints, results and everything sent are such signs too. */
  beat(): void;
}

/**
 * Reads the effect's facts from the `self` that its promise, callback or observable creator was given.
 * Throws a TypeError for any other object.
 */
export function effectOf(self: object): EffectFacts {
  if (!(self instanceof EffectRef)) throw new TypeError('effectOf needs the `self` of an effect run by Bosun');
  return self.facts();
}

/** What a durable action may need beside its params: to be idempotent towards the outside, to stop in time. */
export interface ActionFacts {
  /** The same at every try: use it as idempotency key. */
  readonly effectId: string;
  /**
   * 1 for the first try, one more after each failure. A try that ended with the process has not failed: its number
   * comes again.
   */
  readonly attempt: number;
  /** Aborted when the try takes longer than `timeoutMs`, and when the system stops. */
  readonly signal: AbortSignal;
}

/** Reads a durable action's facts from the `self` that it was given. Throws a TypeError for any other object. */
export function actionOf(self: object): ActionFacts {
  if (!(self instanceof ActionRef)) throw new TypeError('actionOf needs the `self` of a durable action');
  return self.facts;
}

/**
 * The time for a machine's context and actions, whole milliseconds since 1970: kernel time, which tests hold and which
 * never goes back, unlike `Date.now()`. Read from the `self` they are given; under `createActor`, which has none, it is
 * the wall clock.
 */
export function timeOf(self: object): number {
  return self instanceof Ref ? self.nowMs() : Math.floor(systemClock.wallMs());
}
