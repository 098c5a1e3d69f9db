/**
 * The message for a mistake in a plan file: one line with file, line and column. And the harm that a file cannot do to
 * us.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type PlanSource, readPlanFile } from '../../src/cli/files/plan-file.ts';
import { FILE_BYTES_MAX } from '../../src/cli/files/yaml-source.ts';
import { BosunError } from '../../src/errors.ts';
import { fixture, fixtureText } from '../support/fixtures/plans/plans.ts';
import { LONG } from '../support/effort.ts';

const folder = mkdtempSync(join(tmpdir(), 'bosun-plan-'));
const file = join(folder, 'plan.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = 'version: 1\nplan: test\n';

async function read(text: string | Uint8Array): Promise<PlanSource> {
  writeFileSync(file, text);
  return await readPlanFile({ file, cwd: folder });
}

async function refusal(path: string): Promise<BosunError> {
  const error: unknown = await readPlanFile({ file: path, cwd: folder }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BosunError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.code).toBe('BOSUN_PLAN_INVALID');
  return error;
}

/** The message, with `plan.yaml` for the path of the file. */
async function refused(text: string | Uint8Array): Promise<string> {
  writeFileSync(file, text);
  return (await refusal(file)).message.replaceAll(file, 'plan.yaml');
}

describe('a plan file', () => {
  it('can be YAML or JSON', async () => {
    const plan = fixture('equity-research');
    expect((await read(fixtureText('equity-research'))).plan).toEqual(plan);
    const json = { version: 1, plan: 'x', tasks: [{ id: 'a', agent: 'x', input: { deep: [1, null, 'y'] } }] };
    const { plan: fromJson } = await read(JSON.stringify(json, null, '\t'));
    expect(fromJson.tasks[0]?.input).toEqual({ deep: [1, null, 'y'] });
  });

  it('names the module of its agents relative to its own folder', async () => {
    expect((await read(fixtureText('equity-research'))).agents).toBe(join(folder, 'agents.ts'));
    expect((await read(`${HEAD}tasks: [{ id: a, run: make }]`)).agents).toBeNull();
  });

  it('may use anchors and aliases', async () => {
    const { plan } = await read(
      `${HEAD}tasks:\n  - { id: a, agent: x, retry: &often { attempts: 9 } }\n  - { id: b, agent: x, retry: *often }\n`,
    );
    expect(plan.tasks.map(({ retry }) => retry.attempts)).toEqual([9, 9]);
  });

  it('gives the place of a mistake that is found after reading', async () => {
    const { refuse } = await read(fixtureText('equity-research'));
    const { message, details } = refuse([{ path: ['stages', 'report', 'agent'], message: 'unknown agent "report"' }]);
    expect(message).toBe(`${file}:12:23: stages.report.agent: unknown agent "report"`);
    expect(details).toEqual({ file, line: 12, column: 23, problems: [message] });
  });
});

describe('a file that cannot be read', () => {
  it('is reported by name and reason, without a line', async () => {
    const missing = join(folder, 'missing.yaml');
    const error = await refusal(missing);
    expect(error.message).toBe(`${missing}: cannot be read: no such file`);
    expect(error.details).toMatchObject({ file: missing, line: null, column: null });
    expect((await refusal(folder)).message).toBe(`${folder}: cannot be read: it is a directory`);
  });

  it('is refused when it is larger than 4 MiB; one of exactly 4 MiB is read', async () => {
    const plan = `${HEAD}tasks: [{ id: a, run: make }]\n#`;
    expect((await read(plan.padEnd(FILE_BYTES_MAX, '#'))).plan.tasks.length).toBe(1);
    expect(await refused(plan.padEnd(FILE_BYTES_MAX + 1, '#'))).toBe(
      'plan.yaml: larger than 4 MiB, the limit of a plan file',
    );
    expect((await refusal('/dev/zero')).message).toBe('/dev/zero: larger than 4 MiB, the limit of a plan file');
  });

  it('is refused when it is not text', async () => {
    expect(await refused(new Uint8Array([0x61, 0xff, 0xfe]))).toBe('plan.yaml: not a text file in UTF-8');
  });

  it('is refused when it is empty', async () => {
    expect(await refused('')).toBe('plan.yaml:1:1: the file is empty');
    expect(await refused('# only a comment\n')).toMatch(/^plan\.yaml:\d+:1: the file is empty$/);
  });
});

