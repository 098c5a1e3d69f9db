/** Reports that are written at random, by writers that share nothing with the readers, read back the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, type Report } from '../../../src/machines/hub/report.ts';
import { readReport } from '../../../src/spokes/readers/report.ts';

type Kind = 'tap' | 'junit' | 'eslint' | 'tsc' | 'sarif';

/** A text of a line, with the characters that formats give a meaning. */
const word = fc
  .stringMatching(/^[a-z<>&"' #\\:.(){}é]{1,20}$/)
  .map((text) => text.trim())
  .filter((text) => text !== '');
const file = fc.stringMatching(/^[a-z]{1,8}\/[a-z ]{0,3}[a-z]{1,8}\.ts$/);
const place = fc.integer({ min: 1, max: 99_999 });
const level = fc.constantFrom('error' as const, 'warning' as const);
const rule = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/);

const finding = fc.record({ rule, level, message: word, file, line: place, column: place });
const findings = fc.array(finding, { maxLength: 8 });

interface Test {
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly message: string;
}
const test = fc.record({
  name: fc.stringMatching(/^[a-z<>&"' #:.é]{1,20}$/).map((text) => `t${text}t`),
  result: fc.constantFrom('passed' as const, 'failed' as const, 'skipped' as const),
  message: word,
});
const group = fc.record({
  name: fc.stringMatching(/^[a-z]{1,8}$/),
  tests: fc.array(test, { minLength: 1, maxLength: 5 }),
});
const groups = fc.array(group, { minLength: 1, maxLength: 4 });
type Group = typeof group extends fc.Arbitrary<infer Value> ? Value : never;

function eslint(found: readonly Finding[]): string {
  const files = [...new Set(found.map((one) => one.file))];
  return JSON.stringify(
    files.map((filePath) => ({
      filePath,
      messages: found
        .filter((one) => one.file === filePath)
        .map((one) => ({ ...one, file: undefined, ruleId: one.rule, severity: one.level === 'error' ? 2 : 1 })),
    })),
  );
}

function sarif(found: readonly Finding[]): string {
  const results = found.map((one) => ({
    ...{ ruleId: one.rule, level: one.level, message: { text: one.message.replaceAll('{', '(') } },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(one.file!) },
          region: { startLine: one.line, startColumn: one.column },
        },
      },
    ],
  }));
  return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'x' } }, results }] }, null, 1);
}

function tsc(found: readonly Finding[]): string {
  return found.map((one) => `${one.file}(${one.line},${one.column}): ${one.level} TS1: ${one.message}\n`).join('');
}

function tapLine({ name, result, message }: Test, number: number, indent: string): string[] {
  const escaped = name.replaceAll('#', '\\#');
  const skipped = result === 'skipped' ? ' # SKIP' : '';
  const line = `${indent}${result === 'failed' ? 'not ok' : 'ok'} ${number} - ${escaped}${skipped}`;
  return result === 'failed'
    ? [line, `${indent}  ---`, `${indent}  error: ${JSON.stringify(message)}`, `${indent}  ...`]
    : [line];
}

function tap(all: readonly Group[], isBuffered: boolean): string {
  const lines = all.flatMap(({ name, tests }, index) => {
    const within = [...tests.flatMap((one, at) => tapLine(one, at + 1, '    ')), `    1..${tests.length}`];
    const isBad = tests.some(({ result }) => result === 'failed');
    const line = `${isBad ? 'not ok' : 'ok'} ${index + 1} - ${name}`;
    return isBuffered ? [`${line} {`, ...within, '}'] : [`# Subtest: ${name}`, ...within, line];
  });
  const plan = `1..${all.length}`;
  const whole = isBuffered ? [plan, ...lines] : [...lines, plan];
  return `TAP version 14\n${whole.join('\n')}\n`;
}

const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

function junit(all: readonly Group[]): string {
  const suites = all.map(({ name, tests }) => {
    const cases = tests.map(({ name: title, result, message }) => {
      const inner = { passed: '', failed: `<failure message="${xml(message)}"/>`, skipped: '<skipped/>' }[result];
      return `<testcase classname="${name}" name="${xml(title)}">${inner}</testcase>`;
    });
    return `<testsuite name="${name}">${cases.join('\n')}</testsuite>`;
  });
  return `<?xml version="1.0"?>\n<testsuites>${suites.join('')}</testsuites>`;
}

/** The report of groups of tests, as written here. */
function reportOf(all: readonly Group[]): Report {
  const tests = all.flatMap((one) => one.tests.map((each) => ({ ...each, rule: `${one.name} > ${each.name}` })));
  const count = (wanted: Test['result']) => tests.filter(({ result }) => result === wanted).length;
  return {
    findings: tests
      .filter(({ result }) => result === 'failed')
      .map(({ rule: name, message }) => {
        return { rule: name, level: 'error', message, file: null, line: null, column: null };
      }),
    tests: { passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
  };
}

/** Reads every beginning of a text that is not the whole, and gives those that read otherwise than as a failure. */
function good(kind: Kind, text: string): string[] {
  const found: string[] = [];
  for (let length = 0; length < text.trimEnd().length; length++) {
    try {
      const { tests, findings: left } = readReport(kind, text.slice(0, length));
      if (tests === null || (tests.failed === 0 && !left.some((one) => one.level === 'error')))
        found.push(text.slice(0, length));
    } catch {
      // Refused, as it should be.
    }
  }
  return found;
}

const byFile = (found: readonly Finding[]) =>
  [...new Set(found.map((one) => one.file))].flatMap((name) => found.filter((one) => one.file === name));

describe('a report that is written', () => {
  it('reads back the same from JSON of ESLint', () => {
    fc.assert(
      fc.property(findings, (found) => {
        expect(readReport('eslint', eslint(found)).findings).toEqual(byFile(found));
      }),
    );
  });

  it('reads back the same from SARIF', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const plain = found.map((one) => ({ ...one, message: one.message.replaceAll('{', '(') }));
        expect(readReport('sarif', sarif(found)).findings).toEqual(plain);
      }),
    );
  });

  it('reads back the same from lines of tsc', () => {
    fc.assert(
      fc.property(findings, (found) => {
        expect(readReport('tsc', tsc(found)).findings).toEqual(found.map((one) => ({ ...one, rule: 'TS1' })));
      }),
    );
  });

  it('reads back the same from TAP, whichever way its groups are written', () => {
    fc.assert(
      fc.property(groups, fc.boolean(), (all, isBuffered) => {
        expect(readReport('tap', tap(all, isBuffered))).toEqual(reportOf(all));
      }),
    );
  });

  it('reads back the same from XML of JUnit', () => {
    fc.assert(
      fc.property(groups, (all) => {
        expect(readReport('junit', junit(all))).toEqual(reportOf(all));
      }),
    );
  });

  it('never reads as good when it was cut at any place', () => {
    fc.assert(
      fc.property(groups, findings, fc.boolean(), (all, found, isBuffered) => {
        expect(good('tap', tap(all, isBuffered))).toEqual([]);
        expect(good('junit', junit(all))).toEqual([]);
        expect(good('eslint', eslint(found))).toEqual([]);
        expect(good('sarif', sarif(found))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});
