/**
 * Who may leave memory, and who has to be there from the start of a run. Two pure rules, and the second follows from
 * the first: whatever keeps an actor awake is in a keyspace that a start reads.
 */
import type { Cell } from '../cell.ts';

/**
 * Whether an actor and all that it has invoked or spawned may leave memory, as one: nothing of it is under way and
 * nothing unread, somebody durable stands for all of it, and nobody watches. Timers do not keep it awake; a Boss always
 * stays.
 *
 * @param head The child of a Boss, with everybody below it.
 * @param isEngaged Whether one has taken a turn in an epoch that is not durable.
 */
export function mayRest(head: Cell, isEngaged: (cell: Cell) => boolean): boolean {
  return !head.isBoss && head.bond === 'supervised' && isTreeAtRest(head, isEngaged);
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
  // What an effect has kept is found by its effect alone, when it starts again.
  if (cell.running !== undefined || cell.kept !== undefined || cell.asked !== undefined || cell.failures > 0)
    return false;
  if (cell.suspension !== undefined || cell.held !== undefined) return false;
  return (
    cell.waitsFor === undefined &&
    cell.crowd === undefined &&
    (cell.observers === undefined || cell.observers.size === 0)
  );
}

/**
 * Whether the roll has a row of an actor for as long as it lives: every Boss, and every child of a machine, because
 * both are in memory with those whom they belong to. Its row is 0, and of a live effect its attempt. A child of a Boss
 * has one until it has begun (epoch-draft.ts); for everything else that keeps one awake there is a keyspace of its own.
 */
export function isEnrolled({ isBoss, identity, definition }: Cell): boolean {
  return isBoss || identity.bond === 'invoked' || definition.isEffect;
}
