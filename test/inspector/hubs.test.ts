/** The rules of the page of hubs: the tree of sessions, what they are, figures, and orders. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineageEntry, NOT_VERIFIED } from '../../src/machines/hub/handoff.ts';
import { type SessionEntry } from '../../src/machines/hub/session-records.ts';
import { type OpenSession } from '../../src/machines/hub/work-plan.ts';
import { runRows } from '../../src/inspector/desks/desk-records.ts';
import { type RunRow } from '../../src/inspector/desks/desk-shapes.ts';
import { resumeRun, stopRun } from '../../src/inspector/hubs/run-orders.ts';
import {
  type Branch,
  budgetOf,
  diffLines,
  lineageOf,
  mismatchesIn,
  saidIn,
  sessionsOf,
  sessionState,
  verifiedIn,
  wordsOf,
} from '../../src/inspector/hubs/sessions.ts';

interface Node {
  readonly session: string;
  readonly parent: string;
}

/** Sessions whose hubs are earlier ones, the run, or unknown. */
const trees = fc
  .array(fc.integer({ min: -2, max: 60 }), { maxLength: 60 })
  .map((parents): Node[] =>
    parents.map((parent, at) => ({ session: `R-1-${at + 1}`, parent: parent <= 0 ? 'R-1' : `R-1-${parent}` })),
  );

/** The branches from top to bottom, as the page shows them. */
const all = (below: readonly Branch<Node>[]): Branch<Node>[] =>
  below.flatMap((branch) => [branch, ...all(branch.below)]);
/** Ids and columns of the shown sessions, from top to bottom. */
const places = (sessions: readonly Node[], shown = 100) =>
  all(lineageOf(sessions, shown).below).map(({ of, depth }) => [of.session, depth]);

describe('the lineage of a run', () => {
  it('has every session once, below its hub and in the column behind it', () => {
    fc.assert(
      fc.property(trees, (sessions) => {
        const { below, columns, left } = lineageOf(sessions, sessions.length);
        const branches = all(below);
        expect([branches.length, left]).toEqual([sessions.length, 0]);
        expect(new Set(branches.map(({ of }) => of))).toEqual(new Set(sessions));
        expect(columns).toBe(Math.max(1, ...branches.map(({ depth }) => depth)));
        for (const { of } of below)
          expect(sessions.slice(0, sessions.indexOf(of)).some(({ session }) => session === of.parent)).toBe(false);
        for (const hub of branches)
          for (const { of, depth } of hub.below) expect([of.parent, depth]).toEqual([hub.of.session, hub.depth + 1]);
      }),
    );
  });

  it('has sessions below each other in the order of their starts, and those of a nested hub beside it', () => {
    const sessions = ['R-1', 'R-1', 'R-1-2', 'R-1-2', 'R-1'].map((parent, at) => ({
      session: `R-1-${at + 1}`,
      parent,
    }));
    expect(places(sessions)).toEqual([
      ['R-1-1', 1],
      ['R-1-2', 1],
      ['R-1-3', 2],
      ['R-1-4', 2],
      ['R-1-5', 1],
    ]);
    expect(lineageOf(sessions, 100)).toMatchObject({ columns: 2, left: 0 });
  });

  it('shows the latest sessions with the hubs above them, and counts the others', () => {
    const sessions = [
      { session: 'R-1-1', parent: 'R-1' },
      { session: 'R-1-2', parent: 'R-1' },
      { session: 'R-1-3', parent: 'R-1-1' },
    ];
    expect(places(sessions, 1)).toEqual([
      ['R-1-1', 1],
      ['R-1-3', 2],
    ]);
    expect(lineageOf(sessions, 1).left).toBe(1);
    expect(lineageOf([], 1)).toEqual({ below: [], columns: 1, left: 0 });
  });

  it('ends for hubs that would be below each other or themselves', () => {
    const [a, b, c] = ['a', 'b', 'c'] as const;
    const sessions = [
      { session: a, parent: b },
      { session: b, parent: a },
      { session: c, parent: c },
    ];
    expect(places(sessions)).toEqual([
      [a, 1],
      [b, 2],
      [c, 1],
    ]);
  });

  it('looks at each of 10,000 sessions a few times only', () => {
    let looks = 0;
    const sessions = Array.from({ length: 10_000 }, (_, at) => ({
      session: `R-1-${at + 1}`,
      get parent() {
        looks += 1;
        return at % 3 === 0 ? 'R-1' : `R-1-${at - (at % 3) + 1}`;
      },
    }));
    expect(lineageOf(sessions.slice(0, 1_000), 1_000)).toMatchObject({ columns: 2, left: 0 });
    expect(lineageOf(sessions, 50).left).toBe(9_949);
    expect(looks).toBeLessThan(2 * 11_000);
  });
});

