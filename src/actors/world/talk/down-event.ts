/** The event that tells a watcher of the end of a life. Data only. */
import { type Ref } from '../../model/ref.ts';

/**
 * How a life ended. `shutdown`: by order, or with its parent. `unknown`: it had ended, or never existed, when the
 * monitor was set.
 */
export type DownReason = 'normal' | 'error' | 'shutdown' | 'unknown';

/** The event of a monitor. No agent and no host can send one. */
export interface DownEvent {
  readonly type: 'bosun.down';
  readonly address: string;
  /** The life that ended. Undefined if an address was monitored at which no actor lived. */
  readonly ref: Ref | undefined;
  readonly reason: DownReason;
  /** The error of the life, for reason `error`. */
  readonly error: unknown;
}

/** The kind of a relation, as stored in its row. */
export type Relation = 'monitor' | 'link';
