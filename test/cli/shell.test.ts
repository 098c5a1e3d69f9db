/** Tasks that are shell commands, end to end: their input, the output that is kept, and their end. */
import { describe, expect, test } from 'vitest';
import { Workspace } from '../support/cli/workspace.ts';
import { isAlive, JUDGE } from '../support/spokes/live.ts';
import { until } from '../support/until.ts';

/** Each in a directory of its own, so that one may run while another waits for processes to die. */
const it = test.extend<{ work: Workspace }>({
  work: async ({}, use) => {
    await using work = new Workspace();
    await use(work);
  },
});

interface Command {
  readonly id?: string;
  readonly run?: string;
  readonly [key: string]: unknown;
}

/** A plan of commands in JSON, which is YAML too. */
function plan(work: Workspace, ...tasks: Command[]): void {
  const named = tasks.map((task) => ({ id: 'a', retry: { attempts: 2, backoff: { minMs: 1 } }, ...task }));
  work.write('plan.json', JSON.stringify({ version: 1, plan: 'commands', agents: './agents.mjs', tasks: named }));
  work.write(
    'agents.mjs',
    'export async function show(_, { results }) { return { files: [{ path: JSON.stringify(results) }] }; }',
  );
}

/** The number that a command wrote with `echo $$ > FILE`, once it has. */
async function pidIn(work: Workspace, file: string): Promise<number> {
  await until(
    () => work.has(file) && work.read(file).endsWith('\n'),
    () => `the process number in ${file}`,
  );
  return Number(work.read(file));
}

describe.concurrent('a command', () => {
  it('gets its input as JSON on stdin, and its task, effect and attempt in the environment', async ({ work }) => {
    plan(work, {
      input: { symbol: 'AAPL', years: [1, 2] },
      run: 'cat > stdin; echo "$BOSUN_TASK $BOSUN_EFFECT_ID $BOSUN_ATTEMPT" > told',
    });
    const { code, lines } = await work.run('plan.json');
    expect(code).toBe(0);
    expect(JSON.parse(work.read('stdin'))).toEqual({ symbol: 'AAPL', years: [1, 2] });
    expect(work.read('told')).toBe(`a ${lines[0]?.effectId} 1\n`);
  });

  it('passes its output to later tasks', async ({ work }) => {
    plan(work, { run: 'echo out; echo err >&2' }, { id: 'b', agent: 'show', after: ['a'] });
    const { lines } = await work.run('plan.json');
    expect(lines.at(-1)).toMatchObject({
      files: [JSON.stringify({ a: { exitCode: 0, stdout: 'out\n', stderr: 'err\n', truncated: false } })],
    });
  });

  it('runs to its end if it writes more than 64 KiB to a stream, of which 64 KiB are kept', async ({ work }) => {
    plan(work, { run: "head -c 1000000 /dev/zero | tr '\\0' x; touch end" }, { id: 'b', agent: 'show', after: ['a'] });
    const { lines } = await work.run('plan.json');
    const [text] = (lines.at(-1) as unknown as { files: string[] }).files;
    expect(JSON.parse(text!)).toEqual({ a: { exitCode: 0, stdout: 'x'.repeat(65_536), stderr: '', truncated: true } });
    expect(work.has('end')).toBe(true);
  });

  it('succeeds even if it does not read its input', async ({ work }) => {
    plan(work, { input: 'x'.repeat(200_000), run: 'exec 0<&-; true' });
    expect((await work.run('plan.json')).code).toBe(0);
  });

  it('fails with its exit code and its last line on stderr, or with 128 and the signal that ended it', async ({
    work,
  }) => {
    plan(work, { id: 'a', run: 'echo first >&2; echo last >&2; exit 7' }, { id: 'b', run: 'kill -USR1 $$' });
    const { code, lines } = await work.run('plan.json');
    const errors = (id: string) =>
      lines.filter(({ type, task }) => type === 'task.failed' && task === id).map(({ error }) => error);
    expect(errors('a')).toEqual(['exit code 7: last', 'exit code 7: last']);
    expect(errors('b')).toEqual(['exit code 138', 'exit code 138']);
    expect(code).toBe(3);
  });
});

