/**
 * Word to people: raised at the desk of alerts, which knows how to reach them. Where there is no such desk, nothing is
 * said.
 */
import { type AnyActorRef } from 'xstate';
import { DESKS } from '../work/system-ids.ts';

interface Notice {
  /** What it is about: what is said of one subject, of one kind, shares a card. */
  readonly subject: string;
  /** `noun.verb`. */
  readonly kind: string;
  readonly priority: 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW';
  readonly title: string;
  readonly detail: string;
  readonly audience: readonly string[];
}

interface Sender {
  sendTo(to: AnyActorRef, event: { readonly type: string }): void;
}

/** Called with what an `enqueueActions` is given. */
export function notify(
  enqueue: Sender,
  system: { get(id: string): unknown },
  { subject, audience, ...notice }: Notice,
): void {
  const alerts = system.get(DESKS.alerts) as AnyActorRef | undefined;
  if (alerts === undefined) return;
  const view = { name: 'details', label: 'View Details', to: null, event: null };
  enqueue.sendTo(alerts, { type: 'alert.raise', item: subject, ...notice, actions: [view], data: { audience } } as {
    readonly type: string;
  });
}

/** What was said of the subject, of these kinds, is over. */
export function settle(
  enqueue: Sender,
  system: { get(id: string): unknown },
  {
    subject,
    kinds,
    because,
  }: { readonly subject: string; readonly kinds: readonly string[]; readonly because: string },
): void {
  const alerts = system.get(DESKS.alerts) as AnyActorRef | undefined;
  if (alerts !== undefined)
    enqueue.sendTo(alerts, { type: 'alert.settled', item: subject, kinds, because } as { readonly type: string });
}
