/**
 * A durable reference to one life of an actor. Machines see it as `self`, as children and in their context; the codec
 * writes it as (life, address). It never reaches another actor born later under the same address. It has the members
 * that XState expects of an ActorRef; the RefHost does the work.
 */
import { type EventObject } from 'xstate';
import { systemClock } from '../../clock.ts';
import { disown } from '../../user-code.ts';
import { childIdOf } from './address.ts';
import type { AskInput } from './ask.ts';

/** The services of the kernel for references. */
export interface RefHost {
  readonly system: object;
  /** Kernel time, whole milliseconds since 1970. */
  nowMs(): number;
  /** The one reference to a living actor. */
  ref(life: number, address: string): Ref;
  relay(from: object | undefined, to: object, event: EventObject): void;
  /** Relays an event from an effect to its parent; resolves when the event is durable. */
  tellParent(from: EffectRef, event: EventObject): Promise<void>;
  readonly effects: EffectHost;
  /**
   * Asks on behalf of a running effect. Rejects as `ask` of ask.ts fails.
   *
   * @param often `once`: the request is sent once, however often the effect is started and calls this.
   */
  ask(from: EffectRef, input: AskInput, often: 'once' | 'everyCall'): Promise<unknown>;
  /**
   * The snapshot of a life.
   *
   * @param attempt Number of the start that asks, only for an effect that reads its own snapshot. A superseded start
   *   sees itself as stopped.
   */
  snapshotOf(life: number, attempt?: number): unknown;
  factsOf(
    life: number,
  ): { childId: string; parent: Ref | undefined; systemId: string | undefined; src: string } | undefined;
}

/** The services of the kernel for a running effect. */
export interface EffectHost {
  checkpoint(from: EffectRef, value: unknown): Promise<void>;
  /** The last checkpoint, whichever start stored it. */
  checkpointed(from: EffectRef): unknown;
  memo<T>(from: EffectRef, name: string, work: () => T | PromiseLike<T>): Promise<T>;
  beat(from: EffectRef): void;
  /** Reports that a watched start took too long. */
  overdue(from: EffectRef, error: unknown): void;
  /** Reports what a function of the effect threw, or its promise rejected with, while nobody was calling it. */
  failed(from: EffectRef, thrown: unknown): void;
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

  /**
   * The `send` of an ActorRef, which XState passes around detached; created on demand, because most references are
   * never sent to this way.
   */
  get send(): (event: EventObject) => void {
    return (event) => this.host.relay(undefined, this, event);
  }

  /** The child id, also after the end of the life, when it is derived from the address. */
  get id(): string {
    return this.host.factsOf(this.life)?.childId ?? childIdOf(this.address);
  }
  get sessionId(): string {
    return `life:${this.life}`;
  }
  /** The reference to it that others may hold. */
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

  /**
   * Whether the reference belongs to this system. Lives are numbers of one system; the same number in another is
   * another actor.
   */
  isOf(host: RefHost): boolean {
    return this.host === host;
  }

  /** The snapshot: inside a turn, as of this turn; outside, the last durable one. Undefined once the life has ended. */
  getSnapshot(): unknown {
    return this.host.snapshotOf(this.life);
  }

  toJSON(): { address: string; life: number } {
    return { address: this.address, life: this.life };
  }
}

/** The `self` of one start of an effect. A later start has another, so that stale completions are recognised. */
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
    return this.host.ask(this, input, 'once');
  }

  /** Reports a failure in a function of the effect. After the end of the start it is logged. */
  failed(thrown: unknown): void {
    this.host.effects.failed(this, thrown);
  }

  facts(): EffectFacts {
    const { effectId, attempt, _parent: parent, host } = this;
    return {
      effectId,
      attempt,
      parent,
      tellParent: (event) => unowed(host.tellParent(this, event)),
      checkpointed: host.effects.checkpointed(this),
      checkpoint: (value) => host.effects.checkpoint(this, value),
      memo: (name, work) => host.effects.memo(this, name, work),
      beat: () => host.effects.beat(this),
      ask: (input) => unowed(host.ask(this, input, 'everyCall')),
    };
  }

  override getSnapshot(): unknown {
    return this.host.snapshotOf(this.life, this.attempt);
  }
}

