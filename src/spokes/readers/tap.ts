/**
 * The report of a test runner in TAP 12 to 14: tests, plans, directives, subtests and diagnostics. Tests that have
 * subtests are groups, and only what is in them counts. A plan that is not met is a failure; without a plan a report
 * has been cut. Lines of other output are skipped, as TAP has it. (tap-parser would be 950 KB, and needs 3.3 s for 8
 * MiB.)
 */
import { parse } from 'yaml';
import { type Report } from '../../machines/hub/report.ts';
import { clip, type Found, findingOf, MESSAGE_CHARS_MAX, type Place, pointOf, RULE_CHARS_MAX } from './finding.ts';

const TEST = /^( *)(not )?ok(?= |$)(?: +\d+(?= |$))?(.*)$/;
const PLAN = /^( *)1\.\.(\d{1,9})\s*(?:#.*)?$/;
/** The place of a failure in the comments of bats and of Perl. */
const IN_COMMENT = /in test file (?<bats>.+), line (\d{1,9})\)|\bat (?<perl>\S+) line (\d{1,9})\.$/;

/** Columns of a level of subtests. */
const INDENT = 4;

/** Characters of diagnostics that are read, in all and of one: YAML takes a second for 2 MB. The rest has its name. */
const DIAGNOSTICS_CHARS_MAX = 1024 * 1024;
const DIAGNOSTIC_CHARS_MAX = 64 * 1024;

/** Failures of one level that are named: 8 MiB have a million. All of them count. */
const FAILURES_MAX = 100_000;

const RESULTS = ['passed', 'failed', 'skipped'] as const;

/** The line of a test, with what is told of it below. */
interface Told {
  readonly indent: number;
  readonly isOk: boolean;
  readonly name: string;
  /** Whether it is to be skipped, or still to be done. */
  readonly isExcused: boolean;
  readonly comments: string[];
  diagnostic: string;
}

/** Tests of one indent: those of the report, or those of one group. */
interface Level {
  plan: number | null;
  /** Tests and groups, which its plan counts. */
  seen: number;
  readonly counts: Record<(typeof RESULTS)[number], number>;
  readonly failures: Found[];
}

export function readTap(text: string, workspace: string | undefined): Report {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.pop() !== '') throw new Error('its last line has no end: it was cut');
  const { failures, counts } = new TapReader().read(lines);
  return { findings: failures.map((one) => findingOf(one, workspace)), tests: counts };
}

class TapReader {
  readonly #levels = [newLevel()];
  /** The test of the last line. */
  #last: Told | undefined;
  /** Groups whose line came before their tests, as `ok 1 - name {`. */
  readonly #groups: Told[] = [];
  /** The indent and the lines of an open diagnostic. */
  #block: { readonly indent: string; readonly lines: string[] } | undefined;
  #charsLeft = DIAGNOSTICS_CHARS_MAX;
  #bailed: string | undefined;

