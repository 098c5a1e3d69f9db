/** The report as Markdown: the same text for the terminal and the documents. */
import { AREAS } from './areas.mjs';

/**
 * Load average of the last minute above which the machine is busy; an idle machine has a few hundredths, the end of a
 * build some tenths.
 */
const BUSY_LOAD = 0.7;

/** @param report See run.mjs. */
export function renderResults({ machine, load, rounds, size, rows }) {
  const caution = size === 'quick' ? 'QUICK RUN, small sizes: shows that it runs, says nothing about speed. ' : '';
  return [
    ...facts(machine),
    `- ${caution}${manner(rounds)}`,
    loadLine(load),
    '',
    ...goals(rows, variantsOf(rows)),
    ...figureTables(rows, () => []),
  ].join('\n');
}

/**
 * The page of results: every goal and its result.
 *
 * @param all Rows of one or several runs, see run.mjs.
 */
export function renderGoals(all) {
  const newest = all.reduce((best, one) => (one.machine.date > best.machine.date ? one : best));
  const rows = all.map(({ row }) => row);
  return [...facts(newest.machine), `- ${manner(newest.rounds)}`, '', ...goals(rows, variantsOf(rows))].join('\n');
}

/** The other figures: ratios without a goal, and the figures of each row with their commit. */
export function renderFigures(all) {
  const rows = all.map(({ row }) => row);
  const stamps = new Map(
    all.map(({ machine, load, row }) => [row, `Of ${machine.date}, commit ${machine.commit}; ${loadWords(load)}.`]),
  );
  return figureTables(rows, (row) => ['', stamps.get(row)]).join('\n');
}

function manner(rounds) {
  return (
    `Medians of ${rounds} rounds after one to warm up, in brackets the smallest and largest; contenders ` +
    'interleaved in one process, ratios taken within a round'
  );
}

function variantsOf(rows) {
  return rows[0].variants.map(({ variant }) => variant);
}

/** @param remarks Further remarks on a row. */
function figureTables(rows, remarks) {
  const variants = variantsOf(rows);
  return [
    ...furtherRatios(rows, variants),
    ...rows.flatMap((row) => [
      '',
      `### ${row.name} ${row.title}`,
      '',
      row.about,
      ...remarks(row),
      '',
      ...figureTable(row, variants),
    ]),
    '',
  ];
}

export function renderProfiles({ machine, load, rows }) {
  return [
    ...facts(machine),
    loadLine(load),
    '',
    '### By area',
    '',
    'Per cent of the time sampled, in functions of that area themselves.',
    '',
    ...table(
      ['row', 'ms', ...AREAS],
      rows.map(({ name, profile: { totalMs, areas } }) => [
        name,
        Math.round(totalMs),
        ...AREAS.map((area) => share(areas[area] ?? 0, totalMs)),
      ]),
    ),
    ...rows.flatMap((row) => [
      '',
      `### ${row.name} ${row.title}: where the time goes`,
      '',
      ...profileTables(row.profile),
    ]),
    '',
  ].join('\n');
}

function facts({ date, commit, node, os, cpu, memoryGb, governor, openFiles, fileSystem, syncMs }) {
  const { median, min, max } = syncMs;
  return [
    `- ${date}, commit ${commit}`,
    `- Node ${node}, ${os}, ${cpu}, ${memoryGb} GB; governor ${governor ?? 'not told by the system'}; open files ` +
      `${openFiles.soft}, at most ${openFiles.hard}`,
    `- ${fileSystem}; write and fdatasync of 4 KB ${digits(median)} ms (${digits(min)}..${digits(max)})`,
  ];
}

function loadLine(load) {
  return `- ${loadWords(load)}`;
}

/**
 * The load in words. The load before the run is that of others: a run beside them does not measure absolute figures,
 * and says so.
 */
function loadWords({ before, after }) {
  const words = `load average (1, 5, 15 min) before: ${before.join(', ')}; after: ${after.join(', ')}`;
  return before[0] > BUSY_LOAD ? `${words}. NOT ALONE on the machine: repeat before believing` : words;
}

/** The table of all goals and their results, which is read first. */
function goals(rows, variants) {
  const lines = rows.flatMap((row) =>
    ratiosOf(row, hasGoal).map(({ ratio, cells, medians }) => [
      ratio.goal ?? row.name,
      ratio.name,
      boundOf(ratio),
      aimOf(ratio),
      ...cells,
      verdictOf(ratio, medians),
    ]),
  );
  return lines.length === 0
    ? []
    : ['### Goals', '', ...table(['row', 'what', 'at least', 'aim', ...columnsOf(variants), ''], lines), ''];
}

