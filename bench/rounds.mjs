/**
 * How a row is measured: one warm-up round, then the counted ones. Within a round the contenders take turns, so
 * whatever the machine does meanwhile (neighbours, heat, compaction) happens to all of them. Ratios are taken within a
 * round.
 */
import { latency, spread } from './statistics.mjs';

/** One round of contenders that run one after the other. Who begins changes with every round: A B C, B C A, C A B. */
export function inTurn(contenders) {
  const names = Object.keys(contenders);
  let rounds = 0;
  return async () => {
    const sample = Object.fromEntries(names.map((name) => [name, undefined]));
    const first = rounds++ % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      globalThis.gc?.();
      sample[name] = await contenders[name]();
    }
    return sample;
  };
}

/**
 * A round of two contenders that run in pairs, one of each in turn, order swapped every time. @returns The latency of
 * each.
 */
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
 * Runs a row and sums it up.
 *
 * @param row See rows/index.mjs.
 * @returns Per ratio and per contender and metric: median, min, max over the rounds. Every single sample too.
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
  return row.ratios.map(({ of, ...ratio }) => ({ ...ratio, ...spread(samples.map(of)) }));
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
