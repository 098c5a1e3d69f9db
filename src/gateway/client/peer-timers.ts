/** The timers of a peer, including the expiry of its token. They end with the peer and keep no process alive. */
import { type Cancel, type Clock } from '../../clock.ts';
import { TOKEN_NOTICE_MS } from '../limits.ts';
import { type Caller } from '../callers/callers.ts';

export class PeerTimers {
  readonly #clock: Clock;
  readonly #open = new Set<Cancel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  later(ms: number, callback: () => void): void {
    const cancel = this.#clock.setTimeout(
      () => {
        this.#open.delete(cancel);
        callback();
      },
      ms,
      { isBackground: true },
    );
    this.#open.add(cancel);
  }

  /**
   * Watches the expiry of a caller's token.
   *
   * @param soon Called shortly before the expiry with the remaining time.
   */
  watchExpiry({ expiresAtMs }: Caller, expired: () => void, soon?: (inMs: number) => void): void {
    if (expiresAtMs === undefined) return;
    const leftMs = expiresAtMs - this.#clock.wallMs();
    this.later(Math.max(0, leftMs - TOKEN_NOTICE_MS), () => soon?.(Math.min(leftMs, TOKEN_NOTICE_MS)));
    this.later(leftMs, expired);
  }

  end(): void {
    for (const cancel of this.#open) cancel();
    this.#open.clear();
  }
}
