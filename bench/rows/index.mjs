/**
 * The rows of the benchmark. A row is
 *
 *   name, title   as in the table
 *   about(size)   what is measured against what, for the report
 *   sizes         `full` and `quick`
 *   ratios        what is reported first: { name, of: (sample) => number, atLeast or atMost where there is a goal }
 *   open(size, directory)  sets the stage: { round, subject, close }. `round` gives one sample, { contender: { metric: number } };
 *                 `subject` runs what --profile looks at; units are last in the names of metrics.
 */
import { avalanche } from './avalanche.mjs';
import { broadcast } from './broadcast.mjs';
import { crowd } from './crowd.mjs';
import { echo } from './echo.mjs';
import { hops } from './hops.mjs';
import { idle } from './idle.mjs';
import { inputs } from './inputs.mjs';
import { recovery } from './recovery.mjs';
import { restarts } from './restarts.mjs';
import { largeStorm, smallStorm } from './storms.mjs';
import { tree } from './tree.mjs';

export const ROWS = [inputs, idle, hops, recovery, restarts, smallStorm, largeStorm, avalanche, tree, echo, broadcast, crowd];
