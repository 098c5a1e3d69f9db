/**
 * The measurement of a row: one warm-up round, then the counted ones. Within a round the contenders take turns, so
 * other influences on the machine (neighbours, heat, compaction) affect all of them. Ratios are taken within a round.
 */
import { latency, spread } from './statistics.mjs';

/** The metric for the number of cores that a contender kept busy; `timed` adds it. */
const CORES = 'cores';

/** One round of contenders, one after the other. The first one changes with every round: A B C, B C A, C A B. */
export function inTurn(contenders) {
  const names = Object.keys(contenders);
  let rounds = 0;
  return async () => {
    const sample = Object.fromEntries(names.map((name) => [name, undefined]));
    const first = rounds++ % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      globalThis.gc?.();
      sample[name] = await timed(contenders[name]);
    }
    return sample;
  };
}

/** The metrics of a contender's run, and the processor seconds that this process spent in each second of it. */
async function timed(run) {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const told = await run();
  const { user, system } = process.cpuUsage(cpu);
  return { ...told, [CORES]: (user + system) / 1_000 / (performance.now() - startMs) };
}

/** A round of two contenders in pairs of runs, with the order swapped every time. @returns The latency of each. */
export async function inPairs(pairs, contenders) {
  globalThis.gc?.();
  const sides = Object.entries(contenders).map(([name, run]) => ({ name, run, timesMs: [] }));
  for (let pair = 0; pair < pairs; pair++) {
    for (const { run, timesMs } of pair % 2 === 0 ? sides : sides.toReversed()) {
      const startMs = performance.now();
      await run();
      timesMs.push(performance.now() - startMs);
    }
  }
  return Object.fromEntries(sides.map(({ name, timesMs }) => [name, latency(timesMs)]));
}

/**
 * Runs a row and summarises it.
 *
 * @param row See rows/index.mjs.
 * @returns Median, min and max over the rounds, per ratio and per contender and metric; for a ratio between two
 *   contenders of this process also by processor time. Every single sample too.
 */
export async function measure(row, { size, rounds, directory }) {
  const stage = await row.open(row.sizes[size], directory);
  const samples = [];
  try {
    await stage.round();
    for (let round = 0; round < rounds; round++) samples.push(await stage.round());
  } finally {
    await stage.close();
  }
  return { ratios: ratiosOf(row, samples), figures: figuresOf(samples), samples };
}

function ratiosOf(row, samples) {
  return row.ratios.map(({ of, between, ...ratio }) => ({
    ...ratio,
    ...spread(samples.map(of)),
    ...(between && { processor: spread(samples.map((sample) => of(sample) * coresRatio(sample, between))) }),
  }));
}

/**
 * Converts a ratio of wall time into one of processor time: twice the speed on twice the cores is equal.
 *
 * @param between The contender in the numerator and the one in the denominator; a `rate` counts work per time, a `time`
 *   is the duration of the work.
 */
function coresRatio(sample, { rate, time }) {
  const [above, below] = (rate ?? time).map((name) => sample[name][CORES]);
  return rate === undefined ? above / below : below / above;
}

function figuresOf(samples) {
  const figures = [];
  for (const [contender, metrics] of Object.entries(samples[0])) {
    for (const metric of Object.keys(metrics)) {
      figures.push({ contender, metric, ...spread(samples.map((sample) => sample[contender][metric])) });
    }
  }
  return figures;
}