function furtherRatios(rows, variants) {
  const lines = rows.flatMap((row) =>
    ratiosOf(row, (ratio) => !hasGoal(ratio)).map(({ ratio, cells }) => [row.name, ratio.name, ...cells]),
  );
  return lines.length === 0
    ? []
    : ['### Further ratios', '', ...table(['row', 'ratio', ...columnsOf(variants)], lines)];
}

/** A ratio of wall time and one of processor time for each way in which Node was started. */
function columnsOf(variants) {
  return variants.flatMap((variant) => [variant, 'processor']);
}

function ratiosOf({ variants }, isWanted) {
  return variants[0].ratios.flatMap((ratio, index) => {
    if (!isWanted(ratio)) return [];
    const spreads = variants.map(({ ratios }) => ratios[index]);
    return [
      {
        ratio,
        cells: spreads.flatMap((one) => [
          within(one, (value) => amount(value, ratio)),
          one.processor === undefined ? '' : amount(one.processor.median, ratio),
        ]),
        medians: spreads.map(({ median }) => median),
      },
    ];
  });
}

function hasGoal({ atLeast, atMost }) {
  return atLeast !== undefined || atMost !== undefined;
}

function boundOf(ratio) {
  return ratio.atMost === undefined ? amount(ratio.atLeast, ratio) : `within ${amount(ratio.atMost, ratio)}`;
}

function aimOf(ratio) {
  return ratio.aim === undefined ? '' : amount(ratio.aim, ratio);
}

/** One word if Node's default and the larger young generation agree, else one for each. */
function verdictOf(ratio, medians) {
  const reaches = (value, bound) =>
    bound !== undefined && (ratio.atMost === undefined ? value >= bound : value <= bound);
  const words = medians.map((median) =>
    reaches(median, ratio.aim) ? 'met, aim too' : reaches(median, ratio.atLeast ?? ratio.atMost) ? 'met' : 'missed',
  );
  return [...new Set(words)].length === 1 ? words[0] : words.join(' / ');
}

/** The unit of a ratio; a factor unless the row says otherwise. */
function amount(value, { unit = 'x' }) {
  return `${digits(value)}${unit}`;
}

function figureTable(row, variants) {
  const lines = row.variants[0].figures.map(({ contender, metric }, index) => [
    contender,
    wordsOf(metric),
    ...row.variants.map(({ figures }) => within(figures[index], unitOf(metric))),
  ]);
  return table(['contender', 'figure', ...variants], lines);
}

function profileTables({ file, totalMs, functions, own }) {
  const percent = (ms) => `${share(ms, totalMs)} %`;
  const lineOf = ({ name, where, selfMs, totalMs: inclusiveMs }) => [
    `\`${name}\``,
    where,
    percent(selfMs),
    percent(inclusiveMs),
  ];
  return [
    `${Math.round(totalMs)} ms sampled; profile: ${file}`,
    '',
    ...table(['function, by its own time', 'where', 'self', 'with callees'], functions.map(lineOf)),
    '',
    ...table(['our functions, with all they call', 'where', 'self', 'with callees'], own.map(lineOf)),
  ];
}

function share(ms, totalMs) {
  return totalMs === 0 ? '' : ((100 * ms) / totalMs).toFixed(1);
}

function table(head, lines) {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => String(line[column]).length)),
  );
  const padded = (line) => `| ${line.map((cell, column) => String(cell).padEnd(widths[column])).join(' | ')} |`;
  return [padded(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(padded)];
}

function within({ median, min, max }, format) {
  return `${format(median)} (${format(min)}..${format(max)})`;
}

/** A metric in words: `ackP50Ms` becomes `ack p50`, with the unit beside the number. */
function wordsOf(metric) {
  if (/perSecond$/i.test(metric)) return `${wordsOf(metric.slice(0, -'perSecond'.length))} rate`.trim();
  if (metric === 'ms') return 'time';
  const words = metric.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.trim();
}

function unitOf(metric) {
  if (/perSecond$/i.test(metric)) return (value) => `${Math.round(value).toLocaleString('en')}/s`;
  if (/ms$/i.test(metric)) return (value) => `${digits(value)} ms`;
  return digits;
}

/** A number with three significant digits. */
function digits(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
