/**
 * Valid and refused plans, their normalised form, and differences between plans. Positions in files are tested in
 * test/cli/plan-file.test.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  checkAgents,
  comparePlans,
  normalisePlan,
  type Plan,
  PLAN_TASKS_MAX,
} from '../../../../src/machines/coordination/plan/plan.ts';
import { planFileSchema } from '../../../../src/machines/coordination/plan/plan-form.ts';
import { type Pack } from '../../../../src/machines/coordination/packs.ts';
import { itemOf } from '../../../../src/machines/work/task.ts';
import { fixture, planOf, plans, printed, problemsOf } from '../../../support/fixtures/plans/plans.ts';

const stage = { agent: 'x' };
type Words = Parameters<typeof planOf>[0];

describe('a plan of stages and items', () => {
  it('becomes one task per item and stage, item by item', () => {
    const plan = planOf({ stages: { a: stage, b: { ...stage, after: ['a'] } }, items: ['I', 'J'] });
    expect(plan.tasks.map(({ id, item, stage, after }) => ({ id, item, stage, after }))).toEqual([
      { id: 'I/a', item: 'I', stage: 'a', after: [] },
      { id: 'I/b', item: 'I', stage: 'b', after: ['I/a'] },
      { id: 'J/a', item: 'J', stage: 'a', after: [] },
      { id: 'J/b', item: 'J', stage: 'b', after: ['J/a'] },
    ]);
  });

  it('gives each task the input of its item, or null if the item has none', () => {
    const plan = planOf({ stages: { a: stage }, items: { I: { any: 1 }, J: null } });
    expect(plan.tasks.map(({ input }) => input)).toEqual([{ any: 1 }, null]);
    expect(planOf({ stages: { a: stage }, items: ['I'] }).tasks[0]?.input).toBeNull();
  });

  it('counts durations in millionths of the unit', () => {
    expect(planOf({ stages: { a: { ...stage, duration: 0.1234567 } }, items: ['I'] }).tasks[0]?.duration).toBe(
      0.123457,
    );
    expect(planOf({ tasks: [{ id: 'a', agent: 'x', duration: 0.1234567 }] }).tasks[0]?.duration).toBe(0.123457);
  });

  it('remembers which stages a barrier waits for', () => {
    const plan = planOf({
      stages: { a: stage, b: { ...stage, after: ['a', 'a'], barrier: true }, c: { ...stage, barrier: true } },
      items: ['I'],
    });
    expect(plan.tasks.map(({ barrier }) => barrier)).toEqual([false, ['a'], false]);
  });

  it('CA-040: retries three times with growing waits and has no time limit, unless the plan says otherwise', () => {
    const plan = planOf({
      stages: { a: stage, b: { ...stage, retry: { attempts: 1, backoff: { factor: 3 } }, timeoutMs: 60_000 } },
      items: ['I'],
    });
    expect(plan.tasks.map(({ retry, timeoutMs }) => ({ retry, timeoutMs }))).toEqual([
      { retry: { attempts: 3, backoff: { minMs: 1_000, maxMs: 60_000, factor: 2 } }, timeoutMs: null },
      { retry: { attempts: 1, backoff: { minMs: 1_000, maxMs: 60_000, factor: 3 } }, timeoutMs: 60_000 },
    ]);
  });
});

describe('a plan of tasks', () => {
  it('keeps ids, order, input and command', () => {
    const plan = planOf({
      tasks: [
        { id: 'build/core', run: 'make', input: [1] },
        { id: 'ship', agent: 'person', duration: 0, after: ['build/core', 'build/core'] },
      ],
    });
    expect(plan.tasks).toMatchObject([
      {
        id: 'build/core',
        item: null,
        stage: null,
        agent: 'run',
        duration: 1,
        after: [],
        input: [1],
        run: 'make',
        barrier: false,
      },
      { id: 'ship', agent: 'person', duration: 0, after: ['build/core'], input: null, run: null },
    ]);
  });

  it('keeps what a command leaves in the background only if it says so', () => {
    const tasks = (['end', 'keep'] as const).map((background) => ({ id: background, run: 'x', background }));
    expect(planOf({ tasks }).tasks.map(({ background }) => background)).toEqual([undefined, 'keep']);
  });

  it('treats each task as an item', () => {
    expect(planOf({ tasks: [{ id: 'a', agent: 'x' }] }).tasks.map(itemOf)).toEqual(['a']);
    expect(planOf({ stages: { a: stage }, items: ['I'] }).tasks.map(itemOf)).toEqual(['I']);
  });
});

describe('a plan', () => {
  it('is refused with neither stages nor tasks, with both, or with half of one form', () => {
    expect(problemsOf({})).toEqual([': a plan needs "stages" and "items", or "tasks"']);
    expect(problemsOf({ stages: { a: stage }, items: ['I'], tasks: [] })).toEqual([
      'tasks: a plan has "stages" or "tasks", not both',
    ]);
    expect(problemsOf({ stages: { a: stage } })).toEqual(['items: is missing: what are the stages done for?']);
    expect(problemsOf({ tasks: [{ id: 'a', agent: 'x' }], items: ['I'] })).toEqual([
      'items: "items" belongs to "stages"; a plan of tasks has none',
    ]);
  });

  it('is refused if it is empty', () => {
    expect(problemsOf({ tasks: [] })).toEqual(['tasks: the plan is empty']);
    expect(problemsOf({ stages: {}, items: ['I'] })).toEqual(['stages: the plan is empty']);
    expect(problemsOf({ stages: { a: stage }, items: {} })).toEqual(['items: the plan is empty']);
  });

  const WHEN = 'every regime but the last needs a "when"; the last has none and holds if no other does';

  it.each([
    ['without a last regime that holds otherwise', [{ name: 'hot', when: { heat: { above: 1 } } }], `regimes: ${WHEN}`],
    ['with two of them', [{ name: 'hot' }, { name: 'cold' }], `regimes: ${WHEN}`],
    [
      'with an unknown bound',
      [{ name: 'hot', when: { heat: { abov: 1 } } }, { name: 'cold' }],
      'regimes.0.when.heat: unknown key "abov"; did you mean "above"?',
    ],
  ])('CA-107: is refused %s', (_, regimes, problem) => {
    expect(problemsOf({ regimes, tasks: [{ id: 'a', run: 'make' }] } as Words)).toEqual([problem]);
  });

  it('CA-113: is refused with more than five dimensions of contexts', () => {
    const contextDimensions = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(problemsOf({ contextDimensions, tasks: [{ id: 'a', run: 'make' }] })).toHaveLength(1);
  });

  it('is refused with a duplicate id or item', () => {
    expect(
      problemsOf({
        tasks: [
          { id: 'a', agent: 'x' },
          { id: 'a', agent: 'x' },
        ],
      }),
    ).toEqual(['tasks.1.id: the id "a" is taken by the task number 1']);
    expect(problemsOf({ stages: { a: stage }, items: ['I', 'I'] })).toEqual(['items.1: the item "I" is named twice']);
  });

  it('is refused with an unknown dependency, and suggests the one that may be meant', () => {
    expect(
      problemsOf({ stages: { valuation: stage, report: { ...stage, after: ['valuatoin'] } }, items: ['I'] }),
    ).toEqual(['stages.report.after.0: unknown stage "valuatoin"; did you mean "valuation"?']);
    expect(problemsOf({ tasks: [{ id: 'build', agent: 'x', after: ['elsewhere'] }] })).toEqual([
      'tasks.0.after.0: unknown task "elsewhere"',
    ]);
  });

  it('CA-014: is refused with a circular dependency, which is named in full', () => {
    const tasks = [
      { id: 'd', agent: 'x', after: ['a'] },
      { id: 'a', agent: 'x', after: ['c'] },
      { id: 'b', agent: 'x', after: ['a'] },
      { id: 'c', agent: 'x', after: ['b'] },
    ];
    expect(problemsOf({ tasks })).toEqual(['tasks.1.after: these tasks wait for each other: a -> b -> c -> a']);
    expect(problemsOf({ stages: { a: { ...stage, after: ['a'] } }, items: ['I'] })).toEqual([
      'stages.a.after: these stages wait for each other: a -> a',
    ]);
  });

  it(
    'is refused with a capacity below 1 or not whole, a negative duration, or a minimum wait above the ' + 'maximum',
    () => {
      const refused = (input: object): boolean =>
        !planFileSchema.safeParse({ version: 1, plan: 'x', tasks: [{ id: 'a', agent: 'x' }], ...input }).success;
      expect(refused({})).toBe(false);
      expect(
        [{ capacity: { x: 0 } }, { capacity: { x: 1.5 } }, { tasks: [{ id: 'a', agent: 'x', duration: -1 }] }].every(
          refused,
        ),
      ).toBe(true);
      expect(refused({ tasks: [{ id: 'a', agent: 'x', retry: { backoff: { minMs: 2, maxMs: 1 } } }] })).toBe(true);
    },
  );

  it('is refused with names that cannot be part of an address', () => {
    for (const name of ['', 'a b', 'a/b', 'ä', '__proto__', 'x'.repeat(129)]) {
      expect(
        planFileSchema.safeParse({ version: 1, plan: 'x', stages: { a: stage }, items: [name] }).success,
        name,
      ).toBe(false);
    }
    expect(
      planOf({ stages: { a: stage }, items: ['x'.repeat(128), 'constructor', 'BRK.B', '7203'] }).tasks.length,
    ).toBe(4);
  });

  it('is refused with a task that has neither agent nor command', () => {
    expect(problemsOf({ tasks: [{ id: 'a' }] })).toEqual([
      'tasks.0.agent: a task needs an "agent", a command to "run" or a question to "ask" a person',
    ]);
  });

  it('is refused with a task that has a background and no command', () => {
    expect(problemsOf({ tasks: [{ id: 'a', agent: 'x', background: 'keep' }] })).toEqual([
      'tasks.0.background: "background" belongs to a command to "run"',
    ]);
  });

  it('is refused above the limit of tasks, and accepted at the limit', () => {
    const items = Array.from({ length: PLAN_TASKS_MAX / 10 }, (_, index) => `i${index}`);
    const stages = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`s${index}`, stage]));
    expect(problemsOf({ stages, items })).toEqual([]);
    expect(problemsOf({ stages, items: [...items, 'one-more'] })).toEqual([
      'items: the plan has 100010 tasks; 100000 is the limit',
    ]);
  });

  it('is refused with at most 20 problems', () => {
    expect(
      problemsOf({
        tasks: Array.from({ length: 50 }, (_, index) => ({ id: `t${index}`, agent: 'x', after: ['nowhere'] })),
      }).length,
    ).toBe(20);
  });
});

describe('the agents of a plan', () => {
  it('are checked against the known agents; each unknown one is named once, with the nearest known name', () => {
    const staged = planOf({ stages: { a: { agent: 'finacial' }, b: { agent: 'report' } }, items: ['I', 'J'] });
    expect(checkAgents(staged, ['financial', 'report']).map(printed)).toEqual([
      'stages.a.agent: unknown agent "finacial"; did you mean "financial"?',
    ]);
    const listed = planOf({
      tasks: [
        { id: 'a', run: 'make' },
        { id: 'b', agent: 'x' },
      ],
    });
    expect(checkAgents(listed, []).map(printed)).toEqual(['tasks.1.agent: unknown agent "x"']);
  });
});

describe('two plans', () => {
  const held = fixture('equity-research');

  it('are equal whatever the order of their keys', () => {
    const [one, other] = [
      planOf({ capacity: { a: 1, b: 2 }, tasks: [{ id: 't', agent: 'a', input: { x: 1, y: 2 } }] }),
      planOf({ tasks: [{ input: { y: 2, x: 1 }, agent: 'a', id: 't' }], capacity: { b: 2, a: 1 } }),
    ];
    expect(comparePlans(one, other)).toEqual([]);
  });

  it('differ by name, unit and capacity', () => {
    const given = fixture('equity-research', {
      plan: 'other',
      unit: 'hours',
      capacity: { screening: 5, business: 3, financial: 2, valuation: 2 },
    });
    expect(comparePlans(held, given)).toEqual([
      'the plan: name is "other", was "equity-research"',
      'the plan: unit is "hours", was "minutes"',
      'the capacity: strategy is none, was 3',
      'the capacity: valuation is 2, was 1',
    ]);
  });

  it('differ by removed, new or changed tasks: the first five are named, the rest are counted', () => {
    expect(comparePlans(held, fixture('equity-research', { items: ['AAPL'] }))).toEqual([
      'the task MSFT/screening is gone',
      'the task MSFT/business is gone',
      'the task MSFT/financial is gone',
      'the task MSFT/strategy is gone',
      'the task MSFT/valuation is gone',
      'and 1 more difference',
    ]);
    const [a, b] = [
      planOf({ tasks: [{ id: 'a', run: 'make' }] }),
      planOf({
        tasks: [
          { id: 'a', run: 'make all', duration: 2 },
          { id: 'b', agent: 'x' },
        ],
      }),
    ];
    expect(comparePlans(a, b)).toEqual([
      'the task a: duration is 2, was 1',
      'the task a: run is "make all", was "make"',
      'the task b is new',
    ]);
  });

  it('differ by long values, which are not printed, and by the order of tasks', () => {
    const withInput = (end: string): ReturnType<typeof planOf> =>
      planOf({ tasks: [{ id: 'a', agent: 'x', input: `${'x'.repeat(100)}${end}` }] });
    expect(comparePlans(withInput('1'), withInput('2'))).toEqual(['the task a: input has changed']);
    expect(comparePlans(held, fixture('equity-research', { items: ['MSFT', 'AAPL'] }))).toEqual([
      'the task MSFT/screening has another place in the order',
    ]);
  });

  describe('plans of an older build, before packs had regimes, dimensions and words of gates', () => {
    const stages = (gate: object = {}) => ({ draft: { agent: 'a', gate: { preset: 'G1' as const, ...gate } } });
    const given = (words: Words, gate?: object) => planOf({ ...words, stages: stages(gate), items: ['A'] });
    const kept = (words: Words): Plan => {
      const { pack, ...plan } = given(words, { title: 'Screening' });
      const { regimes: _, contextDimensions: __, ...older } = pack ?? {};
      return pack === undefined ? plan : { ...plan, pack: older as Pack };
    };
    const regimes = [{ name: 'hot', when: { heat: { above: 1 } } }, { name: 'cold' }];

    it.each<Words>([{}, { pack: 'finance' }, { measures: { heat: { threshold: 5 } } }])(
      'are equal to the same file with the words %j',
      (words) => {
        expect(comparePlans(kept(words), given(words))).toEqual([]);
      },
    );

    it.each<Words>([{ regimes }, { contextDimensions: ['kiln'] }])('differ by the words %j', (words) => {
      const finance = { pack: 'finance' } as const;
      expect(comparePlans(kept(finance), given({ ...finance, ...words }))).toEqual(['the plan: pack has changed']);
      expect(comparePlans(given({ ...finance, ...words }), given(finance))).toEqual(['the plan: pack has changed']);
      expect(comparePlans(kept({}), given(words))).toHaveLength(1);
    });

    it('differ by another title of their gate', () => {
      expect(comparePlans(kept({}), given({}, { title: 'Way in' }))).toEqual(['the task A/draft: gate has changed']);
    });
  });

  it('differ exactly if their data differs', () => {
    fc.assert(
      fc.property(plans, plans, (a, b) => {
        expect(comparePlans(a, structuredClone(a))).toEqual([]);
        expect(comparePlans(a, b).length === 0).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });
});

describe('a plan as its author wrote it', () => {
  it('is normalised whether or not it was parsed first', () => {
    const written = { version: 1, plan: 'p', stages: { draft: { agent: 'a', gate: { preset: 'G3' } } }, items: ['A'] };
    const normalised = normalisePlan(written);
    expect(normalised).toMatchObject({
      plan: { name: 'p', capacity: {}, tasks: [{ id: 'A/draft', gate: { gate: 'G3', title: 'Assumptions' } }] },
    });
    expect(normalisePlan(planFileSchema.parse(written))).toEqual(normalised);
  });

  it.each([null, 7, {}, { version: 2, plan: 'p', tasks: [] }])(
    'is refused with its problems if it is %j',
    (written) => {
      const result = normalisePlan(written);
      expect('problems' in result && result.problems.length).toBeGreaterThan(0);
    },
  );
});

describe('the published JSON schema', () => {
  const file = new URL('../../../../schema/plan.schema.json', import.meta.url);
  const schema = z.toJSONSchema(planFileSchema, { io: 'input' });

  it('equals the schema in the code; UPDATE=1 writes it again', () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (process.env['UPDATE'] === '1') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('has an id, and describes every field', () => {
    expect(schema.$id).toBe('urn:bosun:plan:1');
    const bare: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, inner] of Object.entries(node)) {
        const isField = path.endsWith('.properties');
        if (isField && typeof inner.description !== 'string') bare.push(`${path}.${key}`);
        visit(inner, `${path}.${key}`);
      }
    };
    visit(schema, '');
    expect(bare).toEqual([]);
  });
});
