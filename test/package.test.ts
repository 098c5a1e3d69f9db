/**
 * The package as a user gets it: the files that are packed for a registry after the last build, and the package
 * installed into a folder of its own and run there. And a build without changes.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from './support/effort.ts';
import { Installed, type Packed } from './support/installed.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..');

/** Packed, it is 5.2 MB. What is new may take some room; what is a mistake takes more. */
const PACKED_BYTES_MAX = 5_250_000;

/** Packages in the folder of a user, with Bosun's own: 65, of which tap-parser and what it needs are 4. */
const PACKAGES_MAX = 65;

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

describe('the package', LONG, () => {
  let user: Installed | undefined;
  let packed: Packed;
  beforeAll(async () => void (packed = await (user = new Installed()).pack()));
  afterAll(() => user?.[Symbol.dispose]());

  const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  /** Output of the compiler. */
  const modules = () => packed.files.filter((path) => /^dist\/(?!inspector\/).*\.js$/.test(path));

  it('contains no file that only the build or the repository needs (N8)', () => {
    expect(modules().length).toBeGreaterThan(300);
    expect(packed.files.filter((path) => /\.tsbuildinfo$|\.built$|\.png$|^(src|test|bench)\//.test(path))).toEqual([]);
  });

  it('has a source map with its sources for every module (N8)', () => {
    const isWhole = (path: string) => {
      const { sources, sourcesContent } = JSON.parse(textOf(`${path}.map`)) as {
        readonly sources: readonly string[];
        readonly sourcesContent?: readonly string[];
      };
      return sources.length === 1 && sourcesContent?.[0] === textOf(join(dirname(path), sources[0]!));
    };
    expect(modules().filter((path) => !isWhole(path))).toEqual([]);
  });

  it('has no import or module of types alone, and contains every module that is imported (N8)', () => {
    const paths = new Set(packed.files);
    for (const path of modules()) {
      const code = textOf(path);
      expect(code, path).not.toMatch(/^(import|export) \{ *\} from/m);
      const missing = [...code.matchAll(/(?:from|import\() ?["'](\.[^"']+)["']/g)]
        .map(([, target]) => join(dirname(path), target!))
        .filter((target) => !paths.has(target));
      expect([path, missing]).toEqual([path, []]);
    }
  });

  describe('installed by a user', () => {
    let packages: readonly string[];
    beforeAll(async () => {
      packages = await user!.install(packed.tarball, ['fast-check', '@types/node']);
      user!.write('plan.yaml', PLAN);
      user!.write('agents.ts', AGENTS);
    });

    const started = (program: string, ...args: string[]) =>
      run(program, args, { cwd: user!.path, env: { ...process.env, BOSUN_PACE_MS: '0' } });

    async function bosun(...args: string[]): Promise<unknown> {
      const { stdout } = await started(join('node_modules', '.bin', 'bosun'), ...args, '--json');
      return JSON.parse(stdout.trimEnd().split('\n').at(-1)!);
    }

    it('is small, and needs few packages (N8)', () => {
      expect(packed.bytes).toBeLessThan(PACKED_BYTES_MAX);
      expect(packages.length).toBeLessThanOrEqual(PACKAGES_MAX);
    });

    it("schedules and runs a user's plan, with a function and a machine in TypeScript", async () => {
      expect(await bosun('schedule', 'plan.yaml')).toMatchObject({ plan: 'elsewhere', makespan: 2 });
      expect(await bosun('run', 'plan.yaml')).toMatchObject({ type: 'plan.completed', done: 2 });
      expect(await bosun('tree')).toMatchObject({ address: 'root' });
    });

    it('contains the example, which runs', async () => {
      const example = 'node_modules/bosun/examples/equity-research/plan.yaml';
      expect(await bosun('run', example, '--data', 'research')).toMatchObject({ type: 'plan.completed', done: 30 });
      expect(readdirSync(join(user!.path, 'research', 'reports'))).toHaveLength(10);
    });

    it('shows the lines of its TypeScript source in a stack (N8)', async () => {
      user!.write('wrong.mjs', `import { schedule } from 'bosun/machines';\nschedule(undefined);\n`);
      const { stderr } = await started(process.execPath, '--enable-source-maps', 'wrong.mjs').then(
        () => expect.fail('it goes well'),
        (error: unknown) => error as { readonly stderr: string },
      );
      const [, file, line] = /at planIndexOf \(.*\/bosun\/(src\/[\w/.-]+\.ts):(\d+):\d+\)/.exec(stderr)!;
      const written = textOf(file!).split('\n')[Number(line) - 1]!;
      expect(written).toContain('plan.tasks');
      expect(stderr).toContain(written);
    });

    describe('within a strict project of NodeNext', () => {
      const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
      /** The block of a page that contains a text. */
      const blockOf = (page: string, text: string) =>
        [...textOf(page).matchAll(/^```ts\n([^]*?)^```$/gm)]
          .map(([, block]) => block!)
          .find((it) => it.includes(text))!;

      beforeAll(async () => {
        user!.write('service.ts', blockOf('docs/embedding.md', 'export async function service'));
        user!.write('embedded.ts', blockOf('docs/embedding.md', 'team.run('));
        user!.write('property.ts', blockOf('docs/testing.md', 'class Warehouse'));
        user!.write('reminder.ts', blockOf('docs/testing.md', 'const reminder = defineAgent'));
        const told = `console.log([failure.token, ...failure.story].join('\\n'));`;
        user!.write('simulation.ts', `${blockOf('docs/simulation.md', 'class Bank')}${told}\n`);
        user!.write(
          'use.ts',
          `import { service } from './service.js';
           const { url, stop } = await service('./notes');
           const call = async (method: string, path: string, body?: object) =>
             (await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) })).json();
           await call('PUT', '/notes/n1', { topic: 'otters' });
           for (;;) if (((await call('GET', '/gates')) as unknown[]).length > 0) break;
           await call('POST', '/gates/task.n1.result', { by: 'ada', decision: 'approve' });
           for (;;) {
             const note = (await call('GET', '/notes/n1')) as { state: string; output: string };
             if (note.state !== 'done') continue;
             console.log(note.output);
             break;
           }
           await stop();`,
        );
        const compilerOptions = { strict: true, module: 'NodeNext', target: 'ES2023', types: ['node'], outDir: 'out' };
        const files = ['service.ts', 'embedded.ts', 'property.ts', 'reminder.ts', 'simulation.ts', 'use.ts'];
        user!.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
        await run(process.execPath, [TSC, '-p', 'tsconfig.json'], { cwd: user!.path }).catch((error: unknown) => {
          throw new Error((error as { readonly stdout: string }).stdout);
        });
      });

      it('DC-011: runs a crew and a service as the documents have them', async () => {
        expect((await started(process.execPath, 'out/embedded.js')).stdout).toBe('A note on otters.\n');
        expect((await started(process.execPath, 'out/use.js')).stdout).toBe('A note with three facts on otters.\n');
      });

      it('DC-010: finds the planted bug of the documents within ten seconds', async () => {
        const { stdout } = await started(process.execPath, 'out/property.js');
        expect(stdout).toBe('cancelled, and still reserved true\ntrue\n');
      }, 10_000);

      it('DC-010, CN-002: keeps a deadline over a power cut on its virtual clock', async () => {
        expect((await started(process.execPath, 'out/reminder.js')).stdout).toBe('rung 1\n');
      });

      it('DC-010, CN-026: has one story for one seed, in any process', async () => {
        const [one, another] = await Promise.all([1, 2].map(() => started(process.execPath, 'out/simulation.js')));
        expect(one!.stdout).toMatch(/^1\nundefined 0\n\S+\n.*o1/s);
        expect(another!.stdout).toBe(one!.stdout);
      });
    });

    it('can be imported by its public names', async () => {
      const program = `
        import { createSystem, defineAgent, levelStore } from 'bosun';
        import { schedule } from 'bosun/machines';
        import * as testing from 'bosun/testing';
        const types = [createSystem, defineAgent, levelStore, schedule].map((one) => typeof one);
        console.log([...types, Object.keys(testing).length > 0].join());`;
      const { stdout } = await started(process.execPath, '--input-type=module', '--eval', program);
      expect(stdout).toBe('function,function,function,function,true\n');
    });
  });
});

describe('a build', () => {
  it('says that nothing has changed, and does nothing (N9)', async () => {
    const { stdout, stderr } = await run(process.execPath, ['.ci/build.mjs', '--to-run'], { cwd: ROOT });
    expect([stdout, stderr, existsSync(join(ROOT, 'dist/.built'))]).toEqual([
      '',
      'build      nothing has changed\n',
      true,
    ]);
  });
});
