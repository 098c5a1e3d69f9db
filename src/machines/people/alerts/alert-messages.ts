/** Messages to the alert desk: cards that are raised, brought up to date and settled (CA-075, CA-077). */
import { z } from 'zod';
import { type MessageIn, name, names, text } from '../../work/message-schema.ts';

/** How pressing an alert is (CA-077), and so how long it may go unacknowledged. */
export const alertPriority = z.enum(['AGENT_FAILURE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW']);
export type AlertPriority = z.infer<typeof alertPriority>;

/**
 * A button of an alert card. Chosen, its event is sent to that desk and the card is acknowledged; one that has no event
 * only says that somebody looks ("View Details").
 */
export const alertAction = z
  .object({ name, label: name, to: name.nullable(), event: z.looseObject({ type: name }).nullable() })
  .readonly();
export type AlertAction = z.infer<typeof alertAction>;

export const alertMessages = {
  /** BatchManager to the alerts: these items were paused together; each has a card, and each card a button for all. */
  'alert.batch': z.object({ batchId: name, items: names, reason: text }),
  /**
   * Anyone to the alerts: somebody has to know. `item` is null where it is about no single one. `kind` is `noun.verb`;
   * `item.failed` and `item.paused` of one item share a card (the second brings it up to date), as does the same kind
   * said again while the card is open; any other kind has a card of its own. Of `data` a card shows agentType,
   * errorType, errorMessage, progressPct, phase, day, completed, pending, where they are there.
   */
  'alert.raise': z.object({
    item: name.nullable(),
    kind: name,
    priority: alertPriority,
    title: text,
    detail: text,
    actions: z.array(alertAction).max(10),
    data: z.record(z.string(), z.unknown()),
  }),
  /**
   * Whoever knows, to the alerts: what the cards of these kinds about this subject were raised for is over; nobody has
   * to look any more.
   */
  'alert.settled': z.object({ item: name, kinds: z.array(name).min(1).max(20), because: text }),
} as const;

export type AlertMessage<Type extends keyof typeof alertMessages = keyof typeof alertMessages> = MessageIn<
  typeof alertMessages,
  Type
>;
