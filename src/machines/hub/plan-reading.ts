/** The work plan as a hub reads it before it decides (HS-035). */
import { type LineageEntry } from './handoff.ts';
import { type PlanStep } from './plan-steps.ts';
import { type Role } from './roles.ts';

/** The states of a work plan (HS-062). */
export type PlanStatus = 'active' | 'paused' | 'completed' | 'archived' | 'failed';

/** The state of a work plan at one moment. */
export interface PlanReading {
  readonly plan: string;
  readonly title: string;
  readonly goals: readonly string[];
  readonly status: PlanStatus;
  /** The number of the last hand-off; 0 before the first. */
  readonly seq: number;
  readonly recommended: Role | null;
  readonly lastHandoff: LineageEntry | null;
  readonly steps: readonly PlanStep[];
}
