/**
 * The README's way from nothing to a machine of one's own: its files and its lines, as they stand there, with a kill -9
 * between.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Process } from '../support/cli/workspace.ts';
import { UserFolder } from '../support/user-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/cli/main.js');

const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
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

  /** A line for a shell, with the built program in the place of npx, and a free port. */
  function start(line: string): Process {
    expect(lines).toContain(line);
    const command = line
      .replace(/^npx bosun/, `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)}`)
      .replace(/serve$/, 'serve --port 0');
    const one = new Process(
      spawn('/bin/sh', ['-c', command], {
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
