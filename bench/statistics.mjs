/** The statistics allowed in a benchmark here: medians with their spread, and percentiles of latencies. No averages. */

/** A median with the smallest and largest value. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: medianOf(sorted), min: sorted[0], max: sorted.at(-1) };
}

/** @param fraction 0.99 for p99: the smallest value that this share of values does not exceed. */
export function percentile(values, fraction) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)];
}

/** The reported percentiles of latencies. */
export function latency(timesMs) {
  return { p50Ms: percentile(timesMs, 0.5), p99Ms: percentile(timesMs, 0.99) };
}

function medianOf(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
