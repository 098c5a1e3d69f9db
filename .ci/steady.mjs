/**
 * `npm run steady`: the tests that wait for processes, threads, sockets or collected garbage, thirty times over beside
 * four processes that compute without end, to show that none depends on how quick the machine is. `npm run steady --
 * --times 3 --beside 8 test/workers` changes the count, the company and the tests. Exit code 1 if a round failed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

/** Every suite that was ever seen to fail on a slow machine and not on a quick one, and its neighbours of that kind. */
const SUITES = [
  'test/actors/loop/collected.test.ts',
  'test/actors/loop/waking.test.ts',
  'test/actors/world/time/schedules.test.ts',
  'test/cli/live-gateway.test.ts',
  'test/cli/main.test.ts',
  'test/cli/run-desks.test.ts',
  'test/cli/serve-process.test.ts',
  'test/cli/serve-workers.test.ts',
  'test/cli/shell.test.ts',
  'test/cli/terminal.test.ts',
  'test/client/breaks.property.test.ts',
  'test/crash/commands.test.ts',
  'test/crash/host-killers.test.ts',
  'test/gateway/charts/chart-drawing.test.ts',
  'test/gateway/client/reconnect.property.test.ts',
  'test/gateway/workers/threads.test.ts',
  'test/spokes/command.test.ts',
  'test/workers/thread-deaths.test.ts',
  'test/workers/threads.test.ts',
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '30' },
    beside: { type: 'string', default: '4' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Usage: npm run steady -- [--times 30] [--beside 4] [TESTS]

Examples:
  $ npm run steady
  $ npm run steady -- --times 3 --beside 8 test/workers`);
  process.exit(0);
}

const times = countOf('times');
const busy = Array.from({ length: countOf('beside') }, () => spawn(process.execPath, ['-e', 'for (;;);']));
process.once('exit', () => busy.forEach((one) => one.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

let failed = 0;
for (let round = 1; round <= times; round++) {
  const from = performance.now();
  const { code, said } = await tested(positionals.length > 0 ? positionals : SUITES);
  if (code !== 0) {
    failed += 1;
    console.log(said);
  }
  const seconds = Math.round((performance.now() - from) / 1000);
  const load = loadavg()[0].toFixed(1);
  console.log(`round ${round} of ${times}: ${code === 0 ? 'passed' : 'FAILED'}, ${seconds} s, load ${load}`);
}
console.log(`${times - failed} of ${times} rounds passed beside ${busy.length} busy processes`);
process.exit(failed === 0 ? 0 : 1);

/** Runs the files once. */
async function tested(files) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files];
  const child = spawn(process.execPath, args);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  return { code, said };
}

/** The value of an option that counts something. */
function countOf(option) {
  const count = Number(values[option]);
  if (Number.isInteger(count) && count >= 0) return count;
  console.error(`--${option} takes a number such as 4, not ${values[option]}`);
  process.exit(2);
}
