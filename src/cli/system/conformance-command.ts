/** `bosun conformance URL`: runs the protocol's conformance tests against a running server and prints which hold. */
import { BosunError, isBosunError } from '../../errors.ts';
import { plainLine } from '../../plain-text.ts';
import { gatewayConformance, type RowResult } from '../../testing/gateway-conformance/run.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { type Surroundings } from '../surroundings.ts';
import { control } from '../terminal.ts';

export interface ConformanceCommand extends Pick<Surroundings, 'out' | 'err'> {
  readonly url: string;
  readonly token: string | undefined;
  /** Whether to print a line for each row and one for the total. */
  readonly json: boolean;
}

const MARKS: Readonly<Record<RowResult['outcome'], string>> = {
  passed: 'ok    ',
  failed: 'FAILED',
  'not applicable': 'n/a   ',
};

/** Moves the cursor to the beginning of the line and clears it. */
const CLEAR = `${control('[G')}${control('[2K')}`;

/**
 * Resolves to 0 if every row that was run holds, 1 if one does not, 2 for an invalid URL, 5 without a valid token, 7 if
 * no gateway answers.
 */
export function conformanceCommand({ url, token, json, out, err }: ConformanceCommand): Promise<ExitCode> {
  const isLive = !json && err.isTTY === true;
  return carriedOut({ err, json }, async () => {
    const report = await gatewayConformance(url, {
      token,
      onRow: (row, done, of) => {
        out.write(
          json ? `${JSON.stringify({ type: 'row', ...row })}\n` : `${isLive ? CLEAR : ''}${plainLine(line(row))}\n`,
        );
        if (isLive && done < of) err.write(`${done} of ${of}`);
      },
    }).catch((error: unknown) => {
      throw isBosunError(error, 'BOSUN_OFFLINE') || isBosunError(error, 'BOSUN_INTERNAL') ? noGateway(error) : error;
    });
    const { passed, failed, notApplicable } = report;
    if (json) out.write(`${JSON.stringify({ type: 'report', passed, failed, notApplicable })}\n`);
    else err.write(`${passed} passed, ${failed} failed, ${notApplicable} not applicable\n`);
    return failed === 0 ? EXIT.completed : EXIT.failed;
  });
}

/** The error of all verbs for a URL at which no gateway answers. */
function noGateway(cause: BosunError): BosunError {
  return new BosunError('BOSUN_SYSTEM_CLOSED', cause.message, { cause });
}

function line({ rule, outcome, reason }: RowResult): string {
  return `${MARKS[outcome]}  ${rule}${reason === null ? '' : `: ${reason}`}`;
}