describe.concurrent('a command that leaves a process in the background', () => {
  it('is done when it has exited, and is not run again because of its time limit', async ({ work }) => {
    const retry = { attempts: 3, backoff: { minMs: 1 } };
    plan(
      work,
      { id: 'a', run: 'echo run >> log; sleep 1000 & echo $! > pid; echo ready', timeoutMs: 60_000, retry },
      { id: 'b', agent: 'show', after: ['a'] },
    );
    const { code, lines } = await work.run('plan.json');
    expect({ code, log: work.read('log'), isAlive: isAlive(await pidIn(work, 'pid')) }).toEqual({
      code: 0,
      log: 'run\n',
      isAlive: false,
    });
    expect(lines.at(-1)).toMatchObject({
      files: [JSON.stringify({ a: { exitCode: 0, stdout: 'ready\n', stderr: '', truncated: false } })],
    });
  });

  it('keeps it for later tasks with background: keep, until the run ends', async ({ work }) => {
    const alive = (file: string) => `kill -0 $(cat pid) && echo alive > ${file}`;
    plan(
      work,
      { id: 'server', run: 'sleep 1000 & echo $! > pid', background: 'keep' },
      { id: 'client', run: alive('seen'), after: ['server'] },
    );
    const { code } = await work.run('plan.json');
    expect({ code, seen: work.read('seen'), isAlive: isAlive(await pidIn(work, 'pid')) }).toEqual({
      code: 0,
      seen: 'alive\n',
      isAlive: false,
    });
  });

  it('keeps it on its leash: it ends with a run that is killed (K2)', async ({ work }) => {
    plan(
      work,
      { id: 'server', run: 'sleep 1000 & echo $! > pid', background: 'keep' },
      { id: 'client', run: 'echo $$ > client; sleep 1000', after: ['server'] },
    );
    const running = work.spawn(['run', 'plan.json', '--json']);
    const pids = [await pidIn(work, 'pid'), await pidIn(work, 'client')];
    await running.end('SIGKILL');
    await until(
      () => !pids.some(isAlive),
      () => 'the end of both commands',
    );
  });
});

describe.concurrent('the process group of a command', () => {
  it('is ended as a whole when its time limit expires', async ({ work }) => {
    plan(work, { run: 'sleep 1000 & echo $! > pid; wait', timeoutMs: 2_000, retry: { attempts: 1 } });
    const { code, lines } = await work.run('plan.json');
    expect(lines[1]).toMatchObject({ type: 'task.failed', error: 'took longer than 2000 ms' });
    // The limit may have expired before it had begun.
    const pids = work.has('pid') ? [Number(work.read('pid'))] : [];
    expect({ code, alive: pids.filter(isAlive) }).toEqual({ code: 3, alive: [] });
  });

  it('is ended before the next attempt, even if it ignores SIGTERM', async ({ work }) => {
    plan(work, {
      run: `if [ $BOSUN_ATTEMPT = 1 ]; then trap '' TERM; sleep 1000 & echo $! > pid; exit 1; else ${JUDGE}; fi`,
    });
    const { code } = await work.run('plan.json');
    expect({ code, verdict: work.read('verdict') }).toEqual({ code: 0, verdict: 'ended\n' });
  });

  it('is ended before an interrupted run ends, by SIGTERM first', async ({ work }) => {
    plan(
      work,
      { id: 'a', run: "trap 'echo bye > polite; exit 1' TERM; echo $$ > pid-a; sleep 1000 & wait" },
      { id: 'b', run: "trap '' TERM; echo $$ > pid-b; while :; do sleep 1; done" },
    );
    const running = work.start(['run', 'plan.json', '--json']);
    const pids = [await pidIn(work, 'pid-a'), await pidIn(work, 'pid-b')];
    const { code } = await running.interrupt();
    expect({ code, alive: pids.filter(isAlive), polite: work.has('polite') }).toEqual({
      code: 130,
      alive: [],
      polite: true,
    });
  });

  it('is ended by the next host after a kill, before that host runs the command again (K2)', async ({ work }) => {
    plan(work, { run: `if [ $BOSUN_ATTEMPT = 1 ]; then echo $$ > pid; sleep 1000; else ${JUDGE}; fi` });
    const running = work.spawn(['run', 'plan.json', '--json']);
    const pid = await pidIn(work, 'pid');
    await running.end('SIGKILL');
    await until(
      () => !isAlive(pid),
      () => 'the end of the command',
    );
    const { code, lines } = await work.run('plan.json');
    expect(lines.map(({ type, attempt }) => `${type} ${attempt}`)).toEqual([
      'task.started 2',
      'task.completed 2',
      'plan.completed undefined',
    ]);
    expect({ code, verdict: work.read('verdict'), isAlive: isAlive(pid) }).toEqual({
      code: 0,
      verdict: 'ended\n',
      isAlive: false,
    });
  });
});