describe('broken YAML', () => {
  it('is refused with the place of the error', async () => {
    expect(await refused(`${HEAD}tasks: [{ id: a\n`)).toMatch(/^plan\.yaml:4:1: flow map/);
    expect(await refused(`${HEAD}\ttasks: []\n`)).toMatch(/^plan\.yaml:3:1: tabs are not allowed/);
    expect(await refused('{"version": 1, "plan": }')).toMatch(/^plan\.yaml:1:\d+: /);
  });

  it('includes valid YAML that makes no sense in a plan', async () => {
    expect(await refused(`${HEAD}---\n${HEAD}`)).toBe(
      'plan.yaml:3:1: a second document begins here; a plan file holds one',
    );
    expect(await refused(`${HEAD}? [a]\n: 1\n`)).toBe('plan.yaml:3:3: a key must be text');
    expect(await refused(`${HEAD}tasks: !secret x\n`)).toBe('plan.yaml:3:8: unresolved tag: !secret');
    expect(await refused(`${HEAD}tasks: *nobody\n`)).toBe(
      'plan.yaml:3:8: the alias *nobody has no anchor &nobody before it',
    );
  });

  it('includes a key that is written twice', async () => {
    expect(await refused(`${HEAD}capacity:\n  valuation: 1\n  valuation: 2\n`)).toBe(
      'plan.yaml:5:3: the key "valuation" is written twice',
    );
  });

  it('includes a key that would change objects', async () => {
    expect(await refused(`${HEAD}tasks: [{ id: a, run: x, input: { __proto__: { admin: true } } }]`)).toBe(
      'plan.yaml:3:35: the key "__proto__" is forbidden',
    );
  });
});

