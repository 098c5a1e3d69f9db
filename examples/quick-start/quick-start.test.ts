import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../test/support/effort.ts';

const JITI = resolve(import.meta.dirname, '../../node_modules/jiti/lib/jiti-cli.mjs');
const MAIN = resolve(import.meta.dirname, './main.ts');

/** Runs the example as a reader would, in a separate process. */
function run(directory: string): string {
  return execFileSync(process.execPath, [JITI, MAIN], { cwd: directory, encoding: 'utf8' });
}

describe('the quick start', () => {
  it('keeps its count from run to run and from process to process', LONG, () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-quick-start-'));
    try {
      expect([run(directory), run(directory)]).toEqual(['1\n2\n', '3\n4\n']);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
