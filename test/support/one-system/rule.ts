/** A rule of hosts and clients: what is done, and what every side must come to. */
import { type Side } from './sides.ts';

/** A title, what is done, and its result. */
export type Rule = readonly [title: string, act: (side: Side) => Promise<unknown>, expected: unknown];

/** The code of the error that a promise rejects with; `none` where it resolves. */
export function codeOf(side: Side, promise: Promise<unknown>): Promise<string> {
  return side.now(
    promise.then(
      () => 'none',
      (error: unknown) => (error as { readonly code?: string }).code ?? String(error),
    ),
  );
}

export const ADD = { type: 'add', by: 1 } as const;
export const COUNT = { type: 'count' } as const;

/** The count that an actor replies. */
export async function countOf(side: Side, address: string): Promise<unknown> {
  const actor = await side.now(side.actor(address));
  return side.now(actor.ask(COUNT));
}

export async function sendTo(side: Side, address: string, event: { readonly type: string }): Promise<void> {
  await side.now(side.sendMany([{ to: address, event }]));
}
