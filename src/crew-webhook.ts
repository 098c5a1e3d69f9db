/**
 * A channel for alerts: posts each card to a URL, signed as Standard Webhooks 1.0.0 says
 * (https://www.standardwebhooks.com), so that libraries of that standard verify it. Given to a crew as its port
 * `deliver`. By default what people wrote stays in the system: the message names the card, and links to it.
 */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Clock, systemClock } from './clock.ts';
import { BosunError } from './errors.ts';
import { closed } from './closed-object.ts';
import { type DeliveryInput } from './machines/people/alerts/alert-card.ts';
import { type Port } from './machines/work/port.ts';

/** The options of `webhook`. */
export interface WebhookOptions {
  /** Where to post to: `https:`, or `http:`. */
  readonly url: string;
  /** The shared secret: `whsec_` and base64 of at least 24 bytes, or any other text of at least 24 characters. */
  readonly secret: string;
  /** The address of the page, for links. Default: messages without links. */
  readonly page?: string;
  /** Whether `detail` and `text` are part of the message, with what people wrote. Default: false. */
  readonly hasText?: boolean;
  /** Kinds of alerts that are posted; a kind that ends in `.` stands for all that begin so. Default: all. */
  readonly kinds?: readonly string[];
  /** The clock of the signatures. Default: that of this machine. */
  readonly clock?: Clock;
}

const SECRET_CHARS_MIN = 24;

const options = closed({
  url: z.url({ protocol: /^https?$/, error: 'must be a URL of http or https' }),
  secret: z.string().min(SECRET_CHARS_MIN, `must have at least ${SECRET_CHARS_MIN} characters`),
  page: z.url().optional(),
  hasText: z.boolean().optional(),
  kinds: z.array(z.string().min(1)).min(1).optional(),
  clock: z.unknown().optional(),
});

/**
 * Makes the port `deliver` of a crew: `ports: { deliver: webhook({ url, secret }) }`. A message that is not taken with
 * a status of 200 to 299 has reached nobody, and its card is tried again. Throws BOSUN_CONFIG_INVALID.
 */
export function webhook(given: WebhookOptions): Port<DeliveryInput, void> {
  const { error } = options.safeParse(given);
  if (error !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `webhook: ${z.prettifyError(error)}`);
  const { url, secret, kinds, clock = systemClock } = given;
  const isWanted = ({ kind }: DeliveryInput) =>
    kinds?.some((one) => (one.endsWith('.') ? kind.startsWith(one) : kind === one)) ?? true;
  return async (card, { signal }) => {
    if (!isWanted(card)) return;
    const body = JSON.stringify(messageOf(card, given, clock.wallMs()));
    // The same delivery has the same id, however often it is tried.
    const id = `msg_${createHash('sha256').update(JSON.stringify(card)).digest('base64url').slice(0, 27)}`;
    const seconds = String(Math.floor(clock.wallMs() / 1_000));
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${signatureOf(`${id}.${seconds}.${body}`, secret)}`,
    };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  };
}

/** The message about a card, in the form of the standard: `type`, `timestamp` and `data`. */
function messageOf(
  { id, item, kind, priority, title, detail, text, repeats, escalation, channels }: DeliveryInput,
  { page, hasText = false }: Pick<WebhookOptions, 'page' | 'hasText'>,
  nowMs: number,
): object {
  const ticket = /^ticket (TK-\d+)$/.exec(item ?? '')?.[1];
  const view = ticket === undefined ? `#/alerts/${id}` : `#/tickets/${ticket}`;
  return {
    type: kind,
    timestamp: new Date(nowMs).toISOString(),
    data: {
      ...{ alert: id, subject: item, priority, title, repeats, escalation, channels },
      ...(ticket !== undefined && { ticket }),
      ...(page !== undefined && { link: `${page.replace(/[#/]*$/, '')}/${view}` }),
      ...(hasText && { detail, text }),
    },
  };
}

function signatureOf(signed: string, secret: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return createHmac('sha256', key).update(signed).digest('base64');
}
