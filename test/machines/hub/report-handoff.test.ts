/** Hand-offs of commands by their exit codes and their reports. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handoffSaid } from '../../../src/machines/hub/handoff.ts';
import { handoffProblems, isProgress, outcomesOf } from '../../../src/machines/hub/handoff-rules.ts';
import { type Finding, type Report } from '../../../src/machines/hub/report.ts';
import { type ReadEnd, hasEndedWell, reportHandoff } from '../../../src/machines/hub/report-handoff.ts';
import { type Role, ROLES } from '../../../src/machines/hub/roles.ts';
import { HANDOFF_BYTES_MAX } from '../../../src/machines/limits.ts';
import { fits } from '../../../src/machines/rules/value-size.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../../support/text-of-bytes.ts';

const found = (given: Partial<Finding> = {}): Finding => ({
  ...{ rule: 'eqeqeq', level: 'error', message: 'no', file: 'a.ts', line: 3, column: 1 },
  ...given,
});
const warning = found({ level: 'warning' });

const lint = (...findings: Finding[]): Report => ({ findings, tests: null });
const tests = (passed: number, failed: number, skipped = 0): Report => ({
  findings: Array.from({ length: failed }, (_, index) => found({ rule: `adds ${index}`, file: null, line: null })),
  tests: { passed, failed, skipped },
});

function handedOff(role: Role, end: Partial<ReadEnd>) {
  return reportHandoff({ role, hub: 'Coordinator' }, { command: 'make', exitCode: 0, report: null, ...end })!;
}

describe('the hand-off of a command with a report', () => {
  it.each([
    ['Reviewer', 0, lint(), 'approved', 'no findings'],
    ['Reviewer', 0, lint(warning), 'approved', '1 warning in 1 file'],
    ['Reviewer', 0, lint(found()), 'issues', '1 error in 1 file'],
    ['Reviewer', 1, lint(found(), found({ file: 'b.ts' }), warning), 'issues', '2 errors and 1 warning in 2 files'],
    ['Reviewer', 1, lint(warning), 'issues', '1 warning in 1 file, but the command ended with exit code 1'],
    ['Reviewer', 2, lint(), 'issues', 'no findings, but the command ended with exit code 2'],
    ['Reviewer', 0, lint(found({ level: 'note', file: null })), 'approved', '1 note'],
    ['Reviewer', 1, tests(1, 1), 'issues', '1 test passes, 1 fails: adds 0'],
    ['Tester', 0, tests(12, 0), 'passed', '12 tests pass'],
    ['Tester', 0, tests(12, 0, 2), 'passed', '12 tests pass, 2 are skipped'],
    ['Tester', 1, tests(12, 1), 'failed', '12 tests pass, 1 fails: adds 0'],
    ['Tester', 0, tests(12, 3, 1), 'failed', '12 tests pass, 3 fail, 1 is skipped: adds 0 and 2 more'],
    ['Tester', 1, tests(1, 0), 'failed', '1 test passes, but the command ended with exit code 1'],
    ['Tester', 0, tests(0, 0), 'failed', 'no test ran'],
    ['Tester', 0, tests(0, 0, 3), 'failed', 'no test ran, 3 are skipped'],
    ['Tester', 0, lint(), 'passed', 'no findings'],
    ['Executor', 0, tests(1, 0), 'done', '1 test passes'],
    ['Executor', 1, tests(0, 1), 'tests-failed', '0 tests pass, 1 fails: adds 0'],
    ['Executor', 2, lint(found()), 'build-failed', '1 error in 1 file'],
    ['Worker', 1, lint(found()), 'blocked', '1 error in 1 file'],
    ['TDDDriver', 1, tests(1, 1), 'blocked', '1 test passes, 1 fails: adds 0'],
    ['Researcher', 1, lint(found()), 'continues', '1 error in 1 file'],
  ] as const)('is for a %s with exit code %i, and %j: %s, because %s', (role, exitCode, report, outcome, reason) => {
    const said = handedOff(role, { exitCode, report });
    expect(said).toMatchObject({ outcome, reason, build: { command: 'make', exitCode } });
    expect(handoffProblems({ role, hub: 'Coordinator', isBuildCheck: true }, said)).toEqual([]);
  });

  it.each([
    ['Reviewer', 2, 'build-failed'],
    ['Reviewer', 0, 'build-failed'],
    ['Executor', 2, 'build-failed'],
    ['Tester', 2, 'failed'],
    ['TDDDriver', 0, 'blocked'],
  ] as const)('says for a %s with exit code %i that no report could be read: %s', (role, exitCode, outcome) => {
    const said = handedOff(role, { exitCode, unread: 'it is empty;\nrun eslint with -f json' });
    const code = `the command ended with exit code ${exitCode}`;
    const reason = `${code}, and what it reported could not be read: it is empty; run eslint with -f json`;
    expect(said).toMatchObject({ outcome, reason, testsPass: null, data: { blockers: [reason] } });
  });

  it('says whether tests passed, and null where none ran', () => {
    expect(handedOff('Tester', { report: tests(1, 0) }).testsPass).toBe(true);
    expect(handedOff('Tester', { report: tests(1, 1) }).testsPass).toBe(false);
    expect(handedOff('Tester', { report: tests(1, 0), exitCode: 1 }).testsPass).toBe(false);
    expect(handedOff('Tester', { report: tests(0, 0, 1) }).testsPass).toBe(null);
    expect(handedOff('Reviewer', { report: lint() }).testsPass).toBe(null);
    expect(handedOff('Tester', { exitCode: 0 }).testsPass).toBe(true);
    expect(handedOff('Tester', { exitCode: 1 }).testsPass).toBe(false);
  });

  it('names the first findings as blockers, errors first, and all that fit as data', () => {
    const notes = Array.from({ length: 30 }, (_, line) => found({ level: 'warning', line: line + 1 }));
    const report = lint(...notes, found({ line: null, message: 'two\n  lines' }), found({ file: null }));
    const { data } = handedOff('Reviewer', { exitCode: 1, report });
    expect(data.blockers).toHaveLength(10);
    expect(data.blockers.slice(0, 3)).toEqual(['a.ts: two lines', 'eqeqeq: no', 'a.ts:1: no']);
    expect(data.findings).toEqual({ total: 32, shown: [...report.findings.slice(30), ...notes] });
  });

  it('has warnings with it where it is good, and no blockers', () => {
    expect(handedOff('Reviewer', { report: lint(warning) }).data).toMatchObject({
      blockers: [],
      findings: { total: 1, shown: [warning] },
    });
  });

  it('stays as it was without a reader', () => {
    const said = handedOff('Reviewer', { exitCode: 3 });
    expect(said).toMatchObject({ outcome: 'build-failed', reason: 'the command ended with exit code 3' });
    expect(said.data).toEqual(handoffSaid.parse({ reason: 'x' }).data);
    expect(reportHandoff({ role: 'Archivist', hub: 'Coordinator' }, { command: 'a', exitCode: 0, report: null })).toBe(
      null,
    );
  });
});

describe('hand-offs of any report', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 1_000 });
  const aFinding = fc.record({
    rule: fc.option(fc.string({ maxLength: 300 })),
    level: fc.constantFrom('error' as const, 'warning' as const, 'note' as const),
    message: text,
    file: fc.option(fc.string({ maxLength: 4_096 })),
    line: fc.option(fc.integer({ min: 1 })),
    column: fc.option(fc.integer({ min: 1 })),
  });
  const count = fc.nat({ max: 3 });
  const aReport = fc.record({
    findings: fc.array(aFinding, { maxLength: 60 }),
    tests: fc.option(fc.record({ passed: count, failed: count, skipped: count })),
  });
  const anEnd = fc.record({
    command: text,
    exitCode: fc.constantFrom(0, 0, 1, 2, 127),
    report: fc.option(aReport),
    unread: fc.option(text, { nil: undefined }),
  });

  it('fit the table of their role and the bound, and are good for those that ended well alone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ROLES), anEnd, (role, end) => {
        const said = reportHandoff({ role, hub: 'Coordinator' }, end);
        if (said === null) return;
        const outcomes = Object.keys(outcomesOf(role));
        const bad = outcomes.filter((outcome) => !isProgress(outcome));
        expect(handoffProblems({ role, hub: 'Coordinator', isBuildCheck: true }, said)).toEqual([]);
        expect(fits(said, HANDOFF_BYTES_MAX)).toBe(true);
        if (bad.length > 0) expect(bad.includes(said.outcome!)).toBe(!hasEndedWell(end));
      }),
    );
  });

  it('show as many findings as fit, of however many there are', () => {
    const report = lint(...Array.from({ length: 50_000 }, (_, line) => found({ line: line + 1 })));
    const said = handedOff('Reviewer', { exitCode: 1, report });
    const { total, shown } = said.data.findings as { readonly total: number; readonly shown: readonly Finding[] };
    expect(total).toBe(50_000);
    expect(shown.length).toBeGreaterThan(100);
    expect(shown).toEqual(report.findings.slice(0, shown.length));
    expect(fits(said, HANDOFF_BYTES_MAX)).toBe(true);
  });

  it.each(WIDE_CHARACTERS)('B6: show findings in %s up to half a hand-off in bytes', (character) => {
    const finding = found({ message: textOfBytes(1_000, character) });
    const said = handedOff('Reviewer', { exitCode: 1, report: lint(...Array.from({ length: 100 }, () => finding)) });
    const { shown } = said.data.findings as { readonly shown: readonly Finding[] };
    const bytes = Buffer.byteLength(JSON.stringify(shown));
    expect(bytes).toBeLessThanOrEqual(HANDOFF_BYTES_MAX / 2);
    expect(bytes).toBeGreaterThan(HANDOFF_BYTES_MAX / 2 - 3_000);
  });
});
