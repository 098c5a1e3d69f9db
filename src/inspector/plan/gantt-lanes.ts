/** The lanes of the bars in a timetable: overlapping bars are side by side. Pure. */

import type { ScheduledTask } from '../../machines/coordination/plan/schedule.ts';

export interface GanttLanes {
  readonly slots: readonly (ScheduledTask & { readonly lane: number })[];
  readonly count: number;
}

/** Places overlapping tasks side by side, in as few lanes as possible. */
export function lanesOf(slots: readonly ScheduledTask[]): GanttLanes {
  const ends: number[] = [];
  const placed = slots
    .toSorted((a, b) => a.start - b.start)
    .map((slot) => {
      const free = ends.findIndex((end) => end <= slot.start);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = slot.end;
      return { ...slot, lane };
    });
  return { slots: placed, count: Math.max(1, ends.length) };
}
