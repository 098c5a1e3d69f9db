/**
 * The report of the TypeScript compiler: its plain lines (`--pretty false`) and its pretty form, whose last lines say
 * how many errors there are. Any other line means that something else was printed, such as a crash.
 */
import { type Finding, type Report } from '../../machines/hub/report.ts';
import { findingOf, MESSAGE_CHARS_MAX } from './finding.ts';

const PLAIN = /^(.+?)\((\d{1,9}),(\d{1,9})\): (error|warning|message) (TS\d+): (.*)$/;
const PRETTY = /^(.+?):(\d{1,9}):(\d{1,9}) - (error|warning|message) (TS\d+): (.*)$/;
const NOWHERE = /^(error|warning|message) (TS\d+): (.*)$/;
const SUMMARY = /^Found (\d{1,9}) errors?\b/;

/** The lines of code of the pretty form, and the table of files at its end. */
const AROUND = /^(?: .*|\d+ .*|Errors {2}Files)?$/;

const LEVELS: Readonly<Record<string, Finding['level']>> = { error: 'error', warning: 'warning', message: 'note' };

interface Diagnostic {
  readonly fields: readonly (string | undefined)[];
  message: string;
}

export function readTsc(text: string, workspace: string | undefined): Report {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.pop() !== '') throw new Error('its last line has no end: it was cut');
  const found: Diagnostic[] = [];
  let isPretty = false;
  let claimed: number | undefined;
  // Whether the line before belongs to a message, which goes on with an indent.
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const fields = headOf(line);
    const last = found.at(-1);
    if (fields !== undefined) {
      isPretty ||= PRETTY.test(line);
      found.push({ fields, message: fields[5]! });
      isOpen = true;
    } else if (isOpen && line.startsWith('  ') && last !== undefined) {
      if (last.message.length < MESSAGE_CHARS_MAX) last.message += `\n${line}`;
    } else {
      isOpen = false;
      const sum = SUMMARY.exec(line)?.[1];
      if (sum !== undefined) claimed = Number(sum);
      else if (!AROUND.test(line) || (found.length === 0 && line.trim() !== ''))
        throw new Error(`line ${index + 1} is no line of it: ${JSON.stringify(line.slice(0, 100))}`);
    }
  }
  const findings = found.map(({ fields: [file, line, column, level, rule], message }) =>
    findingOf(
      { file, rule, message, level: LEVELS[level!]!, line: Number(line ?? 0), column: Number(column ?? 0) },
      workspace,
    ),
  );
  const errors = findings.filter(({ level }) => level === 'error').length;
  if (isPretty && claimed === undefined) throw new Error('its sum of errors is missing: it was cut');
  if (claimed !== undefined && claimed !== errors) throw new Error(`it has ${errors} of ${claimed} errors: it was cut`);
  return { findings, tests: null };
}

/** File, line, column, level, rule and message of the first line of a diagnostic. */
function headOf(line: string): (string | undefined)[] | undefined {
  const match = PLAIN.exec(line) ?? PRETTY.exec(line);
  if (match !== null) return match.slice(1);
  const bare = NOWHERE.exec(line);
  return bare === null ? undefined : [undefined, undefined, undefined, ...bare.slice(1)];
}
