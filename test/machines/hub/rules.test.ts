/**
 * The pure rules of hub and spoke: roles, the right to spawn, the table of hand-offs, scopes,
 * budgets, steps, prompts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AmountLimits,
  exceeded,
  leftOf,
  newBudget,
  plus,
  reservationFor,
  reserve,
  settle,
} from '../../../src/machines/hub/budget.ts';
import { handoffSaid } from '../../../src/machines/hub/handoff.ts';
import {
  handoffProblems,
  outcomesOf,
  recommendationAfter,
  recommendationsOf,
} from '../../../src/machines/hub/handoff-rules.ts';
import { laneProblem } from '../../../src/machines/hub/lane.ts';
import { roleRefusal, roomRefusal } from '../../../src/machines/hub/may-spawn.ts';
import { offScriptSigns } from '../../../src/machines/hub/off-script.ts';
import { type PlanStep, type StepOrder, stepsAfter } from '../../../src/machines/hub/plan-steps.ts';
import { prepare, preparationRequest, PREPARED_MS } from '../../../src/machines/hub/preparation.ts';
import { ANTI_SPAWN, ESCALATION, promptOf } from '../../../src/machines/hub/prompt.ts';
import { REASON_CODES } from '../../../src/machines/hub/reason-codes.ts';
import { policyOf, type Role, ROLES, toolProblem } from '../../../src/machines/hub/roles.ts';
import { outOfScope, scopesMeet } from '../../../src/machines/hub/scope.ts';
import { afterPhase, firstCycle } from '../../../src/machines/hub/tdd-cycle.ts';

const HUBS: readonly Role[] = ['Coordinator', 'Analyst', 'Runner', 'TDDDriver'];
const aRole = fc.constantFrom(...ROLES);
const said = (given: object) => handoffSaid.parse({ reason: 'because', ...given });

const KINDS = ['costUsd', 'tokens'] as const;

describe('roles', () => {
  it('HS-001, HS-002: four are hubs, and the others are spokes', () => {
    expect(ROLES.filter((role) => policyOf(role).kind === 'hub')).toEqual(HUBS);
    expect(ROLES).toHaveLength(14);
    expect(policyOf('TDDDriver').spawns).toEqual(['Tester', 'Executor', 'Reviewer']);
  });

  it('HS-003, HS-006: a Worker has five steps and 50,000 tokens, and only the Archivist archives', () => {
    expect(policyOf('Worker')).toMatchObject({
      stepsMax: 5,
      contextTokensMax: 50_000,
      mayChangePlan: false,
      spawns: [],
    });
    expect(ROLES.filter((role) => policyOf(role).mayArchive)).toEqual(['Archivist']);
    const implementers = ['Analyst', 'Runner', 'Executor', 'Tester', 'Worker'];
    expect(ROLES.filter((role) => policyOf(role).mayImplement)).toEqual(implementers);
  });

  it('HS-004, HS-040: Cognition reads, and changes nothing with any tool but its life cycle', () => {
    expect(policyOf('Cognition')).toMatchObject({ mayWrite: false, mayChangePlan: false, mayArchive: false });
    const tools = ['memory_agent', 'memory_plan', 'memory_steps', 'memory_context'] as const;
    expect(tools.filter((tool) => toolProblem('Cognition', tool) === undefined)).toEqual(['memory_agent']);
  });
});

describe('the right to spawn', () => {
  /** The rules in the words of the specification, apart from the table of the source. */
  function expected(role: Role, target: Role, depth: number): string | undefined {
    if (!HUBS.includes(role) && role !== 'Revisionist') return 'spoke';
    if (target === role) return 'not-spawnable';
    if (role === 'TDDDriver' && !['Tester', 'Executor', 'Reviewer'].includes(target)) return 'not-spawnable';
    if (HUBS.includes(target) && (depth > 0 || role === 'Revisionist')) return 'hub-in-hub';
    return depth >= 2 ? 'hub-in-hub' : undefined;
  }

  it('HS-001, HS-005, HS-007, HS-009, HS-054, CN-025: is decided for every role, target and depth', () => {
    for (const role of ROLES)
      for (const target of ROLES)
        for (const depth of [0, 1, 2])
          expect([role, target, depth, roleRefusal({ role, depth }, target, 'a pivot')?.because]).toEqual([
            ...[role, target, depth],
            expected(role, target, depth),
          ]);
  });

  it('X-42: a Revisionist has to say why the plan pivots', () => {
    expect(roleRefusal({ role: 'Revisionist', depth: 1 }, 'Executor', ' ')?.because).toBe('pivot-reason-missing');
    expect(roleRefusal({ role: 'Revisionist', depth: 1 }, 'Executor', 'another port')).toBe(undefined);
  });

  it('CN-016: limits of the run are refused at their bound and not below', () => {
    const room = { isStopping: false, hasAgent: true, spawns: 9, spawnsMax: 10, open: 3, concurrent: 4 };
    const whole = { ...room, laneProblem: null, budgetProblem: null };
    expect(roomRefusal('Executor', whole)).toBe(undefined);
    expect(roomRefusal('Executor', { ...whole, spawns: 10 })?.because).toBe('limits');
    expect(roomRefusal('Executor', { ...whole, open: 4 })?.because).toBe('limits');
    expect(roomRefusal('Executor', { ...whole, isStopping: true })?.because).toBe('stopped');
    expect(roomRefusal('Executor', { ...whole, hasAgent: false })?.because).toBe('no-agent');
    expect(roomRefusal('Executor', { ...whole, laneProblem: 'taken' })?.because).toBe('lane');
    expect(roomRefusal('Executor', { ...whole, budgetProblem: 'spent' })?.because).toBe('budget');
  });
});