const FACTS = { run: 'R-1', role: 'Executor', parent: 'R-1', depth: 1, step: null, handoff: null } as const;
const open = (session: string, startedAtMs: number, changes: Partial<OpenSession> = {}): OpenSession => ({
  ...{ ...FACTS, session, hub: 'Coordinator', isBuildCheck: false, startedAtMs },
  ...changes,
});
const closed = (session: string, startedAtMs: number, changes: Partial<SessionEntry> = {}): SessionEntry => ({
  ...{ ...FACTS, session, plan: 'WP-1', startedAtMs, endedAtMs: startedAtMs + 9, outcome: 'done', isForced: false },
  ...{ summary: '', usage: { ms: 9, steps: 0, tokens: 0, costUsd: 0 }, artifacts: [], output: null },
  ...changes,
});
const DATA: LineageEntry['data'] = {
  ...{ recommendation: 'Reviewer', steps_completed: [], files_modified: ['a.ts'], blockers: [], next_steps: [] },
  ...{ budget_exceeded: false, scope_escalation: false },
};
const entry = (session: string, changes: Partial<LineageEntry> = {}): LineageEntry => ({
  ...{ seq: 1, atMs: 0, plan: 'WP-1', run: 'R-1', session, from: 'Executor', to: 'Coordinator', outcome: 'done' },
  ...{ recommended: 'Reviewer', reason: 'it is done', data: DATA, verified: NOT_VERIFIED },
  ...changes,
});

describe('sessions of a run', () => {
  it('are those of the run alone, each once and in the order of their starts, whatever is heard of first', () => {
    const sessions = sessionsOf('R-1', {
      open: [open('R-1-11', 5), open('R-1-1', 1), open('R-2-1', 1, { run: 'R-2' })],
      closed: [closed('R-1-10', 5), closed('R-1-1', 1), closed('R-0-1', 1, { run: 'R-0' })],
      lineage: [entry('R-1-1')],
    });
    expect(sessions.map(({ session }) => session)).toEqual(['R-1-1', 'R-1-10', 'R-1-11']);
    expect(sessions[0]).toMatchObject({ closed: { outcome: 'done' }, handoff: { reason: 'it is done' } });
  });

  it.each([
    [undefined, undefined, 'at work', 'task running'],
    [undefined, entry('R-1-1'), 'has handed off', 'task running'],
    [closed('R-1-1', 1), undefined, 'done', 'good'],
    [closed('R-1-1', 1, { outcome: 'scopeEscalated' }), undefined, 'scope escalated', 'warn'],
    [closed('R-1-1', 1, { outcome: 'failed', isForced: true }), undefined, 'failed, closed by its hub', 'bad'],
  ])('stand as their end and their hand-off say (%#)', (ended, handoff, words, tone) => {
    expect(sessionState({ closed: ended, handoff })).toEqual([words, tone]);
  });
});

describe('a hand-off', () => {
  it('is shown as it was said, without what was left empty', () => {
    expect(saidIn(entry('R-1-1', { recommended: null, outcome: null }))).toEqual({
      ...{ recommends: 'nobody', reason: 'it is done', files_modified: ['a.ts'] },
    });
  });

  it('says beside it what was found out, or that nobody looked', () => {
    expect(verifiedIn(entry('R-1-1'))).toEqual({
      ...{ 'changed files': 'nobody looked', 'outside the scope': 'nobody looked' },
      ...{ build: 'nobody looked', 'off script': 'none' },
    });
    const verified = {
      files: ['a.ts'],
      outOfScope: [],
      signs: ['unexpected-files'],
      build: { command: 'make', exitCode: 2 },
    };
    expect(verifiedIn(entry('R-1-1', { verified }))).toEqual({
      ...{ 'changed files': ['a.ts'], 'outside the scope': 'none' },
      ...{ build: 'make: exit code 2', 'off script': ['unexpected-files'] },
    });
  });
});

describe('the files of a hand-off', () => {
  const of = (said: readonly string[], files: string[] | null) =>
    mismatchesIn({ data: { ...DATA, files_modified: [...said] }, verified: { ...NOT_VERIFIED, files } });

  it('are named where they were said and did not change, or changed and were not said', () => {
    expect(of(['./a.ts', 'b.ts'], ['a.ts', 'c.ts'])).toEqual([
      'b.ts is said to be modified, and did not change',
      'c.ts changed, and was not said',
    ]);
  });

  it('are not named where all is as said, or nobody looked', () => {
    expect([of(['a.ts'], ['a.ts']), of(['a.ts'], null)]).toEqual([[], []]);
  });
});

