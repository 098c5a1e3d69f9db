/** A Boss's record of a child, and its possible decisions about one that has ended. */
import { type ChildExit, type ChildRow, type RestartMode } from '../actors/model/supervision.ts';
import { type ChildSpec } from './child-spec.ts';
import { type Intensity, type Window } from './intensity.ts';

/** A Boss's record of one child. The kernel stores it, one row per child. */
export interface ChildRecord extends ChildRow {
  readonly spec: ChildSpec;
  /** The child's place in the order of first starts among its siblings, which strategies use. */
  readonly position: number;
  /**
   * The order that started the child; absent for declared children. The order gets a failure of that start, and the
   * child is then forgotten again, or stays ended.
   */
  readonly onDemand?: 'start' | 'restart';
  /** Whether `system.spawn` started it: its record is removed at its end, because its result tells of it. */
  readonly isSpawned?: boolean;
  /** Number of consecutive delayed restarts, for backoff. */
  readonly consecutive: number;
  /** Kernel time of the last start; 0 for a child started together with its Boss. */
  readonly startedAtMs: number;
  /** The kernel time and the mode in which a waiting child is started again; a second chance is not counted. */
  readonly retry: { readonly atMs: number; readonly mode: RestartMode; readonly isSecondChance?: true } | null;
  /** Restarts since it was started; redeliveries of one message count once. */
  readonly restarts: number;
  readonly lastError: unknown;
  /** The failures of this child alone; absent before the first, and under a Boss that escalates. */
  readonly own?: OwnFailures;
}

/** The failures of one child since it was last well: since it last ran for a whole period. */
export interface OwnFailures {
  /** Its counted restarts. */
  readonly window: Window;
  readonly failures: number;
  /** Whether it has exceeded the intensity once, and got a second chance after a period. */
  readonly isWarned: boolean;
}

export type Decision =
  | { readonly kind: 'restart'; readonly mode: RestartMode; readonly window: Window; readonly record: ChildRecord }
  | { readonly kind: 'wait'; readonly delayMs: number; readonly record: ChildRecord }
  /** The child ends. With `isForgotten`, its record is removed as if it had never been started. */
  | {
      readonly kind: 'end';
      readonly reason: ChildExit['reason'];
      readonly record: ChildRecord;
      readonly isForgotten: boolean;
    }
  /** The child takes no more turns until a person resumes it; then it is restarted in this mode. */
  | { readonly kind: 'suspend'; readonly mode: RestartMode; readonly failures: number; readonly record: ChildRecord }
  | { readonly kind: 'give-up'; readonly error: unknown };

/** The facts of a decision. */
export interface Situation {
  readonly record: ChildRecord;
  /** Past restarts of the Boss. */
  readonly window: Window;
  readonly limit: Intensity;
  /** Whether the limit is that of the Boss, which gives up beyond it. Otherwise it is that of each child. */
  readonly escalates: boolean;
  readonly nowMs: number;
}
