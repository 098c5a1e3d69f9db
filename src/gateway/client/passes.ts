/**
 * Tickets: what a page that can set no header shows in an address instead of its token. Each is got with a token, is
 * good once, for half a minute, and for pages of the origin that asked for it; so what ends up in logs and histories is
 * worthless. Kept in memory: none outlives the gateway.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { TICKET_MS, TICKETS_PER_CALLER_MAX } from '../../limits.ts';
import { type Caller } from './callers.ts';

const TICKET_BYTES = 32;

interface Ticket {
  readonly caller: Caller;
  /** Of the page that asked for it; undefined for a program. */
  readonly origin: string | undefined;
  readonly untilMs: number;
}

export class Tickets {
  readonly #clock: Clock;
  /** By digest, so that a look-up takes as long whatever was guessed right. Oldest first. */
  readonly #open = new Map<string, Ticket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws BOSUN_GATEWAY_FULL where the caller has too many that nobody has used. */
  issue(caller: Caller, origin: string | undefined): { readonly ticket: string; readonly expiresInMs: number } {
    this.#forgetOld();
    const held = [...this.#open.values()].filter((ticket) => ticket.caller.id === caller.id).length;
    if (held >= TICKETS_PER_CALLER_MAX)
      throw new BosunError(
        'BOSUN_GATEWAY_FULL',
        `${TICKETS_PER_CALLER_MAX} tickets of this caller have not been used`,
        { details: { retryAfterMs: TICKET_MS } },
      );
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    this.#open.set(digestOf(ticket), { caller, origin, untilMs: this.#clock.monotonicMs() + TICKET_MS });
    return { ticket, expiresInMs: TICKET_MS };
  }

  /**
   * Whose it is; from then on it is nobody's.
   *
   * @param origin As the browser says; undefined where it says none, as for a stream of the page's own origin.
   * Throws BOSUN_UNAUTHENTICATED, which does not say whether there ever was such a ticket.
   */
  redeem(ticket: string, origin: string | undefined): Caller {
    this.#forgetOld();
    const digest = digestOf(ticket);
    const found = this.#open.get(digest);
    // Also where it is shown by somebody else: whoever has seen it must not try again.
    this.#open.delete(digest);
    const isElsewhere = origin !== undefined && found?.origin !== undefined && origin !== found.origin;
    const isExpired = found?.caller.expiresAtMs !== undefined && found.caller.expiresAtMs <= this.#clock.wallMs();
    if (found === undefined || isElsewhere || isExpired)
      throw new BosunError('BOSUN_UNAUTHENTICATED', 'the ticket is not valid: it is good once, and not for long');
    return found.caller;
  }

  #forgetOld(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [digest, { untilMs }] of this.#open) {
      if (untilMs > nowMs) return;
      this.#open.delete(digest);
    }
  }
}

function digestOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64');
}
