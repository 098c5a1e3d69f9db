/**
 * The part of an actor that readers see: as it is in memory, and as of the last durable epoch. Most actors of a large
 * system have not changed since the start: then the actor is its own image, and its snapshot is restored when somebody
 * asks for it.
 */
import { type BosunError } from '../../errors.ts';
import type { Cell } from './cell.ts';
import { type Snapshot } from '../model/step-engine.ts';
import { type ActorImage, type ActorState, type Identity } from '../model/state.ts';

/** An actor as changed by an epoch: its state and the matching snapshot. */
export interface Image extends ActorImage {
  readonly cell: Cell;
  readonly snapshot: Snapshot | undefined;
  readonly suspension: BosunError | undefined;
}

/** Restores the snapshot of an actor from its state. Must not throw. */
export type Restore = (cell: Cell) => Snapshot;

export abstract class Standing implements Image {
  #identity: Identity;
  #state: ActorState;
  #snapshot: Snapshot | undefined;
  /** Restores the snapshot; undefined once it is restored. */
  #restore: Restore | undefined;
  #suspension: BosunError | undefined;
  #gone = false;
  /** The image as of the last durable epoch; the actor itself while nothing has changed since. */
  #durable: Image | undefined;

  constructor(identity: Identity, state: ActorState) {
    this.#identity = identity;
    this.#state = state;
  }

  abstract get cell(): Cell;
  abstract readonly life: number;

  /** The image as of the last durable epoch, for readers; undefined until the birth is durable. */
  get durable(): Image | undefined {
    return this.#durable;
  }

  /** Shows readers an image: that of a durable epoch, or the actor itself as it was read. */
  showAs(image: Image): void {
    this.#durable = image;
  }

  /** Identity and definition change together, by World.redefine. */
  get identity(): Identity {
    return this.#identity;
  }
  set identity(identity: Identity) {
    this.#part();
    this.#identity = identity;
  }

  get state(): ActorState {
    return this.#state;
  }
  set state(state: ActorState) {
    this.#part();
    this.#state = state;
  }

  /** The snapshot; undefined until the first turn. */
  get snapshot(): Snapshot | undefined {
    this.restoreNow();
    return this.#snapshot;
  }
  set snapshot(snapshot: Snapshot | undefined) {
    this.#part();
    this.#restore = undefined;
    this.#snapshot = snapshot;
  }

  /** Whether it has a snapshot, restored or not. */
  get hasSnapshot(): boolean {
    return this.#restore !== undefined || this.#snapshot !== undefined;
  }

  restoreNow(): void {
    if (this.#restore === undefined) return;
    this.#snapshot = this.#restore(this.cell);
    this.#restore = undefined;
  }

  /** Postpones restoring the snapshot until it is first needed. Uses the present definition and state. */
  restoreLater(restore: Restore): void {
    this.#restore = restore;
  }

  /**
   * The reason why a living actor takes no turns: the code cannot read it, its state is suspect, or an order suspended
   * it. Its mailbox fills.
   */
  get suspension(): BosunError | undefined {
    return this.#suspension;
  }
  set suspension(suspension: BosunError | undefined) {
    this.#part();
    this.#suspension = suspension;
  }

  /** Whether it has left the population. */
  get gone(): boolean {
    return this.#gone;
  }
  set gone(gone: boolean) {
    this.#part();
    this.#gone = gone;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Gives readers an image of their own before anything changes in memory. */
  #part(): void {
    if (this.#durable === this) this.#durable = imageOf(this);
  }
}

/** The current image of an actor. */
export function imageOf({ cell, life, identity, state, snapshot, isGone, suspension }: Image): Image {
  return { cell, life, identity, state, snapshot, isGone, suspension };
}
