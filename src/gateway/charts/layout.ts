/**
 * Layout of charts, in a separate thread, because a large one takes a second that the kernel cannot spare. One at a
 * time; results are cached by the chart's hash. Never fails: a chart that is too large, takes too long or arrives while
 * too many wait is listed instead of drawn, with the reason.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import { type Clock } from '../../clock.ts';
import {
  CHART_DRAWN_STATES_MAX,
  CHART_DRAWN_TRANSITIONS_MAX,
  CHART_LAYOUT_MS_MAX,
  CHART_LAYOUTS_KEPT_MAX,
  CHART_LAYOUTS_WAITING_MAX,
} from '../limits.ts';
import { type Geometry } from './geometry.ts';
import { geometryOf, graphOf, planOf } from './graph.ts';
import { listGeometry } from './list.ts';
import { type Chart } from './model.ts';

/**
 * The code of the thread as a text instead of a file: a thread cannot be started from TypeScript, and sources and
 * package must behave the same.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const Elk = require(workerData);
const elk = new Elk();
parentPort.on('message', (graph) => {
  elk.layout(graph).then(
    (result) => parentPort.postMessage({ result }),
    (error) => parentPort.postMessage({ error: String(error && error.message || error) }),
  );
});
`;

/** Heap limit of the thread; a layout within the bounds needs some 100 MB at most. */
const THREAD_MEGABYTES_MAX = 512;

type LayoutAnswer = { readonly result: ElkNode } | { readonly error: string };
type LayoutFailure = 'time' | 'failure';

/** The layouts of a gateway. Its creator must close it. */
export class ChartLayouts {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #kept = new Map<string, Promise<Geometry>>();
  #worker: Worker | undefined;
  #line: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(clock: Clock, options: { readonly timeoutMs?: number } = {}) {
    this.#clock = clock;
    this.#timeoutMs = options.timeoutMs ?? CHART_LAYOUT_MS_MAX;
  }

  /** Returns the geometry of a chart. Always resolves; after `close`, to a list. */
  async geometry(chart: Chart): Promise<Geometry> {
    if (chart.states.length > CHART_DRAWN_STATES_MAX || chart.transitions.length > CHART_DRAWN_TRANSITIONS_MAX)
      return listGeometry(chart, 'size');
    const kept = this.#kept.get(chart.hash);
    if (kept !== undefined) {
      // Re-insert it, since the map is ordered by last use.
      this.#kept.delete(chart.hash);
      this.#kept.set(chart.hash, kept);
      return kept;
    }
    if (this.#isClosed || this.#waiting >= CHART_LAYOUTS_WAITING_MAX) return listGeometry(chart, 'load');
    const geometry = this.#inLine(() => this.#drawn(chart));
    this.#kept.set(chart.hash, geometry);
    if (this.#kept.size > CHART_LAYOUTS_KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!);
    return geometry;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #inLine(work: () => Promise<Geometry>): Promise<Geometry> {
    this.#waiting += 1;
    const result = this.#line.then(work).finally(() => (this.#waiting -= 1));
    this.#line = result.catch(() => {});
    return result;
  }

  async #drawn(chart: Chart): Promise<Geometry> {
    const plan = planOf(chart);
    const graph = await this.#layout(graphOf(plan));
    return typeof graph === 'string' ? listGeometry(chart, graph) : geometryOf(plan, graph);
  }

  #layout(graph: ElkNode): Promise<ElkNode | LayoutFailure> {
    if (this.#isClosed) return Promise.resolve('failure');
    const worker = (this.#worker ??= this.#thread());
    worker.ref();
    return new Promise((resolve) => {
      const finish = (outcome: ElkNode | LayoutFailure, isUsable: boolean) => {
        cancel();
        worker.off('message', onMessage).off('exit', onEnd);
        // An idle thread does not keep the process alive.
        worker.unref();
        if (!isUsable) {
          this.#worker = undefined;
          void worker.terminate();
        }
        resolve(outcome);
      };
      const onMessage = (answer: LayoutAnswer) => finish('result' in answer ? answer.result : 'failure', true);
      const onEnd = () => finish('failure', false);
      const cancel = this.#clock.setTimeout(() => finish('time', false), this.#timeoutMs);
      worker.on('message', onMessage).on('exit', onEnd);
      worker.postMessage(graph);
    });
  }

  #thread(): Worker {
    const elk = createRequire(import.meta.url).resolve('elkjs/lib/main.js');
    const worker = new Worker(THREAD, {
      eval: true,
      workerData: elk,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES_MAX },
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    // An error ends the thread, which is handled by `exit`.
    return worker.on('error', () => {});
  }
}
