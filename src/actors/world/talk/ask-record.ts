/** One ask: what its asker gives, what is known of it, and its row. Data only. */
import { type Cancel } from '../../../clock.ts';
import { type BosunError } from '../../../errors.ts';

export interface AskOptions {
  /** How long to wait for the reply. Default 5,000 ms, at most 24 hours. */
  readonly timeoutMs?: number;
  /** Kernel time until which to wait, in place of `timeoutMs`. */
  readonly deadlineMs?: number;
  /**
   * Names the ask: asked again with it, nothing is sent again, and the recorded reply is returned. It is remembered for
   * 24 hours of kernel time after its last use. 1 to 256 characters.
   */
  readonly id?: string;
  /**
   * Of what is asked: an ask of the same id with another digest is refused with BOSUN_KEY_CONFLICT. At most 256
   * characters.
   */
  readonly digest?: string;
}

/** Somebody in this process who waits for the reply. */
export interface AskWaiter {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: BosunError) => void;
  readonly cancel: Cancel;
}

/** One that waits for a reply, or whose reply is remembered. */
export interface Ask {
  readonly number: number;
  readonly id: string | null;
  readonly digest: string | undefined;
  /** Life of the effect that asks; 0 for a host. */
  readonly asker: number;
  readonly to: number;
  readonly address: string;
  /** Kernel time of its beginning. */
  readonly sinceMs: number;
  deadlineMs: number;
  usedAtMs: number;
  answer: { readonly value: unknown } | null;
  /** Whether it is in an epoch, together with its request: no row of it may be written before. */
  isEntered: boolean;
  /** Whether the answer is durable. */
  isTold: boolean;
  readonly waiters: Set<AskWaiter>;
}

/** Its row. */
export type AskRow = readonly [
  id: string | null,
  asker: number,
  to: number,
  address: string,
  deadlineMs: number,
  usedAtMs: number,
  answer: readonly [value: unknown] | null,
  /** When it began. */
  sinceMs: number,
  /** Absent where its host gave none. */
  digest?: string,
];
