/**
 * Ports of a delivery organisation over a folder: its own tests check finished tasks, and what is known of it tells
 * when it last changed and whether its code has a framework.
 */
import { resolve } from 'node:path';
import { BosunError } from './errors.ts';
import { type Knowledge } from './knowledge/knowledge.ts';
import { type DeliveryPorts } from './machines/delivery/delivery-ports.ts';
import { passedOf } from './spokes/readers/tests.ts';
import { testRuns } from './spokes/test-command.ts';

/** The longest run of tests: less than the organisation waits for a check. */
const TESTS_MS = 10 * 60_000;

/** The bounds of findings, in characters and failures. */
const [NAME_MAX, MESSAGE_MAX, FAILURES_MAX] = [200, 2_000, 100];

/** The tests of a repository. */
export interface RepositoryTests {
  readonly folder: string;
  /** The script for `/bin/sh -c`, in the folder: `npm test`. Its environment has the id of the task as BOSUN_TASK. */
  readonly command: string;
  /** The longest run, in milliseconds. Default 10 min; the organisation waits for 15 min, with the runs before. */
  readonly timeoutMs?: number;
  /** The environment of the command. Default: that of the process, without the keys of the store. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Identifies the host among those of this machine, over all of its starts: its first run ends what an earlier start
   * has left running. Default: the folder.
   */
  readonly store?: string;
}

/**
 * The port that checks tasks by the tests of the repository, one run at a time. A criterion is met by a test of its
 * name that has passed; a command that fails without a test that did is a failure of its own. Throws
 * BOSUN_CONFIG_INVALID.
 */
export function repositoryTests(options: RepositoryTests): DeliveryPorts['verify'] {
  const { folder, command, timeoutMs = TESTS_MS, env, store = `checks ${resolve(folder)}` } = options;
  if (command.trim() === '') throw new BosunError('BOSUN_CONFIG_INVALID', 'repositoryTests: the command is empty');
  const run = testRuns({ cwd: resolve(folder), run: command, timeoutMs, env, store });
  return async ({ id, wanted }, { signal }) => {
    const { problem, ...tests } = await run(id, signal);
    const { passed, failed, skipped } = tests;
    const alone = problem === null || failed.length > 0 ? [] : [{ test: command, message: problem }];
    const failures = [...failed, ...alone].slice(0, FAILURES_MAX).map(({ test, message, ...values }) => {
      // All that node says of a file that it could not run.
      const said = message === 'test failed' ? (problem ?? message) : message;
      // The end of a name says more than its groups.
      return { test: test.slice(-NAME_MAX) || 'a test', message: said.slice(0, MESSAGE_MAX), ...values };
    });
    const counts = { passed: passed.length, failed: failed.length, skipped: skipped.length };
    return { failures, tests: { ran: command.slice(0, 500), ...counts, shown: passedOf(tests, wanted) } };
  };
}

/** The ports that ask about a folder: when it last changed, and whether its code has a framework. */
export function knowledgePorts(knowledge: Knowledge): Pick<DeliveryPorts, 'changedAt' | 'scan'> {
  return {
    changedAt: () => knowledge.changedAt(),
    scan: ({ framework }, facts) => knowledge.framework(framework, facts),
  };
}
