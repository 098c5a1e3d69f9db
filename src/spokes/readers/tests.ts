/**
 * Tests in what a command has printed, in whichever form it has, and whether a test of a name has passed. Names are
 * compared as they are, but for case and white space: nothing is guessed. Pure.
 */
import { stripVTControlCharacters } from 'node:util';
import { testsInJunit } from './junit.ts';
import { testsByMarks } from './marks.ts';
import { testsInTap } from './tap.ts';
import { NAMES_MAX, type TestRun } from './test-run.ts';

/** Separators of a group and its tests, in names with white space and in those without. */
const BETWEEN = / > | › |::/g;
const BETWEEN_WORDS = /::|\//g;

/** Reads the tests of a command. Throws if it has printed a report that is not whole. */
export function testsIn(output: Readonly<Record<'stdout' | 'stderr', string>>): TestRun {
  const stdout = stripVTControlCharacters(output.stdout);
  // Each package of a repository has a report of its own.
  const taps = stdout.split(/^(?=TAP version \d)/m).filter((text) => text.startsWith('TAP version '));
  const suites = /^\s*(?:<\?xml [^>]*>\s*)?<(testsuites?)[\s>/]/m.exec(stdout);
  const end = suites === null ? -1 : stdout.lastIndexOf(`</${suites[1]}>`);
  const runs =
    taps.length > 0
      ? taps.map((text) => testsInTap(text.replace(/\n?$/, '\n')))
      : suites !== null
        ? [testsInJunit(stdout.slice(suites.index, end === -1 ? undefined : stdout.indexOf('>', end) + 1).trim())]
        : [testsByMarks(`${stdout}\n${stripVTControlCharacters(output.stderr)}`)];
  const all = <Name extends keyof TestRun>(name: Name) =>
    runs.flatMap((run): TestRun[Name][number][] => [...run[name]]).slice(0, NAMES_MAX);
  return { passed: all('passed'), failed: all('failed'), skipped: all('skipped') };
}

/**
 * Picks the tests that have passed.
 *
 * @param wanted Names, with the names of their groups before them or without.
 */
export function passedOf({ passed, failed }: TestRun, wanted: readonly string[]): string[] {
  const good = new Set(passed.flatMap(calledBy));
  const bad = new Set(failed.flatMap(({ test }) => calledBy(test)));
  return [...new Set(wanted)].filter((name) => good.has(plain(name)) && !bad.has(plain(name)));
}

/** The names by which a test may be called: with all of its groups, with some of them, and without. */
function calledBy(test: string): string[] {
  const name = plain(test);
  const between = [...name.matchAll(name.includes(' ') ? BETWEEN : BETWEEN_WORDS)];
  const names = [name, ...between.map(({ 0: sign, index }) => name.slice(index + sign.length))];
  // Languages in which a test is a function, and Go, have no white space in names.
  return names.flatMap((one) => (one.includes(' ') ? [one] : [one, one.replaceAll('_', ' ')]));
}

function plain(name: string): string {
  return name.normalize('NFC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
