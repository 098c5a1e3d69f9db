/**
 * The package as users get it: packed, installed into an empty folder, and run there. Needs a registry and so is part
 * of the soak only.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, packedInto } from '../support/crash/packed.ts';
import { EFFORT } from '../support/effort.ts';

const run = promisify(execFile);

const project = fileURLToPath(new URL('../../', import.meta.url));

/** For packing and installing, with a registry that takes its time. */
const INSTALL_MS = 5 * 60_000;

/** Packed, it is 2.5 MB. What is new may take some room; what is a mistake takes more. */
const PACKED_BYTES_MAX = 3_000_000;

/** Packages in the folder of a user, with Bosun's own: 51. */
const PACKAGES_MAX = 55;

const PLAN = `
version: 1
plan: elsewhere
agents: ./agents.ts
stages:
  add: { agent: add }
  wait: { agent: waiting, after: [add] }
items: { one: { a: 1, b: 2 } }
`;

const AGENTS = `
import { setup } from 'xstate';
export async function add(input: { a: number; b: number }): Promise<{ sum: number }> {
  return { sum: input.a + input.b };
}
export const waiting = setup({}).createMachine({
  initial: 'waiting',
  states: { waiting: { after: { 5: 'done' } }, done: { type: 'final' } },
});
`;

describe.runIf(EFFORT === 'soak')('the packed package in an empty folder', () => {
  let root: string;
  let folder: string;
  let tarball: string;
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'bosun-package-'));
    folder = join(root, 'app');
    tarball = await packedInto(root);
    mkdirSync(folder);
    await install(folder, tarball);
    writeFileSync(join(folder, 'plan.yaml'), PLAN);
    writeFileSync(join(folder, 'agents.ts'), AGENTS);
  }, INSTALL_MS);

  async function bosun(...args: string[]): Promise<unknown> {
    const { stdout } = await run('npx', ['--no-install', 'bosun', ...args, '--json'], {
      cwd: folder,
      env: { ...process.env, BOSUN_PACE_MS: '0' },
    });
    return JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
  }

  it("schedules and runs a user's plan, with a function and a machine in TypeScript", async () => {
    expect(await bosun('schedule', 'plan.yaml')).toMatchObject({ plan: 'elsewhere', makespan: 2 });
    expect(await bosun('run', 'plan.yaml')).toMatchObject({ type: 'plan.completed', done: 2 });
    expect(await bosun('tree')).toMatchObject({ address: 'root' });
  });

  it('contains the example, which runs', async () => {
    const example = 'node_modules/bosun/examples/equity-research/plan.yaml';
    expect(await bosun('run', example, '--data', 'research')).toMatchObject({ type: 'plan.completed', done: 30 });
    expect(readdirSync(join(folder, 'research', 'reports'))).toHaveLength(10);
  });

  it('is small, and installs few packages (N8)', () => {
    expect(statSync(tarball).size).toBeLessThan(PACKED_BYTES_MAX);
    const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      readonly packages: object;
    };
    expect(Object.keys(packages).length).toBeLessThanOrEqual(PACKAGES_MAX);
  });

  it('shows the lines of its TypeScript source in a stack (N8)', async () => {
    writeFileSync(join(folder, 'wrong.mjs'), `import { schedule } from 'bosun/machines';\nschedule(undefined);\n`);
    const failed = run(process.execPath, ['--enable-source-maps', 'wrong.mjs'], { cwd: folder });
    const { stderr } = await failed.then(
      () => expect.fail('it goes well'),
      (error: unknown) => error as { readonly stderr: string },
    );
    const [, file, line] = /at planIndexOf \(.*\/bosun\/(src\/[\w/.-]+\.ts):(\d+):\d+\)/.exec(stderr)!;
    const written = readFileSync(join(project, file!), 'utf8').split('\n')[Number(line) - 1]!;
    expect(written).toContain('plan.tasks');
    expect(stderr).toContain(written);
  });

  it('can be imported by its public names', async () => {
    const program = `
      import { createSystem, defineAgent, levelStore } from 'bosun';
      import { schedule } from 'bosun/machines';
      import * as testing from 'bosun/testing';
      const types = [createSystem, defineAgent, levelStore, schedule].map((one) => typeof one);
      console.log([...types, Object.keys(testing).length > 0].join());`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
    expect(stdout).toBe('function,function,function,function,true\n');
  });
});
