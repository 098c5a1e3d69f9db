/** The timetable of a plan as a Gantt chart, one row per item, with completed and running tasks marked. */
import { Panel } from '../sheet.tsx';
import type { ScheduledTask } from '../../machines/coordination/plan/schedule.ts';
import { useAnswer } from '../use.ts';
import { type PlanProgress, type TaskState } from './plan-progress.ts';
import { lanesOf } from './gantt-lanes.ts';

/** Pixels of the drawing. */
const WIDTH = 1_000;
const LEFT = 96;
const LANE = 22;
const GAP = 10;
const TOP = 26;
const LETTER = 6.4;

/** Largest number of ticks on the axis. */
const TICKS = 10;

/** Number of tasks above which a plan is not drawn. */
const TASKS_MAX = 1_000;

/**
 * Interval of loading the schedule. It is long, since the schedule depends only on the plan, which does not change
 * during a run.
 */
const ASK_EVERY_MS = 600_000;

interface GanttProps {
  /** Address of the coordinator. */
  readonly address: string;
  readonly progress: PlanProgress;
}

/** The chart; nothing if the gateway has no selector `schedule`. */
export function Gantt({ address, progress }: GanttProps) {
  const { plan, total } = progress;
  const { result } = useAnswer<{ readonly value: { readonly tasks: readonly ScheduledTask[] } }>(
    total > TASKS_MAX ? undefined : 'actor.select',
    { address, selector: 'schedule' },
    ASK_EVERY_MS,
  );
  const slots = result?.value.tasks ?? [];
  if (slots.length === 0) return null;
  const end = slots.reduce((latest, slot) => Math.max(latest, slot.end), 0) || 1;
  return (
    <Panel id="gantt" title="Timetable">
      <p class="quiet">
        As planned, in {plan.unit}: when each stage runs if it takes its expected time. Filled: done. Outlined: running.
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Timetable, scrolls">
        <Bars progress={progress} slots={slots} end={end} />
      </div>
    </Panel>
  );
}

interface BarsProps {
  readonly progress: PlanProgress;
  readonly slots: readonly ScheduledTask[];
  readonly end: number;
}

function Bars({ progress: { plan, items }, slots, end }: BarsProps) {
  const x = (time: number) => LEFT + (time / end) * (WIDTH - LEFT - 12);
  let y = TOP;
  const rows = items.map(({ item, tasks }) => {
    const own = slots.filter((slot) => (slot.item ?? slot.task) === item);
    const { slots: placed, count } = lanesOf(own);
    const row = {
      item,
      placed,
      y,
      height: count * LANE,
      states: new Map([...tasks.values()].map(({ task, state }) => [task.id, state])),
    };
    y += count * LANE + GAP;
    return row;
  });
  const height = y + 4;
  return (
    <svg
      class="gantt"
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={`Timetable of ${plan.name}: ${items.length} items, ${end} ${plan.unit}`}
    >
      {ticksOf(end).map((time) => (
        <g key={time}>
          <path class="tick" d={`M${x(time)} ${TOP - 6}V${height - 4}`} />
          <text class="time" x={x(time)} y={TOP - 12} text-anchor="middle">
            {time}
          </text>
        </g>
      ))}
      {rows.map(({ item, placed, y: top, height: room, states }) => (
        <g key={item}>
          <text class="item" x={LEFT - 10} y={top + room / 2 + 4} text-anchor="end">
            {cut(item, LEFT - 14)}
          </text>
          {placed.map((slot) => (
            <Bar
              key={slot.task}
              slot={slot}
              x={x}
              y={top + slot.lane * LANE}
              state={states.get(slot.task) ?? 'waiting'}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

interface BarProps {
  readonly slot: ScheduledTask;
  readonly x: (time: number) => number;
  readonly y: number;
  readonly state: TaskState;
}

function Bar({ slot: { task, stage, agent, start, end }, x, y, state }: BarProps) {
  const from = x(start);
  const width = Math.max(3, x(end) - from - 2);
  return (
    <g class={`bar ${state}`} data-task={task}>
      <title>{`${task}: ${agent}, ${start} to ${end}, ${state}`}</title>
      <rect x={from} y={y + 2} width={width} height={LANE - 4} rx={4} />
      <text x={from + 7} y={y + LANE / 2 + 4}>
        {cut(stage ?? task, width - 10)}
      </text>
    </g>
  );
}

/** Round times from 0. */
function ticksOf(end: number): number[] {
  const magnitude = 10 ** Math.floor(Math.log10(end / TICKS));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => end / size <= TICKS) ?? end;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function cut(text: string, room: number): string {
  const letters = Math.floor(room / LETTER);
  return text.length <= letters ? text : letters < 2 ? '' : `${text.slice(0, letters - 1)}\u2026`;
}
