/**
 * Ports of a delivery organisation over a folder: its own tests check finished tasks, and what is known of it tells
 * when it last changed and whether its code has a framework.
 */
import { resolve } from 'node:path';
import { BosunError, messageOf } from './errors.ts';
import { type Knowledge } from './knowledge/knowledge.ts';
import { type DeliveryPorts } from './machines/delivery/delivery-ports.ts';
import { type CommandResult, Commands } from './spokes/command.ts';
import { OUTPUT_HEAD_BYTES } from './spokes/limits.ts';
import { type TestRun } from './spokes/readers/finding.ts';
import { passedOf, testsIn } from './spokes/readers/tests.ts';
import { withoutKeys } from './spokes/session-environment.ts';

/** The longest run of tests: less than the organisation waits for a check. */
const TESTS_MS = 10 * 60_000;

/** Characters of the end of each stream, which tells why a command failed. */
const END_CHARS_MAX = 1_500;

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

/** The output of a command, and why it failed, if it did. */
type Printed = Omit<CommandResult, 'exitCode'> & { readonly failure?: string };

/**
 * The port that checks tasks by the tests of the repository, one run at a time. A criterion is met by a test of its
 * name that has passed; a command that fails without a test that did is a failure of its own. Throws
 * BOSUN_CONFIG_INVALID.
 */
export function repositoryTests(options: RepositoryTests): DeliveryPorts['verify'] {
  const { folder, command, timeoutMs = TESTS_MS, env, store = `checks ${resolve(folder)}` } = options;
  if (command.trim() === '') throw new BosunError('BOSUN_CONFIG_INVALID', 'repositoryTests: the command is empty');
  const place = { cwd: resolve(folder), store, env: () => withoutKeys(env) };
  const commands = new Commands({ ...place, endsStrays: true, outputBytes: OUTPUT_HEAD_BYTES });
  let last: Promise<unknown> = Promise.resolve();
  const run = async (task: string, outer: AbortSignal): Promise<Printed> => {
    const late = AbortSignal.timeout(timeoutMs);
    const effect = { effectId: `check ${task}`, attempt: 1, checkpointed: undefined, checkpoint: async () => {} };
    const signal = AbortSignal.any([outer, late]);
    // The command has its name as BOSUN_TASK.
    const ended = commands.run({ name: task, run: command, input: null }, { effect, signal });
    const told: Promise<Printed> = ended.catch((error: Error & { readonly cause?: Partial<Printed> }) => {
      // One that has not begun has printed nothing.
      if (error.cause?.stdout === undefined) throw error;
      return { ...(error.cause as Printed), failure: error.message };
    });
    const printed = await told.finally(() => {
      outer.throwIfAborted();
      if (late.aborted) throw new Error(`the tests (${command}) have not ended within ${timeoutMs / 1_000} s`);
    });
    if (!printed.truncated) return printed;
    throw new Error(`the tests print more than ${OUTPUT_HEAD_BYTES} bytes: have them print less`);
  };
  return async ({ id, wanted }, { signal }) => {
    const printed = last.then(() => run(id, signal));
    last = printed.catch(() => {});
    return findingsIn(await printed, command, wanted);
  };
}

/** The findings in an output. A report that is not whole is a failure of its command, if that has failed. */
function findingsIn(printed: Printed, command: string, wanted: readonly string[]) {
  const { stdout, stderr, failure } = printed;
  const problem = failure && [failure, stdout, stderr].map((text) => text.trim().slice(-END_CHARS_MAX)).join('\n');
  let run: TestRun = { passed: [], failed: [], skipped: [] };
  try {
    run = testsIn(printed);
  } catch (error) {
    if (!problem) throw new Error(`the report of the tests cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const { passed, failed, skipped } = run;
  const alone = problem && failed.length === 0 ? [{ test: command, message: problem }] : [];
  const failures = [...failed, ...alone].slice(0, FAILURES_MAX).map(({ test, message, ...values }) => {
    // All that node says of a file that it could not run.
    const said = problem && message === 'test failed' ? problem : message;
    // The end of a name says more than its groups.
    return { test: test.slice(-NAME_MAX) || 'a test', message: said.slice(0, MESSAGE_MAX), ...values };
  });
  const counts = { passed: passed.length, failed: failed.length, skipped: skipped.length };
  return { failures, tests: { ran: command.slice(0, 500), ...counts, shown: passedOf(run, wanted) } };
}

/** The ports that ask about a folder: when it last changed, and whether its code has a framework. */
export function knowledgePorts(knowledge: Knowledge): Pick<DeliveryPorts, 'changedAt' | 'scan'> {
  return {
    changedAt: () => knowledge.changedAt(),
    scan: ({ framework }, facts) => knowledge.framework(framework, facts),
  };
}