  read(lines: readonly string[]): Level {
    for (const line of lines) this.#read(line);
    this.#settle();
    const root = this.#levelAt(0)!;
    if (this.#levels.length > 1) join(this.#levels.pop()!, root);
    if (this.#bailed !== undefined) fail(root, { rule: 'Bail out!', message: this.#bailed || 'Bail out!' });
    else if (this.#block !== undefined || this.#groups.length > 0) throw new Error('it ends within a test: it was cut');
    else if (root.plan === null) throw new Error('it has no plan, such as 1..3: it was cut, or is something else');
    else meetPlan(root);
    return root;
  }

  #read(line: string): void {
    if (this.#block !== undefined) return this.#readDiagnostic(line, this.#block);
    const said = line.trim();
    const test = TEST.exec(line);
    const isBlock = said === '---' && this.#last !== undefined;
    if (isBlock) this.#block = { indent: line.slice(0, line.indexOf('-')), lines: [] };
    else if (said === '{' && this.#last !== undefined) this.#open(this.#last);
    else if (said.startsWith('#')) this.#last?.comments.push(said.slice(1).trim());
    else if (test !== null) this.#test(testOf(test), line.endsWith(' {'));
    else this.#other(line, said);
  }

  #readDiagnostic(line: string, { indent, lines }: { readonly indent: string; readonly lines: string[] }): void {
    if (line.trimEnd() !== `${indent}...`) return void lines.push(line.slice(indent.length));
    this.#last!.diagnostic = lines.join('\n');
    this.#block = undefined;
  }

  #other(line: string, said: string): void {
    this.#settle();
    const plan = PLAN.exec(line);
    const level = plan === null ? undefined : this.#levelAt(plan[1]!.length);
    if (level !== undefined) level.plan ??= Number(plan![2]);
    if (said.startsWith('Bail out!')) this.#bailed ??= said.slice('Bail out!'.length).trim();
    const group = this.#groups.at(-1);
    if (said === '}' && group?.indent === line.indexOf('}')) this.#add(this.#groups.pop()!);
  }

  #test(test: Told, isGroup: boolean): void {
    this.#settle();
    // One whose name ends as that of a group, and has no tests.
    while ((this.#groups.at(-1)?.indent ?? -1) >= test.indent) this.#add(this.#groups.pop()!);
    if (isGroup) this.#open(test);
    else this.#last = test;
  }

  #open(group: Told): void {
    this.#last = undefined;
    this.#groups.push(group);
  }

  #settle(): void {
    if (this.#last !== undefined) this.#add(this.#last);
    this.#last = undefined;
  }

  /** The level of an indent, which may begin here; undefined for lines that only look like TAP. */
  #levelAt(indent: number): Level | undefined {
    const depth = indent / INDENT;
    if (!Number.isInteger(depth) || depth > this.#levels.length + 1) return undefined;
    while (depth >= this.#levels.length) this.#levels.push(newLevel());
    while (this.#levels.length > depth + 2) join(this.#levels.pop()!, this.#levels.at(-1)!);
    return this.#levels[depth];
  }

  /** Counts a test, or the tests of a group. */
  #add(test: Told): void {
    const level = this.#levelAt(test.indent);
    if (level === undefined) return;
    const inner = level === this.#levels.at(-1) ? EMPTY : this.#levels.pop()!;
    meetPlan(inner);
    level.seen++;
    const { passed, failed, skipped } = inner.counts;
    const tests = passed + failed + skipped;
    if (test.isExcused) level.counts.skipped += Math.max(1, tests);
    else {
      join(inner, level, `${test.name} > `);
      if (!test.isOk && failed === 0) fail(level, this.#failureOf(test));
      else if (tests === 0) level.counts.passed++;
    }
  }

  #failureOf({ name, comments, diagnostic }: Told): Omit<Found, 'level'> {
    const isRead = diagnostic !== '' && diagnostic.length <= Math.min(this.#charsLeft, DIAGNOSTIC_CHARS_MAX);
    if (isRead) this.#charsLeft -= diagnostic.length;
    const told = isRead
      ? diagnosticOf(diagnostic)
      : diagnostic === '' && comments.length > 0
        ? commentsOf(comments)
        : { message: '' };
    return { rule: name, ...told, message: told.message.trim() || name };
  }
}

function newLevel(): Level {
  return { plan: null, seen: 0, counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] };
}

/** The level within a test that is no group. */
const EMPTY: Level = newLevel();

function fail(level: Level, failure: Omit<Found, 'level'>, tests = 1): void {
  level.counts.failed += tests;
  if (level.failures.length < FAILURES_MAX) level.failures.push({ ...failure, level: 'error' });
}

/** Counts tests that were planned and did not run. */
function meetPlan(level: Level): void {
  const { plan, seen } = level;
  if (plan === null || plan === seen) return;
  fail(level, { rule: 'the plan', message: `planned 1..${plan}, but ${seen} ran` }, Math.max(1, plan - seen));
}

/** Counts the tests of a level in another one. */
function join({ counts, failures }: Level, outer: Level, prefix = ''): void {
  for (const key of RESULTS) outer.counts[key] += counts[key];
  for (const one of failures) outer.failures.push({ ...one, rule: clip(prefix + one.rule!, RULE_CHARS_MAX) });
}

function testOf([, indent, not, rest = '']: RegExpExecArray): Told {
  const said = rest.replace(/ \{$/, '');
  // The last " # " that is not escaped begins the directive.
  const at = said.lastIndexOf(' #');
  const tail = at === -1 ? '' : said.slice(at + 2).trimStart();
  const isExcused = /^(?:skip|todo\b)/i.test(tail);
  const name = isExcused || tail.startsWith('time=') ? said.slice(0, at) : said;
  return {
    indent: indent!.length,
    isOk: not === undefined,
    // Bounded here, because a group is named in each failure within.
    name: clip(name.replace(/^ *-? */, '').replace(/\\([#\\])/g, '$1'), RULE_CHARS_MAX),
    isExcused,
    comments: [],
    diagnostic: '',
  };
}

function commentsOf(comments: readonly string[]): Place & { readonly message: string } {
  const told = comments.filter((one) => !one.startsWith('Subtest:')).slice(0, 100);
  const groups = told.map((one) => IN_COMMENT.exec(one.slice(0, MESSAGE_CHARS_MAX))).find((one) => one !== null);
  const { bats, perl } = groups?.groups ?? {};
  return { message: told.join('\n'), file: bats ?? perl, line: Number(groups?.[2] ?? groups?.[4]) };
}

/** Message and place of a diagnostic, whose keys differ from runner to runner. */
function diagnosticOf(text: string): Place & { readonly message: string } {
  let data: unknown;
  try {
    data = parse(text, { schema: 'failsafe', logLevel: 'error' });
  } catch {
    // Dialects of YAML in TAP are many: what one says in its own way is still its message.
    return { message: text };
  }
  if (!isRecord(data)) return { message: text };
  const { message, error, at, location } = data;
  const said = [message, error, isRecord(error) ? error['message'] : undefined].find((one) => typeof one === 'string');
  const places = [location, at, data].map((one) => (isRecord(one) ? fieldsOf(one) : pointOf(one)));
  return { message: typeof said === 'string' ? said : '', ...places.find(({ file }) => file !== undefined) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf({
  fileName,
  filename,
  file,
  lineNumber,
  line,
  columnNumber,
  column,
}: Record<string, unknown>): Place {
  const given = [fileName, filename, file].find((one) => typeof one === 'string');
  if (typeof given !== 'string') return {};
  return { file: given, line: Number(lineNumber ?? line), column: Number(columnNumber ?? column) };
}
