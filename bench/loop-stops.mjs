/**
 * How long the event loop stops, by a timer of 1 ms: in wall time, and in processor time of the loop's thread, which
 * others on the machine do not lengthen.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { percentile } from './statistics.mjs';

/** @returns A function that ends the watch and returns its figures. Linux only for processor time; elsewhere NaN. */
export function watchLoop() {
  const clock = threadClock();
  const wall = [];
  const processor = [];
  let last = performance.now();
  let lastCpu = clock.ms();
  const look = () => {
    const now = performance.now();
    const cpu = clock.ms();
    wall.push(now - last);
    processor.push(cpu - lastCpu);
    [last, lastCpu] = [now, cpu];
  };
  const timer = setInterval(look, 1);
  return () => {
    look();
    clearInterval(timer);
    clock.close();
    return {
      longestMs: percentile(wall, 1),
      p99Ms: percentile(wall, 0.99),
      longestCpuMs: percentile(processor, 1),
      cpuP99Ms: percentile(processor, 0.99),
    };
  };
}

/** The processor time of the main thread so far, as Linux counts it. */
function threadClock() {
  const memory = Buffer.alloc(64);
  let file;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return { ms: () => NaN, close() {} };
  }
  return {
    ms: () => parseInt(memory.latin1Slice(0, readSync(file, memory, 0, memory.length, 0)), 10) / 1e6,
    close: () => closeSync(file),
  };
}
