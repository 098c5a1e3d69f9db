/**
 * The rows of the benchmark. A row has these properties:
 *
 * `name`, `title`: as in the table.
 *
 * `about(size)`: the measured system and its contenders, for the report.
 *
 * `sizes`: `full` and `quick`.
 *
 * `ratios`: the main results, `{ name, of: (sample) => number }`; with a goal also `atLeast` or `atMost`, and `aim`, a
 * still better value; `goal` if the goal's name is not the row's; `unit` if the ratio is not a factor. `between` names
 * the two contenders of this process that a ratio compares, `{ rate: [above, below] }` or `{ time: [above, below] }`;
 * the report then has the ratio by processor time too.
 *
 * `check(size)`: optional; throws before any row runs if the machine does not allow the row.
 *
 * `open(size, directory)`: prepares the row and returns `{ round, subject, close }`. `round` returns one sample, `{
 * contender: { metric: number } }`; units come last in the names of metrics. `subject` runs the code that --profile
 * examines: Bosun's contender. If that runs in another process, `profiler` is that process's: `{ begin, end }`, as in
 * profile.mjs.
 *
 * G rows are about the kernel, P rows about peers, S rows about supervision, W rows about the gateway, T rows about
 * tables, C rows about shell commands, SEL rows about the selection of agents, KN rows about knowledge in folders, QU
 * rows about questions to a desk, HUB rows about hub and spokes.
 */
import { avalanche } from './avalanche.mjs';
import { broadcast } from './broadcast.mjs';
import { acknowledgements, eventLoop } from './busy.mjs';
import { calls } from './calls.mjs';
import { commands } from './commands.mjs';
import { crowd } from './crowd.mjs';
import { alerts, coordinator } from './desks.mjs';
import { echo } from './echo.mjs';
import { fairness } from './fairness.mjs';
import { durableEntry, firstWork } from './first-work.mjs';
import { gates } from './gates.mjs';
import { greedy } from './greedy.mjs';
import { handoffs } from './handoffs.mjs';
import { heap } from './heap.mjs';
import { hops } from './hops.mjs';
import { firstByte, manyCommands } from './hub-commands.mjs';
import { idle } from './idle.mjs';
import { batchedInputs, inputs, richInputs } from './inputs.mjs';
import { killed } from './killed.mjs';
import { killedHub } from './killed-hub.mjs';
import { knowledgeIndex, knowledgeQuestions } from './knowledge.mjs';
import { lineage } from './lineage.mjs';
import { precedents, waitServed } from './precedents.mjs';
import { passive } from './passive.mjs';
import { peers } from './peers.mjs';
import { mcpQuestions } from './questions.mjs';
import { reads } from './reads.mjs';
import { records } from './records.mjs';
import { recovery } from './recovery.mjs';
import { restarts } from './restarts.mjs';
import { results } from './results.mjs';
import { selection, selectionIndex } from './selection.mjs';
import { spawns } from './spawns.mjs';
import { steps } from './steps.mjs';
import { largeStorm, smallStorm } from './storms.mjs';
import { tableFold, tableTurn } from './tables.mjs';
import { tickets } from './tickets.mjs';
import { trace } from './trace.mjs';
import { tree } from './tree.mjs';
import { watchers } from './watchers.mjs';
import { windows } from './windows.mjs';
import { workers } from './workers.mjs';
import { worktrees } from './worktrees.mjs';

/** The rows in the order of the report. */
export const ROWS = [
  steps,
  inputs,
  batchedInputs,
  richInputs,
  hops,
  idle,
  acknowledgements,
  heap,
  spawns,
  recovery,
  passive,
  killed,
  trace,
  eventLoop,
  fairness,
  workers,
  peers,
  restarts,
  smallStorm,
  largeStorm,
  avalanche,
  tree,
  echo,
  calls,
  broadcast,
  crowd,
  greedy,
  reads,
  windows,
  watchers,
  tableTurn,
  tableFold,
  gates,
  records,
  alerts,
  coordinator,
  tickets,
  results,
  commands,
  selection,
  selectionIndex,
  knowledgeIndex,
  knowledgeQuestions,
  mcpQuestions,
  precedents,
  waitServed,
  firstWork,
  firstByte,
  handoffs,
  manyCommands,
  killedHub,
  durableEntry,
  worktrees,
  lineage,
];