describe('the table of hand-offs', () => {
  /** The table of the specification: role, outcome, recommendation; null: the hub decides. */
  const ROWS: readonly (readonly [rows: string, role: Role, outcome: string, recommended: Role | null])[] = [
    ['HS-022', 'Researcher', 'complete', 'Architect'],
    ['HS-022', 'Researcher', 'continues', 'Analyst'],
    ['HS-023', 'Architect', 'ready', 'Executor'],
    ['HS-023', 'Architect', 'more-research', 'Researcher'],
    ['HS-024', 'Executor', 'done', 'Reviewer'],
    ['HS-024', 'Executor', 'tests-failed', 'Revisionist'],
    ['HS-025', 'Reviewer', 'approved', 'Tester'],
    ['HS-025', 'Reviewer', 'issues', 'Revisionist'],
    ['HS-026', 'Tester', 'tests-written', null],
    ['HS-026', 'Tester', 'passed', 'Archivist'],
    ['HS-026', 'Tester', 'failed', 'Revisionist'],
    ['HS-027', 'Revisionist', 'fixed', 'Executor'],
    ['HS-027', 'Revisionist', 're-analysis', 'Analyst'],
    ['HS-028', 'Worker', 'scope-exceeded', null],
    ['HS-029', 'Cognition', 'analysed', 'Researcher'],
    ['HS-030', 'TDDDriver', 'complete', 'Reviewer'],
    ['HS-032', 'Analyst', 'docs', 'Researcher'],
    ['HS-032', 'Analyst', 'explore', 'Brainstorm'],
    ['HS-033', 'Brainstorm', 'context-missing', 'Researcher'],
    ['HS-034', 'Runner', 'investigation', 'Analyst'],
    ['HS-034', 'Runner', 'complex', 'Coordinator'],
  ];

  it.each(ROWS)(
    '%s: %s at %s recommends %s, and nobody whom the table does not name',
    (_, role, outcome, recommended) => {
      const by = { role, hub: 'Coordinator', isBuildCheck: false } as const;
      expect(handoffProblems(by, said({ outcome, recommended }))).toEqual([]);
      const allowed: readonly string[] = outcomesOf(role)[outcome]!;
      for (const other of ROLES.filter((one) => !allowed.includes(one)))
        expect(handoffProblems(by, said({ outcome, recommended: other }))).toHaveLength(1);
    },
  );

  it('HS-018: no hand-off outside the table fits, whatever the outcome is called', () => {
    fc.assert(
      fc.property(aRole, aRole, fc.option(fc.string({ minLength: 1, maxLength: 20 })), (role, recommended, outcome) => {
        const problems = handoffProblems(
          { role, hub: 'Coordinator', isBuildCheck: false },
          said({ outcome, recommended }),
        );
        if (!recommendationsOf(role).includes(recommended)) expect(problems).not.toEqual([]);
        if (outcome !== null && !Object.hasOwn(outcomesOf(role), outcome)) expect(problems).not.toEqual([]);
      }),
    );
  });

  it('HS-031: the Archivist has none', () => {
    expect(handoffProblems({ role: 'Archivist', hub: 'Coordinator', isBuildCheck: false }, said({}))).toHaveLength(1);
  });

  it.each(HUBS)('HS-028: a Worker goes back to the hub that spawned it: %s', (hub) => {
    const by = { role: 'Worker', hub, isBuildCheck: false } as const;
    expect(handoffProblems(by, said({ outcome: 'complete', to: hub }))).toEqual([]);
    for (const other of HUBS.filter((one) => one !== hub))
      expect(handoffProblems(by, said({ outcome: 'complete', to: other }))).toHaveLength(1);
  });

  it('HS-025: a build that failed approves nothing', () => {
    const by = { role: 'Reviewer', hub: 'Coordinator', isBuildCheck: true } as const;
    const at = (exitCode: number) =>
      said({ outcome: 'approved', recommended: 'Tester', build: { command: 'make', exitCode } });
    expect([handoffProblems(by, at(0)).length, handoffProblems(by, at(1)).length]).toEqual([0, 1]);
  });

  it('X-46: the recommendation counts, or a receiver that is no hub', () => {
    expect(recommendationAfter({ recommended: 'Tester', to: 'Coordinator' })).toBe('Tester');
    expect(recommendationAfter({ recommended: null, to: 'Coordinator' })).toBe(null);
    expect(recommendationAfter({ recommended: null, to: 'Executor' })).toBe('Executor');
  });

  it('HS-019: data has the fields of the specification, and bounds', () => {
    expect(Object.keys(said({}).data)).toEqual(
      expect.arrayContaining(['recommendation', 'steps_completed', 'files_modified', 'blockers', 'next_steps']),
    );
    expect(handoffSaid.safeParse({ reason: 'x', data: { findings: 'x'.repeat(65_536) } }).success).toBe(false);
    expect(handoffSaid.safeParse({ reason: 'x', data: { findings: 'x'.repeat(60_000) } }).success).toBe(true);
  });
});

