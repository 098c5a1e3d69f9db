/**
 * Draws a schedule as a Gantt chart, as SVG and as text for a terminal: one row per task, grouped by item. Pure and
 * deterministic. Colour is never the only distinction, and all text from the plan is escaped.
 */
import { type Plan } from '../../machines/coordination/plan/plan.ts';
import { type Schedule, type ScheduledTask } from '../../machines/coordination/plan/schedule.ts';
import { painted } from '../terminal.ts';

/** A heading (an item) or one task under it. */
interface GanttRow {
  readonly label: string;
  readonly task: ScheduledTask | null;
}

/** The rows: items in the order of the plan, and under each its tasks in the order of the plan. */
function rowsOf(schedule: Schedule, plan: Plan): readonly GanttRow[] {
  const scheduled = new Map(schedule.tasks.map((task) => [task.task, task]));
  const rows: GanttRow[] = [];
  let item: string | null = null;
  for (const task of plan.tasks) {
    if (task.item !== item && task.item !== null) rows.push({ label: task.item, task: null });
    item = task.item;
    // A schedule holds every task of its plan.
    rows.push({ label: task.stage ?? task.id, task: scheduled.get(task.id)! });
  }
  return rows;
}

/** The index of each agent type, in order of first use in the plan. */
function agentsOf(plan: Plan): ReadonlyMap<string, number> {
  return new Map([...new Set(plan.tasks.map(({ agent }) => agent))].map((agent, index) => [agent, index]));
}

