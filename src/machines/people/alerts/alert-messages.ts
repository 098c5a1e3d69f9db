/** Messages to the alert desk that raise, update and settle cards (CA-075, CA-077). */
import { z } from 'zod';
import { type MessageIn, name, names, text } from '../../work/message-schema.ts';

/** The urgency of an alert, which decides how long it may go unacknowledged (CA-077). */
export const alertPriority = z.enum(['AGENT_FAILURE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW']);
export type AlertPriority = z.infer<typeof alertPriority>;

/**
 * A button of an alert card. Pressing it sends `event` to the desk `to` and acknowledges the card. A button without an
 * event only records that somebody looked at the card ("View Details").
 */
export const alertAction = z
  .object({ name, label: name, to: name.nullable(), event: z.looseObject({ type: name }).nullable() })
  .readonly();
export type AlertAction = z.infer<typeof alertAction>;

export const alertMessages = {
  /**
   * From the BatchManager: these items were paused together. Each item gets a card, and each card a button that acts on
   * the whole batch.
   */
  'alert.batch': z.object({ batchId: name, items: names, reason: text }),
  /**
   * From any agent: people must be informed. `item` is null for an alert about no single item. `kind` is `noun.verb`.
   * `item.failed` and `item.paused` of one item share a card (the second updates it), as do alerts of one kind while
   * the card is open; any other kind gets a card of its own. If present in `data`, a card shows agentType, errorType,
   * errorMessage, progressPct, phase, day, completed and pending.
   */
  'alert.raise': z.object({
    item: name.nullable(),
    kind: name,
    priority: alertPriority,
    title: text,
    detail: text,
    actions: z.array(alertAction).max(10),
    data: z.record(z.string(), z.unknown()),
    /**
     * `again`: a card that this alert joins is delivered once more. `only`: nobody has to act, and the card is settled
     * as soon as it has been delivered. Default: a new card is delivered, and waits for an acknowledgement.
     */
    delivery: z.enum(['again', 'only']).optional(),
    /** Names of the people whose acknowledgement counts. Default: anybody's. */
    mayAcknowledge: z.array(name).min(1).max(100).optional(),
  }),
  /**
   * From any agent: the reason for the cards of these kinds about this subject is settled, so nobody needs to look at
   * them.
   */
  'alert.settled': z.object({ item: name, kinds: z.array(name).min(1).max(20), because: text }),
} as const;

export type AlertMessage<Type extends keyof typeof alertMessages = keyof typeof alertMessages> = MessageIn<
  typeof alertMessages,
  Type
>;
