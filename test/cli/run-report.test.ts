/**
 * The live picture of a run: what a terminal is sent. Lines for machines and pipes are tested end to end in
 * run.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { terminalReporter } from '../../src/cli/run-report.ts';
import {
  type CoordinatorContext,
  newProgress,
} from '../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type ItemProgress } from '../../src/machines/coordination/coordinator/progress.ts';
import { table } from '../../src/table.ts';
import { planOf } from '../support/fixtures/plans/plans.ts';

const RUNNING: ItemProgress = {
  phase: 'running',
  done: [],
  running: [],
  failed: [],
  reason: null,
  pauses: 0,
  manager: null,
};

const plan = planOf({
  stages: { a: { agent: 'x' }, b: { agent: 'x', after: ['a'] } },
  items: ['I', `long-${'name'.repeat(20)}`],
});

const context: CoordinatorContext = {
  ...newProgress(),
  plan,
  unitMs: null,
  items: table([
    ['I', { ...RUNNING, phase: 'paused', done: ['I/a'], reason: `I/b failed: ${'very '.repeat(40)}\nlong` }],
  ]),
};

/** What a terminal of so many columns shows, without escape codes, and the codes that were sent. */
function drawn(columns: number, colour: boolean): { lines: string[]; codes: string[] } {
  let sent = '';
  const terminal = { columns, write: (text: string) => (sent += text) };
  terminalReporter({ write() {} }, terminal, colour).progress(context);
  const code = /\u001b\[[\d;]*[A-Za-z]/g;
  return { lines: sent.replace(code, '').split('\n').slice(0, -1), codes: sent.match(code) ?? [] };
}

describe('the live picture', () => {
  it('has one line per item and a summary, each within the width of the terminal', () => {
    for (const colour of [false, true]) {
      const { lines } = drawn(70, colour);
      expect(lines).toHaveLength(3);
      expect(lines.map((line) => line.length).filter((length) => length > 70)).toEqual([]);
      expect(lines[0]).toMatch(/^I +█{10}·{10} 1\/2 {2}pause.*…$/);
      expect(lines[1]).toMatch(/^long-namename\S*… ·{20} 0\/2$/);
    }
  });

  it('takes 80 columns where the terminal does not say', () => {
    expect(drawn(0, false)).toEqual(drawn(80, false));
  });

  it('has escape codes for colours only where colours are wanted', () => {
    expect(drawn(70, false).codes).toEqual([]);
    expect(drawn(70, true).codes).not.toEqual([]);
  });
});
