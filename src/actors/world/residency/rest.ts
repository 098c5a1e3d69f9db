/**
 * Rules for eviction: which actors may leave memory, and so which have to be there from the start of a run. Whatever
 * keeps an actor in memory is in a keyspace that a start reads, and actors that are never alone are enrolled
 * (model/state.ts). A child of a Boss that has not begun, and a live effect, are in the roll.
 */
import type { Cell } from '../cell.ts';

/**
 * Whether an actor and everything that it has invoked or spawned may leave memory together: nothing is under way,
 * nothing is unread, everything is durable, and nobody watches. Timers do not keep it in memory; a Boss always stays.
 *
 * @param head The child of a Boss, with everybody below it.
 * @param isEngaged Whether an actor has taken a turn in an epoch that is not durable.
 */
export function mayRest(head: Cell, isEngaged: (cell: Cell) => boolean): boolean {
  return head.role.mayRest && head.bond === 'supervised' && isTreeAtRest(head, isEngaged);
}

function isTreeAtRest(cell: Cell, isEngaged: (cell: Cell) => boolean): boolean {
  if (isEngaged(cell) || !isAtRest(cell)) return false;
  for (const child of cell.children.values()) if (!isTreeAtRest(child, isEngaged)) return false;
  return true;
}

function isAtRest(cell: Cell): boolean {
  const { state, durable, definition, mailbox } = cell;
  if (cell.gone || cell.isTouched || cell.queued || durable === undefined || durable.state !== state) return false;
  if (state.status === 'starting' || (definition.isEffect && state.status === 'active')) return false;
  if (mailbox.size > 0 || mailbox.isHolding || cell.incoming > 0 || cell.unsent > 0) return false;
  // Kept values of an effect are found through the effect alone, when it starts again.
  if (cell.running !== undefined || cell.kept !== undefined || cell.asked !== undefined) return false;
  if (cell.failures > 0 || cell.ends > 0) return false;
  if (cell.suspension !== undefined || cell.held !== undefined) return false;
  return (
    cell.waitsFor === undefined &&
    cell.crowd === undefined &&
    (cell.observers === undefined || cell.observers.size === 0)
  );
}
