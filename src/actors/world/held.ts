/** The form of what is held against an actor: strikes, failures and orders. suspension.ts says what follows from it. */
import { type RestartMode } from '../model/supervision.ts';

/** Strikes and orders against an actor, as stored in a row. */
export interface Held {
  /** Messages quarantined since one was processed. */
  readonly strikes: number;
  /** The error of the last quarantined message, or of the last failure. */
  readonly error: unknown;
  /**
   * A restart ordered by the Boss while the code could not read the actor, or while it is suspended for its failures.
   * The first start that can read it carries it out, or the order to resume it.
   */
  readonly restart: RestartMode | null;
  /** The number of failures in a row for which its Boss has suspended it; absent otherwise. */
  readonly failures?: number;
  /** The order by which an administrator suspended it. */
  readonly order?: { readonly by: string; readonly reason: string | null; readonly atMs: number };
}
