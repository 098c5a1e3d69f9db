/**
 * The report of a test runner in TAP 12 to 14, which tap-parser reads: tests, plans, directives, subtests and
 * diagnostics. Tests that have subtests are groups, and only what is in them counts. A plan that is not met is a
 * failure; without a plan a report has been cut. Lines of other output are skipped, as TAP has it. (tap-parser is slow,
 * at 4 s for 8 MiB, and reads what a reader of our own would have to learn anew.)
 */
import { lineTypes, Parser, type Result } from 'tap-parser';
import { type Report } from '../../machines/hub/report.ts';
import { clip, type Found, findingOf, MESSAGE_CHARS_MAX, type Place, pointOf, RULE_CHARS_MAX } from './finding.ts';

/** The place of a failure in the comments of bats and of Perl. */
const IN_COMMENT = /in test file (.+), line (\d+)\)|\bat (\S+) line (\d+)\.$/;
/** Comments that say nothing of the test before. */
const ABOUT_OTHERS = /^# (?:Subtest|test count\()/;
/** Characters that end a line in patterns of JavaScript, and not in TAP. */
const NO_LINE_END = /[\r\u2028\u2029]/g;
/** A word that only begins as a directive, which tap-parser takes for one. */
const NO_DIRECTIVE = /#(?=[ \t]*todo\w)/gi;

/** The last line of a report that ends within a test. */
const OPENS = /\{\s*$|^ +---$/;

/** The indent of what is no test: 50 levels, because each of them reads the lines of all within. */
const TOO_DEEP = ' '.repeat(200);
/** Characters of a diagnostic that are read, because YAML takes quadratic time for many keys. */
const DIAGNOSTIC_CHARS_MAX = 16 * 1024;
/** Failures of one level that are named: 8 MiB have a million. All of them count. */
const FAILURES_MAX = 100_000;

/** Words and place of a failure. */
type Told = Pick<Found, 'message' | keyof Place>;

/** Tests of one indent: those of the report, or those of one group. */
interface Level {
  readonly parser: Parser;
  readonly counts: Record<'passed' | 'failed' | 'skipped', number>;
  readonly failures: Found[];
  /** The group whose own line is still to come. */
  inner: Level | undefined;
  /** A diagnostic that is no YAML. */
  garbled: string | null;
  /** Tests behind the plan. */
  late: number;
}

export function readTap(text: string, workspace: string | undefined): Report {
  const lines = text.replace(NO_LINE_END, '').replace(NO_DIRECTIVE, '\\#').split('\n');
  if (lines.pop() !== '') throw new Error('its last line has no end: it was cut');
  const parser = new Parser();
  const level = levelOf(parser);
  for (const line of lines) if (!line.startsWith(TOO_DEEP)) parser.parse(`${line}\n`);
  const isWithin = level.inner?.parser.results === null || OPENS.test(lines.at(-1) ?? '');
  const hasPlan = parser.planStart !== -1;
  parser.end();
  if (parser.bailedOut !== false) fail(level, 'Bail out!', diagnosed(parser.bailedOut));
  else if (isWithin || level.garbled !== null) throw new Error('it ends within a test: it was cut');
  else if (!hasPlan) throw new Error('it has no plan, such as 1..3: it was cut, or is something else');
  else meetPlan(level);
  return { findings: level.failures.map((one) => findingOf(one, workspace)), tests: level.counts };
}

/** The tests that a parser is going to read. */
function levelOf(parser: Parser): Level {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const level: Level = { parser, counts, failures: [], inner: undefined, garbled: null, late: 0 };
  let told: Found | undefined;
  parser.on('child', (child: Parser) => {
    // tap-parser repeats the names of groups in all tests within.
    child.name = '';
    level.inner = levelOf(child);
  });
  parser.on('assert', (test: Result) => {
    told = add(level, test);
    level.inner = undefined;
    level.garbled = null;
  });
  parser.on('plan', () => (told = undefined));
  parser.on('comment', (line: string) => {
    if (told !== undefined && !ABOUT_OTHERS.test(line)) addComment(told, line.trim().slice(1).trim());
  });
  keepDiagnostics(level);
  return level;
}

/**
 * Keeps diagnostics that are no YAML and tests behind a plan, which tap-parser takes for other output: its event comes
 * from the whole report alone, and for groups too early. Leaves out what is too much of a diagnostic.
 */
function keepDiagnostics(level: Level): void {
  const { parser } = level;
  const readLine = parser.yamlishLine.bind(parser);
  let chars = 0;
  parser.on('assert', () => (chars = 0));
  parser.yamlishLine = (line) => {
    chars += line.length;
    if (chars <= DIAGNOSTIC_CHARS_MAX || line.trim() === '...') readLine(line);
  };
  parser.emitExtra = (said) => {
    if (lineTypes.testPoint.test(said)) level.late++;
    if (/^ *---\n./.test(said)) level.garbled = said.replace(/^ *---\n/, '').replace(/\n *\.{3}\n$/, '');
  };
}

/** Counts a test, or the tests of a group. Gives the failure that comments below it may tell of. */
function add(level: Level, { name, ok, skip, todo, diag }: Result): Found | undefined {
  const { inner, counts, garbled } = level;
  if (inner !== undefined) meetPlan(inner);
  const within = inner?.counts ?? { passed: 0, failed: 0, skipped: 0 };
  const tests = within.passed + within.failed + within.skipped;
  if (skip !== false || todo !== false) return void (counts.skipped += Math.max(1, tests));
  counts.passed += ok && tests === 0 ? 1 : within.passed;
  counts.failed += within.failed;
  counts.skipped += within.skipped;
  const rule = clip(name, RULE_CHARS_MAX);
  for (const one of inner?.failures ?? [])
    level.failures.push({ ...one, rule: clip(`${rule} > ${one.rule}`, RULE_CHARS_MAX) });
  if (ok || within.failed > 0) return undefined;
  const failure = fail(level, rule, diagnosed(diag ?? garbled));
  return diag === null && garbled === null ? failure : undefined;
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
  const [planned, ran] = [planEnd - planStart + 1, count + level.late];
  if (planStart === -1 || planned === ran) return;
  fail(level, 'the plan', { message: `planned ${planStart}..${planEnd}, but ${ran} ran` });
  level.counts.failed += Math.max(0, planned - ran - 1);
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
  const { message, error, at, location } = said;
  const text = [message, error, isRecord(error) && error['message']].find((one) => typeof one === 'string');
  return { message: text ?? '', ...[location, at, said].map(placeOf).find(({ file }) => file !== undefined) };
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
