/**
 * The report of a test runner in TAP 12 to 14, which tap-parser reads: tests, plans, directives, subtests and
 * diagnostics. Tests that have subtests are groups, and only what is in them counts. A plan that is not met is a
 * failure; without a plan a report has been cut. Lines of other output are skipped, as TAP has it. (tap-parser is slow,
 * at 4 s for 8 MiB of tests without diagnostics, and knows what a reader of our own would have to learn anew.)
 */
import { lineTypes, Parser, type Result } from 'tap-parser';
import { type Report } from '../../machines/hub/report.ts';
import { clip, failedTest, type Found, findingOf, type Place, pointOf, type TestRun } from './finding.ts';
import { MESSAGE_CHARS_MAX, RULE_CHARS_MAX } from './finding.ts';

/** The place of a failure in the comments of bats and of Perl. */
const IN_COMMENT = /in test file (.+), line (\d+)\)|\bat (\S+) line (\d+)\.$/;
/** Comments that say nothing of the test before. */
const ABOUT_OTHERS = /^# (?:Subtest|test count\()/;
/** Characters that end a line in patterns of JavaScript, and not in TAP. */
const NO_LINE_END = /[\r\u2028\u2029]/g;
/** A word that only begins as a directive, which tap-parser takes for one. */
const NO_DIRECTIVE = /#(?=[ \t]*todo\w)/gi;
/** A tag of YAML, of which tap-parser would warn on the standard error of the host. */
const TAG = /^( +(?:[\w-]+:|-)) !\S+/gm;

/** The indent of what is no test: 50 levels, because each of them reads the lines of all within. */
const TOO_DEEP = ' '.repeat(200);
/** Characters of a diagnostic that are read, because YAML takes quadratic time for many keys. */
const DIAGNOSTIC_CHARS_MAX = 16 * 1024;
/** Failures of one level that are named: 8 MiB have a million. All of them count. */
const FAILURES_MAX = 100_000;

/** Words and place of a failure. */
type Told = Pick<Found, 'message' | 'expected' | 'actual' | keyof Place>;

/** Tests of one indent: those of the report, or those of one group. */
interface Level {
  readonly parser: Parser;
  readonly counts: Record<'passed' | 'failed' | 'skipped', number>;
  readonly failures: Found[];
  /** The names of tests with their groups. */
  readonly names: Record<'passed' | 'skipped', string[]>;
  /** The group whose own line is still to come. */
  inner: Level | undefined;
}

export function readTap(text: string, workspace: string | undefined): Report {
  const { failures, counts } = levelIn(text);
  return { findings: failures.map((one) => findingOf(one, workspace)), tests: counts };
}

/** Reads the tests of a report with their names. Throws as the reader of reports does. */
export function testsInTap(text: string): TestRun {
  const { failures, names } = levelIn(text);
  return { ...names, failed: failures.map((one) => failedTest(one.rule!, one)) };
}

function levelIn(text: string): Level {
  const lines = text.replace(NO_LINE_END, '').replace(NO_DIRECTIVE, '\\#').replace(TAG, '$1').split('\n');
  if (lines.pop() !== '') throw new Error('its last line has no end: it was cut');
  const parser = new Parser();
  const level = levelOf(parser);
  let hasLate = false;
  parser.on('extra', (said: string) => (hasLate ||= lineTypes.testPoint.test(said)));
  const { read, isOpen } = readable(lines);
  for (const line of read) parser.parse(`${line}\n`);
  const isWithin = isOpen || level.inner?.parser.results === null || lines.at(-1)?.trimEnd().endsWith('{') === true;
  const hasPlan = parser.planStart !== -1;
  parser.end();
  if (parser.bailedOut !== false) fail(level, 'Bail out!', diagnosed(parser.bailedOut));
  else if (isWithin) throw new Error('it ends within a test: it was cut');
  else if (hasLate) throw new Error('it has tests behind its plan');
  else if (!hasPlan) throw new Error('it has no plan, such as 1..3: it was cut, or is something else');
  else meetPlan(level);
  return level;
}

/** The lines without what is too deep and what is too much of a diagnostic, and whether the last one is within one. */
function readable(lines: readonly string[]): { readonly read: readonly string[]; readonly isOpen: boolean } {
  let indent: string | undefined;
  let chars = 0;
  const read = lines.filter((line) => {
    if (indent === undefined) [indent, chars] = [/^ +(?=---$)/.exec(line)?.[0], 0];
    else if (line === `${indent}...` || !line.startsWith(indent)) indent = undefined;
    else chars += line.length;
    return !line.startsWith(TOO_DEEP) && (indent === undefined || chars <= DIAGNOSTIC_CHARS_MAX);
  });
  return { read, isOpen: indent !== undefined };
}

