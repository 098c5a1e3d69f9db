/**
 * Reads the report that a tool printed. A text that is no whole report of its kind is refused, so that a report that
 * was cut is never taken for one without findings. The one exception: `tsc` prints nothing when it finds nothing, and
 * its plain lines have no end, so that its exit code has to agree.
 */
import { stripVTControlCharacters } from 'node:util';
import { BosunError, messageOf } from '../../errors.ts';
import { type Reader, type Report } from '../../machines/hub/report.ts';
import { readEslint } from './eslint.ts';
import { readJunit } from './junit.ts';
import { readSarif } from './sarif.ts';
import { readTap } from './tap.ts';
import { readTsc } from './tsc.ts';

export type { Finding, Report } from '../../machines/hub/report.ts';

interface Format {
  readonly expected: string;
  /** The way to have a tool print it. */
  readonly how: string;
  /** Throws the reason why it is no such report. */
  read(text: string, workspace: string | undefined): Report;
}

const FORMATS: Readonly<Record<Reader, Format>> = {
  tap: { expected: 'TAP', how: 'run the tests with their TAP reporter: node --test-reporter=tap', read: readTap },
  junit: {
    expected: 'XML of JUnit',
    how: 'run the tests with that reporter: vitest --reporter=junit',
    read: readJunit,
  },
  eslint: { expected: 'JSON of ESLint', how: 'run eslint with -f json', read: readEslint },
  tsc: { expected: 'lines of tsc', how: 'run tsc with --pretty false', read: readTsc },
  sarif: { expected: 'SARIF 2.1.0', how: 'have the tool write SARIF, such as semgrep --sarif', read: readSarif },
};

const REASON_CHARS_MAX = 300;

/**
 * Reads the report of a tool. Throws BOSUN_VALUE_REFUSED, with what was expected and how to have it printed, if the
 * text is no whole report of that kind.
 *
 * @param workspace Absolute path of the directory to which files inside it are made relative.
 */
export function readReport(
  kind: Reader,
  text: string,
  { workspace }: { readonly workspace?: string | undefined } = {},
): Report {
  const { expected, how, read } = FORMATS[kind];
  try {
    const plain = unannounced(stripVTControlCharacters(text).replace(/^\uFEFF/, ''));
    // tsc says nothing where it finds nothing, and a colour alone where it was cut.
    if (plain.trim() === '' && (kind !== 'tsc' || text.includes('\u001b'))) throw new Error('it is empty');
    return read(plain, workspace);
  } catch (error) {
    const because = messageOf(error).slice(0, REASON_CHARS_MAX);
    throw new BosunError('BOSUN_VALUE_REFUSED', `the report is not ${expected}: ${because}; ${how}`, { cause: error });
  }
}

/** A text without the empty lines and those by which npm and pnpm announce a script, at its begin. */
function unannounced(text: string): string {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => !line.startsWith('> ') && line.trim() !== '');
  return begin === -1 ? '' : lines.slice(begin).join('\n');
}
