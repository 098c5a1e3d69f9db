/**
 * `bosun run PLAN`: reads a plan, opens its data directory, and carries it out there, or continues it. Data goes to
 * `out`, messages to `err`; the caller owns the streams and the process.
 */
import { type ErrorCode } from '../../error-codes.ts';
import { isBosunError } from '../../errors.ts';
import { unawaitedLine } from '../../log.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { readyPlan } from '../files/plan-file.ts';
import { commandWith } from '../invocation.ts';
import { refuseInSpoke } from '../reach/spoke-refusal.ts';
import { OpenDirectory } from '../store/data-directory.ts';
import { carryOut, type RunCommand } from './plan-run.ts';
import { type Reporter } from './run-report.ts';

/** Runs a plan. Resolves to the exit code. Rejects for internal errors only. */
export async function runCommand(command: RunCommand): Promise<ExitCode> {
  const { reporter, env } = command;
  command.onUnawaited?.((reason) => reporter.log(unawaitedLine(reason)));
  try {
    refuseInSpoke(env);
    const ready = await readyPlan(command);
    const place = await OpenDirectory.forPlan(command, ready, {
      log: reporter.log,
      hint: () => `To start over: ${commandWith('--fresh', env)}. Or name another --data directory`,
      onSetAside: ({ moved }) => reporter.talk(recoveredLine(command, moved.size)),
    });
    return await carryOut(command, { ...ready, ...place });
  } catch (error) {
    return refused(error, reporter);
  }
}

function recoveredLine({ recoverTo }: RunCommand, count: number): string {
  return (
    `recovered to epoch ${recoverTo}; ${count} damaged or later ` +
    `${count === 1 ? 'epoch was' : 'epochs were'} set aside in the store`
  );
}

const BAD_INPUT: ReadonlySet<ErrorCode> = new Set([
  'BOSUN_PLAN_INVALID',
  'BOSUN_CONFIG_INVALID',
  'BOSUN_AGENT_INVALID',
  'BOSUN_WORKERS_CHANGED',
]);

/** Prints the reason of a refusal, and the way out of a damaged journal in a line of its own. */
function refused(error: unknown, reporter: Reporter): ExitCode {
  if (!isBosunError(error)) throw error;
  const { lastGoodEpoch } = error.details;
  const wayOut =
    typeof lastGoodEpoch === 'number'
      ? `\nThe journal is sound up to epoch ${lastGoodEpoch}. To discard everything after it, add --recover-to ` +
        `${lastGoodEpoch}`
      : '';
  reporter.error(error.code, `${error.message}${wayOut}`);
  if (error.code === 'BOSUN_STORE_LOCKED') return EXIT.inUse;
  if (error.code === 'BOSUN_SPAWN_REFUSED') return EXIT.refused;
  if (BAD_INPUT.has(error.code)) return EXIT.badInput;
  return EXIT.failed;
}
