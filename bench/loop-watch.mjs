/**
 * A watch of the event loop for a program that the benchmark only starts: loaded with `--import` before the program, it
 * tells the parent process, whenever that asks, how late the loop has been.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** As in G15: the finest of Node, and the figure includes the wait for it. */
const DELAY_RESOLUTION_MS = 1;

const all = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
const opened = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
all.enable();

process.on('message', (message) => {
  if (message === 'opened') opened.enable();
  else
    process.send({
      loopP99Ms: all.percentile(99) / 1e6,
      loopMaxMs: all.max / 1e6,
      openedLoopP99Ms: opened.percentile(99) / 1e6,
      openedLoopMaxMs: opened.max / 1e6,
    });
});
// The program ends as it would without a watch.
process.channel.unref();
