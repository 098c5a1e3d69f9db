/**
 * What the ends of children mean: whose signal a message is, whether it still is anybody's, and how an end is told to a
 * Boss.
 */
import type { Exit } from '../world/bosses.ts';
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
  return child?.identity.life !== message.from || child.state.incarnation !== message.attempt;
}

export function childOf({ event }: Message): string {
  const { actorId, id } = event as { actorId?: string; id?: string };
  return actorId ?? id ?? event.type.slice('xstate.snapshot.'.length);
}

export function exitOf(cell: Cell): Exit {
  const output = cell.state.output as BossOutput | undefined;
  if (cell.isBoss && output?.reason === 'shutdown') return gaveUp(output);
  return { reason: 'normal', error: undefined, redelivery: false };
}

/** What a Boss that gives up ends with. */
export interface BossOutput {
  readonly reason: 'shutdown';
  readonly over: string;
  readonly error: unknown;
}

export function gaveUp({ reason, over, error }: BossOutput): Exit {
  return { reason, error, redelivery: false, over };
}
