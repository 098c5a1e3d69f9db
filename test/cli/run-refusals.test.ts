/**
 * `bosun run` that cannot start, finds its store in use, or is interrupted: one clear line, and an exit code that says
 * which.
 */
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linesOf, storyOf, Workspace } from '../support/cli/workspace.ts';

let work: Workspace;
beforeEach(() => void (work = new Workspace()));
afterEach(() => work[Symbol.asyncDispose]());

/** Waits for ever, and leaves without a word when told to. */
const PATIENT = `
  import { existsSync } from 'node:fs';
  export const patient = (_, { signal }) =>
    existsSync(new URL('go', import.meta.url))
      ? null
      : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
`;

function patientPlan(): void {
  work.write('agents.mjs', PATIENT);
  work.write(
    'plan.yaml',
    '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: patient }, { id: b, agent: patient, ' +
      'after: [a] }] }',
  );
}

describe('bosun run --serve on a port in use', () => {
  let taken: Server;
  let port: string;
  beforeEach(async () => {
    taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    port = String((taken.address() as AddressInfo).port);
  });
  afterEach(() => void taken.close());

  it('is refused before any task of the plan starts', async () => {
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "touch began" }] }');
    const { code, out, err } = await work.bosun(['run', 'plan.yaml', '--serve', '--port', port, '--data', 'data']);
    expect({ code, out, began: work.has('began'), store: work.has('data/store') }).toEqual({
      code: 2,
      out: '',
      began: false,
      store: false,
    });
    expect(err).toBe(
      `the gateway cannot listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use ` +
        `127.0.0.1:${port}; choose another port, or 0 for any free one\n`,
    );
  });

  it('is refused before --fresh removes anything', async () => {
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
    await work.run('plan.yaml');
    expect(await work.bosun(['run', 'plan.yaml', '--fresh', '--serve', '--port', port])).toMatchObject({ code: 2 });
    expect((await work.bosun(['run', 'plan.yaml'])).err).toContain('completed already');
  });
});

describe('a data directory in use', () => {
  it('makes every verb exit with 4 and name the process, --fresh included', async () => {
    patientPlan();
    const running = work.spawn(['run', 'plan.yaml', '--json']);
    await running.says('task.started');
    for (const args of [['run', 'plan.yaml'], ['run', 'plan.yaml', '--fresh'], ['tree'], ['plan', 'pause', 'a']]) {
      const { code, out, err } = await work.bosun(args);
      expect({ code, out }).toEqual({ code: 4, out: '' });
      expect(err).toMatch(new RegExp(`^\\S+/store is open in process ${running.child.pid}; stop it there first\\n$`));
    }
    expect((await running.end('SIGINT')).code).toBe(130);
  });

  it('is free again after a kill', async () => {
    patientPlan();
    const running = work.spawn(['run', 'plan.yaml', '--json']);
    await running.says('task.started');
    await running.end('SIGKILL');
    work.write('go', '');
    const { code, lines } = await work.run('plan.yaml');
    expect(storyOf(lines)).toEqual([
      'task.started a 2',
      'task.completed a 2',
      'task.started b 1',
      'task.completed b 1',
      'plan.completed',
    ]);
    expect(code).toBe(0);
  });
});

describe('an interrupted run', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`drains on ${signal}, exits with 130, and is continued by the same command, as it says`, async () => {
      patientPlan();
      const running = work.spawn(['run', 'plan.yaml', '--json']);
      await running.says('task.started');
      const { code, out, err } = await running.end(signal);
      expect(code).toBe(130);
      expect(storyOf(linesOf(out))).toEqual(['task.started a 1']);
      expect(err).toContain('interrupted; all results so far are kept. The same command continues from here.\n');
      work.write('go', '');
      const next = await work.run('plan.yaml');
      expect(next.lines.slice(0, 2)).toEqual([
        { type: 'task.started', task: 'a', attempt: 2, effectId: linesOf(out)[0]?.effectId },
        { type: 'task.completed', task: 'a', attempt: 2, effectId: linesOf(out)[0]?.effectId },
      ]);
      expect(next.code).toBe(0);
    });
  }
});

describe('a run that was not finished', () => {
  it('says that the same command without --fresh continues a run with --fresh', async () => {
    patientPlan();
    const running = work.start(['run', 'plan.yaml', '--fresh']);
    await running.says('started    a');
    const { err } = await running.interrupt();
    expect(err).toContain('at any moment; the same command without --fresh continues.');
    expect(err).toContain(
      'interrupted; all results so far are kept. The same command without --fresh continues from here.\n',
    );
  });

  it('waits with --wait while an item is paused, until it is interrupted', async () => {
    work.write('agents.mjs', "export async function bad() { throw new Error('no luck'); }");
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: bad, retry: { attempts: 1 } }] }',
    );
    const running = work.start(['run', 'plan.yaml', '--json', '--wait']);
    await running.says('item.paused');
    // Without --wait the run would have ended by now, and its store would be free before another process has started.
    expect((await work.spawn(['tree']).ended).code).toBe(4);
    expect((await running.interrupt()).code).toBe(130);
  });
});

