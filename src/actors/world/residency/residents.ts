/**
 * Who is in memory and who rests on disk, as the parts of the world see it. Implemented by the residency (loop); absent
 * where everybody is in memory.
 */
import { type Cell } from '../cell.ts';
import { type Message } from '../mailbox/message.ts';

export interface Residents {
  /** Gives a Boss a table of which not all has to be in memory. */
  attach(boss: Cell, isWhole: boolean): void;
  /** System ids of those at rest. */
  readonly names: Iterable<string>;
  /** Who is stored at an address; 0 for nobody. */
  lifeAt(address: string): number;
  /** One takes a turn in the epoch in the making. */
  engage(cell: Cell): void;
  /** A life has ended in the epoch in the making. */
  departed(cell: Cell): void;
  /** Whether a Boss may take a message: where that needs child tables that are not in memory, they are read first. */
  mayTake(boss: Cell, message: Message): boolean;
  /** Has all child tables at and below an actor read, for what ends them. */
  readBelow(cell: Cell): Promise<void>;
}
