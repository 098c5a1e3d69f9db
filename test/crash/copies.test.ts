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
import { NEEDED } from '../../src/actors/xstate/foreign-copies.ts';
import { install, packedInto } from '../support/crash/packed.ts';
import { EFFORT, LONG_PATIENCE_MS } from '../support/effort.ts';

const run = promisify(execFile);

const programs = join(import.meta.dirname, '../support/crash');

describe.runIf(EFFORT === 'soak')('the packed package', () => {
  let root: string;
  let app: string;
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'bosun-copies-'));
    app = folder('app');
    await install(app, await packedInto(root));
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

  it(
    'refuses xstate 5.20 and zod 3 with a message (N2)',
    async () => {
      const old = folder('app', 'old');
      await install(old, 'xstate@5.20.2', 'zod@3');
      const [machine, schema] = (await printed('refused.mjs', old)).split('\n');
      expect(machine).toContain('BOSUN_AGENT_INVALID: agent "a": its machine is made by xstate 5.20.2, and Bosun');
      expect(machine).toContain(`needs xstate ${NEEDED.xstate}: install that, and import it from one place`);
      expect(schema).toContain('BOSUN_AGENT_INVALID: agent "a": the schema of "go" is made by zod 3, and Bosun');
      expect(schema).toContain(`needs zod ${NEEDED.zod}: install that, and import it from one place`);
    },
    LONG_PATIENCE_MS,
  );

  it(
    'is refused by npm itself if xstate 5.20 is the only copy (N2)',
    async () => {
      const alone = folder('alone');
      await install(alone, '--save-exact', 'xstate@5.20.2');
      const tarball = join(root, 'bosun-0.1.0.tgz');
      await expect(run('npm', ['install', '--no-audit', tarball], { cwd: alone })).rejects.toThrow('ERESOLVE');
    },
    LONG_PATIENCE_MS,
  );
});

/** The first and the last release of every minor in the range needed, oldest first. */
async function releases(library: keyof typeof NEEDED): Promise<string[]> {
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
