/** A step whose every value has been admitted: applying it cannot fail. */
import { type Change } from './state.ts';
import { type Birth, type Effect, type Snapshot, type Step } from './step-engine.ts';

export interface Prepared {
  readonly change: Change;
  readonly snapshot: Snapshot;
  readonly births: readonly Birth[];
  readonly dropped: Step['dropped'];
  readonly effects: readonly Effect[];
  /** Bytes of the whole step, as admission counts them. */
  readonly bytes: number;
}