describe('a diff', () => {
  const tones = (...lines: string[]) => diffLines(`${lines.join('\n')}\n`).map(([tone]) => tone);

  it('has a tone for each line: heads, hunks, added, removed, and neither', () => {
    const head = ['diff --git a/a b/a', '--- a/a', '+++ b/a'];
    const hunk = ['@@ -1,2 +1,2 @@ f', ' same', '-old', '+new', '\\ No newline at end of file'];
    const tonesOfFile = ['quiet', 'quiet', 'quiet', 'key', '', 'bad', 'good', 'quiet'];
    expect(tones(...head, ...hunk, ...head, '@@ -0,0 +1 @@', '+++ b/a')).toEqual([
      ...[...tonesOfFile, 'quiet', 'quiet', 'quiet'],
      ...['key', 'good'],
    ]);
  });

  it('takes a removed line that looks like a head for what it is, and an empty one for neither', () => {
    expect(tones('@@ -1,2 +1 @@', '--- a/secrets', '')).toEqual(['key', 'bad', '']);
  });

  it('may end anywhere, as one that was cut does', () => {
    expect(tones('--- a/a', '@@ -1,9 +1,9 @@', '-o')).toEqual(['quiet', 'key', 'bad']);
  });
});

describe('an answer', () => {
  const go = { choice: 'spawn', role: 'Executor' } as const;

  it.each([
    [{ ...go, allow: ['a.ts'] }, 'Allow this file and go on'],
    [{ ...go, allow: ['a.ts', 'b.ts'] }, 'Allow these files and go on'],
    [{ ...go, extraUsd: 1.25 }, 'Give $1.25 more and go on'],
    [{ ...go, extraSpawns: 3 }, 'Give 3 more sessions and go on'],
    [go, 'Have Executor go on'],
    [{ choice: 'stop' } as const, 'Stop'],
  ])('is a button with words that say what it does (%#)', (answer, words) => {
    expect(wordsOf(answer)).toBe(words);
  });
});

const row = (number: number, changes: Partial<RunRow> = {}): RunRow => ({
  ...{ id: `R-${number}`, number, plan: `WP-${number}`, title: 'mend it', hub: 'Coordinator', status: 'running' },
  ...{ because: '', startedAtMs: 1_000, endedAtMs: null, sessions: 0, spentUsd: 0, isOver: false, ref: null },
  ...changes,
});

describe('runs', () => {
  it('are listed with those first that are not over, each the latest first', () => {
    const view = (...rows: RunRow[]) => ({
      size: rows.length,
      next: null,
      rows: Object.fromEntries(rows.map((one) => [`${one.isOver ? 1 : 0} ${one.number}`, one])),
    });
    const over = { isOver: true, status: 'completed' } as const;
    const context = { rows: view(row(2), row(4), row(1, over), row(3, over)) };
    expect(runRows(context as never).rows.map(({ id }) => id)).toEqual(['R-4', 'R-2', 'R-3', 'R-1']);
  });

  it('say what they have used, and of how much while their hub is there', () => {
    const hub = {
      budget: { max: { costUsd: 5, tokens: null }, spent: { costUsd: 0.0421, tokens: 0 }, reserved: {} },
      limits: { spawns: 12, concurrent: 1, timeMs: 3_600_000, costUsd: 4, tokens: null, answerMs: 1 },
      spawned: 3,
    };
    const figures = budgetOf(row(1), hub, 62_900);
    expect(figures.map(([, used]) => used)).toEqual(['3 of 12', '$0.0421 of $5.00', '1 min 1 s of 1 h']);
    const ended = row(1, { endedAtMs: 3_500, sessions: 4, spentUsd: 0.5 });
    expect(budgetOf(ended, undefined, 0).map(([, used]) => used)).toEqual(['4', '$0.50', '2 s']);
    const counted = { ...hub.budget, max: { costUsd: null, tokens: 9_000 }, spent: { costUsd: 0, tokens: 700 } };
    expect(budgetOf(row(1), { ...hub, budget: counted }, 62_900).slice(1, 3)).toEqual([
      ['spent', '$0.00'],
      ['tokens', '700 of 9,000'],
    ]);
    expect(budgetOf(row(1, { spentTokens: 700 }), undefined, 0)[2]).toEqual(['tokens', '700']);
    const richer = { ...hub, budget: { ...hub.budget, max: { costUsd: 7.5, tokens: null } } };
    expect(budgetOf(row(1), richer, 1_000)[1]).toEqual(['spent', '$0.0421 of $7.50']);
    expect(budgetOf(row(1), { ...hub, limits: { ...hub.limits, timeMs: null } }, 1_000)[2]).toEqual(['time', '0 ms']);
  });

  it('are stopped and resumed by orders to their desk, in the name of a person', () => {
    const { eventOf, address, isDangerous } = stopRun('hubs', 'R-1', 'immediate');
    expect([address, isDangerous]).toEqual(['hubs', true]);
    expect(eventOf({ by: 'ada' }, 0)).toEqual({ type: 'hub.stop', run: 'R-1', level: 'immediate', by: 'ada' });
    expect(resumeRun('hubs', 'R-1').eventOf({ by: 'ada' }, 0)).toEqual({ type: 'hub.resume', run: 'R-1', by: 'ada' });
  });
});
