/** Where the bars of a timetable stand: those that overlap side by side. Pure. */

/** A task in the coordinator's schedule, as its selector `schedule` gives it. */
export interface ScheduledBar {
  readonly task: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  /** In the plan's unit, from the start of the plan. */
  readonly start: number;
  readonly end: number;
  /** Whether it is on the critical path. */
  readonly critical: boolean;
}

export interface GanttLanes {
  readonly slots: readonly (ScheduledBar & { readonly lane: number })[];
  readonly count: number;
}

/** Tasks that overlap side by side, in as few lanes as that takes. */
export function lanesOf(slots: readonly ScheduledBar[]): GanttLanes {
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
