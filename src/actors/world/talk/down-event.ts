/** The end of a life, as whoever watches it is told. Data only. */
import { type Ref } from '../../model/ref.ts';

/**
 * How a life ended. `shutdown`: by order, or with whom it belonged to. `unknown`: it had ended, or never was, when the
 * monitor was set.
 */
export type DownReason = 'normal' | 'error' | 'shutdown' | 'unknown';

/** What a monitor gets. No agent and no host can send one. */
export interface DownEvent {
  readonly type: 'bosun.down';
  readonly address: string;
  /** The life that ended; undefined where an address was monitored and nobody lived there. */
  readonly ref: Ref | undefined;
  readonly reason: DownReason;
  /** Of reason `error`: what it failed by. */
  readonly error: unknown;
}

/** As the row says it. */
export type Relation = 'monitor' | 'link';
