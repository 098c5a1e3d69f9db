/**
 * Passes: what a page that can set no header shows in an address instead of its token. Each is got with a token, is
 * good once, for half a minute, and for pages of the origin that asked for it; so what ends up in logs and histories is
 * worthless. Kept in memory: none outlives the gateway.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { PASS_MS, PASSES_PER_CALLER_MAX } from '../../limits.ts';
import { type Caller } from './callers.ts';

const PASS_BYTES = 32;

interface Pass {
  readonly caller: Caller;
  /** Of the page that asked for it; undefined for a program. */
  readonly origin: string | undefined;
  readonly untilMs: number;
}

export class Passes {
  readonly #clock: Clock;
  /** By digest, so that a look-up takes as long whatever was guessed right. Oldest first. */
  readonly #open = new Map<string, Pass>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws BOSUN_GATEWAY_FULL where the caller has too many that nobody has used. */
  issue(caller: Caller, origin: string | undefined): { readonly pass: string; readonly expiresInMs: number } {
    this.#forgetOld();
    const held = [...this.#open.values()].filter((pass) => pass.caller.id === caller.id).length;
    if (held >= PASSES_PER_CALLER_MAX)
      throw new BosunError('BOSUN_GATEWAY_FULL', `${PASSES_PER_CALLER_MAX} passes of this caller have not been used`, {
        details: { retryAfterMs: PASS_MS },
      });
    const pass = randomBytes(PASS_BYTES).toString('base64url');
    this.#open.set(digestOf(pass), { caller, origin, untilMs: this.#clock.monotonicMs() + PASS_MS });
    return { pass, expiresInMs: PASS_MS };
  }

  /**
   * Whose it is; from then on it is nobody's.
   *
   * @param origin As the browser says; undefined where it says none, as for a stream of the page's own origin.
   * Throws BOSUN_UNAUTHENTICATED, which does not say whether there ever was such a pass.
   */
  redeem(pass: string, origin: string | undefined): Caller {
    this.#forgetOld();
    const digest = digestOf(pass);
    const found = this.#open.get(digest);
    // Also where it is shown by somebody else: whoever has seen it must not try again.
    this.#open.delete(digest);
    const isElsewhere = origin !== undefined && found?.origin !== undefined && origin !== found.origin;
    const isExpired = found?.caller.expiresAtMs !== undefined && found.caller.expiresAtMs <= this.#clock.wallMs();
    if (found === undefined || isElsewhere || isExpired)
      throw new BosunError('BOSUN_UNAUTHENTICATED', 'the pass is not valid: it is good once, and not for long');
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
