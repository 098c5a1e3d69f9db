/**
 * `bosun hub run` with a TDDDriver: the tests of a real repository, run by `node --test`, decide whether a cycle leaves
 * RED, GREEN and REFACTOR. A phase that is not left goes back to its role with the reason.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LineageEntry } from '../../src/machines/hub/handoff.ts';
import { type PlanLogEntry } from '../../src/machines/hub/plan-log.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';
import { Repository } from '../support/git/repository.ts';

const RUN = ['hub', 'run', 'hub.json', '--json'];
const TESTS = 'node --test --test-reporter=tap sum.test.mjs';

const PASSING = "test('adds one', () => equal(sum([1]), 1));";
const FAILING = "test('adds three', () => equal(sum([1, 2, 3]), 6));";
const WRONG = 'export const sum = ([a, b = 0]) => a - b;';
const RIGHT = 'export const sum = (numbers) => numbers.reduce((a, b) => a + b);';

/** A script that does one thing at first, and another when it is told why the first did not do. */
function mends(told: string, first: string, then: string): string {
  return `case $BOSUN_PROMPT in *"${told}"*) ${then} ;; *) ${first} ;; esac`;
}

const adds = (test: string) => `echo "${test}" >> sum.test.mjs`;
const becomes = (code: string) => `echo '${code}' > sum.mjs`;
/** Waits for ever in the first host. */
const WAITS = '[ -e "$BOSUN_WORKSPACE/../go" ] || exec sleep 600';

const AGENTS = {
  Tester: {
    run: [mends('no test failed, which proves nothing', adds(PASSING), adds(FAILING)), TESTS].join('\n'),
    ...{ handoff: 'tap', writes: { files: ['sum.test.mjs'] } },
  },
  Executor: {
    run: [mends('its tests do not all pass', becomes(WRONG), `${WAITS}; ${becomes(RIGHT)}`), TESTS].join('\n'),
    ...{ handoff: 'tap', writes: { files: ['sum.mjs'] } },
  },
  Reviewer: { run: TESTS, handoff: 'tap' },
};

let work: Workspace;
let repository: Repository;

beforeEach(() => {
  work = new Workspace();
  repository = new Repository(
    {
      'sum.mjs': 'export const sum = ([a]) => a;\n',
      'sum.test.mjs': [
        "import { test } from 'node:test';",
        "import { equal } from 'node:assert';",
        "import { sum } from './sum.mjs';",
        '',
      ].join('\n'),
      'README.md': 'first\n',
    },
    work.file('shop'),
  );
  repository.write({ 'README.md': 'mine\n', 'staged.txt': 'mine\n', 'notes.txt': 'mine\n' });
  repository.git('add', 'staged.txt');
});
afterEach(() => work[Symbol.asyncDispose]());

async function records<Entry>(name: string): Promise<Entry[]> {
  const { out } = await work.bosun(['records', 'work-plans/cycle', name, '--json']);
  return linesOf(out).flatMap((line) => ('value' in line ? [line['value'] as Entry] : []));
}

/** Everything of the user's but the files that the cycle changes. */
function own() {
  return Object.entries(repository.own()).filter(([path]) => path !== 'sum.mjs' && path !== 'sum.test.mjs');
}

/** The decisions to spawn: whom, and why. */
async function decisions(): Promise<string[]> {
  const log = await records<PlanLogEntry>('log');
  return log.flatMap(({ kind, code, text }) => (kind === 'decided' && code === 'spawn' ? [text] : []));
}

describe('a TDD hub over a real repository', () => {
  it('HS-042, HS-043: refuses a test that passes at RED, and code that fails at GREEN, over a kill', LONG, async () => {
    const before = own();
    const file = { version: 1, hub: 'cycle', role: 'TDDDriver', goal: 'sum any numbers', cycles: 1 };
    work.write('hub.json', JSON.stringify({ ...file, workspace: 'shop', agents: AGENTS }));
    const running = work.spawn(RUN);
    await running.says('"session":"R-1-4"');
    await running.end('SIGKILL');
    work.write('go', '');
    const { code, out, err } = await work.bosun(RUN);
    const whole = { status: 'completed', because: 'all cycles are complete' };
    expect([code, err, linesOf(out).at(-1)]).toMatchObject([0, expect.any(String), whole]);
    expect(await decisions()).toEqual([
      'Tester: cycle 1 is RED',
      'Tester: cycle 1 is RED still: no test failed, which proves nothing',
      'Executor: cycle 1 is GREEN',
      'Executor: cycle 1 is GREEN still: its tests do not all pass',
      'Reviewer: cycle 1 is REFACTOR',
    ]);
    const lineage = await records<LineageEntry>('lineage');
    expect(lineage.map(({ from, outcome, reason }) => `${from}: ${outcome}: ${reason}`)).toEqual([
      'Tester: passed: 1 test passes',
      'Tester: failed: 1 test passes, 1 fails: adds three',
      'Executor: tests-failed: 1 test passes, 1 fails: adds three',
      'Executor: done: 2 tests pass',
      'Reviewer: approved: 2 tests pass',
    ]);
    // Code that does not pass is not put among the user's files.
    expect(lineage[2]!.data.blockers[0]).toMatch(/^sum\.test\.mjs:5: /);
    expect(repository.read('sum.mjs')).toBe(`${RIGHT}\n`);
    expect(repository.read('sum.test.mjs')!.split('\n').slice(3, -1)).toEqual([PASSING, FAILING]);
    expect([own(), repository.trees()]).toEqual([before, []]);
  });
});