/** The tests that a parser is going to read. */
function levelOf(parser: Parser): Level {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const level: Level = { parser, counts, failures: [], names: { passed: [], skipped: [] }, inner: undefined };
  let told: Found | undefined;
  parser.on('child', (child: Parser) => {
    // tap-parser repeats the names of groups in all tests within.
    child.name = '';
    level.inner = levelOf(child);
  });
  parser.on('assert', (test: Result) => {
    told = add(level, test);
    level.inner = undefined;
  });
  parser.on('plan', () => (told = undefined));
  parser.on('comment', (line: string) => {
    if (told !== undefined && !ABOUT_OTHERS.test(line)) addComment(told, line.trim().slice(1).trim());
  });
  return level;
}

/** Counts a test, or the tests of a group. Gives the failure that comments below it may tell of. */
function add(level: Level, { name, ok, skip, todo, diag }: Result): Found | undefined {
  const { inner, counts } = level;
  if (inner !== undefined) meetPlan(inner);
  const within = inner?.counts ?? { passed: 0, failed: 0, skipped: 0 };
  const tests = within.passed + within.failed + within.skipped;
  const isSkipped = skip !== false || todo !== false;
  const rule = clip(name, RULE_CHARS_MAX);
  addNames(level, rule, isSkipped ? 'skipped' : ok && tests === 0 ? 'passed' : undefined);
  if (isSkipped) return void (counts.skipped += Math.max(1, tests));
  counts.passed += ok && tests === 0 ? 1 : within.passed;
  counts.failed += within.failed;
  counts.skipped += within.skipped;
  for (const one of inner?.failures ?? [])
    level.failures.push({ ...one, rule: clip(`${rule} > ${one.rule}`, RULE_CHARS_MAX) });
  if (ok || within.failed > 0) return undefined;
  const failure = fail(level, rule, diagnosed(diag));
  return diag === null ? failure : undefined;
}

/** Names a test, or those of a group if it has no result of its own. */
function addNames({ names, inner }: Level, name: string, result: 'passed' | 'skipped' | undefined): void {
  if (result !== undefined) return void names[result].push(name);
  for (const kind of ['passed', 'skipped'] as const)
    for (const one of inner?.names[kind] ?? []) names[kind].push(`${name} > ${one}`);
}

function fail(level: Level, rule: string, { message, ...at }: Told): Found {
  const failure: Found = { ...at, level: 'error', rule, message: message.trim() || rule };
  level.counts.failed++;
  if (level.failures.length < FAILURES_MAX) level.failures.push(failure);
  return failure;
}

/** Counts tests that were planned and did not run. */
function meetPlan(level: Level): void {
  const { planStart, planEnd, count } = level.parser;
  const left = planEnd - planStart + 1 - count;
  if (planStart === -1 || left === 0) return;
  fail(level, 'the plan', { message: `planned ${planStart}..${planEnd}, but ${count} ran` });
  level.counts.failed += Math.max(0, left - 1);
}

/** Adds a comment to the message of a failure, and the place that it names. */
function addComment(failure: Found, comment: string): void {
  if (failure.message.length > MESSAGE_CHARS_MAX) return;
  const message = failure.message === failure.rule ? comment : `${failure.message}\n${comment}`;
  const [, bats, batsLine, perl, perlLine] = IN_COMMENT.exec(comment.slice(0, MESSAGE_CHARS_MAX)) ?? [];
  Object.assign(failure, { file: bats ?? perl ?? failure.file, line: batsLine ?? perlLine ?? failure.line, message });
}

/** Message and place of a diagnostic, whose keys differ from runner to runner. */
function diagnosed(said: unknown): Told {
  if (!isRecord(said)) return { message: typeof said === 'string' ? said : '' };
  const { message, error, at, location, expected, actual } = said;
  const text = [message, error, isRecord(error) && error['message']].find((one) => typeof one === 'string');
  const place = [location, at, said].map(placeOf).find(({ file }) => file !== undefined);
  return { message: text ?? '', expected, actual, ...place };
}

function placeOf(said: unknown): Place {
  if (!isRecord(said)) return pointOf(said);
  const file = said['fileName'] ?? said['filename'] ?? said['file'];
  const [line, column] = [said['lineNumber'] ?? said['line'], said['columnNumber'] ?? said['column']];
  return typeof file === 'string' ? { file, line, column } : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
