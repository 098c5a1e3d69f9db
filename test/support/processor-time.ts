/**
 * The cost of work, for tests that bound it. It is processor time, which other work on the machine lengthens where
 * cores, caches or hyper-threads are shared: so no test bounds it in milliseconds, but as a multiple of other work that
 * the same process does at the same time.
 */
import { readFileSync } from 'node:fs';

/** Milliseconds of a quiet core that the reference takes, to read goals of speed as costs. */
export const REFERENCE_MS = 60;

const REFERENCE_STEPS = 1_400_000;

/** Rounds before the first measurement, after which the reference is compiled for good. */
const WARM_ROUNDS = 4;

const IDS = Array.from({ length: 10_000 }, (_, index) => `item-${index}`);
const ITEMS = new Map(IDS.map((id, index) => [id, { id, weight: index }]));

let isWarm = false;

function warm(): void {
  for (let round = 0; round < WARM_ROUNDS && !isWarm; round++) reference();
  isWarm = true;
}

/**
 * Measures work in units of the reference, a loop over objects, maps and texts which runs right before and right after
 * it.
 *
 * @param work The only work in its process: its threads are counted, and so would be anything beside it.
 * @returns The result, and the processor time in user and system mode as a multiple of that of the reference.
 */
export async function costOf<T>(work: () => T | Promise<T>): Promise<{ readonly result: T; readonly cost: number }> {
  const [first] = await costsOf([work]);
  return first!;
}

/**
 * Measures work that may be done again, up to three times or until it costs less than this, and takes the least:
 * whatever disturbs a round only adds to it.
 */
export async function leastCostOf<T>(
  below: number,
  work: () => T | Promise<T>,
): Promise<{ readonly result: T; readonly cost: number }> {
  let least = await costOf(work);
  for (let round = 2; round <= 3 && least.cost >= below; round++) {
    const { cost } = await costOf(work);
    least = { ...least, cost: Math.min(least.cost, cost) };
  }
  return least;
}

/** Measures works that are done one after the other, as `costOf` does, with one reference before and after them all. */
export async function costsOf<T>(
  works: Iterable<() => T | Promise<T>>,
): Promise<{ readonly result: T; readonly cost: number }[]> {
  warm();
  const before = await timeOf(reference);
  const done: { readonly result: T; readonly tookMs: number }[] = [];
  for (const work of works) done.push(await timeOf(work));
  const after = await timeOf(reference);
  const unitMs = Math.max(before.tookMs, after.tookMs);
  return done.map(({ result, tookMs }) => ({ result, cost: tookMs / unitMs }));
}

/**
 * Measures how many times as much processor time one work takes as another. They run in turn, and the least of each
 * counts: whatever disturbs a round only adds to it.
 *
 * @param rounds Runs of each, after one that is not counted.
 */
export async function ratioOf(
  more: () => unknown,
  less: () => unknown,
  { rounds = 5 }: { readonly rounds?: number } = {},
): Promise<number> {
  const least = { more: Infinity, less: Infinity };
  for (let round = 0; round <= rounds; round++) {
    const took = { more: (await timeOf(more)).tookMs, less: (await timeOf(less)).tookMs };
    if (round === 0) continue;
    least.more = Math.min(least.more, took.more);
    least.less = Math.min(least.less, took.less);
  }
  return least.more / least.less;
}

/**
 * Measures the longest turn of this thread's event loop while work runs, by the processor time of this thread alone, in
 * units of the reference.
 */
export async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  warm();
  const sinceMs = threadMs();
  reference();
  let lastMs = threadMs();
  const unitMs = lastMs - sinceMs;
  let [longestMs, isOver] = [0, false];
  const tick = () => {
    const nowMs = threadMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isOver = true;
  return longestMs / unitMs;
}

/** Milliseconds of a processor that this thread has had: it does not go on while others work. */
function threadMs(): number {
  const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

async function timeOf<T>(work: () => T | Promise<T>): Promise<{ readonly result: T; readonly tookMs: number }> {
  const since = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(since);
  return { result, tookMs: (user + system) / 1_000 };
}

/**
 * Work of the kinds that most code does: looks into maps, reads and writes of objects, characters of texts. It makes no
 * objects: when the collector runs is chance.
 */
function reference(): number {
  let sum = 0;
  for (let step = 0; step < REFERENCE_STEPS; step++) {
    const item = ITEMS.get(IDS[(step * 7_919) % IDS.length]!)!;
    sum = (sum * 31 + item.weight + item.id.charCodeAt(step % item.id.length)) % 1_000_003;
    item.weight = sum;
  }
  return sum;
}