describe('scopes', () => {
  const scope = { files: ['src/*.ts', 'docs/**', 'a.b'], newIn: ['test/'] };
  const changed = (path: string, isNew = false) => ({ path, isNew });

  it('HS-049, HS-050: allow the named files and new ones in the named directories', () => {
    const inside = [changed('src/a.ts'), changed('docs/x/y.md'), changed('a.b'), changed('test/n/x.ts', true)];
    expect(outOfScope(scope, inside)).toEqual([]);
    const outside = ['src/deep/a.ts', 'src/a.tsx', 'axb', 'test/old.ts', 'docs', 'other/src/a.ts'];
    expect(
      outOfScope(
        scope,
        outside.map((path) => changed(path)),
      ),
    ).toEqual([...outside].sort());
    expect(outOfScope(null, [changed('a.b')])).toEqual(['a.b']);
  });

  it('HS-014: writers run side by side only in trees of their own with scopes that cannot meet', () => {
    const at = (files: string[], isIsolated = true) => ({ session: 's', writes: { files, newIn: [] }, isIsolated });
    expect(scopesMeet(at(['src/a/**']).writes, at(['src/b/**']).writes)).toBe(false);
    expect(laneProblem(at(['src/a/**']), [at(['src/b/**'])])).toBe(null);
    expect(laneProblem(at(['src/a/**'], false), [at(['src/b/**'])])).toMatch(/^s has the writing lane/);
    expect(laneProblem(at(['src/a/**']), [at(['src/**'])])).not.toBe(null);
    expect(laneProblem({ writes: null, isIsolated: false }, [at(['**'])])).toBe(null);
  });

  it.each([
    ['unexpected-files', { changed: [{ path: 'lib/x.ts', isNew: false, lines: 1 }] }],
    ['new-dependencies', { changed: [{ path: 'src/package.json', isNew: false, lines: 1 }] }],
    ['unassigned-steps', { stepsCompleted: ['S1', 'S2'] }],
    ['config-changed', { changed: [{ path: 'src/tsconfig.json', isNew: false, lines: 1 }] }],
    ['large-refactor', { changed: [{ path: 'src/a.ts', isNew: false, lines: 1_000 }] }],
  ])('HS-048: the sign %s', (sign, evidence) => {
    const none = { scope: { files: ['src/**'], newIn: [] }, changed: [], step: 'S1', stepsCompleted: ['S1'] };
    expect(offScriptSigns(none)).toEqual([]);
    expect(offScriptSigns({ ...none, ...evidence })).toEqual([sign]);
  });
});

