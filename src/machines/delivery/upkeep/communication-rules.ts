/**
 * The communication that a finished task required (MX-022): which hand-offs, how many questions for what was unclear in
 * it, and which documents; and the gate of the share that took place. Pure.
 */
import { type GateDecision, judge } from '../../work/threshold-gate.ts';
import { type WorkItem } from '../../work/work-item.ts';

/** How communication is checked. */
export interface CommunicationSettings {
  /** Milliseconds after the last change of the files, or after the report of the task. */
  readonly delayMs?: number;
  /** The share of what was required, from 0 to 1, from which on nothing is said. */
  readonly alignmentMin?: number;
}
export const COMMUNICATION = { delayMs: 60_000, alignmentMin: 0.8 } as const;

/** Hand-offs that took place for a task, by row of the table of responsibilities. */
export type Heard = Readonly<Record<number, number>>;

/** Communication that a finished task required, and whether it happened. */
export interface Required {
  readonly what: string;
  readonly isThere: boolean;
}

/** Open points of one task that count: a coding agent asks about it so often at most. */
const POINTS_MAX = 8;

/**
 * Lists what a task with these open points required of those who had to talk; `whole`: the hand-offs of what it is a
 * part of.
 */
export function requiredOf(item: WorkItem, open: readonly string[], own: Heard, whole: Heard): readonly Required[] {
  const handOff = (what: string, row: number, heard = own) => ({ what, isThere: (heard[row] ?? 0) > 0 });
  const isPart = (whole[1] ?? 0) > 0 && item.kind !== 'fix';
  const breakdown = [handOff('the breakdown was ordered', 1, whole), handOff('it was handed back', 2, whole)];
  return [
    ...(isPart ? breakdown : []),
    ...(item.kind === 'fix' ? [handOff('the failed check was handed on', 8, whole)] : []),
    handOff('it was handed to the queue', 3),
    handOff('it was handed to a coding agent', 4),
    ...open
      .slice(0, POINTS_MAX)
      .map((what, at) => ({ what: `the Answer Team was asked: ${what}`, isThere: (own[5] ?? 0) > at })),
  ];
}

/** The gate of the share that took place. */
export function alignmentOf(required: readonly Required[], alignmentMin: number): GateDecision {
  const share = required.filter(({ isThere }) => isThere).length / required.length;
  const gate = { gate: 'alignment', passes: 'atLeast', threshold: alignmentMin } as const;
  return judge({ ...gate, onPass: 'those who had to have talked', onFail: 'somebody has not asked, or told' }, share);
}