/** Returns a promise that need not be awaited: a rejection without a handler would end the process. */
function unowed<T>(promise: Promise<T>): Promise<T> {
  disown(promise);
  return promise;
}

/** The `self` of one try of a durable action. Events sent through it come from the actor. */
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
 * The facts and services of an invoked effect beside its input: for idempotency towards the outside, checkpoints, memos
 * and asks.
 */
export interface EffectFacts {
  /** Stable over restores and retries: use it as idempotency key. */
  readonly effectId: string;
  /** The number of the start: 1 for the first, one more for each later one, whatever its reason. */
  readonly attempt: number;
  /** The machine that the effect belongs to. */
  readonly parent: Ref | undefined;
  /**
   * Sends an event to the parent machine. Resolves when it is durable; never settles when this start of the effect is
   * over. Rejects with BOSUN_VALUE_REFUSED, BOSUN_MAILBOX_FULL.
   */
  tellParent(event: EventObject): Promise<void>;
  /**
   * The last checkpoint at the time when these facts were read, by this start or an earlier one; undefined when there
   * is none.
   */
  readonly checkpointed: unknown;
  /**
   * Stores a value for later starts, replacing the one before. Resolves when it is durable. Rejects with
   * BOSUN_VALUE_REFUSED for a value that is not data or too large, BOSUN_EFFECT_OVER when this start is over.
   */
  checkpoint(value: unknown): Promise<void>;
  /**
   * Computes the result of `work` once, under a name within the effect: once the result is durable, later calls return
   * the stored one. Calls with one name at the same time share one result. An error that `work` throws is passed on and
   * not stored. Also rejects with BOSUN_VALUE_REFUSED for a name or a result that cannot be stored,
   * BOSUN_EFFECT_OVER when this start is over.
   */
  memo<T>(name: string, work: () => T | PromiseLike<T>): Promise<T>;
  /**
   * Asks another actor and resolves with its reply. Every call is a new request, also in a later start; use `memo` to
   * keep a reply. A call from a start that is over never settles. Rejects with BOSUN_TIMEOUT
   * (`details.unknownOutcome`), BOSUN_ACTOR_UNKNOWN, BOSUN_ASK_FAILED, BOSUN_MAILBOX_FULL, BOSUN_VALUE_REFUSED.
   */
  ask(input: AskInput): Promise<unknown>;
  /** Sends a heartbeat, for `heartbeatMs`. Checkpoints, results and everything sent count as heartbeats too. */
  beat(): void;
}

/**
 * Reads the effect's facts from the `self` given to its promise, callback or observable creator. Throws a TypeError for
 * any other object.
 */
export function effectOf(self: object): EffectFacts {
  if (!(self instanceof EffectRef)) throw new TypeError('effectOf needs the `self` of an effect run by Bosun');
  return self.facts();
}

/** The facts of a durable action beside its params: for idempotency towards the outside, and to stop in time. */
export interface ActionFacts {
  /** Stable over all tries: use it as idempotency key. */
  readonly effectId: string;
  /**
   * The number of the try: 1 for the first, one more after each failure. A try that ended with the process has not
   * failed, so its number is used again.
   */
  readonly attempt: number;
  /** Aborted when the try takes longer than `timeoutMs`, and when the system stops. */
  readonly signal: AbortSignal;
}

/** Reads a durable action's facts from its `self`. Throws a TypeError for any other object. */
export function actionOf(self: object): ActionFacts {
  if (!(self instanceof ActionRef)) throw new TypeError('actionOf needs the `self` of a durable action');
  return self.facts;
}

/**
 * The current time for a machine's context and actions, in whole milliseconds since 1970: kernel time, which tests
 * control and which never goes back, unlike `Date.now()`. Read from the `self` that they are given; under `createActor`
 * it is the wall clock.
 */
export function timeOf(self: object): number {
  return self instanceof Ref ? self.nowMs() : Math.floor(systemClock.wallMs());
}