describe('a budget', () => {
  it('CN-016: is never promised twice, in money or tokens, and exceeded only by what sessions overshoot', () => {
    const wanted = fc.option(fc.double({ min: 0, max: 5, noNaN: true }));
    const used = fc.double({ min: 0, max: 5, noNaN: true });
    const step = fc.record({
      session: fc.integer({ min: 0, max: 9 }),
      want: fc.record({ costUsd: wanted, tokens: wanted }),
      use: fc.record({ costUsd: used, tokens: used }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let budget = newBudget({ costUsd: 10, tokens: 12 });
        const overshot = { costUsd: 0, tokens: 0 };
        for (const { session, want, use } of steps) {
          const name = String(session);
          const before = budget.reserved[name];
          if (before !== undefined) {
            for (const kind of KINDS) overshot[kind] += Math.max(0, use[kind] - before[kind]!);
            budget = settle(budget, name, use);
          } else {
            const reservation = reservationFor(budget, want, 4);
            if ('granted' in reservation) budget = reserve(budget, name, reservation.granted);
          }
          for (const kind of KINDS) expect(leftOf(budget, kind)!).toBeGreaterThanOrEqual(-overshot[kind] - 1e-6);
        }
      }),
    );
  });

  it('is shared by the places that are free, and has no room once one of its kinds is spent', () => {
    const budget = newBudget({ costUsd: 8, tokens: 400 });
    const nothing = { costUsd: null, tokens: null };
    expect(reservationFor(budget, nothing, 4)).toEqual({ granted: { costUsd: 2, tokens: 100 } });
    expect(reservationFor(budget, { costUsd: 9 }, 4)).toEqual({ lacks: 'costUsd' });
    expect(reservationFor(budget, { costUsd: 1, tokens: 401 }, 4)).toEqual({ lacks: 'tokens' });
    expect(reservationFor({ ...budget, spent: { costUsd: 8, tokens: 0 } }, nothing, 4)).toEqual({ lacks: 'costUsd' });
    expect(reservationFor(newBudget({}), nothing, 4)).toEqual({ granted: nothing });
    expect(reservationFor(newBudget({}), { tokens: 7 }, 4)).toEqual({ granted: { costUsd: null, tokens: 7 } });
  });

  it('takes ten times a tenth for the whole, although the sum of such fractions is not', () => {
    let budget = newBudget({ costUsd: 1 });
    for (let session = 0; session < 10; session++) {
      const reservation = reservationFor(budget, { costUsd: 0.1 }, 1);
      expect(reservation).toMatchObject({ granted: { costUsd: 0.1 } });
      budget = reserve(budget, String(session), (reservation as { granted: AmountLimits }).granted);
    }
    expect(reservationFor(budget, { costUsd: 0 }, 1)).toEqual({ lacks: 'costUsd' });
    expect(exceeded({ costUsd: 0.1 + 0.2, tokens: 0 }, { costUsd: 0.3, tokens: null })).toBe(undefined);
    expect(exceeded({ costUsd: 0.31, tokens: 0 }, { costUsd: 0.3, tokens: null })).toBe('0.3 $');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, undefined])('adds nothing for a report of %s', (amount) => {
    const sum = { costUsd: 1, tokens: 2 };
    expect(plus(sum, { costUsd: amount, tokens: amount })).toEqual(sum);
  });
});

