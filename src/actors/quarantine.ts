/** Quarantine: where goes what failed too often, with its error, for a person to look at. The oldest makes room for the newest. */
import { QUARANTINE_MESSAGES_MAX } from '../limits.ts';
import { type MessageRow } from './message.ts';
import { rowKey } from './rows.ts';
import { type World } from './world.ts';

/** A durable action that was given up. */
export interface QuarantinedAction {
  readonly name: string;
  readonly params: unknown;
  readonly event: unknown;
  readonly effectId: string;
}

/** What failed: a message that crashed its agent, or a durable action. */
type Failed = { readonly message: MessageRow } | { readonly action: QuarantinedAction };

/** Enters the record into the epoch in the making. Everything in it has been admitted. */
export function quarantine(world: World, facts: { address: string; error: unknown } & Failed): void {
  const number = world.next('quarantine');
  world.draft.put(rowKey('q', number), { ...facts, atMs: world.time.nowMs() });
  if (number > QUARANTINE_MESSAGES_MAX) world.draft.remove(rowKey('q', number - QUARANTINE_MESSAGES_MAX));
}
