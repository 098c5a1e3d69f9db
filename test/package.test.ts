/** The files that are packed for a registry after the last build; and a build without changes. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { LONG } from './support/effort.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..');

describe('the package', LONG, () => {
  let paths: readonly string[] = [];
  beforeAll(async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      maxBuffer: 16e6,
    });
    const [packed] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    paths = packed.files.map(({ path }) => path);
  });

  const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  /** What the compiler has written. */
  const modules = () => paths.filter((path) => path.endsWith('.js') && !path.startsWith('dist/inspector/'));

  it('contains no file that only the build or the repository needs (N8)', () => {
    expect(modules().length).toBeGreaterThan(300);
    expect(paths.filter((path) => /\.tsbuildinfo$|\.built$|\.png$|^(src|test|bench)\//.test(path))).toEqual([]);
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
    const packed = new Set(paths);
    for (const path of modules()) {
      const code = textOf(path);
      expect(code, path).not.toMatch(/^(import|export) \{ *\} from/m);
      const missing = [...code.matchAll(/(?:from|import\() ?["'](\.[^"']+)["']/g)]
        .map(([, target]) => join(dirname(path), target!))
        .filter((target) => !packed.has(target));
      expect([path, missing]).toEqual([path, []]);
    }
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