describe.concurrent('a process that has left the process group of its command', () => {
  // It tells its number itself, so that it has left the group by then.
  const LEAVING = "setsid sh -c 'echo $$ > pid; exec sleep 1000' > /dev/null 2>&1 & sleep 1000";

  it.for([
    ['', []],
    [' that starts over', ['--fresh']],
  ] as const)('outlives a host that is killed, and is ended by the next host%s (K2)', async ([, options], { work }) => {
    plan(work, { run: `if [ -e pid ]; then ${JUDGE}; else ${LEAVING}; fi` });
    const running = work.spawn(['run', 'plan.json', '--json']);
    const pid = await pidIn(work, 'pid');
    await running.end('SIGKILL');
    expect(isAlive(pid)).toBe(true);
    const { code } = await work.run('plan.json', ...options);
    expect({ code, verdict: work.read('verdict'), isAlive: isAlive(pid) }).toEqual({
      code: 0,
      verdict: 'ended\n',
      isAlive: false,
    });
  });

  it('is not ended by a host that cannot open the store', async ({ work }) => {
    plan(work, { run: LEAVING });
    const running = work.spawn(['run', 'plan.json', '--json']);
    const pid = await pidIn(work, 'pid');
    const refused = [await work.run('plan.json'), await work.run('plan.json', '--fresh')];
    expect({ codes: refused.map(({ code }) => code), isAlive: isAlive(pid) }).toEqual({ codes: [4, 4], isAlive: true });
    await running.end('SIGKILL');
    plan(work, { run: 'true' });
    await work.run('plan.json', '--fresh');
    expect(isAlive(pid)).toBe(false);
  });
});

describe.concurrent('a host that dies before it has recorded the process group', () => {
  it('has not started the command', async ({ work }) => {
    // Dies between the start of the process and the record of its group.
    work.write(
      'die.mjs',
      `
      import childProcess from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { spawn } = childProcess;
      childProcess.spawn = (...args) => {
        const child = spawn(...args);
        writeFileSync('pid', child.pid + '\\n');
        process.kill(process.pid, 'SIGKILL');
        return child;
      };
      syncBuiltinESMExports();`,
    );
    plan(work, { run: 'echo $BOSUN_ATTEMPT >> ran' });
    const killed = await work.spawn(['run', 'plan.json', '--json'], {
      env: { NODE_OPTIONS: `--import=${work.file('die.mjs')}` },
    }).ended;
    expect(killed.code).toBeNull();
    const pid = await pidIn(work, 'pid');
    await until(
      () => !isAlive(pid),
      () => 'the end of the process that was to become the command',
    );
    expect(work.has('ran')).toBe(false);

    const { code } = await work.run('plan.json');
    expect({ code, ran: work.read('ran') }).toEqual({ code: 0, ran: '2\n' });
  });
});
