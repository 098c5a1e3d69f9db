/** `bosun conformance URL`: plays the table of the protocol against a running server and prints what of it holds. */
import { isBosunError } from '../errors.ts';
import { gatewayConformance, type RowResult } from '../testing/gateway-conformance/run.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Surroundings } from './surroundings.ts';

export interface ConformanceCommand extends Pick<Surroundings, 'out' | 'err'> {
  readonly url: string;
  readonly token: string | undefined;
  /** A line for each row and one for all. */
  readonly json: boolean;
}

const MARKS: Readonly<Record<RowResult['outcome'], string>> = {
  passed: 'ok    ',
  failed: 'FAILED',
  'not applicable': 'n/a   ',
};

/** Takes the line of a terminal back to its beginning and clears it. */
const CLEAR = '\r\u001B[2K';

/**
 * Resolves to 0 where every row that was played holds, 1 where one does not, 2 for what is no address, 5 without the
 * right token, 7 where no gateway answers.
 */
export async function conformanceCommand({ url, token, json, out, err }: ConformanceCommand): Promise<ExitCode> {
  const isLive = !json && err.isTTY === true;
  try {
    const report = await gatewayConformance(url, {
      token,
      onRow: (row, done, of) => {
        out.write(json ? `${JSON.stringify({ type: 'row', ...row })}\n` : `${isLive ? CLEAR : ''}${line(row)}\n`);
        if (isLive && done < of) err.write(`${done} of ${of}`);
      },
    });
    const { passed, failed, notApplicable } = report;
    if (json) out.write(`${JSON.stringify({ type: 'report', passed, failed, notApplicable })}\n`);
    else err.write(`${passed} passed, ${failed} failed, ${notApplicable} not applicable\n`);
    return failed === 0 ? EXIT.completed : EXIT.failed;
  } catch (error) {
    if (!isBosunError(error)) throw error;
    err.write(`${error.message}\n`);
    if (error.code === 'BOSUN_CONFIG_INVALID') return EXIT.badInput;
    return error.code === 'BOSUN_UNAUTHENTICATED' ? EXIT.refused : EXIT.notRunning;
  }
}

function line({ rule, outcome, reason }: RowResult): string {
  return `${MARKS[outcome]}  ${rule}${reason === null ? '' : `: ${reason}`}`;
}
