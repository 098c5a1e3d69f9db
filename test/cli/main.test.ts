/** The command line as a whole: help, versions, unknown words, the use of stdout and stderr, and the launcher. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/command-line.ts';
import { LONG } from '../support/effort.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

for (const [plan, agents, words] of [
  ['plan.yaml', 'agents.mjs', ''],
  ['talking.yaml', 'talking.mjs', "console.log('talking');"],
] as const) {
  work.write(
    agents,
    `export async function worker(_, { attempt }) { ${words} if (attempt === 1) throw new Error('once'); }`,
  );
  work.write(
    plan,
    `{ version: 1, plan: p, agents: ./${agents}, tasks: [{ id: a, agent: worker, retry: { backoff: { minMs: 1 } } }] }`,
  );
}

describe('bosun --help', () => {
  const verbs = [
    [],
    ['run'],
    ['schedule'],
    ['plan'],
    ['plan', 'pause'],
    ['plan', 'resume'],
    ['tree'],
    ['check'],
    ['verify'],
    ['backup'],
    ['restore'],
    ['erase'],
    ['serve'],
    ['ps'],
    ['send'],
    ['ask'],
    ['tail'],
    ['runs'],
    ['show'],
    ['records'],
    ['suspend'],
    ['stop'],
    ['restart'],
    ['audit'],
    ['deadletters', 'list'],
  ];

  it('shows two examples for every verb, on stdout, within 80 columns', async () => {
    for (const verb of verbs) {
      const { code, out, err } = await work.bosun([...verb, '--help']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out.match(/^ {2}\$ bosun .+$/gm), `bosun ${verb.join(' ')} --help`).toHaveLength(2);
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });
});

describe('bosun', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await work.bosun(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('exits with 2 and points to --help for an unknown verb or option', async () => {
    for (const args of [['runn'], ['run'], ['run', 'plan.yaml', '--jsn'], ['tree', '--data']]) {
      const { code, out, err } = await work.bosun(args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^error: .*\n(\(Did you mean .*\)\n)?\(add --help for the options\)\n$/);
    }
  });
});

describe('the command line as a function', () => {
  it('changes nothing of the process: two calls may run at once, with different directories and streams', async () => {
    const facts = () => [
      process.cwd(),
      process.env['BOSUN_DATA_DIR'],
      process.exitCode,
      process.listenerCount('SIGINT'),
      process.listenerCount('SIGTERM'),
    ];
    const before = [...facts(), globalThis.console];
    await using other = new Workspace();
    const places = [work, other];
    for (const [index, place] of places.entries())
      place.write(
        'shell.yaml',
        `{ version: 1, plan: p${index}, tasks: [{ id: a, run: 'echo "$BOSUN_DATA_DIR $MINE" > told' }] }`,
      );
    const ended = await Promise.all(
      places.map((place, index) => place.bosun(['run', 'shell.yaml', '--data', 'own'], { MINE: `${index}` })),
    );
    expect(ended.map(({ code, out }) => [code, out])).toEqual([
      [0, 'p0\n  a: completed\n'],
      [0, 'p1\n  a: completed\n'],
    ]);
    expect(places.map((place) => place.read('told'))).toEqual(
      places.map((place, index) => `${place.file('own')} ${index}\n`),
    );
    expect([...facts(), globalThis.console]).toEqual(before);
  });

  it('prints colours on a terminal, unless NO_COLOR is set', async () => {
    const on = async (isTTY: boolean, env: Record<string, string>) => {
      let said = '';
      const stream = { isTTY, columns: 70, write: (text: string) => (said += text) };
      const interruption = () => new AbortController().signal;
      const code = await commandLine(['schedule', 'plan.yaml'], {
        out: stream,
        err: stream,
        env,
        cwd: work.path,
        interruption,
      });
      return { code, colours: said.includes('\u001b') };
    };
    expect(await on(true, {})).toEqual({ code: 0, colours: true });
    expect(await on(true, { NO_COLOR: '1' })).toEqual({ code: 0, colours: false });
    expect(await on(false, {})).toEqual({ code: 0, colours: false });
  });

  it('resolves to 1 for an internal error, and reports it as one', async () => {
    const said: string[] = [];
    const out = {
      write: () => {
        throw new Error('no room for a word');
      },
    };
    const interruption = () => new AbortController().signal;
    const code = await commandLine(['schedule', 'plan.yaml'], {
      out,
      err: { write: (text) => said.push(text) },
      env: {},
      cwd: work.path,
      interruption,
    });
    expect([code, said.join('')]).toEqual([
      1,
      expect.stringMatching(
        /^bosun: no room for a word\nThis is an error in Bosun\. Please report it with this stack: Error/,
      ),
    ]);
  });
});

describe('the launcher', () => {
  it('passes on arguments, streams, directory and exit code', async () => {
    expect(await work.spawn(['schedule', 'nowhere.yaml']).ended).toEqual({
      code: 2,
      out: '',
      err: 'nowhere.yaml: cannot be read: no such file\n',
    });
  });

  it('ends only when a slow reader has read everything, and exits with 0 if the reader leaves', LONG, async () => {
    // 1.7 MB, several times what the stream between the two, a socket, and the reader's buffer have room for.
    const tasks = Array.from({ length: 6000 }, (_, index) => ({
      id: `a${index}-${'x'.repeat(100)}`,
      agent: 'y'.repeat(100),
      run: 'true',
    }));
    work.write('long.json', JSON.stringify({ version: 1, plan: 'long', tasks }));
    const slow = work.spawn(['schedule', 'long.json', '--json']);
    // It has written all it will write long before it is read on.
    const [first] = (await once(slow.child.stdout!, 'data')) as [Buffer];
    slow.child.stdout!.pause();
    await work.bosun(['schedule', 'long.json', '--json']);
    expect(slow.child.exitCode, first.toString().slice(0, 20)).toBeNull();
    slow.child.stdout!.resume();
    const { code, out } = await slow.ended;
    expect([code, (JSON.parse(out) as { tasks: object[] }).tasks.length]).toEqual([0, 6000]);

    const gone = work.spawn(['schedule', 'long.json', '--json']);
    gone.child.stdout!.destroy();
    expect(await gone.ended).toEqual({ code: 0, out: '', err: '' });
  });
});

describe('streams', () => {
  it('carry only JSON objects on stdout with --json, whatever agents print', async () => {
    const { code, out, err } = await work.spawn(['run', 'talking.yaml', '--json', '--data', 'json']).ended;
    expect(code).toBe(0);
    expect(linesOf(out).map(({ type }) => type)).toEqual([
      'task.started',
      'task.failed',
      'task.started',
      'task.completed',
      'plan.completed',
    ]);
    expect(err).toContain('talking\n');
  });

  it('carry the result on stdout and progress on stderr without --json, in colours only on a terminal', async () => {
    const { out, err } = await work.bosun(['run', 'plan.yaml', '--data', 'plain']);
    expect(out).toBe('p\n  a: completed\n');
    expect(err).toMatch(/^p: 1 task\. [^]*started {4}a\n[^]*failed {5}a: once\n[^]*completed {2}a \(attempt 2\)\n/);
    expect(err).toContain('bosun tree --data plain.');
    expect(out + err).not.toContain('\u001b');
    expect((await work.bosun(['schedule', 'plan.yaml'])).out).not.toContain('\u001b');
  });
});
