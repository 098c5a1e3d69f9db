/**
 * The package as a user gets it: packed, installed into an empty folder, run there. Needs a registry and so is part of
 * the soak only.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EFFORT } from '../support/effort.ts';

const run = promisify(execFile);

const project = fileURLToPath(new URL('../../', import.meta.url));

/** For packing and installing, with a registry that takes its time. */
const INSTALL_MS = 5 * 60_000;

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
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'bosun-package-'));
    folder = join(root, 'app');
    await run('npm', ['pack', '--silent', '--pack-destination', root], { cwd: project });
    const [tarball] = readdirSync(root).filter((file) => file.endsWith('.tgz'));
    mkdirSync(folder);
    await run('npm', ['install', '--silent', '--no-audit', '--no-fund', join(root, tarball!)], { cwd: folder });
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

  it('schedules and runs a plan of its own, with a function and a machine in TypeScript', async () => {
    expect(await bosun('schedule', 'plan.yaml')).toMatchObject({ plan: 'elsewhere', makespan: 2 });
    expect(await bosun('run', 'plan.yaml')).toMatchObject({ type: 'plan.completed', done: 2 });
    expect(await bosun('tree')).toMatchObject({ address: 'root' });
  });

  it('brings the example along', async () => {
    const example = 'node_modules/bosun/examples/equity-research/plan.yaml';
    expect(await bosun('run', example, '--data', 'research')).toMatchObject({ type: 'plan.completed', done: 30 });
    expect(readdirSync(join(folder, 'research', 'reports'))).toHaveLength(10);
  });

  it('is imported by its public names', async () => {
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
