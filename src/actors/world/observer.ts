/** The port of those who watch one actor. audience.ts tells them. */
import { type BosunError } from '../../errors.ts';

/** The callbacks of an observer of one actor. */
export interface Observer {
  changed?(): void;
  emitted?(event: { readonly type: string }): void;
  ended?(): void;
  /** Called when the system has stopped or failed; no further call follows. */
  closed?(reason: BosunError): void;
}
