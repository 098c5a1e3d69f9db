/**
 * A durable reference to one life of an actor: what machines see as `self`, as children and in their context, and what
 * the codec writes as (life, address). It never reaches a stranger born later under the same address.
 * It carries what XState expects of an ActorRef; everything real happens in the RefHost.
 */
import { type EventObject } from 'xstate';

/** What a reference asks of the kernel. */
export interface RefHost {
  readonly system: object;
  /** The one reference to a living actor. */
  ref(life: number, address: string): Ref;
  relay(from: object | undefined, to: object, event: EventObject): void;
  /** Like relay from an effect to its parent; resolves when the event is durable. */
  tellParent(from: EffectRef, event: EventObject): Promise<void>;
  /** @param attempt Of the effect that asks about itself; a superseded start sees itself stopped. */
  snapshotOf(life: number, attempt?: number): unknown;
  factsOf(life: number): { childId: string; parent: Ref | undefined; systemId: string | undefined; src: string } | undefined;
}

export class Ref {
  readonly life: number;
  readonly address: string;
  protected readonly host: RefHost;

  constructor(host: RefHost, life: number, address: string) {
    this.host = host;
    this.life = life;
    this.address = address;
    // XState hands `send` around detached.
    this.send = this.send.bind(this);
  }

  send(event: EventObject): void {
    this.host.relay(undefined, this, event);
  }

  get id(): string {
    return this.host.factsOf(this.life)?.childId ?? this.address;
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

  tellParent(event: EventObject): Promise<void> {
    return this.host.tellParent(this, event);
  }

  override getSnapshot(): unknown {
    return this.host.snapshotOf(this.life, this.attempt);
  }
}

/** What an invoked effect may need beside its input: to be idempotent towards the outside, and to leave word. */
export interface EffectFacts {
  /** Stable over restores and retries: use it as idempotency key. */
  readonly effectId: string;
  /** 1 for the first start, one more for each later start, whatever the reason. */
  readonly attempt: number;
  /** The machine that it belongs to. */
  readonly parent: Ref | undefined;
  /**
   * Sends an event to that machine. Resolves when it is durable; never, when this start of the effect is over.
   * Rejects with BOSUN_VALUE_REFUSED.
   */
  tellParent(event: EventObject): Promise<void>;
}

/**
 * Reads the effect's facts from the `self` that its promise, callback or observable creator was given.
 * Throws a TypeError for any other object.
 */
export function effectOf(self: object): EffectFacts {
  if (!(self instanceof EffectRef)) throw new TypeError('effectOf needs the `self` of an effect run by Bosun');
  const { effectId, attempt, _parent: parent } = self;
  return { effectId, attempt, parent, tellParent: (event) => self.tellParent(event) };
}
