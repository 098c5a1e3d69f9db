/**
 * Tests by the marks of reporters for people, which print a line for each test: node's spec, Vitest, Jest, `pytest -v`,
 * `go test -v` and cargo. Such lines have no grammar: a line of other output may be taken for a test, or for the group
 * of one, but its name is none that anybody looks for. Pure.
 */
import { failedTest, type TestRun } from './finding.ts';

/** A line that may begin a group, or is a test if it has a sign. */
type Line = NonNullable<ReturnType<typeof lineIn>>;

const PASSED = /^(?:[✓✔√]|X?PASS|ok)/u;
const FAILED = /^(?:[✗✘✖×✕]|FAIL|ERROR)/u;

/** The sign before a name; behind it may be the number of tests in a group, a time, and a directive of node. */
const SIGN = String.raw`(?<sign>[✓✔√✗✘✖×✕﹣↓○□✎⚠])\uFE0F?|[▶❯]|PASS|FAIL`;
const COUNT = String.raw` \(\d+(?: tests?\b[^)]*)?\)`;
const TIME = String.raw` [([]?\d[\d.]* ?m?s[)\]]?(?<undone> # .*)?`;

/** Lines of Go, of pytest, of cargo, and of any other. */
const LINES: readonly RegExp[] = [
  /^--- (?<sign>PASS|FAIL|SKIP): (?<name>\S+)/,
  /^(?<name>\S+::\S.*?) (?<sign>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?: +\[ *\d+%\])?$/,
  /^test (?<name>\S.*?)(?: - should panic)? \.\.\. (?<sign>ok|FAILED|ignored)(?:,.*)?$/,
  new RegExp(`^(?:(?:${SIGN}) +(?:(?<=[○✎] )(?:skipped|todo) )?)?(?<name>\\S.*?)(?<count>${COUNT})?(?:${TIME})?$`, 'u'),
];

/** The summary of a linter. */
const PROBLEMS = /^\d+ problems? \(/;
/** The head under which node repeats failures. */
const REPEATED = '✖ failing tests:';

/** Characters of a line that is no data. */
const LINE_CHARS_MAX = 2_000;
/** Failures whose message is looked for, and lines of one. */
const [TOLD_MAX, TOLD_LINES_MAX] = [100, 60];

/** Reads the tests that are marked in a text. */
export function testsByMarks(text: string): TestRun {
  const texts = text.split(/\r?\n/);
  const lines = texts.map(lineIn);
  const all: { readonly sign: string; readonly name: string }[] = [];
  const groups: Line[] = [];
  for (const [at, line] of lines.entries()) {
    if (texts[at] === REPEATED) break;
    if (line === undefined) continue;
    const { indent, sign, name, count } = line;
    while (groups.length > 0 && groups.at(-1)!.indent > indent) groups.pop();
    const before = groups.at(-1)?.indent === indent ? groups.pop() : undefined;
    const hasTests = count.includes('test') || (count !== '' && (lines[at + 1]?.indent ?? 0) > indent);
    if (sign === undefined || hasTests) groups.push(line);
    // Node marks a group when all of its tests have ended.
    else if (before?.name !== name && !PROBLEMS.test(name))
      all.push({ sign, name: [...groups.map((group) => group.name), name + count].join(' > ') });
  }
  // A test of Go that has others within is their group.
  const tests = all.filter(({ name }, at) => all[at + 1]?.name.startsWith(`${name}/`) !== true);
  const named = (isIt: (sign: string) => boolean) => tests.flatMap(({ sign, name }) => (isIt(sign) ? [name] : []));
  const failed = named((sign) => FAILED.test(sign));
  return {
    passed: named((sign) => PASSED.test(sign)),
    failed: failed.map((name, at) => failedTest(name, { message: at < TOLD_MAX ? toldOf(name, texts, lines) : '' })),
    skipped: named((sign) => !PASSED.test(sign) && !FAILED.test(sign)),
  };
}

function lineIn(text: string) {
  if (text.length > LINE_CHARS_MAX) return undefined;
  const match = LINES.map((pattern) => pattern.exec(text.trim())).find((one) => one !== null);
  if (match === undefined) return undefined;
  const { sign, name = '', count = '', undone } = match.groups!;
  return { indent: text.search(/\S/), sign: sign && undone ? '-' : sign, name, count };
}

/** The first text below a line that names a test, up to the next mark. */
function toldOf(test: string, texts: readonly string[], lines: readonly (Line | undefined)[]): string {
  const name = test.split(/ > |::/).at(-1)!;
  for (const [at, text] of texts.entries()) {
    if (!text.includes(name)) continue;
    const end = lines.slice(at + 1, at + 1 + TOLD_LINES_MAX).findIndex((line) => line?.sign !== undefined);
    const below = texts.slice(at + 1, at + 1 + (end === -1 ? TOLD_LINES_MAX : end));
    const told = below.join('\n').trim();
    if (told !== '') return told;
  }
  return '';
}