describe('a malicious file', () => {
  it('is refused if its aliases expand to too much data', async () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi'].map((pair) => [...pair]))
      lines.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(', ')}]`);
    expect(await refused(lines.join('\n'))).toMatch(/^plan\.yaml:1:\d+: its aliases expand to too much data$/);
    expect(await refused('a: &a [*a]\n')).toBe('plan.yaml:1:8: the alias *a contains itself or is nested too deep');
  });

  it('may be nested 24 levels deep', async () => {
    const { plan } = await read(`${HEAD}tasks: [{ id: a, run: x, input: ${'['.repeat(21)}1${']'.repeat(21)} }]`);
    expect(JSON.stringify(plan.tasks[0]?.input)).toBe(`${'['.repeat(21)}1${']'.repeat(21)}`);
  });

  it('does not overflow the stack, however deep it is nested', LONG, async () => {
    for (const text of [
      '['.repeat(20_000),
      '{a: '.repeat(10_000),
      '- '.repeat(10_000),
      '? '.repeat(5_000),
      `x: ${'['.repeat(24)}1${']'.repeat(24)}`,
    ]) {
      expect(await refused(text)).toMatch(/^plan\.yaml:1:\d+: nested deeper than 24 levels$/);
    }
  });
});

describe('a plan with a mistake', () => {
  it.each([
    [
      'a wrong type',
      'tasks: [{ id: a, agent: x, duration: two }]',
      '3:38: tasks[0].duration: must be a number, not the text "two"',
    ],
    [
      'a number for a name',
      'stages: { a: { agent: x } }\nitems: [AAPL, 7203]',
      '4:15: items[1]: must be text, not 7203',
    ],
    [
      'a negative duration',
      'tasks: [{ id: a, agent: x, duration: -1 }]',
      '3:38: tasks[0].duration: must be 0 or more, not -1',
    ],
    [
      'a capacity below 1',
      'capacity: { x: 0 }\ntasks: [{ id: a, agent: x }]',
      '3:16: capacity.x: must be 1 or more, not 0',
    ],
    [
      'a capacity that is no whole number',
      'capacity: { x: 1.5 }\ntasks: [{ id: a, agent: x }]',
      '3:16: capacity.x: must be a whole number, not 1.5',
    ],
    [
      'something missing',
      'stages:\n  a:\n    duration: 1\nitems: [I]',
      '5:5: stages.a.agent: a stage needs an "agent" or a question to "ask" a person',
    ],
    ['nothing where something belongs', 'tasks:', '3:7: tasks: must be a list, not empty'],
    [
      'a key nobody knows',
      'tasks: [{ id: a, agent: x, durration: 1 }]',
      '3:28: tasks[0]: unknown key "durration"; did you mean "duration"?',
    ],
    [
      'a key far from all',
      'tasks: []\ncolour: red',
      '4:1: unknown key "colour"; the keys here are $schema, version, plan, unit, capacity, agents, experts, ' +
        'reviewers, formula, pack, agentTypes, measures, priorities, riskOrders, regimes, contextDimensions, stages, ' +
        'items, tasks',
    ],
    [
      'a name that is no address',
      'stages: { my stage: { agent: x } }\nitems: [I]',
      '3:11: stages: the name "my stage" must be 1 to 128 letters, digits or -_.:@+~',
    ],
    [
      'an unknown stage',
      'stages:\n  a: { agent: x }\n  b: { agent: x, after: [c, a] }\nitems: [I]',
      '5:26: stages.b.after[0]: unknown stage "c"',
    ],
    [
      'a circle',
      'tasks:\n  - { id: a, agent: x, after: [b] }\n  - { id: b, agent: x, after: [a] }',
      '4:31: tasks[0].after: these tasks wait for each other: a -> b -> a',
    ],
    [
      'a duplicate id',
      'tasks:\n  - { id: a, agent: x }\n  - { id: a, agent: x }',
      '5:11: tasks[1].id: the id "a" is taken by the task number 1',
    ],
    ['half a form', 'stages: { a: { agent: x } }', '1:1: items: is missing: what are the stages done for?'],
    [
      'waits the wrong way round',
      'tasks: [{ id: a, run: x, retry: { backoff: { minMs: 9, maxMs: 1 } } }]',
      '3:44: tasks[0].retry.backoff: minMs is above maxMs',
    ],
  ])('%s: is refused with place and reason', async (_, body, message) => {
    expect(await refused(`${HEAD}${body}\n`)).toBe(`plan.yaml:${message}`);
  });

  it('is refused if it has an unknown version or is not a map', async () => {
    expect(await refused('version: 2\nplan: x\ntasks: [{ id: a, run: x }]')).toBe(
      'plan.yaml:1:10: version: must be 1, not 2',
    );
    expect(await refused('just text')).toBe('plan.yaml:1:1: must be a map, not the text "just text"');
  });

  it('is refused with the place in the anchor, if it came by an alias', async () => {
    writeFileSync(
      file,
      `${HEAD}tasks:\n  - { id: a, run: x, retry: &r { attempts: 0 } }\n  - { id: b, run: x, retry: *r }`,
    );
    const mistake = 'retry.attempts: must be 1 or more, not 0';
    expect((await refusal(file)).details['problems']).toEqual([
      `${file}:4:44: tasks[0].${mistake}`,
      `${file}:4:44: tasks[1].${mistake}`,
    ]);
  });

  it('is refused with the first mistake in the file and the number of others', async () => {
    writeFileSync(file, `${HEAD}capacity: { x: 0 }\ntasks: [{ id: a, agent: x, duration: -1, color: red }]\n`);
    const { message, details } = await refusal(file);
    expect(message).toBe(`${file}:3:16: capacity.x: must be 1 or more, not 0 (and 2 more)`);
    expect(details['problems']).toEqual([
      `${file}:3:16: capacity.x: must be 1 or more, not 0`,
      `${file}:4:38: tasks[0].duration: must be 0 or more, not -1`,
      `${file}:4:42: tasks[0]: unknown key "color"; the keys here are id, agent, ask, duration, retry, timeoutMs, ` +
        'task, after, input, run, background',
    ]);
  });

  it('is refused in one line without a stack', async () => {
    for (const text of [
      `${HEAD}"new\\nline": 1`,
      '[',
      'a: {',
      `${HEAD}x: "\u0001`,
      '\u0000',
      '%YAML 9.9\n---\n',
      '&a',
      '!!',
      'a: |\n\t',
      '"\\x"',
    ]) {
      expect(await refused(text)).toMatch(/^plan\.yaml:\d+:\d+: [^\n]+$/);
    }
  });
});
