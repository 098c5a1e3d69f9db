/**
 * `bosun run` as its user sees it, end to end through the command line: agents that fail, pause, pass on results and
 * resume.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { Shard } from '../../src/shard.ts';
import { LONG } from '../support/effort.ts';
import { storyOf, Workspace } from '../support/cli/workspace.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

/** Retries at once. */
const RETRY = 'retry: { attempts: 3, backoff: { minMs: 1, maxMs: 2 } }';

const STAGES = `
version: 1
plan: small
agents: ./agents.mjs
stages:
  one: { agent: first, ${RETRY} }
  two: { agent: second, after: [one] }
items: [I, J]
`;

describe('a store without an epoch, left by a kill', () => {
  it('is used like a new store', async () => {
    work.write('agents.mjs', 'export async function fine() {}');
    work.write('plan.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: fine }] }');
    const directory = join(work.path, 'data/store');
    mkdirSync(directory, { recursive: true });
    const onHold = await new Shard({ agents: [], store: levelStore(directory), hold: true }).start();
    await onHold.stop();
    const { code, lines } = await work.run('plan.yaml');
    expect([code, storyOf(lines)]).toEqual([0, ['task.started a 1', 'task.completed a 1', 'plan.completed']]);
  });
});

describe('an agent that throws', () => {
  it('is retried under the same effect id until it succeeds', LONG, async () => {
    work.write(
      'agents.mjs',
      'export async function flaky(_, { attempt }) { if (attempt < 3) throw new Error(`no luck ${attempt}`); }',
    );
    work.write(
      'plan.yaml',
      `{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: flaky, ${RETRY} }] }`,
    );
    const { code, lines } = await work.run('plan.yaml');
    expect(storyOf(lines)).toEqual([
      'task.started a 1',
      'task.failed a 1',
      'task.started a 2',
      'task.failed a 2',
      'task.started a 3',
      'task.completed a 3',
      'plan.completed',
    ]);
    expect(lines.filter(({ type }) => type === 'task.failed').map(({ error }) => error)).toEqual([
      'no luck 1',
      'no luck 2',
    ]);
    expect(new Set(lines.slice(0, -1).map(({ effectId }) => effectId)).size).toBe(1);
    expect(code).toBe(0);
  });

  it('DC-005: appears in the tree of the stopped store with its restarts and its last error', LONG, async () => {
    work.write(
      'agents.mjs',
      "export async function bad(_, { attempt }) { if (attempt === 1) throw new Error('no luck'); return new " +
        'Promise(() => {}); }',
    );
    work.write('plan.yaml', `{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: bad, ${RETRY} }] }`);
    const running = work.start(['run', 'plan.yaml', '--json']);
    await running.says('"attempt":2');
    await running.interrupt();
    const { code, out } = await work.bosun(['tree']);
    expect(code).toBe(0);
    expect(out).toMatch(/^root {2}boss, supervising\./);
    expect(out).toMatch(/─ stages\/a\/agent {2}stage:bad, working, 1 restart, last error: no luck$/m);
    expect(out).toMatch(/─ coordinator {2}lead-coordinator, working$/m);
    expect(JSON.parse((await work.bosun(['tree', '--json'])).out)).toMatchObject({ address: 'root', agent: 'boss' });
  });

  it(
    'pauses its item with the reason when it always throws, while other items finish; fixed and resumed, the plan ' +
      'completes',
    async () => {
      const agents = (mended: boolean) => `
      export async function first(_, { item }) { return item; }
      export async function second(_, { item }) {
        if (item === 'I' && !${mended}) throw new Error('broken\\nin two lines');
        return item;
      }`;
      work.write('agents.mjs', agents(false));
      work.write('plan.yaml', STAGES.replace('after: [one]', `after: [one], ${RETRY}`));
      const paused = await work.run('plan.yaml');
      expect(paused.code).toBe(3);
      expect(paused.lines).toContainEqual({
        type: 'item.paused',
        item: 'I',
        task: 'I/two',
        reason: 'I/two failed: broken\nin two lines',
        effectId: expect.any(String),
        attempt: 3,
      });
      expect(paused.lines).toContainEqual(expect.objectContaining({ type: 'task.completed', task: 'J/two' }));
      expect(paused.lines.at(-1)).toMatchObject({
        type: 'plan.paused',
        items: [
          { item: 'I', status: 'paused' },
          { item: 'J', status: 'completed' },
        ],
      });
      expect(paused.err).toContain(
        'I is paused: I/two failed: broken in two lines. When that is fixed: bosun plan resume I, then run again.\n',
      );

      const stillPaused = await work.run('plan.yaml');
      expect({ code: stillPaused.code, story: storyOf(stillPaused.lines) }).toEqual({
        code: 3,
        story: ['plan.paused'],
      });

      work.write('agents.mjs', agents(true));
      expect(await work.bosun(['plan', 'resume', 'I'])).toEqual({
        code: 0,
        out: 'I: resume at the next start\n',
        err: '',
      });
      const completed = await work.runProcess('plan.yaml');
      expect(storyOf(completed.lines)).toEqual([
        'item.resumed I',
        'task.started I/two 1',
        'task.completed I/two 1',
        'plan.completed',
      ]);
      expect(completed.code).toBe(0);
    },
  );

  it('CN-019: is retried in tier 1, pauses its item in tier 2, and fails it in tier 3', async () => {
    work.write(
      'agents.mjs',
      `
      const facts = {
        quota: { status: 429 },
        gap: { errorType: 'data_quality' },
        breach: { errorType: 'security_violation' },
      };
      export async function work(_, { item, attempt }) {
        if (item !== 'quota' || attempt < 3) throw Object.assign(new Error('no luck'), facts[item]);
      }`,
    );
    work.write(
      'plan.yaml',
      `
      version: 1
      plan: p
      agents: ./agents.mjs
      stages: { work: { agent: work, ${RETRY} } }
      items: [quota, gap, breach]`,
    );
    const { code, lines } = await work.run('plan.yaml');
    const about = (item: string) => storyOf(lines).filter((line) => line.includes(item));
    expect(about('quota')).toEqual([
      ...['task.started quota/work 1', 'task.failed quota/work 1', 'task.started quota/work 2'],
      ...['task.failed quota/work 2', 'task.started quota/work 3', 'task.completed quota/work 3'],
    ]);
    expect(about('gap')).toEqual(['task.started gap/work 1', 'task.failed gap/work 1', 'item.paused gap']);
    expect(about('breach')).toEqual(['task.started breach/work 1', 'task.failed breach/work 1', 'item.failed breach']);
    expect([code, lines.at(-1)]).toMatchObject([
      3,
      { items: [{ status: 'completed' }, { status: 'paused' }, { item: 'breach', status: 'failed' }] },
    ]);
  });

  it('fails with a clear reason when its result is not data', async () => {
    work.write('agents.mjs', 'export async function odd() { return { go() {} }; }');
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: odd, retry: { attempts: 1 } }] }',
    );
    const { code, lines } = await work.run('plan.yaml');
    expect(lines[1]).toMatchObject({
      type: 'task.failed',
      task: 'a',
      attempt: 1,
      error: 'output.go is a function; only data can be stored',
    });
    expect(lines[2]).toMatchObject({ type: 'item.paused', attempt: 1, effectId: lines[1]?.effectId });
    expect(code).toBe(3);
  });

  it('fails when it takes longer than its timeoutMs, and its signal is aborted', async () => {
    work.write(
      'agents.mjs',
      `
      import { writeFileSync } from 'node:fs';
      export const slow = (_, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            writeFileSync(new URL('aborted', import.meta.url), '');
            reject(signal.reason);
          }),
        );`,
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: slow, timeoutMs: 50, retry: { ' +
        'attempts: 1 } }] }',
    );
    const { code, lines } = await work.run('plan.yaml');
    expect(lines[1]).toMatchObject({ type: 'task.failed', error: 'took longer than 50 ms' });
    expect(work.has('aborted')).toBe(true);
    expect(code).toBe(3);
  });
});

