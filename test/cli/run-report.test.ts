/** The live picture of a run on a terminal. Lines for machines and pipes are tested end to end in run.test.ts. */
import { describe, expect, it } from 'vitest';
import { terminalReporter } from '../../src/cli/run/run-report.ts';
import { safe } from '../../src/cli/terminal.ts';
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

/** The text that a terminal of so many columns shows, without escape codes, and the codes that were sent. */
function drawn(columns: number, colour: boolean, of = context): { lines: string[]; codes: string[] } {
  let sent = '';
  const terminal = { columns, write: (text: string) => (sent += text) };
  terminalReporter({ write() {} }, safe(terminal), colour).progress(of);
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

  it('shows the gate of an item that waits for people, and the number of open questions (N4)', () => {
    const gate = {
      gate: 'G3',
      id: 'plan.G3.1',
      state: 'waiting',
      audience: ['*'],
      openedAtMs: 0,
      answeredAfterMs: null,
    } as const;
    const asked = (done: readonly string[], running: readonly string[] = []): ItemProgress => ({
      ...RUNNING,
      ...{ done, running, gates: { G3: gate } },
    });
    const lines = (item: ItemProgress) => drawn(120, false, { ...context, items: table([['I', item]]) }).lines;
    expect(lines(asked(['I/a', 'I/b']))[0]).toMatch(/2\/2 {2}waits for people: plan\.G3\.1$/);
    expect(lines(asked(['I/a'], ['I/b']))[0]).toMatch(/1\/2 {2}waits for people: plan\.G3\.1 \(ends first: b\)$/);
    expect(lines(asked(['I/a'])).at(-1)).toBe('test: 1 of 4 tasks done, 1 question to people');
  });

  it('keeps items that wait for people in view when there are more items than lines (N4)', () => {
    const items = Array.from({ length: 40 }, (_, at) => `i${at}`);
    const many = planOf({ stages: { a: { agent: 'x' } }, items });
    const gate = {
      gate: 'G3',
      id: 'plan.G3.1',
      state: 'waiting',
      audience: ['*'],
      openedAtMs: 0,
      answeredAfterMs: null,
    } as const;
    const done = items.map((item): [string, ItemProgress] => [item, { ...RUNNING, done: [`${item}/a`] }]);
    const known = table([...done.slice(0, -1), ['i39', { ...RUNNING, done: ['i39/a'], gates: { G3: gate } }]]);
    const { lines } = drawn(80, false, { ...context, plan: many, items: known });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^i39 .*waits for people: plan\.G3\.1$/);
  });

  it('assumes 80 columns if the terminal does not give its width', () => {
    expect(drawn(0, false)).toEqual(drawn(80, false));
  });

  it('contains escape codes only if colours are wanted', () => {
    expect(drawn(70, false).codes).toEqual([]);
    expect(drawn(70, true).codes).not.toEqual([]);
  });
});
