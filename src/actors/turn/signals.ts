/**
 * Signals of children: which child a message is about, whether that child still is the one that sent it, and how an end
 * is told to a Boss.
 */
import { type EventObject } from 'xstate';
import { type BossOutput, type ChildExit } from '../model/supervision.ts';
import { type Cell } from '../world/cell.ts';
import { type Message } from '../world/mailbox/message.ts';
import type { World } from '../world/world.ts';

/** A signal of a child that the machine no longer has, or has anew, is nobody's. */
export function isStale(world: World, cell: Cell, message: Message): boolean {
  if (message.kind !== 'signal' && message.kind !== 'exit') return false;
  const child = world.child(cell, childOf(message));
  // One that could not be born has no life to be compared: it speaks for as long as its Boss has not begun anew or got
  // it.
  if (message.from === 0) return child !== undefined || message.attempt !== cell.state.incarnation;
  return child?.life !== message.from || child.state.incarnation !== message.attempt;
}

export function childOf({ event }: Message): string {
  const { actorId, id } = event as { actorId?: string; id?: string };
  return actorId ?? id ?? event.type.slice('xstate.snapshot.'.length);
}

/** How an actor that has reached its end ended: a Boss as its output says. */
export function exitOf({ isBoss }: Cell, output: unknown): ChildExit {
  if (!isBoss) return { reason: 'normal', error: undefined, redelivery: false };
  return { ...(output as BossOutput), redelivery: false };
}

/** What a machine gets of the end of a child that it invoked or spawned, by XState's names. */
export function endSignal({ identity: { childId: actorId }, state }: Cell): EventObject {
  return Object.freeze(
    state.status === 'error'
      ? { type: `xstate.error.actor.${actorId}`, error: state.error, actorId }
      : { type: `xstate.done.actor.${actorId}`, output: state.output, actorId },
  );
}
