/**
 * The report of the TypeScript compiler: its plain lines (`--pretty false`) and its pretty form, whose last lines say
 * how many errors there are. Any other line means that something else was printed, such as a crash.
 */
import { type Finding, type Report } from '../../machines/hub/report.ts';
import { type Found, findingOf, MESSAGE_CHARS_MAX } from './finding.ts';

/** The first line of a diagnostic: with a place, with one as the pretty form has it, or without. */
const HEAD = /^(?:(.+?)(?:\((\d+),(\d+)\):|:(\d+):(\d+) -) )?(error|warning|message) (TS\d+): (.*)$/;
const SUMMARY = /^Found (\d{1,9}) errors?\b/;

/** The lines of code of the pretty form, and the table of files at its end. */
const AROUND = /^(?: .*|\d+ .*|Errors {2}Files)?$/;

const LEVELS: Readonly<Record<string, Finding['level']>> = { error: 'error', warning: 'warning', message: 'note' };

export function readTsc(text: string, workspace: string | undefined): Report {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.pop() !== '') throw new Error('its last line has no end: it was cut');
  const found: Found[] = [];
  let [isPretty, claimed] = [false, Number.NaN];
  // The diagnostic of the line before, which goes on with an indent.
  let open: { message: string } | undefined;
  for (const [index, line] of lines.entries()) {
    const [head, file, row, column, prettyRow, prettyColumn, level, rule, message] = HEAD.exec(line) ?? [];
    if (head !== undefined) {
      isPretty ||= prettyRow !== undefined;
      const place = { file, line: row ?? prettyRow, column: column ?? prettyColumn };
      const one = { ...place, level: LEVELS[level!]!, rule, message: message! };
      found.push((open = one));
    } else if (open !== undefined && line.startsWith('  ')) {
      if (open.message.length < MESSAGE_CHARS_MAX) open.message += `\n${line}`;
    } else {
      open = undefined;
      const sum = SUMMARY.exec(line)?.[1];
      if (sum !== undefined) claimed = Number(sum);
      else if (!AROUND.test(line) || (found.length === 0 && line.trim() !== ''))
        throw new Error(`line ${index + 1} is no line of it: ${JSON.stringify(line.slice(0, 100))}`);
    }
  }
  const errors = found.filter(({ level }) => level === 'error').length;
  if (isPretty && Number.isNaN(claimed)) throw new Error('its sum of errors is missing: it was cut');
  if (claimed >= 0 && claimed !== errors) throw new Error(`it has ${errors} of ${claimed} errors: it was cut`);
  return { findings: found.map((one) => findingOf(one, workspace)), tests: null };
}
