/**
 * Passes: what a page that cannot set headers puts into a URL instead of its token. A pass is issued to a caller with a
 * token and is valid once, for half a minute, for pages of the requesting origin; so passes in logs and histories are
 * worthless. They are kept in memory only.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { PASS_MS, PASSES_PER_CALLER_MAX } from '../limits.ts';
import { type Caller } from './callers.ts';

const PASS_BYTES = 32;

interface Pass {
  readonly caller: Caller;
  /** Origin of the page that asked for the pass; undefined for a program. */
  readonly origin: string | undefined;
  readonly untilMs: number;
}

export class Passes {
  readonly #clock: Clock;
  /** Passes by digest, so that the time of a look-up does not depend on how much of a guess was right. Oldest first. */
  readonly #open = new Map<string, Pass>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Issues a pass. Throws BOSUN_GATEWAY_FULL if the caller has too many unused ones. */
  issue(caller: Caller, origin: string | undefined): { readonly pass: string; readonly expiresInMs: number } {
    this.#forgetOld();
    const held = [...this.#open.values()].filter((pass) => pass.caller.id === caller.id).length;
    if (held >= PASSES_PER_CALLER_MAX)
      throw new BosunError('BOSUN_GATEWAY_FULL', `this caller has ${PASSES_PER_CALLER_MAX} unused passes; use one`, {
        details: { retryAfterMs: PASS_MS },
      });
    const pass = randomBytes(PASS_BYTES).toString('base64url');
    this.#open.set(digestOf(pass), { caller, origin, untilMs: this.#clock.monotonicMs() + PASS_MS });
    return { pass, expiresInMs: PASS_MS };
  }

  /**
   * Uses up a pass and returns its caller.
   *
   * @param origin The origin that the browser states; undefined if it states none, as for a stream of the page's own
   * origin. Throws BOSUN_UNAUTHENTICATED, which does not say whether there ever was such a pass.
   */
  redeem(pass: string, origin: string | undefined): Caller {
    this.#forgetOld();
    const digest = digestOf(pass);
    const found = this.#open.get(digest);
    // The pass is used up even if the origin is wrong: a thief must not be able to try again.
    this.#open.delete(digest);
    const isElsewhere = origin !== undefined && found?.origin !== undefined && origin !== found.origin;
    const isExpired = found?.caller.expiresAtMs !== undefined && found.caller.expiresAtMs <= this.#clock.wallMs();
    if (found === undefined || isElsewhere || isExpired)
      throw new BosunError('BOSUN_UNAUTHENTICATED', 'the pass is not valid: it works once, and for a short time');
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

function digestOf(pass: string): string {
  return createHash('sha256').update(pass).digest('base64');
}
