/**
 * The report and the timetable of a release. The report says what was decided and why, and has no times: it is the same
 * whatever happened to the process meanwhile. Times are in the timetable.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type System } from 'bosun';
import { ROLES } from './profiles.ts';
import { type SessionResult } from './session.ts';
import { textOfReply } from './steps.ts';
import { type Workplace } from './workplace.ts';

interface TaskFacts {
  readonly id: string;
  readonly title: string;
  readonly kind: 'feature' | 'fix' | 'investigation';
  readonly status: string;
  readonly parent: string | null;
  readonly check: { readonly checks: number; readonly flawed: number } | null;
}

interface Session extends SessionResult {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** The tasks of the plan, and those that mend them. */
export async function tasksOf(system: System): Promise<readonly TaskFacts[]> {
  const page = await system.ask<{ readonly tasks: readonly TaskFacts[] }>('delivery/orchestrator', {
    type: 'tasks.list',
  });
  return page.tasks;
}

/** Writes report and timetable, and resolves with their paths. */
export async function reportOn(
  { system, data, repository, outside }: Workplace,
  { version, by }: { readonly version: string; readonly by: string },
): Promise<string[]> {
  const tasks = await tasksOf(system());
  const sessions = await sessionsOf(system());
  const tree = await repository.git('rev-parse', `v${version}^{tree}`);
  const changes = await repository.git('diff', '--stat', 'v1.0.0', `v${version}`);
  const report = [
    `# Release ${version}`,
    `Released by ${by}. The merged tree is \`${tree}\`.`,
    '## Changes',
    ['```', changes, '```'].join('\n'),
    '## Tasks',
    tasks
      .map((task) =>
        taskText(
          task,
          sessions.filter(({ directive }) => directive.taskId === task.id),
        ),
      )
      .join('\n\n'),
    '## Outside',
    'Each of these was done once, however often it was asked for:',
    outside
      .counted()
      .filter(({ key }) => key !== null)
      .map(({ what }) => `- ${what}`)
      .sort()
      .join('\n'),
  ].join('\n\n');
  const paths = { report: join(data, 'report.md'), timetable: join(data, 'timetable.md') };
  writeFileSync(paths.report, `${report}\n`);
  writeFileSync(paths.timetable, timetable(sessions));
  return Object.values(paths);
}

/** The sessions that have ended, in the order of their names. */
async function sessionsOf(system: System): Promise<Session[]> {
  const { runs } = await system.runs({ agent: 'session', status: 'done', limit: 1_000 });
  return runs
    .map(({ output, startedAtMs, endedAtMs }) => ({
      ...(output as SessionResult),
      ...{ startedAtMs: startedAtMs ?? endedAtMs, endedAtMs },
    }))
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
}

function taskText({ id, title, status, check, parent }: TaskFacts, sessions: readonly Session[]): string {
  const team = sessions[0]?.team;
  const lines = [
    ...(team ? ROLES.map((role) => `${role}: ${team[role].agent} (${team[role].reason})`) : []),
    ...sessions.flatMap((session) => storyOf(session)),
    ...(check && check.flawed > 0 ? [`failed ${check.flawed} of ${check.checks} checks, and was mended`] : []),
    parent === null ? `now ${status}` : `now ${status}, with ${parent}`,
  ];
  return [`### ${id}: ${title}`, ...lines.map((line) => `- ${line}`)].join('\n');
}

/** The questions, disputes and files of a session, in a line each. */
function storyOf({ reply, objection, settled, files, tests, status }: Session): string[] {
  return [
    ...(reply !== null && reply.answer !== null ? [`asked: ${textOfReply(reply)}`] : []),
    ...(objection ? [`disputed: ${objection.finding}; ${objection.evidence}`] : []),
    ...(settled ? [`settled: ${settled.statement} (credibility ${settled.scores?.join(' to ') ?? 'unknown'})`] : []),
    ...(status === 'done' && tests ? [`wrote ${files.join(', ')}; tests passed: ${tests.passes}`] : []),
  ];
}

/** The times of all sessions, as a picture and as a table. */
function timetable(sessions: readonly Session[]): string {
  const first = Math.min(...sessions.map(({ startedAtMs }) => startedAtMs));
  const seconds = (ms: number) => ((ms - first) / 1_000).toFixed(1);
  const bars = sessions.map((session) => {
    const { directive, startedAtMs, endedAtMs } = session;
    return `  section ${directive.taskId}\n  ${nameOf(session)} :${startedAtMs - first}, ${endedAtMs - first}`;
  });
  const rows = sessions.map((session) => {
    const { directive, team, startedAtMs, endedAtMs } = session;
    const coder = team?.coder.agent ?? '';
    return `| ${nameOf(session)} | ${directive.title} | ${coder} | ${seconds(startedAtMs)} | ${seconds(endedAtMs)} |`;
  });
  return [
    '# Timetable',
    ['```mermaid', 'gantt', '  dateFormat x', '  axisFormat %M:%S', ...bars, '```'].join('\n'),
    ['| session | task | coder | from, s | to, s |', '|---|---|---|---|---|', ...rows].join('\n'),
    '',
  ].join('\n\n');
}

function nameOf({ directive }: Session): string {
  return `${directive.taskId}.${directive.attempt}`;
}
