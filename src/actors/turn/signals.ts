/**
 * Signals of children: which child a message is about, whether that child is still the one that sent it, and how a Boss
 * is told of an end.
 */
import { type EventObject } from 'xstate';
import { type BossOutput, type ChildExit } from '../model/supervision.ts';
import { type Cell } from '../world/cell.ts';
import { type Message } from '../world/mailbox/message.ts';
import type { World } from '../world/world.ts';

/** Whether a signal is from a child that the machine no longer has, or has replaced. */
export function isStale(world: World, cell: Cell, message: Message): boolean {
  if (message.kind !== 'signal' && message.kind !== 'exit') return false;
  const child = world.child(cell, childOf(message));
  // A child that could not be born has no life to compare: its signal counts until its Boss begins anew or has such a
  // child.
  if (message.from === 0) return child !== undefined || message.attempt !== cell.state.incarnation;
  return child?.life !== message.from || child.state.incarnation !== message.attempt;
}

export function childOf({ event }: Message): string {
  const { actorId, id } = event as { actorId?: string; id?: string };
  return actorId ?? id ?? event.type.slice('xstate.snapshot.'.length);
}

/** The exit of an ended actor; a Boss's output says how it ended. */
export function exitOf({ role }: Cell, output: unknown): ChildExit {
  if (!role.supervises) return { reason: 'normal', error: undefined, redelivery: false };
  return { ...(output as BossOutput), redelivery: false };
}

/** The event by which a machine learns of the end of its child, with XState's name. */
export function endSignal({ identity: { childId: actorId }, state }: Cell): EventObject {
  return Object.freeze(
    state.status === 'error'
      ? { type: `xstate.error.actor.${actorId}`, error: state.error, actorId }
      : { type: `xstate.done.actor.${actorId}`, output: state.output, actorId },
  );
}