describe('steps of a plan', () => {
  const order: fc.Arbitrary<StepOrder> = fc.oneof(
    fc.constant({ type: 'step.add', steps: [fields('x'), fields('y')] } as StepOrder),
    fc.integer({ min: 1, max: 9 }).map((index) => ({ type: 'step.insert', index, step: fields('i') }) as StepOrder),
    fc.integer({ min: 1, max: 9 }).map((id) => ({ type: 'step.delete', id: `S${id}` }) as StepOrder),
    fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
      .map(([id, index]) => ({ type: 'step.move', id: `S${id}`, index }) as StepOrder),
    fc
      .integer({ min: 1, max: 9 })
      .map((id) => ({ type: 'step.update', id: `S${id}`, set: { status: 'done' }, note: 'n' }) as StepOrder),
  );

  function fields(task: string) {
    return { task, phase: '', type: 'standard', status: 'pending' as const, assignee: null, notes: [], depends_on: [] };
  }

  it('HS-063: have indexes without a gap and ids that are never used again, after any orders', () => {
    fc.assert(
      fc.property(fc.array(order, { maxLength: 20 }), (orders) => {
        let steps: readonly PlanStep[] = [];
        let next = 1;
        const ids = new Set<string>();
        for (const one of orders) {
          const after = stepsAfter(steps, one, next);
          if ('problem' in after) continue;
          for (const { id } of after.steps) if (!steps.some((step) => step.id === id)) expect(ids.has(id)).toBe(false);
          ({ steps, next } = after);
          for (const { id } of steps) ids.add(id);
          expect(steps.map(({ index }) => index)).toEqual(steps.map((_, index) => index + 1));
        }
      }),
    );
  });

  it('HS-063: refuse a dependency on no step, a circle, and an order that names not every step', () => {
    const two = stepsAfter([], { type: 'step.add', steps: [fields('a'), fields('b')] }, 1);
    const steps = 'problem' in two ? [] : two.steps;
    const depend = (id: string, on: string): StepOrder => ({
      type: 'step.update',
      id,
      set: { depends_on: [on] },
      note: null,
    });
    expect(stepsAfter(steps, depend('S1', 'S9'), 3)).toEqual({ problem: 'S1 depends on S9, which is no step' });
    expect(stepsAfter(steps, depend('S1', 'S1'), 3)).toHaveProperty('problem');
    expect(stepsAfter(steps, { type: 'step.reorder', ids: ['S2'] }, 3)).toEqual({
      problem: 'ids: name every step once',
    });
    expect(stepsAfter(steps, { type: 'step.reorder', ids: ['S2', 'S1'] }, 3)).toMatchObject({
      steps: [
        { id: 'S2', index: 1 },
        { id: 'S1', index: 2 },
      ],
    });
  });
});

