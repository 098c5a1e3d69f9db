/**
 * The residency as the parts of the world see it: which actors are in memory and which rest on disk. Implemented in
 * loop/residency; absent if all actors are in memory.
 */
import { type Cell } from '../cell.ts';
import { type Message } from '../mailbox/message.ts';

export interface Residents {
  /** Gives a Boss a child table that need not be in memory as a whole. */
  attach(boss: Cell, isWhole: boolean): void;
  /** System ids of resting actors. */
  readonly names: Iterable<string>;
  /** The life stored at an address; 0 if there is none. */
  lifeAt(address: string): number;
  /** Records that an actor takes a turn in the epoch in the making. */
  engage(cell: Cell): void;
  /** Records that a life has ended in the epoch in the making. */
  departed(cell: Cell): void;
  /** Whether a Boss may take a message: child tables that the turn needs are read first. */
  mayTake(boss: Cell, message: Message): boolean;
  /** Reads all child tables at and below an actor, for an operation that ends them. */
  readBelow(cell: Cell): Promise<void>;
}
