/** The report as Markdown: what the terminal shows and what docs/benchmarks.md holds are the same text. */

/** Of the last minute; an idle machine has a few hundredths, the end of a build some tenths. */
const BUSY_LOAD = 0.7;

/** @param report See run.mjs. */
export function renderResults({ machine, load, rounds, size, rows }) {
  const variants = rows[0].variants.map(({ variant }) => variant);
  return [
    ...facts(machine),
    `- ${size === 'quick' ? 'QUICK RUN, small sizes: shows that it runs, says nothing about speed. ' : ''}Medians of ${rounds} rounds ` +
      'after one to warm up, in brackets the smallest and largest; contenders interleaved in one process, ratios taken within a round',
    loadLine(load),
    '',
    '### Ratios',
    '',
    ...table(
      ['row', 'ratio', ...variants, 'goal'],
      rows.flatMap((row) => row.variants[0].ratios.map((ratio, index) => ratioLine(row, ratio, index))),
    ),
    ...rows.flatMap((row) => ['', `### ${row.name} ${row.title}`, '', row.about, '', ...figureTable(row, variants)]),
    '',
  ].join('\n');
}

export function renderProfiles({ machine, load, rows }) {
  return [
    ...facts(machine),
    loadLine(load),
    ...rows.flatMap((row) => ['', `### ${row.name} ${row.title}: where the time of **durable** goes`, '', ...profileTables(row.profile)]),
    '',
  ].join('\n');
}

function facts({ date, commit, node, os, cpu, memoryGb, fileSystem, syncMs }) {
  const { median, min, max } = syncMs;
  return [
    `- ${date}, commit ${commit}`,
    `- Node ${node}, ${os}, ${cpu}, ${memoryGb} GB`,
    `- ${fileSystem}; write and fdatasync of 4 KB ${digits(median)} ms (${digits(min)}..${digits(max)})`,
  ];
}

/** The load before is that of others: a run beside them is no measurement of absolute figures, and says so. */
function loadLine({ before, after }) {
  const line = `- load average (1, 5, 15 min) before: ${before.join(', ')}; after: ${after.join(', ')}`;
  return before[0] > BUSY_LOAD ? `${line}. NOT ALONE on the machine: repeat before believing` : line;
}

function ratioLine(row, ratio, index) {
  const cells = row.variants.map(({ ratios }) => within(ratios[index], (value) => `${digits(value)}x`));
  return [row.name, ratio.name, ...cells, goalOf(ratio, row.variants)];
}

function goalOf({ name, atLeast, atMost }, variants) {
  const medians = variants.map(({ ratios }) => ratios.find((ratio) => ratio.name === name).median);
  const verdict = (isMet) => (medians.every(isMet) ? 'met' : medians.some(isMet) ? 'met by one of them' : 'missed');
  if (atLeast !== undefined) return `at least ${atLeast}x: ${verdict((median) => median >= atLeast)}`;
  if (atMost !== undefined) return `at most ${atMost}x: ${verdict((median) => median <= atMost)}`;
  return '';
}

function figureTable(row, variants) {
  const lines = row.variants[0].figures.map(({ contender, metric }, index) => [
    contender,
    wordsOf(metric),
    ...row.variants.map(({ figures }) => within(figures[index], unitOf(metric))),
  ]);
  return table(['contender', 'figure', ...variants], lines);
}

function profileTables({ file, totalMs, places, functions, own }) {
  const share = (ms) => `${((100 * ms) / totalMs).toFixed(1)} %`;
  const lineOf = ({ name, where, selfMs, totalMs: inclusiveMs }) => [`\`${name}\``, where, share(selfMs), share(inclusiveMs)];
  return [
    `${Math.round(totalMs)} ms sampled; profile: ${file}`,
    '',
    ...table(['place', 'self', 'ms'], places.slice(0, 16).map(({ place, selfMs }) => [place, share(selfMs), Math.round(selfMs)])),
    '',
    ...table(['function, by its own time', 'where', 'self', 'with callees'], functions.map(lineOf)),
    '',
    ...table(['our functions, with all they call', 'where', 'self', 'with callees'], own.map(lineOf)),
  ];
}

function table(head, lines) {
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => String(line[column]).length)));
  const padded = (line) => `| ${line.map((cell, column) => String(cell).padEnd(widths[column])).join(' | ')} |`;
  return [padded(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(padded)];
}

function within({ median, min, max }, format) {
  return `${format(median)} (${format(min)}..${format(max)})`;
}

/** `ackP50Ms` becomes `ack p50`: the unit stands beside the number. */
function wordsOf(metric) {
  if (metric === 'perSecond') return 'rate';
  if (metric === 'ms') return 'time';
  const words = metric.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.trim();
}

function unitOf(metric) {
  if (metric === 'perSecond') return (value) => `${Math.round(value).toLocaleString('en')}/s`;
  if (/ms$/i.test(metric)) return (value) => `${digits(value)} ms`;
  return digits;
}

/** Three significant digits. */
function digits(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
