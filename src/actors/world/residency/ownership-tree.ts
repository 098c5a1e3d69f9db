/** Ownership trees: an actor under a Boss with all that it has invoked or spawned. They are in memory together. */
import { type Cell } from '../cell.ts';

/** The actor under a Boss that this one belongs to; itself where it is one. */
export function headOf(cell: Cell): Cell {
  let head = cell;
  while (head.bond === 'invoked' && head.parent !== undefined) head = head.parent;
  return head;
}

/** An actor and all below it, parents first. */
export function ownershipTreeOf(cell: Cell): Cell[] {
  return [cell, ...[...cell.children.values()].flatMap(ownershipTreeOf)];
}
