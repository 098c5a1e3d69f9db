/** Tests by name in what other tools print, and the names by which a test may be called. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TestRun } from '../../../src/spokes/readers/finding.ts';
import { passedOf, testsIn } from '../../../src/spokes/readers/tests.ts';

const FOLDER = join(import.meta.dirname, '../../support/fixtures/runs');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));

const printed = (stdout: string): TestRun => testsIn({ stdout, stderr: '' });
const runOf = (file: string) => printed(readFileSync(join(FOLDER, file), 'utf8'));

/** The tests of a run as a person reads them: those that failed with the first line of what they said. */
function lines({ passed, failed, skipped }: TestRun): string[] {
  const told = failed.map(({ test, message, expected, actual }) => {
    const values = expected === undefined ? '' : ` (${actual}, not ${expected})`;
    return `failed ${test}: ${message.split('\n')[0]}${values}`;
  });
  return [...passed.map((test) => `passed ${test}`), ...told, ...skipped.map((test) => `skipped ${test}`)];
}

/** The planted tests, of a file and with groups. */
const planted = (file: string, said: string, groups = ['basket > ', 'basket > empty > ']) => [
  `passed ${file}a user can log in`,
  ...(file === '' ? ['passed waits 5ms'] : []),
  `passed ${file}${groups[0]}adds up`,
  `passed ${file}${groups[1]}has no sum`,
  `failed ${file}${groups[0]}a wrong price is said: ${said}`,
  `skipped ${file}${groups[0]}is skipped`,
  ...(file === 'hello > ' ? [] : [`skipped ${file}${groups[0]}is to do`]),
];
const STRICT = 'Expected values to be strictly equal:';
const VITEST = 'expected 2 to be 3 // Object.is equality';

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'node20-tap.txt': planted('', `${STRICT} (2, not 3)`),
  'node20-junit.txt': planted('', `${STRICT}2 !== 3 (2, not 3)`),
  'node20-spec.txt': planted('', `AssertionError [ERR_ASSERTION]: ${STRICT} (2, not 3)`),
  'node24-spec.txt': planted('', `AssertionError [ERR_ASSERTION]: ${STRICT} (2, not 3)`),
  'vitest-verbose.txt': planted('v.test.mjs > ', `→ ${VITEST}`),
  'vitest-default.txt': planted('v.test.mjs > ', `AssertionError: ${VITEST}`, ['', '']),
  'vitest-tree.txt': planted('v.test.mjs > ', `AssertionError: ${VITEST}`),
  'vitest-junit.txt': planted('vitest tests > v.test.mjs > ', VITEST),
  'jest.txt': planted('./basket.test.js > ', 'expect(received).toBe(expected) // Object.is equality (2, not 3)'),
  // A line that a test printed stands where the name of a group would. Failures have numbers, as in any list.
  'mocha.txt': planted('hello > ', '').filter((line) => line.startsWith('passed ')),
  'pytest.txt': [
    'passed test_basket.py::test_a_user_can_log_in',
    'passed test_basket.py::TestBasket::test_adds_up',
    'passed test_basket.py::test_named[ada l]',
    'passed test_basket.py::test_named[bob]',
    'failed test_basket.py::TestBasket::test_a_wrong_price_is_said: self = <test_basket.TestBasket object at 0x>',
    `failed test_basket.py::test_shop: ${'='.repeat(36)} ERRORS ${'='.repeat(36)}`,
    'skipped test_basket.py::TestBasket::test_is_skipped',
    'skipped test_basket.py::TestBasket::test_later',
  ],
  'go.txt': [
    'passed TestAUserCanLogIn',
    'passed TestBasket/adds_up',
    'passed TestBasket/empty/has_no_sum',
    'failed TestBasket/a_wrong_price_is_said: basket_test.go:18: got 2, want 3',
    'skipped TestBasket/is_skipped',
  ],
  'cargo.txt': [
    'passed tests::a_user_can_log_in',
    'passed tests::panics',
    'passed src/lib.rs - add (line 3)',
    'failed tests::a_wrong_price_is_said: failures:',
    'skipped tests::is_skipped',
  ],
};