describe('a preparation', () => {
  const PROMPT = 'Analyze the authentication module for security vulnerabilities';
  const by = {
    role: 'Coordinator',
    depth: 0,
    session: 'R-1',
    nextSession: 'R-1-1',
    pivotReason: null,
    nowMs: 5,
  } as const;
  const plan = { id: 'WP-1', title: 'Sign-in', goals: ['safe'], steps: [] };
  const ask = (more: object = {}) =>
    preparationRequest.parse({ agent_name: 'Cognition', workspace_id: 'w', plan_id: 'WP-1', prompt: PROMPT, ...more });

  it('HS-E02, HS-051, HS-052, HS-053: strict is the default, has prep_config alone, and executes nothing', () => {
    const prepared = prepare({ ...by, plan }, ask());
    expect(prepared).toMatchObject({
      mode: 'context-prep-only',
      execution: { spawn_executed: false },
      codes: ['SPAWN_PREP_ONLY'],
    });
    expect(prepared).not.toHaveProperty('spawn_config');
    const { prep_config } = prepared as Extract<typeof prepared, { prep_config: unknown }>;
    for (const part of [PROMPT, ANTI_SPAWN, ESCALATION, 'plan_id: WP-1', 'title: Sign-in'])
      expect(prep_config.enriched_prompt).toContain(part);
    expect(prep_config).toMatchObject({
      session_id: 'R-1-1',
      parent_session_id: 'R-1',
      expires_at_ms: 5 + PREPARED_MS,
    });
  });

  it('HS-E03, HS-055: legacy has an equal alias with a warning, and ignores fields about execution', () => {
    const prepared = prepare({ ...by, plan: null }, ask({ compat_mode: 'legacy', run_id: 'x' }));
    const { prep_config, spawn_config, codes } = prepared as Extract<typeof prepared, { prep_config: unknown }>;
    expect(spawn_config).toEqual(prep_config);
    expect(codes).toEqual([
      'SPAWN_PREP_ONLY',
      'SPAWN_PREP_LEGACY_ALIAS',
      'SPAWN_PREP_DEPRECATED_INPUT_IGNORED',
      'SPAWN_PREP_CONTEXT_PARTIAL',
    ]);
  });

  it.each(['execution', 'orchestration', 'lane_policy', 'run_id'])('HS-055: strict refuses %s', (field) => {
    expect(prepare({ ...by, plan }, ask({ [field]: 'x' }))).toMatchObject({
      refused: { text: expect.stringContaining(field) },
    });
  });

  it('HS-054: spokes prepare nothing', () => {
    expect(prepare({ ...by, role: 'Executor', plan }, ask())).toMatchObject({ refused: { because: 'spoke' } });
  });

  it('X-43: hubs are not told to spawn nothing, and everybody is told where to stop', () => {
    for (const role of ROLES) {
      const text = promptOf({
        role,
        task: 't',
        workspace: 'w',
        plan: null,
        step: null,
        scope: null,
        problems: [],
        handedOff: null,
      });
      expect([role, text.includes(ANTI_SPAWN), text.includes(ESCALATION)]).toEqual([role, !HUBS.includes(role), true]);
    }
  });

  it('text of another session cannot close its fence', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('`', '```', '\n', 'x', '````')).map((parts) => parts.join('')),
        (handedOff) => {
          const text = promptOf({
            role: 'Tester',
            task: 't',
            workspace: 'w',
            plan: null,
            step: null,
            scope: null,
            problems: [],
            handedOff,
          });
          const fence = /instructions\)\n(`{3,})\n/.exec(text)![1]!;
          expect(handedOff.includes(fence)).toBe(false);
        },
      ),
    );
  });

  it('HS-056: the codes are those of the specification', () => {
    expect(Object.keys(REASON_CODES)).toHaveLength(12);
  });
});

describe('a TDD cycle', () => {
  it('HS-042, HS-043: leaves RED by a test that fails, and the others by tests that pass', () => {
    const red = firstCycle(2);
    expect(afterPhase(red, { pass: true })).toEqual({ ...red, iterations: 1 });
    expect(afterPhase(red, { pass: null })).toEqual({ ...red, iterations: 1 });
    const green = afterPhase(red, { pass: false });
    expect(green.phase).toBe('green');
    expect(afterPhase(green, { pass: false })).toMatchObject({ phase: 'green', iterations: 1 });
    const refactor = afterPhase(green, { pass: true });
    expect(afterPhase(refactor, { pass: false })).toMatchObject({ phase: 'refactor', iterations: 1 });
    expect(afterPhase(refactor, { pass: true })).toEqual({ cycle: 2, phase: 'red', iterations: 0, cycles: 2 });
    expect(afterPhase({ ...refactor, cycle: 2 }, { pass: true }).phase).toBe('complete');
  });
});
