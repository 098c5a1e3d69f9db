/**
 * The benchmark itself: that its rows run and are documented. What it measures is for a quiet machine, not for a test.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Report {
  readonly size: string;
  readonly rows: readonly {
    readonly name: string;
    readonly variants: readonly {
      readonly ratios: readonly {
        readonly name: string;
        readonly goal?: string;
        readonly atLeast?: number;
        readonly median: number;
      }[];
    }[];
  }[];
}

function bench(...args: string[]): string {
  return execFileSync(process.execPath, ['--expose-gc', 'bench/run.mjs', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

describe('the benchmark', () => {
  it('documents the unit that every row counts', () => {
    const names = [...bench('--help').matchAll(/^ {2}([A-Z]+\d+[a-z]?) /gm)].map(([, name]) => name!);
    const tables = [
      ...readFileSync('docs/benchmark-details.md', 'utf8')
        .split('## Figures')[0]!
        .matchAll(/^\| ((?:[A-Z]+\d+[a-z]?(?:, )?)+) \|/gm),
    ];
    expect(names).toContain('G3');
    expect(tables.flatMap(([, cell]) => cell!.split(', '))).toEqual(expect.arrayContaining(names));
  });

  it('runs a row, checks its work, and reports its goals', () => {
    const { size, rows } = JSON.parse(bench('--rows', 'G3', '--quick', '--json')) as Report;
    expect(size).toBe('quick');
    expect(rows.map(({ name }) => name)).toEqual(['G3']);
    for (const { ratios } of rows[0]!.variants) {
      expect(ratios.flatMap(({ goal, atLeast }) => (atLeast === undefined ? [] : [goal ?? 'G3']))).toEqual([
        'G3',
        'G5',
      ]);
      for (const { median } of ratios) expect(median).toBeGreaterThan(0);
    }
  });

  it('runs hubs, whose sessions are on disk in one epoch before their work begins', () => {
    const { rows } = JSON.parse(bench('--rows', 'HUB1', '--quick', '--json')) as Report;
    for (const { ratios } of rows[0]!.variants)
      expect(ratios.find(({ name }) => name.startsWith('epochs'))?.median).toBe(1);
  });
});