/** Round times from 0 to the makespan, at most `most + 1`. */
function ticksOf(makespan: number, most: number): readonly number[] {
  if (makespan === 0) return [0];
  const magnitude = 10 ** Math.floor(Math.log10(makespan / most));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => makespan / size <= most) ?? makespan;
  return Array.from({ length: Math.floor(makespan / step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Number of letters of the longest label. */
function widestLabel(rows: readonly GanttRow[]): number {
  return rows.reduce((widest, { label }) => Math.max(widest, label.length), 0);
}

/** The one-line summary under a chart's title. */
export function summaryOf(schedule: Schedule, plan: Plan): string {
  const factor = Number(schedule.parallelismFactor.toFixed(2));
  const bottleneck = schedule.bottleneck === null ? 'no bottleneck' : `bottleneck ${schedule.bottleneck}`;
  return (
    `makespan ${schedule.makespan} ${plan.unit}, work ${schedule.work} ${plan.unit}, parallelism factor ${factor}, ` +
    `${bottleneck}`
  );
}

/** Lengths of the SVG, in pixels. */
const WIDTH = 1000;
const MARGIN = 16;
const ROW = 26;
const BAR = 18;
const STRIPE = 3;
/** Top of the rows, without the legend: title, summary and axis are above. */
const HEAD = 92;
const LEGEND_ROW = 20;
/** Average advance of a 12 pixel sans-serif letter, rounded up, so that text stays in its place. */
const LETTER = 7;
const LABEL_LETTERS_MAX = 34;
const TICKS_MAX = 12;
/** Number of dependency lines above which none is drawn, since they would merge into grey. */
const LINES_MAX = 200;

const INK = '#1c1c1c';
const FAINT = '#6b6b6b';
const GRID = '#dddddd';
/**
 * Fill colours: light enough for dark letters, and distinct in print and for most colour-blind readers. They repeat
 * after ten, so bars also carry names.
 */
const FILLS = [
  '#8fbfe0',
  '#f6b26b',
  '#93c47d',
  '#b4a7d6',
  '#ffd966',
  '#e69f9f',
  '#76c7c0',
  '#c9b18b',
  '#d5a6bd',
  '#c4c4c4',
];

interface GanttLayout {
  readonly schedule: Schedule;
  readonly plan: Plan;
  readonly rows: readonly GanttRow[];
  readonly agents: ReadonlyMap<string, number>;
  /** Edges of the area of bars. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  x(time: number): number;
  /** Vertical middle of a row. */
  y(index: number): number;
}

/**
 * The chart as one SVG document. Bars on the critical path have a thick outline, a stripe and a mark at their label.
 * More than 200 lines of dependencies are left out. An opaque light background keeps it readable on a dark page.
 *
 * @param plan The scheduled plan, for the unit, the order of the rows and the dependencies.
 */
export function ganttSvg(schedule: Schedule, plan: Plan): string {
  const rows = rowsOf(schedule, plan);
  const agents = agentsOf(plan);
  const legend = legendOf([...agents.keys()], { barrier: plan.tasks.some((task) => task.barrier !== false) });
  const letters = Math.min(LABEL_LETTERS_MAX, widestLabel(rows) + 6);
  const [left, right, top] = [MARGIN + letters * LETTER, WIDTH - MARGIN - 8, HEAD + legend.height];
  const scale = (right - left) / (schedule.makespan || 1);
  const layout: GanttLayout = {
    schedule,
    plan,
    rows,
    agents,
    left,
    right,
    top,
    bottom: top + rows.length * ROW,
    x: (time) => left + time * scale,
    y: (index) => top + (index + 0.5) * ROW,
  };
  const height = layout.bottom + 28;
  const title = `${plan.name}: schedule`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
      `height="${height}" role="img" aria-labelledby="gantt-title gantt-desc" font-family="system-ui, 'Segoe UI', ` +
      `'DejaVu Sans', sans-serif" font-size="12" fill="${INK}">`,
    `<title id="gantt-title">${escape(title)}</title>`,
    `<desc id="gantt-desc">${escape(descriptionOf(schedule, plan))}</desc>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${MARGIN}" y="30" font-size="18" font-weight="bold">${escape(title)}</text>`,
    `<text x="${MARGIN}" y="50" fill="${FAINT}">${escape(summaryOf(schedule, plan))}</text>`,
    `<g transform="translate(0 64)">${legend.svg}</g>`,
    ...rows.flatMap((row, index) => (row.task === null ? heading(layout, row, index) : [])),
    ...axis(layout),
    ...barriers(layout),
    ...dependencies(layout),
    ...rows.flatMap(({ label, task }, index) => (task === null ? [] : [taskRow(layout, label, task, index)])),
    '</svg>',
    '',
  ].join('\n');
}

function descriptionOf(schedule: Schedule, plan: Plan): string {
  const times = schedule.tasks.map(({ task, start, end, agent }) => `${task} (${agent}) ${start} to ${end}`);
  return (
    `${summaryOf(schedule, plan)}. Critical path: ${schedule.criticalPath.join(', ')}. Times in ${plan.unit}: ` +
    `${times.join('; ')}.`
  );
}

function legendOf(agents: readonly string[], { barrier }: { barrier: boolean }): { svg: string; height: number } {
  const entries = [
    ...agents.map((label, index) => ({
      label,
      mark: `<rect y="-11" width="14" height="14" rx="2" fill="${fillOf(index)}" stroke="${FAINT}"/>`,
    })),
    {
      label: '◆ critical path',
      mark:
        `<rect y="-11" width="14" height="14" rx="2" fill="none" stroke="${INK}" stroke-width="2"/><path d="M0 ` +
        `1h14" stroke="${INK}" stroke-width="${STRIPE}"/>`,
    },
    ...(barrier
      ? [
          {
            label: 'barrier: waits for every item',
            mark: `<path d="M7 -12V4" stroke="${INK}" stroke-dasharray="3 3"/>`,
          },
        ]
      : []),
  ];
  let [x, y] = [MARGIN, 12];
  const svg = entries.map(({ label, mark }) => {
    const width = 20 + (label.length + 2) * LETTER;
    if (x + width > WIDTH - MARGIN) [x, y] = [MARGIN, y + LEGEND_ROW];
    const entry = `<g transform="translate(${x} ${y})">${mark}<text x="20">${escape(label)}</text></g>`;
    x += width;
    return entry;
  });
  return { svg: svg.join(''), height: y - 12 + LEGEND_ROW };
}

function axis({ schedule, plan, left, right, top, bottom, x }: GanttLayout): readonly string[] {
  const ticks = ticksOf(schedule.makespan, TICKS_MAX);
  return [
    `<g stroke="${GRID}">${ticks.map((time) => `<path d="M${px(x(time))} ${top - 4}V${bottom + 4}"/>`).join('')}</g>`,
    ...[top - 8, bottom + 18].map((y) => {
      const labels = ticks.map((time) => `<text x="${px(x(time))}" y="${y}">${time}</text>`).join('');
      const unit = `<text x="${px(left - 12)}" y="${y}" text-anchor="end">${escape(cut(plan.unit, 16))}</text>`;
      return `<g fill="${FAINT}" text-anchor="middle">${labels}${unit}</g>`;
    }),
    `<path d="M${px(left)} ${top}H${px(right)}" stroke="${FAINT}"/>`,
  ];
}

/** A dashed line where a barrier opens: at the end of the last task it waits for. */
function barriers({ schedule, plan, top, bottom, x }: GanttLayout): readonly string[] {
  const awaited = new Map(
    plan.tasks.flatMap(({ stage, barrier }) =>
      barrier === false || stage === null ? [] : [[stage, barrier] as const],
    ),
  );
  return [...awaited].map(([stage, stages]) => {
    const opens = schedule.tasks.reduce(
      (latest, task) => (task.stage !== null && stages.includes(task.stage) ? Math.max(latest, task.end) : latest),
      0,
    );
    const title = escape(`${stage} waits for ${stages.join(', ')} of every item`);
    return (
      `<path d="M${px(x(opens))} ${top}V${bottom}" stroke="${INK}" stroke-dasharray="3 ` +
      `3"><title>${title}</title></path>`
    );
  });
}

/**
 * Lines from the end of a task along its row to the start of the next task, then up or down to its bar. Drawn under the
 * bars.
 */
function dependencies({ plan, rows, x, y }: GanttLayout): readonly string[] {
  const place = new Map(
    rows.flatMap(({ task }, index) => (task === null ? [] : [[task.task, { task, index }] as const])),
  );
  const edges = plan.tasks.flatMap(({ id, after }) =>
    after.map((dependency) => [place.get(dependency)!, place.get(id)!] as const),
  ); // Every task has a row.
  if (edges.length > LINES_MAX) return [];
  const lines = edges.map(([from, to]) => {
    const side = from.index < to.index ? -1 : 1;
    const [across, end] = [px(x(to.task.start) + 4), px(y(to.index) + (side * BAR) / 2)];
    return (
      `<path d="M${px(x(from.task.end))} ${px(y(from.index))}H${across}V${end}"/><path d="M${across} ${end}l-3 ` +
      `${side * 5}h6z" fill="${FAINT}" stroke="none"/>`
    );
  });
  return [`<g fill="none" stroke="${FAINT}" stroke-width="0.8">${lines.join('')}</g>`];
}

function heading({ y, right }: GanttLayout, { label }: GanttRow, index: number): readonly string[] {
  const top = px(y(index) - ROW / 2);
  return [
    `<rect x="${MARGIN}" y="${top}" width="${px(right - MARGIN)}" height="${ROW}" fill="#f2f2f2"/>`,
    `<text x="${MARGIN + 4}" y="${px(y(index) + 4)}" ` +
      `font-weight="bold">${escape(cut(label, LABEL_LETTERS_MAX * 2))}</text>`,
  ];
}

function taskRow(
  { plan, agents, right, x, y }: GanttLayout,
  label: string,
  task: ScheduledTask,
  index: number,
): string {
  const { critical, agent } = task;
  const [from, to, middle] = [x(task.start), x(task.end), y(index)];
  const when = `${task.start} to ${task.end} ${plan.unit}`;
  const title = `${task.task}: ${agent}, ${when}${critical ? ', on the critical path' : ''}`;
  const name = cut(critical ? `◆ ${label}` : label, LABEL_LETTERS_MAX - 4);
  const { at, anchor } = agentPlace(agent, from, to, right);
  return [
    `<g><title>${escape(title)}</title>`,
    `<text x="${MARGIN + 12}" y="${px(middle + 4)}"${critical ? ' font-weight="bold"' : ''}>${escape(name)}</text>`,
    shape(from, to, middle, { fill: fillOf(agents.get(agent)), critical }),
    `<text x="${px(at)}" y="${px(middle + (critical ? 3 : 4))}" font-size="11" ` +
      `text-anchor="${anchor}">${escape(agent)}</text></g>`,
  ].join('');
}

/** The place of the agent's name: inside its bar, or on the side of it that has room. */
function agentPlace(agent: string, from: number, to: number, right: number): { at: number; anchor: 'start' | 'end' } {
  const length = (agent.length + 1) * LETTER;
  if (to - from > length) return { at: from + 6, anchor: 'start' };
  return to + 12 + length < right ? { at: to + 12, anchor: 'start' } : { at: from - 12, anchor: 'end' };
}

/** A bar, or a diamond for a task without duration. */
function shape(
  from: number,
  to: number,
  middle: number,
  { fill, critical }: { fill: string; critical: boolean },
): string {
  const paint = `fill="${fill}" stroke="${critical ? INK : FAINT}" stroke-width="${critical ? 2 : 1}"`;
  if (from === to) return `<path d="M${px(from)} ${px(middle - BAR / 2)}l8 9l-8 9l-8 -9z" ${paint}/>`;
  const width = px(Math.max(to - from, 2));
  const stripe =
    `<rect x="${px(from)}" y="${px(middle + BAR / 2 - STRIPE)}" width="${width}" ` +
    `height="${STRIPE}" fill="${INK}"/>`;
  return (
    `<rect x="${px(from)}" y="${px(middle - BAR / 2)}" width="${width}" height="${BAR}" rx="2" ` +
    `${paint}/>${critical ? stripe : ''}`
  );
}

function fillOf(agent = 0): string {
  return FILLS[agent % FILLS.length]!; // The list is not empty.
}

function px(length: number): string {
  return String(Math.round(length * 100) / 100);
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and attribute values. Characters that XML cannot hold become replacement marks. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

/** SGR foreground colours by agent type, readable on dark and light backgrounds. */
const COLOURS = [34, 33, 32, 35, 36, 31];

export interface TextOptions {
  /** Width of the whole chart in characters; at least 40. */
  readonly width: number;
  /** Whether to colour bars by agent type. */
  readonly colour?: boolean;
}

/**
 * The chart for a terminal: `█` and a `◆` at the label on the critical path, `▒` elsewhere, `◇` for a task without
 * duration.
 */
export function ganttText(schedule: Schedule, plan: Plan, { width, colour = false }: TextOptions): string {
  const rows = rowsOf(schedule, plan);
  const agents = agentsOf(plan);
  const label = Math.min(LABEL_LETTERS_MAX, Math.max(plan.unit.length, widestLabel(rows)) + 4);
  const columns = Math.max(width, 40) - label - String(schedule.makespan).length;
  const column = (time: number): number => Math.round((time / (schedule.makespan || 1)) * columns);
  const lines = rows.map(({ label: name, task }) => {
    if (task === null) return name;
    const [from, to] = [column(task.start), column(task.end)];
    const cells = task.start === task.end ? '◇' : (task.critical ? '█' : '▒').repeat(Math.max(to - from, 1));
    // Every agent type has a place.
    const bar = colour ? painted(cells, COLOURS[agents.get(task.agent)! % COLOURS.length]!) : cells;
    const named = cut(`${task.critical ? '◆' : ' '} ${name}`, label - 1).padEnd(label);
    return `${named}${' '.repeat(Math.min(from, columns))}${bar}`;
  });
  return [
    `${cut(plan.unit, label - 1).padEnd(label)}${axisText(schedule.makespan, columns, column)}`,
    ...lines,
    '',
  ].join('\n');
}

/** The axis. Each number begins in the column of its time; a number that the previous one overlaps is left out. */
function axisText(makespan: number, columns: number, column: (time: number) => number): string {
  let text = '';
  for (const time of ticksOf(makespan, Math.max(Math.floor(columns / 6), 1))) {
    if (text.length > 0 && text.length >= column(time)) continue;
    text = text.padEnd(column(time)) + String(time);
  }
  return text;
}
