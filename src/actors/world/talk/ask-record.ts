/** One ask: its options, its facts, and its row. Data only. */
import { type Cancel } from '../../../clock.ts';
import { type BosunError } from '../../../errors.ts';

/** The timeout of an ask, and the id by which it is repeated. */
export interface AskOptions {
  /** Milliseconds to wait for the reply. Default 5,000, at most 24 hours. */
  readonly timeoutMs?: number;
  /** Kernel time until which to wait, instead of `timeoutMs`. */
  readonly deadlineMs?: number;
  /**
   * The id of the ask. An ask with the same id is not sent again, and returns the recorded reply. It is remembered for
   * 24 hours of kernel time after its last use. 1 to 256 characters.
   */
  readonly id?: string;
  /**
   * A digest of the question: an ask of the same id with another digest is refused with BOSUN_KEY_CONFLICT. At most 256
   * characters.
   */
  readonly digest?: string;
}

/** A caller in this process that waits for the reply. */
export interface AskWaiter {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: BosunError) => void;
  readonly cancel: Cancel;
}

/** An ask that waits for a reply, or whose reply is remembered. */
export interface Ask {
  readonly number: number;
  readonly id: string | null;
  readonly digest: string | undefined;
  /** Life of the effect that asks; 0 for a host. */
  readonly asker: number;
  readonly to: number;
  readonly address: string;
  /** Kernel time at which it began. */
  readonly sinceMs: number;
  deadlineMs: number;
  usedAtMs: number;
  answer: { readonly value: unknown } | null;
  /** Whether the ask is in an epoch, together with its request. No row of it may be written before. */
  isEntered: boolean;
  /** Whether the answer is durable. */
  isTold: boolean;
  readonly waiters: Set<AskWaiter>;
}

/** The row of an ask. */
export type AskRow = readonly [
  id: string | null,
  asker: number,
  to: number,
  address: string,
  deadlineMs: number,
  usedAtMs: number,
  answer: readonly [value: unknown] | null,
  /** Kernel time at which it began. */
  sinceMs: number,
  /** The digest of the question; absent if the host gave none. */
  digest?: string,
];
