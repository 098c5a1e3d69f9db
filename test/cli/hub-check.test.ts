/** `bosun hub check`: the contents of a good file, and the place of each error with the way out. */
import { afterAll, describe, expect, it } from 'vitest';
import { Repository } from '../support/git/repository.ts';
import { Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
// Agents that change files get a worktree of its repository.
new Repository({}, work.path);
afterAll(() => work[Symbol.asyncDispose]());

const GOOD = `version: 1
hub: fix-and-verify
goal: make the tests pass
goals: [nothing else changes]
steps:
  - { task: write it, assignee: Executor }
  - { task: try it, assignee: Tester, depends_on: [S1], phase: verify }
limits: { spawns: 12, concurrent: 1, timeMs: 60000, costUsd: 5 }
people: [ada]
agents:
  Executor: { run: make fix, handoff: file, writes: { files: ['src/**'], newIn: [test] }, fallback: Tester }
  Tester: { function: test }
module: ./agents.mjs
`;

work.write('agents.mjs', 'export const test = () => ({}); export const limit = 3;');

const UNREAD = 'is for a command with a reader, "handoff" tap, junit, eslint, tsc, sarif';

async function checked(text: string, ...options: string[]) {
  work.write('hub.yaml', text);
  return work.bosun(['hub', 'check', 'hub.yaml', ...options]);
}

describe('bosun hub check', () => {
  it('says what a good file holds', async () => {
    const { code, out, err } = await checked(GOOD);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').map((line) => line.replace(/ {2,}/, ': '))).toEqual([
      'hub: fix-and-verify, a Coordinator that begins with Executor',
      'goal: make the tests pass',
      'steps: 2',
      'Executor: make fix (hands off by file), or else Tester',
      'Tester: function test',
      'limits: 12 sessions, 1 at once, 60000 ms',
      'budget: 5 $',
      'people: ada',
      `workspace: ${work.path}`,
      '',
    ]);
  });

  it('prints the order that starts the run with --json', async () => {
    const { out } = await checked(GOOD, '--json');
    expect(JSON.parse(out)).toMatchObject({
      file: 'hub.yaml',
      order: {
        ...{ hub: 'Coordinator', start: 'Executor', plan: 'fix-and-verify', workspace: work.path },
        about: { title: 'make the tests pass', goals: ['nothing else changes'] },
        agents: {
          Executor: { does: { kind: 'command', run: 'make fix', handoff: 'file' }, fallback: 'Tester', attempts: 3 },
          Tester: { does: { kind: 'function', name: 'test' } },
        },
      },
    });
  });

  it.each([
    ['tap', 'Executor  make fix (hands off by tap)', { handoff: 'tap' }],
    [
      'sarif, report: out/a.sarif',
      'Executor  make fix (hands off by sarif in out/a.sarif)',
      { handoff: 'sarif', report: 'out/a.sarif' },
    ],
  ])('says by which reader a command hands off: %s', async (handoff, said, does) => {
    const text = `{ version: 1, hub: a, goal: b, agents: { Executor: { run: make fix, handoff: ${handoff} } } }`;
    const { out } = await checked(text);
    expect(out.replace(/ {2,}/g, '  ')).toContain(`${said}\n`);
    const { order } = JSON.parse((await checked(text, '--json')).out) as {
      order: { agents: { Executor: { does: object } } };
    };
    // The same keys as those of a store of before: a report that is not given is no key.
    expect(order.agents.Executor.does).toEqual({ kind: 'command', run: 'make fix', ...does });
  });

  it('has a command hand off by its exit code unless the file says otherwise', async () => {
    const { out } = await checked('{ version: 1, hub: a, goal: b, agents: { Executor: { run: make } } }', '--json');
    expect(JSON.parse(out)).toMatchObject({ order: { agents: { Executor: { does: { handoff: 'exit' } } } } });
  });

  it.each([
    ['version: 1', 'version: 2', 'hub.yaml:1:10: version: must be 1, not 2'],
    ['hub: fix-and-verify', 'hub: fix and verify', 'hub.yaml:2:6: hub: is 1 to 60 letters, digits and -_.:@+~'],
    ['goal: make the tests pass\n', '', 'hub.yaml:1:1: goal: is missing'],
    ['people: [ada]', 'peple: [ada]', 'hub.yaml:9:1: unknown key "peple"; did you mean "people"?'],
    ['spawns: 12', 'spawns: 0', 'hub.yaml:8:19: limits.spawns: must be 1 or more, not 0'],
    ['timeMs', 'timeMS', 'hub.yaml:8:38: limits: unknown key "timeMS"; did you mean "timeMs"?'],
    ['  Executor:', '  Execotor:', 'hub.yaml:11:3: agents: unknown key "Execotor"; did you mean "Executor"?'],
    [
      'fallback: Tester',
      'fallback: Testor',
      'hub.yaml:11:101: agents.Executor.fallback: must be a role, not "Testor"; did you mean "Tester"?',
    ],
    ['handoff: file', 'handof: file', 'hub.yaml:11:30: agents.Executor: unknown key "handof"; did you mean "handoff"?'],
    [
      'handoff: file',
      'handoff: fax',
      'hub.yaml:11:39: agents.Executor.handoff: must be exit or file or tap or junit or eslint or tsc or sarif, ' +
        'not the text "fax"',
    ],
    [
      'handoff: file',
      'handoff: file, timeoutMs: 0',
      'hub.yaml:11:56: agents.Executor.timeoutMs: must be more than 0, not 0',
    ],
    ['handoff: file', 'handoff: eslint, report: out/lint.json', undefined],
    ['handoff: file', 'handoff: file, report: lint.json', `hub.yaml:11:53: agents.Executor.report: ${UNREAD}`],
    ['handoff: file', 'report: lint.json', `hub.yaml:11:38: agents.Executor.report: ${UNREAD}`],
    ['{ function: test }', '{ function: test, report: a.tap }', `hub.yaml:12:37: agents.Tester.report: ${UNREAD}`],
    [
      'handoff: file',
      'handoff: tap, report: ../a.tap',
      'hub.yaml:11:52: agents.Executor.report: is not a path inside the workspace',
    ],
    ["'src/**'", '/etc', 'hub.yaml:11:63: agents.Executor.writes.files[0]: is not a path inside the workspace'],
    [
      '{ function: test }',
      '{ attempts: 2 }',
      'hub.yaml:12:11: agents.Tester: needs one of "run", a shell command; "preset", a coding agent (claude, codex); ' +
        '"function", a function of the module; "model", a model of the module; "mcp", a tool of an MCP server; ' +
        '"outside", true: the holder of its token',
    ],
    [
      '{ function: test }',
      '{ function: test, run: make }',
      'hub.yaml:12:13: agents.Tester: an agent has one of "run", "function", not both',
    ],
    [
      '{ function: test }',
      '{ function: test, handoff: exit }',
      'hub.yaml:12:38: agents.Tester.handoff: is for "run": a function returns its hand-off',
    ],
    [
      'function: test }',
      'function: tast }',
      'hub.yaml:12:23: agents.Tester.function: ./agents.mjs exports no function "tast"; did you mean "test"?',
    ],
    [
      'function: test }',
      'function: limit }',
      'hub.yaml:12:23: agents.Tester.function: ./agents.mjs exports no function "limit"; it exports test',
    ],
    [
      'module: ./agents.mjs\n',
      '',
      'hub.yaml:12:23: agents.Tester.function: the file names no "module" that exports it',
    ],
    ['module: ./agents.mjs', 'module: ./nowhere.mjs', /^hub\.yaml:13:9: module: cannot be loaded: Cannot find module /],
    ['people: [ada]', 'start: Reviewer', 'hub.yaml:9:8: start: no agent is given for Reviewer'],
    ['people: [ada]', 'role: TDDDriver', undefined],
    [
      'people: [ada]',
      'role: Worker',
      'hub.yaml:9:7: role: Worker is a spoke, and a run needs a hub: Coordinator, for example',
    ],
    ['people: [ada]', 'cycles: 2', 'hub.yaml:9:1: only a TDDDriver works in cycles: leave it out'],
    ['people: [ada]', 'workspace: nowhere', /^hub\.yaml:9:12: workspace: .*\/nowhere is no directory$/],
    ['assignee: Tester', 'assignee: Reviewer', 'hub.yaml:7:31: steps[1].assignee: no agent is given for Reviewer'],
    [
      'depends_on: [S1]',
      'depends_on: [S7]',
      'hub.yaml:6:3: steps: S2 depends on S7, which is no step; steps are S1, S2 and so on',
    ],
    [
      '  Tester: {',
      '  Reviewer: { run: make, writes: { files: [a] } }\n  Tester: {',
      'hub.yaml:12:34: agents.Reviewer.writes: Reviewer changes no files',
    ],
    [
      '  Tester: {',
      '  Worker: { run: make }\n  Tester: {',
      'hub.yaml:12:11: agents.Worker: a Worker is not begun without "writes", the files of its scope',
    ],
    [
      '  Tester: {',
      '  Coordinator: { run: make }\n  Tester: {',
      'hub.yaml:12:16: agents.Coordinator: no session spawns another Coordinator, which is the hub of the run',
    ],
    ['agents:', 'decides: maybe\nagents:', 'hub.yaml:10:10: decides: must be rules, outside, or { function: name }'],
    [
      'agents:',
      'decides: { function: leads }\nagents:',
      'hub.yaml:10:22: decides.function: ./agents.mjs exports no function "leads"; it exports test',
    ],
    [
      'fallback: Tester',
      'fallback: Architect',
      'hub.yaml:11:101: agents.Executor.fallback: no agent is given for Architect',
    ],
  ] as const)('judges %j in place of %j: %s', async (good, other, said) => {
    expect(GOOD).toContain(good);
    const { code, out, err } = await checked(GOOD.replace(good, other));
    if (said === undefined) return expect({ code, err }).toEqual({ code: 0, err: '' });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const line = err.trimEnd();
    if (typeof said === 'string') expect(line).toBe(said);
    else expect(line).toMatch(said);
  });

  it('prints all errors in the order of their places, with --json a line each', async () => {
    const text = GOOD.replace('spawns: 12', 'spawns: 0').replace('  Executor:', '  Execotor:');
    const { code, err } = await checked(text, '--json');
    expect(code).toBe(2);
    expect(
      err
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { type: 'error', code: 'BOSUN_CONFIG_INVALID', message: expect.stringMatching(/^hub\.yaml:8:19: /) },
      { type: 'error', code: 'BOSUN_CONFIG_INVALID', message: expect.stringMatching(/^hub\.yaml:11:3: /) },
    ]);
  });

  it('says that a file is not there', async () => {
    const { code, err } = await work.bosun(['hub', 'check', 'nowhere.yaml']);
    expect({ code, err }).toEqual({ code: 2, err: 'nowhere.yaml: cannot be read: no such file\n' });
  });
});

describe('a verb that bosun hub does not have', () => {
  it.each([
    ['answer', '; the verbs here are run, check, list, show, session, lineage, stop, help'],
    ['lits', '; did you mean "list"?'],
  ])('is an error with those that there are, with and without a call for help: %s', async (verb, those) => {
    const err = `error: unknown command '${verb}'${those}\n(add --help for the options)\n`;
    for (const args of [[verb], [verb, '--help'], ['help', verb]])
      expect(await work.bosun(['hub', ...args])).toEqual({ code: 2, out: '', err });
  });

  it('is none where help of the hub or of a verb is wanted', async () => {
    for (const args of [['--help'], ['run', '--help'], ['help', 'run'], ['help']])
      expect(await work.bosun(['hub', ...args])).toMatchObject({ code: 0, err: '' });
  });
});
