/** The kernel's box round one actor: its durable state, its snapshot, its mailbox and what it owns. Data only. */
import { type BosunError } from '../errors.ts';
import { BOSS_AGENT } from './agent.ts';
import { type Definition, type Snapshot } from './engine.ts';
import { Mailbox } from './mailbox.ts';
import { type EffectRef, type Ref } from './ref.ts';
import { type ActorState, type Identity } from './state.ts';
import { type Timer } from './timers.ts';

/** A state together with the snapshot that belongs to it. */
export interface Image {
  readonly state: ActorState;
  readonly snapshot: Snapshot | undefined;
  /** The actor was removed in this epoch; this is the last of it. */
  readonly isGone: boolean;
}

/** What outside observers of one actor registered. */
export interface Observer {
  changed?(): void;
  emitted?(event: { readonly type: string }): void;
  ended?(): void;
  /** The system has stopped or failed; nothing more will be told. */
  closed?(reason: BosunError): void;
}

export class Cell {
  readonly identity: Identity;
  readonly definition: Definition;
  readonly ref: Ref;
  readonly parent: Cell | undefined;
  readonly isBoss: boolean;
  readonly mailbox = new Mailbox();
  /** By child id, in order of birth. */
  readonly children = new Map<string, Cell>();
  readonly timers = new Map<string, Timer>();
  /** Bosses: one record per child, what the Boss put there. */
  readonly table = new Map<string, unknown>();
  state: ActorState;
  /** Undefined until the first turn. */
  snapshot: Snapshot | undefined;
  /** As of the last durable epoch; undefined until the birth is durable. What reads see. */
  durable: Image | undefined;
  /** Events of hosts that wait to enter the mailbox. */
  incoming = 0;
  /** In the run queue. */
  queued = false;
  /** No longer in the population. */
  gone = false;
  /** Effects: what the start under way calls `self`. */
  running: EffectRef | undefined;
  observers: Set<Observer> | undefined;

  constructor(facts: { identity: Identity; definition: Definition; ref: Ref; parent: Cell | undefined; state: ActorState }) {
    this.identity = facts.identity;
    this.isBoss = facts.identity.agent === BOSS_AGENT;
    this.definition = facts.definition;
    this.ref = facts.ref;
    this.parent = facts.parent;
    this.state = facts.state;
  }

  /** Whether it may take a turn now: a crashed child of a Boss waits for the Boss's decision. */
  get isRunnable(): boolean {
    if (this.gone) return false;
    return this.state.status === 'starting' || (this.state.status === 'active' && this.mailbox.size > 0);
  }
}
