/**
 * The README: its first screen, its five minutes, and its way from nothing to a machine of one's own. Files and lines
 * are those that stand there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Process } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';
import { UserFolder } from '../support/user-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/cli/main.js');
const JITI = join(ROOT, 'node_modules/jiti/lib/jiti-cli.mjs');

const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
const five = /^## Five minutes\n([^]*?)^## /m.exec(text)![1]!;
const section = /^## Your own machine, live\n([^]*?)^## /m.exec(text)![1]!;

/** Files by name: each is named at the beginning of the paragraph before it. */
const files = Object.fromEntries(
  [...section.matchAll(/^`([\w.-]+\.ts)`[^\n]*\n\n```typescript\n([^]*?)^```$/gm)].map(([, name, code]) => [
    name!,
    code!,
  ]),
);
const lines = [...section.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line!);

describe('the README', () => {
  let folder: UserFolder | undefined;
  const started: Process[] = [];
  beforeAll(() => void (folder = new UserFolder(files)));
  afterAll(async () => {
    for (const one of started) await one.end('SIGKILL');
    folder?.[Symbol.dispose]();
  });

  /** A line of the section about a machine of one's own. */
  function start(line: string): Process {
    expect(lines).toContain(line);
    return command(line);
  }

  /** A line for a shell, with the built program in the place of npx, and a free port. */
  function command(line: string): Process {
    const words = line
      .replace(/^npx bosun/, `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)}`)
      .replace(/serve$/, 'serve --port 0');
    const one = new Process(
      spawn('/bin/sh', ['-c', words], {
        cwd: folder!.path,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, BOSUN_SECRET_KEY: '' },
      }),
    );
    started.push(one);
    return one;
  }

  async function serve(): Promise<Process> {
    const server = start('npx bosun serve');
    await Promise.race([server.says('bosun serves bosun.config.ts at http://127.0.0.1:'), server.ended]);
    return server;
  }

  it('begins with its two commands', () => {
    expect([...text.slice(0, text.indexOf('\n## ')).matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line)).toEqual([
      'npm ci && npm start',
      'npm ci && npm test',
    ]);
  });

  it('has ten lines of code whose actor goes on after a kill -9 as they say', LONG, async () => {
    const [, code] = /^```ts\n([^]*?)^```$/m.exec(text.slice(0, text.indexOf('\n## ')))!;
    folder!.write('light.ts', code!.replace(/^await system\.stop\(\);.*$/m, "process.kill(process.pid, 'SIGKILL');"));
    for (const out of ['green\n', 'red\n']) {
      const run = new Process(spawn(process.execPath, [JITI, 'light.ts'], { cwd: folder!.path }));
      started.push(run);
      expect(await run.ended).toMatchObject({ code: null, out });
    }
  });

  it('has a person answer the crew of its first line, in the words that stand there', async () => {
    const args = [join(ROOT, 'examples/delivery/main.ts'), '--port', '0', '--pace', '0', '--patience', '600'];
    const job = new Process(spawn(process.execPath, [JITI, ...args], { cwd: folder!.path }));
    started.push(job);
    const [reply] = /npx bosun tickets reply .*?"(?=`)/.exec(text)!;
    await job.says(`, or by ${reply}\n`);
    const lists = [...five.matchAll(/npx bosun (?:tickets|gates) list/g)].map(([line]) => line);
    expect(lists).toHaveLength(2);
    const listed = await Promise.all(lists.map((line) => command(line).ended));
    expect(listed.map(({ code }) => code)).toEqual([0, 0]);
    expect(listed[0]!.out).toMatch(/^TK-0001 +open /m);
    expect((await command(reply).ended).out).toMatch(/^TK-0001: replied to by /);
    await job.says('TASK-002: wrote src/shipping.js');
    expect(await job.end('SIGKILL')).toMatchObject({ code: null });
  });

  it('names in its five minutes programs that have tests beside them, and a plan that runs', LONG, async () => {
    const programs = [...five.matchAll(/npx jiti (\S+?)`/g)].map(([, file]) => file!);
    expect(programs).toEqual(['examples/quick-start/main.ts', 'examples/answer-desk/main.ts']);
    for (const file of programs) expect(readdirSync(join(ROOT, dirname(file))).join()).toContain('.test.ts');
    const [, plan] = /npx bosun run (\S+) --data \S+?`/.exec(five)!;
    const data = join(folder!.path, 'equity');
    const env = { ...process.env, BOSUN_PACE_MS: '0' };
    const run = new Process(spawn(process.execPath, [MAIN, 'run', plan!, '--data', data], { cwd: ROOT, env }));
    expect((await run.ended).code).toBe(0);
    expect(readdirSync(join(data, 'reports'))).toContain('AAPL.md');
  });

  it('leads to a machine that survives its process', async () => {
    expect(Object.keys(files)).toEqual(['my-agent.ts', 'bosun.config.ts']);
    expect(lines).toEqual([
      'npm ci && npm run build',
      'mkdir mine && cd mine',
      'npx bosun serve',
      `npx bosun send o-1 pay '{"amount": 12}' --wait`,
      'npx bosun ps',
    ]);
    const server = await serve();
    const url = /at (http:\S+?),/.exec(server.err)![1]!;
    expect(await (await fetch(url)).text()).toContain('<title>Bosun</title>');
    expect(await start(lines[3]!).ended).toMatchObject({ code: 0, out: 'pay was taken by o-1\n' });
    expect((await start('npx bosun ps').ended).out).toMatch(/^o-1 +order +active +paid /m);
    await server.end('SIGKILL');
    const again = await serve();
    expect((await start('npx bosun ps').ended).out).toMatch(/^o-1 +order +active +paid /m);
    expect(await again.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});
