/**
 * One small bar chart as SVG text: groups of bars on a common axis that includes zero. Knows no company.
 * Every number in it is rounded by `toFixed`, so the same input gives the same bytes everywhere.
 */

/** A series of bars, one value per group. */
export interface ChartSeries {
  readonly name: string;
  /** CSS colour. */
  readonly colour: string;
  readonly values: readonly number[];
}

/** The content of a chart. */
export interface BarChart {
  /** The description for screen readers, also shown as a tooltip. */
  readonly title: string;
  /** The unit of the axis, for example `USD billions`. */
  readonly unit: string;
  readonly groups: readonly string[];
  readonly series: readonly ChartSeries[];
}

/** Pixels. Fits beside text in a Markdown page without scaling. */
const WIDTH = 640;
const HEIGHT = 270;
const PLOT = { left: 52, right: 628, top: 42, bottom: 240 } as const;
/** Part of a group's width that stays empty, so that groups read as groups. */
const GROUP_GAP = 0.28;
/** Grid lines wanted; the round step makes it a few more or less. */
const GRID_LINES = 5;

/**
 * Draws the chart.
 *
 * @returns One `<svg>` element: its opening tag is alone on the first line and no line is empty, so it is also a valid
 *   HTML block inside Markdown (CommonMark 0.31, HTML blocks, kind 7).
 */
export function drawBarChart(chart: BarChart): string {
  const scale = axis(chart.series.flatMap((series) => series.values));
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" ` +
      'role="img" font-family="sans-serif" font-size="11">',
    `<title>${escapeXml(chart.title)}</title>`,
    `<desc>${escapeXml(description(chart))}</desc>`,
    // A background of its own: the labels are dark, and the page around may be too.
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="8" y="18" font-size="13" font-weight="bold" fill="#1f2933">${escapeXml(chart.title)}</text>`,
    ...legend(chart),
    ...grid(scale),
    ...bars(chart, scale),
    '</svg>',
  ];
  return lines.join('\n');
}

interface Axis {
  /** Distance of grid lines; the first is at `low`, the last at `high`. */
  readonly step: number;
  readonly low: number;
  readonly high: number;
  readonly y: (value: number) => number;
}

function axis(values: readonly number[]): Axis {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const step = roundStep((most - least) / GRID_LINES);
  const high = Math.max(Math.ceil(most / step), 1) * step;
  // The top ends on a grid line; the bottom just below the lowest bar, which is seldom far below zero.
  const y = (value: number) => PLOT.bottom - ((value - least) / (high - least)) * (PLOT.bottom - PLOT.top);
  return { step, low: Math.ceil(least / step) * step, high, y };
}

/** The first of 1, 2, 5, 10, 20, 50, ... that is no less than `wanted`. */
function roundStep(wanted: number): number {
  for (let power = 1; ; power *= 10) {
    const step = [1, 2, 5].map((digit) => digit * power).find((candidate) => candidate >= wanted);
    if (step !== undefined) return step;
  }
}

function grid({ step, low, high, y }: Axis): string[] {
  const lines: string[] = [];
  for (let value = low; value <= high; value += step) {
    const at = y(value).toFixed(1);
    const colour = value === 0 ? '#52606d' : '#d9e2ec';
    lines.push(`<line x1="${PLOT.left}" y1="${at}" x2="${PLOT.right}" y2="${at}" stroke="${colour}"/>`);
    const textAt = (y(value) + 4).toFixed(1);
    lines.push(`<text x="${PLOT.left - 6}" y="${textAt}" text-anchor="end" fill="#52606d">${value}</text>`);
  }
  return lines;
}

function bars({ groups, series }: BarChart, { y }: Axis): string[] {
  const groupWidth = (PLOT.right - PLOT.left) / groups.length;
  const barWidth = (groupWidth * (1 - GROUP_GAP)) / series.length;
  return groups.flatMap((group, index) => {
    const left = PLOT.left + groupWidth * index;
    const middle = (left + groupWidth / 2).toFixed(1);
    return [
      ...series.map(({ name, colour, values }, position) => {
        const value = values[index] ?? 0;
        const x = (left + (groupWidth * GROUP_GAP) / 2 + barWidth * position).toFixed(1);
        const top = y(Math.max(value, 0)).toFixed(1);
        const height = Math.abs(y(value) - y(0)).toFixed(1);
        const label = `<title>${escapeXml(`${group} ${name}: ${value.toFixed(1)}`)}</title>`;
        const size = `width="${barWidth.toFixed(1)}" height="${height}"`;
        return `<rect x="${x}" y="${top}" ${size} fill="${colour}">${label}</rect>`;
      }),
      `<text x="${middle}" y="${PLOT.bottom + 18}" text-anchor="middle" fill="#1f2933">${escapeXml(group)}</text>`,
    ];
  });
}

function legend({ series, unit }: BarChart): string[] {
  /** Pixels an entry takes; the names are short. */
  const entryWidth = 130;
  return [
    ...series.flatMap(({ name, colour }, index) => {
      const x = PLOT.left + index * entryWidth;
      return [
        `<rect x="${x}" y="26" width="10" height="10" fill="${colour}"/>`,
        `<text x="${x + 15}" y="35" fill="#1f2933">${escapeXml(name)}</text>`,
      ];
    }),
    `<text x="${PLOT.right}" y="35" text-anchor="end" fill="#52606d">${escapeXml(unit)}</text>`,
  ];
}

function description({ groups, series, unit }: BarChart): string {
  const sentences = series.map(({ name, values }) => {
    const listed = groups.map((group, index) => `${group} ${(values[index] ?? 0).toFixed(1)}`);
    return `${name}: ${listed.join(', ')}.`;
  });
  return `In ${unit}. ${sentences.join(' ')}`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