describe('the tests in what a tool prints', () => {
  it('are all expected here', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(FILES.sort());
  });

  it.each(FILES)('are read as a person reads them: %s', (file) => {
    expect(lines(runOf(file)).map((line) => line.replace(/0x\w+>/, '0x>'))).toEqual(EXPECTED[file]);
  });

  it('are read together where several packages have a report each', () => {
    const tap = (name: string) => `> shop@1 test\n\nTAP version 13\nok 1 - ${name}\n1..1\n`;
    expect(printed(tap('a') + tap('b')).passed).toEqual(['a', 'b']);
  });

  it.each([
    ['lines of builds and linters', '✓ 12 modules\n', ['12 modules'], []],
    ['the summary of a linter', '✖ 2 problems (0 errors, 2 warnings)\n', [], []],
    ['files with their number of tests', ' ✓ test/a.test.ts (3 tests) 4ms\n', [], []],
    ['a test of node that is to do for a reason', '✔ a (0.05ms) # later\n✔ b (1ms)\n', ['b'], []],
    ['a list', '1) first\n- second\n', [], []],
  ])('are told from %s', (_, text, passed, failed) => {
    const run = printed(text);
    expect([run.passed, run.failed.map(({ test }) => test)]).toEqual([passed, failed]);
  });

  it.each([
    ['TAP', 'TAP version 13\nok 1 - a\n'],
    ['JUnit', '<testsuites><testsuite name="a"><testcase name="b"/></testsuite>\n'],
  ])('are refused where the report was cut: %s', (_, text) => {
    expect(() => printed(text)).toThrow();
  });

  it('have the names and results of any report of TAP', () => {
    const test = fc.record({ name: fc.stringMatching(/^[a-z]{1,9}$/), isOk: fc.boolean(), isSkipped: fc.boolean() });
    fc.assert(
      fc.property(fc.array(test, { minLength: 1, maxLength: 20 }), (tests) => {
        const body = tests.map(
          ({ name, isOk, isSkipped }) => `${isOk ? 'ok' : 'not ok'} - ${name}${isSkipped ? ' # SKIP' : ''}`,
        );
        const run = printed(`TAP version 13\n${body.join('\n')}\n1..${tests.length}\n`);
        const named = (isIt: (one: (typeof tests)[number]) => boolean) => tests.filter(isIt).map(({ name }) => name);
        expect(run.skipped).toEqual(named(({ isSkipped }) => isSkipped));
        expect(run.passed).toEqual(named(({ isSkipped, isOk }) => !isSkipped && isOk));
        expect(run.failed.map(({ test: name }) => name)).toEqual(named(({ isSkipped, isOk }) => !isSkipped && !isOk));
      }),
    );
  });
});

describe('the name of a test', () => {
  const failing = (test: string) => ({ test, message: '', expected: undefined, actual: undefined });
  const shown = (passed: readonly string[], wanted: string, failed: readonly string[] = []) =>
    passedOf({ passed, skipped: [], failed: failed.map(failing) }, [wanted]).length === 1;

  it.each([
    ['a user can log in', 'a user can log in'],
    ['v.test.ts > login > a user can log in', 'a user can log in'],
    ['v.test.ts > login > a user can log in', 'login > a user can log in'],
    ['v.test.ts > login > a user can log in', '  A user\tcan  log in '],
    ['login › a user can log in', 'a user can log in'],
    ['test_login.py::TestLogin::test_a_user', 'TestLogin::test_a_user'],
    ['TestLogin/a_user_can_log_in', 'a user can log in'],
    ['tests::a_user_can_log_in', 'a_user_can_log_in'],
  ])('%j is meant by %j', (test, wanted) => {
    expect(shown([test], wanted)).toBe(true);
  });

  it.each([
    ['a user cannot log in', 'a user can log in'],
    ['a user can log in with a key', 'a user can log in'],
    ['an admin or a user can log in', 'a user can log in'],
    ['login > a user', 'login'],
    ['reads and/or writes', 'or writes'],
    ['test_a_user_can_log_in', 'a user can log in'],
  ])('%j is not meant by %j', (test, wanted) => {
    expect(shown([test], wanted)).toBe(false);
  });

  it('shows nothing while another test of that name fails', () => {
    expect(shown(['a > adds up'], 'adds up', ['b > adds up'])).toBe(false);
    expect(shown(['a > adds up'], 'a > adds up', ['b > adds up'])).toBe(true);
  });

  it('is given back as it was wanted, once', () => {
    const run = { passed: ['a > adds up'], failed: [], skipped: [] };
    expect(passedOf(run, ['Adds up', 'other', 'Adds up'])).toEqual(['Adds up']);
  });
});
