/**
 * The hand-off of a command that hands off by its exit code, and by its report if it has a reader: both have to be good
 * for the good outcome of its role. Pure.
 */
import { plainLine } from '../../plain-text.ts';
import { textBytes } from '../../text-bytes.ts';
import { HANDOFF_BYTES_MAX } from '../limits.ts';
import { fits } from '../rules/value-size.ts';
import { handoffSaid } from './handoff.ts';
import { isProgress, outcomesOf } from './handoff-rules.ts';
import { type Finding, type Report } from './report.ts';
import { type Role } from './roles.ts';

/** The end of a command that hands off by its exit code. */
export interface ReadEnd {
  readonly command: string;
  readonly exitCode: number;
  /** Null without a reader, or if it could not be read. */
  readonly report: Report | null;
  /** Why the report could not be read. */
  readonly unread?: string | undefined;
}

/** Bytes of findings in a hand-off: half of it, by the same estimate. All of them are in the tool's own report. */
const FINDINGS_BYTES_MAX = HANDOFF_BYTES_MAX / 2;

/** Findings that are named as blockers, and characters of each: for prompts and people, who read the first ones. */
const BLOCKERS_MAX = 10;
const BLOCKER_CHARS_MAX = 500;

/** Characters of a name of a test in a reason. */
const NAME_CHARS_MAX = 200;
/** Characters of a reason: as many as a hand-off takes. */
const REASON_CHARS_MAX = 2_000;

const LEVELS = ['error', 'warning', 'note'] as const;

/** Bad outcomes by what is bad, the most fitting ones first. */
const BAD = {
  unread: ['build-failed', 'failed', 'blocked'],
  tests: ['tests-failed', 'failed', 'issues', 'blocked'],
  findings: ['issues', 'build-failed', 'failed', 'blocked'],
} as const;

/** Whether a command has ended well: with exit code 0, and a report without errors in which some test has passed. */
export function hasEndedWell({ exitCode, report, unread }: ReadEnd): boolean {
  if (exitCode !== 0 || unread !== undefined) return false;
  if (report === null) return true;
  const { findings, tests } = report;
  return !findings.some(isError) && (tests === null || (tests.failed === 0 && tests.passed > 0));
}

/** The outcome of a role for a command. Undefined for a role that hands nothing off. */
function outcomeOf(role: Role, end: ReadEnd): string | undefined {
  const outcomes = Object.keys(outcomesOf(role));
  if (hasEndedWell(end)) return role === 'Tester' ? 'passed' : outcomes[0];
  const { report, unread } = end;
  const read = report === null ? [] : BAD[report.tests === null ? 'findings' : 'tests'];
  const fitting: readonly string[] = unread === undefined ? read : BAD.unread;
  const known = fitting.find((outcome) => outcomes.includes(outcome));
  return known ?? outcomes.find((outcome) => !isProgress(outcome)) ?? outcomes.at(-1);
}

/** The hand-off of a command; null for a role that hands nothing off. */
export function reportHandoff({ role, hub }: { readonly role: Role; readonly hub: Role }, end: ReadEnd) {
  const outcome = outcomeOf(role, end);
  if (outcome === undefined) return null;
  const { command, exitCode, report, unread } = end;
  const [next] = outcomesOf(role)[outcome]!;
  const reason = reasonOf(end).slice(0, REASON_CHARS_MAX);
  const isRead = report !== null || unread !== undefined;
  const findings = report?.findings ?? [];
  const named = worstFirst(findings).slice(0, BLOCKERS_MAX).map(blockerOf);
  const blockers = named.length === 0 ? [reason] : named;
  return handoffSaid.parse({
    ...{ to: hub, outcome, reason },
    recommended: next === 'hub' ? null : next,
    build: { command: command.slice(0, 2_000), exitCode },
    testsPass: isRead ? testsPass(end) : exitCode === 0,
    data: {
      blockers: isRead && !hasEndedWell(end) ? blockers : [],
      ...(report !== null && { findings: { total: findings.length, shown: shownOf(findings) } }),
    },
  });
}

/** Whether the tests of a report passed; null if none ran. */
function testsPass({ exitCode, report }: ReadEnd): boolean | null {
  const { passed, failed } = report?.tests ?? { passed: 0, failed: 0 };
  return passed + failed === 0 ? null : failed === 0 && exitCode === 0;
}

/** The first findings, errors before others, that fit into a hand-off. */
function shownOf(findings: readonly Finding[]): Finding[] {
  // Read once: an estimate of the whole list for each finding would take quadratic time.
  let left = FINDINGS_BYTES_MAX;
  const shown = worstFirst(findings).filter((one) => (left -= textBytes(JSON.stringify(one))) >= 0);
  while (!fits(shown, FINDINGS_BYTES_MAX)) shown.pop();
  return shown;
}

function blockerOf({ rule, file, line, message }: Finding): string {
  const place = file === null ? rule : [file, line ?? []].flat().join(':');
  return plainLine([place || [], message].flat().join(': ')).slice(0, BLOCKER_CHARS_MAX);
}

function worstFirst(findings: readonly Finding[]): Finding[] {
  return [...findings.filter(isError), ...findings.filter((one) => !isError(one))];
}

function isError({ level }: Finding): boolean {
  return level === 'error';
}

/** Says in one sentence what came of a command. */
function reasonOf({ exitCode, report, unread }: ReadEnd): string {
  const code = `the command ended with exit code ${exitCode}`;
  if (unread !== undefined) return `${code}, and what it reported could not be read: ${plainLine(unread)}`;
  if (report === null) return code;
  const { findings, tests } = report;
  const said = tests === null ? findingsText(findings) : testsText(tests, findings);
  // The code is told where the report does not explain it.
  const isExplained = findings.some(isError) || (tests?.failed ?? 0) > 0;
  return exitCode === 0 || isExplained ? said : `${said}, but ${code}`;
}

function findingsText(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'no findings';
  const numbers = LEVELS.map((level) => [findings.filter((one) => one.level === level).length, level] as const);
  const figures = numbers.filter(([number]) => number > 0).map(([number, level]) => counted(number, level));
  const files = new Set(findings.flatMap(({ file }) => file ?? [])).size;
  return figures.join(' and ') + (files === 0 ? '' : ` in ${counted(files, 'file')}`);
}

function testsText({ passed, failed, skipped }: NonNullable<Report['tests']>, findings: readonly Finding[]): string {
  const left = skipped === 0 ? '' : `, ${skipped} ${skipped === 1 ? 'is' : 'are'} skipped`;
  if (passed + failed === 0) return `no test ran${left}`;
  const passes = `${counted(passed, 'test')} ${passed === 1 ? 'passes' : 'pass'}`;
  if (failed === 0) return passes + left;
  const name = plainLine(findings.find(isError)?.rule ?? '').slice(0, NAME_CHARS_MAX);
  const first = name === '' ? '' : `: ${name}${failed > 1 ? ` and ${failed - 1} more` : ''}`;
  return `${passes}, ${failed} ${failed === 1 ? 'fails' : 'fail'}${left}${first}`;
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
