/**
 * Tests in what a command has printed, in whichever form it has, and whether a test of a name has passed. Names are
 * compared as they are, but for case, white space and underscores: nothing is guessed. Pure.
 */
import { stripVTControlCharacters } from 'node:util';
import { type TestRun } from './finding.ts';
import { testsInJunit } from './junit.ts';
import { testsByMarks } from './marks.ts';
import { testsInTap } from './tap.ts';

/** Reads the tests of a command. Throws if it has printed a report that is not whole. */
export function testsIn(output: Readonly<Record<'stdout' | 'stderr', string>>): TestRun {
  const stdout = stripVTControlCharacters(output.stdout);
  // Each package of a repository has a report of its own.
  const taps = stdout.split(/^(?=TAP version \d)/m).filter((text) => text.startsWith('TAP version '));
  if (taps.length > 0) {
    const runs = taps.map((text) => testsInTap(text.replace(/\n?$/, '\n')));
    const all = (name: 'passed' | 'skipped') => runs.flatMap((run) => run[name]);
    return { passed: all('passed'), failed: runs.flatMap(({ failed }) => failed), skipped: all('skipped') };
  }
  const suites = /^\s*(?:<\?xml [^>]*>\s*)?<(testsuites?)[\s>/]/m.exec(stdout);
  if (suites === null) return testsByMarks(`${stdout}\n${stripVTControlCharacters(output.stderr)}`);
  const end = stdout.lastIndexOf(`</${suites[1]}>`);
  return testsInJunit(stdout.slice(suites.index, end === -1 ? undefined : stdout.indexOf('>', end) + 1).trim());
}

/**
 * Picks the tests that have passed.
 *
 * @param wanted Names, with the names of their groups before them or without.
 */
export function passedOf({ passed, failed }: TestRun, wanted: readonly string[]): string[] {
  const good = new Set(passed.flatMap(calledBy));
  const bad = new Set(failed.flatMap(({ test }) => calledBy(test)));
  const whole = (name: string) => calledBy(name)[0]!;
  return [...new Set(wanted)].filter((name) => good.has(whole(name)) && !bad.has(whole(name)));
}

/** The names by which a test may be called: with all of its groups, with some of them, and without. */
function calledBy(test: string): string[] {
  const parts = test
    .normalize('NFC')
    .toLowerCase()
    .split(/\s[>›]\s|::/)
    // Go, which has no white space in names, separates them like paths.
    .flatMap((part) => (/\s/.test(part.trim()) ? [part] : part.split('/')))
    .map((part) => part.replaceAll(/[\s_]+/g, ' ').trim());
  return parts.map((_, at) => parts.slice(at).join(' > '));
}