describe('bad input', () => {
  /** Exit code 2 and one line, with nothing on stdout and no stack. */
  async function refusal(...args: string[]): Promise<string> {
    const { code, out, err } = await work.bosun(args);
    expect({ code, out, lines: err.split('\n').length }, err).toEqual({ code: 2, out: '', lines: 2 });
    return err.trimEnd();
  }

  function plan(agents: string): void {
    work.write('plan.yaml', `version: 1\nplan: p\n${agents}\ntasks: [{ id: a, agent: worker }]\n`);
  }

  it('names a plan that is missing or a directory', async () => {
    expect(await refusal('run', 'nowhere.yaml')).toBe('nowhere.yaml: cannot be read: no such file');
    expect(await refusal('run', '.')).toBe('.: cannot be read: it is a directory');
  });

  it('names a plan that lacks read permission', async () => {
    plan('');
    chmodSync(work.file('plan.yaml'), 0o000);
    chmodSync(work.path, 0o755);
    const args = ['run', 'plan.yaml'];
    const { code, out, err } = await (process.getuid?.() === 0 ? work.spawnAsNobody(args).ended : work.bosun(args));
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: 'plan.yaml: cannot be read: permission denied\n' });
  });

  it('gives the line and column of a mistake in the file', async () => {
    work.write('plan.yaml', 'version: 1\nplan: [p\ntasks: x\n');
    expect(await refusal('run', 'plan.yaml')).toMatch(/^plan\.yaml:3:1: /);
    work.write('plan.yaml', 'version: 1\nplan: p\ntasks:\n  - { id: a, agnet: x, run: "true" }\n');
    expect(await refusal('run', 'plan.yaml')).toBe(
      'plan.yaml:4:14: tasks[0]: unknown key "agnet"; did you mean "agent"?',
    );
  });

  it('names an agent that is missing in the module', async () => {
    work.write('agents.mjs', 'export async function wroker() {}');
    plan('agents: ./agents.mjs');
    expect(await refusal('run', 'plan.yaml')).toBe(
      'plan.yaml:4:25: tasks[0].agent: unknown agent "worker"; did you mean "wroker"?',
    );
  });

  it('names an agent of a plan without a module of agents', async () => {
    plan('');
    expect(await refusal('run', 'plan.yaml')).toBe(
      'plan.yaml:4:25: tasks[0].agent: unknown agent "worker"; the plan names no module with agents',
    );
  });

  it('says why a module with agents cannot be loaded, in one line', async () => {
    plan('agents: ./agents.mjs');
    expect(await refusal('run', 'plan.yaml')).toBe(
      `plan.yaml:3:9: agents: cannot be loaded: Cannot find module '${work.file('agents.mjs')}'`,
    );
    work.write('agents.mjs', "throw new Error('went wrong\\non import')");
    expect(await refusal('run', 'plan.yaml')).toBe('plan.yaml:3:9: agents: cannot be loaded: went wrong on import');
    work.write('agents.mjs', 'export const worker = ;');
    expect(await refusal('run', 'plan.yaml')).toMatch(/^plan\.yaml:3:9: agents: cannot be loaded: .*agents\.mjs:1:22$/);
  });

  it('names a path that cannot be a data directory', async () => {
    work.write('agents.mjs', 'export async function worker() {}');
    plan('agents: ./agents.mjs');
    work.write('file', '');
    for (const data of ['file', 'file/below']) {
      expect(await refusal('run', 'plan.yaml', '--data', data)).toBe(
        `${work.file(data)} cannot be the data directory: a file is in the way`,
      );
    }
    mkdirSync(work.file('empty'));
    expect(await refusal('tree', '--data', 'empty')).toBe(
      `${work.file('empty')} holds no store: name its directory with --data, or create one with bosun run or serve`,
    );
  });

  it('includes a time limit for a machine, which has to limit itself', async () => {
    work.write(
      'agents.mjs',
      "import { setup } from 'xstate';\nexport const worker = setup({}).createMachine({ initial: 'a', states: { " +
        "a: { type: 'final' } } });",
    );
    work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: worker, timeoutMs: 5 }] }',
    );
    expect(await refusal('run', 'plan.yaml')).toContain('tasks[0].timeoutMs: the agent "worker" is a machine');
  });
});
