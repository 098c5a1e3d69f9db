/**
 * Ownership trees: an actor under a Boss with everything that it has invoked or spawned. A tree is in memory as a
 * whole.
 */
import { type Cell } from '../cell.ts';

/** The actor under a Boss that this one belongs to; itself if it is one. */
export function headOf(cell: Cell): Cell {
  let head = cell;
  while (head.bond === 'invoked' && head.parent !== undefined) head = head.parent;
  return head;
}

/** An actor and all below it, parents first. */
export function ownershipTreeOf(cell: Cell): Cell[] {
  return [cell, ...[...cell.children.values()].flatMap(ownershipTreeOf)];
}
