/**
 * Tests by the marks of reporters for people, which print a line for each test: node's spec, Vitest, Jest and Mocha,
 * `pytest -v`, `go test -v` and cargo. Such lines have no grammar: a line of other output may be taken for a test, or
 * for the group of one, but its name is none that anybody looks for. Pure.
 */
import { failedTest, NAMES_MAX, type TestRun } from './test-run.ts';

/** The test of a line. */
interface Mark {
  /** A sign, or a word in the words of its runner. */
  readonly sign: string;
  readonly name: string;
  /** Whether the name has its groups already. */
  readonly isWhole?: true;
}

const PASSED = /^(?:[✓✔√]|X?PASS|ok)/u;
const FAILED = /^(?:[✗✘✖×✕\d]|FAIL|ERROR)/u;

/** Lines whose result is a word: of Go, of pytest on several processes, of cargo, and of pytest. */
const BY_WORD: readonly RegExp[] = [
  /^--- (?<sign>PASS|FAIL|SKIP): (?<name>\S+)/,
  /^\[gw\d+\] \[ *\d+%\] (?<sign>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (?<name>\S+::.+)$/,
  /^test (?<name>\S.*?)(?: - should panic)? \.\.\. (?<sign>ok|FAILED|ignored)(?:,.*)?$/,
  /^(?<name>\S+::\S.*?) (?<sign>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?: +\[ *\d+%\])?$/,
];
const BY_SIGN = /^(?<sign>[✓✔√✗✘✖×✕﹣↓○□✎⚠])\uFE0F? +(?<said>\S.*)$/u;
/** The signs of Mocha, which are those of any list. They stand before its summary. */
const BY_MOCHA = /^(?<sign>\d+\)|-) (?<said>\S.*)$/;
const MOCHA_SUMMARY = /^ +\d+ passing\b/;

/** The time that a test took, and the directive that node writes behind it. */
const TIME = /(?: \(\d[\d.]* ?m?s\)(?: # .*)?| \[\d[\d.]*m?s\]| \d[\d.]*m?s)$/;
const UNDONE = / # todo\b[^#]*$/i;
/** A file with its number of tests, the summary of a linter, and the head under which node repeats failures. */
const NO_TEST = /\(\d+ tests?\b.*\)$|^\d+ problems? \(|^failing tests:$/;
const COUNT = / \(\d+(?: tests?.*)?\)$/;

/** Characters of a line that may be a mark: a longer one is data. */
const LINE_CHARS_MAX = 2_000;
/** Failures whose message is looked for, and lines of one. */
const TOLD_MAX = 100;
const LINES_MAX = 60;

/** Reads the tests that are marked in a text. */
export function testsByMarks(text: string): TestRun {
  const lines = text.split(/\r?\n/);
  const isMocha = lines.some((line) => MOCHA_SUMMARY.test(line));
  // What follows repeats the failures.
  const last = lines.findIndex((line) => MOCHA_SUMMARY.test(line) || line === '✖ failing tests:');
  const marks = lines.map((line) => (line.length > LINE_CHARS_MAX ? undefined : markIn(line.trim(), isMocha)));
  const tests: Mark[] = [];
  const groups: { readonly indent: number; readonly name: string }[] = [];
  for (const [at, line] of lines.slice(0, last === -1 ? undefined : last).entries()) {
    const indent = line.search(/\S/);
    if (indent === -1) continue;
    while (groups.length > 0 && groups.at(-1)!.indent > indent) groups.pop();
    const before = groups.at(-1)?.indent === indent ? groups.pop() : undefined;
    const mark = marks[at];
    const isGroup = mark === undefined || (COUNT.test(mark.name) && (lines[at + 1] ?? '').search(/\S/) > indent);
    if (isGroup) groups.push({ indent, name: groupIn(line.trim().slice(0, LINE_CHARS_MAX)) });
    else if (mark.isWhole === true) tests.push(mark);
    // Node marks a group when all of its tests have ended.
    else if (before?.name !== mark.name)
      tests.push({ ...mark, name: [...groups.map(({ name }) => name), mark.name].join(' > ') });
  }
  return runOf(tests, (name) => toldOf(name.split(/ > |::/).at(-1)!, lines, marks));
}

function markIn(line: string, isMocha: boolean): Mark | undefined {
  for (const pattern of BY_WORD) {
    const { name, sign } = pattern.exec(line)?.groups ?? {};
    if (name !== undefined) return { name, sign: sign!, isWhole: true };
  }
  const { sign, said } = (BY_SIGN.exec(line) ?? (isMocha ? BY_MOCHA.exec(line) : null))?.groups ?? {};
  if (sign === undefined || said === undefined) return undefined;
  const name = said.replace(TIME, '').replace(sign === '○' ? /^skipped / : sign === '✎' ? /^todo / : '', '');
  if (UNDONE.test(said)) return { name, sign: '-' };
  return sign === '⚠' || NO_TEST.test(name) ? undefined : { name, sign };
}

/** The name of a group in the line that opens it. */
function groupIn(line: string): string {
  return line
    .replace(TIME, '')
    .replace(COUNT, '')
    .replace(/^(?:[▶❯✓✔✗✖×]|PASS|FAIL) +/u, '');
}

function runOf(all: readonly Mark[], toldOf: (name: string) => string): TestRun {
  // A test of Go that has others within is their group.
  const within = all.filter(({ name, isWhole }) => isWhole === true && /^[^\s:]+\/[^\s:]+$/.test(name));
  const parents = new Set(within.map(({ name }) => name.slice(0, name.lastIndexOf('/'))));
  const tests = all.filter(({ name }) => !parents.has(name));
  const named = (isIt: (sign: string) => boolean) =>
    tests.flatMap(({ sign, name }) => (isIt(sign) ? [name] : [])).slice(0, NAMES_MAX);
  const failed = named((sign) => FAILED.test(sign));
  return {
    passed: named((sign) => PASSED.test(sign)),
    failed: failed.map((test, at) => failedTest(test, { message: at < TOLD_MAX ? toldOf(test) : '' })),
    skipped: named((sign) => !PASSED.test(sign) && !FAILED.test(sign)),
  };
}

/** The first text below a line that names a test, up to the next test. */
function toldOf(name: string, lines: readonly string[], marks: readonly (Mark | undefined)[]): string {
  for (let at = 0; at < lines.length; at += 1) {
    if (!lines[at]!.includes(name)) continue;
    const below = lines.slice(at + 1, at + 1 + LINES_MAX);
    const end = below.findIndex((_, index) => marks[at + 1 + index] !== undefined);
    const told = below
      .slice(0, end === -1 ? undefined : end)
      .join('\n')
      .trim();
    if (told !== '') return told;
  }
  return '';
}