describe('the work of an agent', () => {
  it('CN-008: gets the input of its item, earlier outputs, and a checkpoint that survives a retry', async () => {
    work.write(
      'agents.mjs',
      `
      export async function first(input, { item, checkpoint, checkpointed, attempt }) {
        if (attempt === 1) { await checkpoint({ page: 7 }); throw new Error('stopped midway'); }
        return { item, input, from: checkpointed };
      }
      export async function second(_, { results }) {
        return { files: [{ path: JSON.stringify(results) }] };
      }`,
    );
    work.write('plan.yaml', STAGES.replace('[I, J]', '{ I: { depth: 2 } }'));
    const { code, lines } = await work.run('plan.yaml');
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({ files: ['{"one":{"item":"I","input":{"depth":2},"from":{"page":7}}}'] });
  });

  it('CA-035, CN-008: goes on from a checkpoint of its earlier version, by the migrations of its module', async () => {
    // A module is loaded once in this process: each build has a name of its own.
    const build = (module: string, body: string, checkpoints = '') => {
      const first = `export async function first(_, { checkpoint, checkpointed }) { ${body} }`;
      work.write(module, `${first}\nexport const checkpoints = { ${checkpoints} };`);
      const stages = 'stages: { one: { agent: first } }, items: [I]';
      work.write('plan.yaml', `{ version: 1, plan: p, agents: ./${module}, ${stages} }`);
    };
    build('early.mjs', `await checkpoint(7); throw Object.assign(new Error('odd'), { errorType: 'data_quality' });`);
    expect((await work.run('plan.yaml')).code).toBe(3);
    await work.bosun(['plan', 'resume', 'I']);
    const migrations = '{ 2: (old) => ({ ...old, workingMemory: { page: old.workingMemory } }) }';
    build(
      'later.mjs',
      'return { files: [{ path: JSON.stringify(checkpointed) }] };',
      `first: { version: 2, migrations: ${migrations} }`,
    );
    const { code, lines } = await work.run('plan.yaml');
    expect([code, lines.at(-1)]).toMatchObject([0, { files: ['{"page":7}'] }]);
    build('odd.mjs', '', 'first: { version: 0 }');
    expect(await work.bosun(['run', 'plan.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('exports checkpoints that are not valid: checkpoints.first.version: '),
    });
  });

  it('may be a machine with timers', async () => {
    work.write(
      'agents.ts',
      `
      import { assign, setup } from 'xstate';
      export const counting = setup({
        types: {} as { context: { n: number; input: unknown }; input: { input: unknown } },
        actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
      }).createMachine({
        context: ({ input }) => ({ n: 0, input: input.input }),
        initial: 'counting',
        output: ({ context }) => context,
        states: {
          counting: {
            exit: 'count',
            after: {
              5: [{ guard: ({ context }) => context.n === 2, target: 'done' }, { target: 'counting', reenter: true }],
            },
          },
          done: { type: 'final' },
        },
      });
      export async function show(_: unknown, { results }: { results: unknown }) {
        return { files: [{ path: JSON.stringify(results) }] };
      }`,
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.ts, tasks: [{ id: a, agent: counting, input: { x: 1 } }, { id: b, ' +
        'agent: show, after: [a] }] }',
    );
    const { code, lines } = await work.run('plan.yaml');
    expect(lines.at(-1)).toMatchObject({ type: 'plan.completed', files: ['{"a":{"n":3,"input":{"x":1}}}'] });
    expect(code).toBe(0);
  });

  it('is reported in the same way for a machine: starts, failures and end under one effect id', async () => {
    work.write(
      'agents.ts',
      `
      import { fromPromise, setup } from 'xstate';
      let tries = 0;
      const attempt = fromPromise(async () => {
        tries += 1;
        if (tries < 3) throw new Error('not yet');
        return tries;
      });
      export const stubborn = setup({ actors: { try: attempt } }).createMachine({
        initial: 'trying',
        states: { trying: { invoke: { src: 'try', onDone: 'done' } }, done: { type: 'final' } },
      });`,
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.ts, tasks: [{ id: a, agent: stubborn, retry: { backoff: { minMs: ' +
        '1, maxMs: 1 } } }] }',
    );
    const { code, lines } = await work.run('plan.yaml');
    expect(storyOf(lines)).toEqual([
      'task.started a 1',
      'task.failed a 1',
      'task.started a 2',
      'task.failed a 2',
      'task.started a 3',
      'task.completed a 3',
      'plan.completed',
    ]);
    expect(new Set(lines.slice(0, -1).map(({ effectId }) => effectId)).size).toBe(1);
    expect(lines[1]).toMatchObject({ error: 'not yet' });
    expect(code).toBe(0);
  });
});

describe('a data directory that holds a plan', () => {
  const AGENTS = 'export async function first() {} export async function second() {}';

  it('makes a run print the result of a finished plan again, or start over with --fresh', async () => {
    work.write('agents.mjs', AGENTS);
    work.write('plan.yaml', STAGES);
    const first = await work.run('plan.yaml');
    expect(first.code).toBe(0);
    const again = await work.run('plan.yaml');
    expect({ code: again.code, lines: again.lines }).toEqual({ code: 0, lines: [first.lines.at(-1)] });
    expect(again.err).toContain('small: completed already');
    expect(again.err).toContain(
      'The actors that did it: bosun tree. Run it again from the start: the same command with --fresh.\n',
    );
    const fresh = await work.run('plan.yaml', '--fresh');
    expect({ code: fresh.code, starts: fresh.lines.filter(({ type }) => type === 'task.started').length }).toEqual({
      code: 0,
      starts: 4,
    });
  });

  it('makes a run print the next commands in the way in which it was called: npx or an npm script', async () => {
    work.write('agents.mjs', AGENTS);
    work.write('plan.yaml', STAGES);
    const called = async (npm_lifecycle_event: string) =>
      (await work.start(['run', 'plan.yaml'], { npm_lifecycle_event }).ended).err;
    expect(await called('start')).toContain('To look at it live: npm start -- --serve.\n');
    expect(await called('start')).toContain(
      'The actors that did it: npx bosun tree. Run it again from the start: npm start -- --fresh.\n',
    );
    expect(await called('crew')).toContain('Run it again from the start: npm run crew -- --fresh.\n');
    expect(await called('npx')).toContain(
      'The actors that did it: npx bosun tree. Run it again from the start: the same command with --fresh.\n',
    );
  });

  it('refuses a different plan and names the difference, but accepts changed agents', LONG, async () => {
    work.write('agents.mjs', AGENTS);
    work.write('plan.yaml', STAGES);
    await work.run('plan.yaml');
    work.write('plan.yaml', STAGES.replace('[I, J]', '[I, K]'));
    const { code, out, err } = await work.bosun(['run', 'plan.yaml']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(
      /^plan\.yaml: \S+data holds another plan: the task J\/one is gone; .*the task K\/one is new.*--fresh.*\n$/,
    );
    work.write('plan.yaml', STAGES);
    work.write('agents.mjs', `${AGENTS} export const more = 1;`);
    expect((await work.runProcess('plan.yaml')).code).toBe(0);
  });

  it('accepts an order to pause an item before the item runs, with a reason', LONG, async () => {
    work.write(
      'agents.mjs',
      "import { existsSync } from 'node:fs';\nexport async function first(_, { signal }) { if (!existsSync(new " +
        "URL('go', import.meta.url))) await new Promise((_, stop) => signal.addEventListener('abort', stop)); } " +
        'export async function second() {}',
    );
    work.write('plan.yaml', STAGES);
    const running = work.spawn(['run', 'plan.yaml', '--json']);
    await running.says('"task":"J/one"');
    await running.end('SIGKILL');
    work.write('go', '');
    expect(await work.bosun(['plan', 'pause', 'I', '--reason', 'figures under review', '--json'])).toEqual({
      code: 0,
      out: '{"type":"plan.pause","item":"I","durable":true}\n',
      err: '',
    });
    const { code, lines } = await work.run('plan.yaml');
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'item.paused', item: 'I', reason: 'figures under review', effectId: null }),
    );
    expect(storyOf(lines)).toContain('task.completed I/one 2');
    expect(storyOf(lines).filter((line) => line.includes('I/two'))).toEqual([]);
    expect(code).toBe(3);
  });

  it('refuses orders for items that are unknown, not paused, or complete', async () => {
    work.write('agents.mjs', AGENTS);
    work.write('plan.yaml', STAGES.replace('[I, J]', '[Apple, Pear]'));
    const refused = async (...order: string[]) => (await work.bosun(['plan', ...order])).err;
    expect(await refused('pause', 'Apple')).toMatch(/holds no plan; run one first\n$/);
    await work.run('plan.yaml');
    expect(await refused('pause', 'Appel')).toBe('no item "Appel" in the plan; did you mean "Apple"?\n');
    expect(await refused('resume', 'Apple')).toBe('Apple is not paused\n');
    expect(await refused('pause', 'Apple')).toBe('Apple is completed\n');
    expect((await work.bosun(['plan', 'pause', 'Apple'])).code).toBe(2);
  });
});
