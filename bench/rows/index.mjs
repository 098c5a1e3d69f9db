/**
 * The rows of the benchmark. A row is
 *
 *   name, title as in the table about(size) what is measured against what, for the report sizes `full` and `quick`
 *   ratios what is reported first: { name, of: (sample) => number }; where there is a goal `atLeast` or `atMost`, and
 *   `aim`, which is what would be better still; `goal` where the goal has a name that is not the row's; `unit` where it
 *   is not times check(size) where there is one, throws before any row is run for what the machine does not allow
 *   open(size, directory) sets the stage: { round, subject, close }. `round` gives one sample, { contender: { metric:
 *   number } }; units are last in the names of metrics. `subject` runs what --profile looks at: Bosun's contender.
 *   Where that runs in another process, `profiler` is that one's: { begin, end }, as of profile.mjs.
 *
 * G rows are of the kernel, S rows of supervision, W rows of the gateway, T rows of tables.
 */
import { avalanche } from './avalanche.mjs';
import { broadcast } from './broadcast.mjs';
import { acknowledgements, eventLoop } from './busy.mjs';
import { calls } from './calls.mjs';
import { crowd } from './crowd.mjs';
import { echo } from './echo.mjs';
import { fairness } from './fairness.mjs';
import { gates } from './gates.mjs';
import { heap } from './heap.mjs';
import { hops } from './hops.mjs';
import { idle } from './idle.mjs';
import { inputs, richInputs } from './inputs.mjs';
import { passive } from './passive.mjs';
import { recovery } from './recovery.mjs';
import { restarts } from './restarts.mjs';
import { spawns } from './spawns.mjs';
import { steps } from './steps.mjs';
import { largeStorm, smallStorm } from './storms.mjs';
import { tableFold, tableTurn } from './tables.mjs';
import { trace } from './trace.mjs';
import { tree } from './tree.mjs';
import { workers } from './workers.mjs';

/** In the order of the report. */
export const ROWS = [
  steps,
  inputs,
  richInputs,
  hops,
  idle,
  acknowledgements,
  heap,
  spawns,
  recovery,
  passive,
  trace,
  eventLoop,
  fairness,
  workers,
  restarts,
  smallStorm,
  largeStorm,
  avalanche,
  tree,
  echo,
  calls,
  broadcast,
  crowd,
  tableTurn,
  tableFold,
  gates,
];
