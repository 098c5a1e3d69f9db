/** `bosun schedule` as its caller sees it: stdout, stderr and the exit code. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type ScheduleCommand, scheduleCommand } from '../../src/cli/run/schedule-command.ts';

const EQUITY = fileURLToPath(new URL('../support/fixtures/plans/equity-research.yaml', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bosun-schedule-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(command: Partial<ScheduleCommand>): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => (written[name] += text) });
  const code = await scheduleCommand({ file: EQUITY, cwd: folder, ...command, out: stream('out'), err: stream('err') });
  return { code, ...written };
}

describe('bosun schedule --json', () => {
  it('CA-011, CA-E02, CA-E03, CN-005: prints one object on one line and nothing else', async () => {
    const { code, out, err } = await run({ json: true });
    expect({ code, err, lines: out.split('\n').length }).toEqual({ code: 0, err: '', lines: 2 });
    const object: unknown = JSON.parse(out);
    expect(Object.keys(object as object)).toEqual([
      'plan',
      'makespan',
      'work',
      'sequential',
      'parallelismFactor',
      'criticalPath',
      'bottleneck',
      'tasks',
    ]);
    const criticalPath = ['screening', 'business', 'financial', 'valuation', 'report'].map((stage) => `AAPL/${stage}`);
    const totals = { makespan: 9, sequential: 18, parallelismFactor: 2, bottleneck: 'valuation' };
    expect(object).toMatchObject({ ...totals, criticalPath });
    expect(object).toHaveProperty('tasks.0', {
      task: 'AAPL/screening',
      item: 'AAPL',
      stage: 'screening',
      agent: 'screening',
      start: 0,
      end: 2,
      critical: true,
    });
  });

  it('CA-012: prints the same bytes every time', async () => {
    expect(await run({ json: true })).toEqual(await run({ json: true }));
  });
});

describe('bosun schedule', () => {
  it('prints a summary, a table in the order of starts, and a chart', async () => {
    const { code, out } = await run({ width: 80 });
    expect(code).toBe(0);
    expect(out).toContain(
      'equity-research: makespan 9 minutes, work 20 minutes, parallelism factor 2, bottleneck valuation\n',
    );
    expect(out).toContain(
      'critical path (◆): AAPL/screening -> AAPL/business -> AAPL/financial -> AAPL/valuation -> AAPL/report\n',
    );
    expect(out).toMatch(/^ {3}MSFT\/valuation {2}valuation {6}7 {4}8$/m);
    expect(out).toMatch(/^◆ valuation +█+$/m);
  });

  it('writes the chart to the path of --svg, and reports it on stderr', async () => {
    const svg = join(folder, 'chart.svg');
    const { code, out, err } = await run({ json: true, svg });
    expect({ code, err }).toEqual({ code: 0, err: `chart written to ${svg}\n` });
    expect(JSON.parse(out)).toHaveProperty('makespan', 9);
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  it('resolves relative paths from the working directory, and prints them as they were given', async () => {
    writeFileSync(join(folder, 'small.yaml'), '{ version: 1, plan: x, tasks: [{ id: a, run: make }] }');
    expect(await run({ file: 'small.yaml', svg: 'small.svg' })).toMatchObject({
      code: 0,
      err: 'chart written to small.svg\n',
    });
    expect(readFileSync(join(folder, 'small.svg'), 'utf8')).toMatch(/^<svg /);
    expect((await run({ file: 'none.yaml' })).err).toBe('none.yaml: cannot be read: no such file\n');
  });

  it('exits with 2 and one line when the chart cannot be written', async () => {
    const { code, out, err } = await run({ svg: join(folder, 'missing', 'chart.svg') });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^\S+chart\.svg cannot be written: ENOENT[^\n]*\n$/);
  });

  it('CN-005: exits with 2 and one line with the place and reason when the plan is not valid', async () => {
    const file = join(folder, 'plan.yaml');
    writeFileSync(
      file,
      'version: 1\nplan: x\ntasks: [{ id: a, agent: x, after: [c] }, { id: b, agent: x, after: [a] }, { id: c, ' +
        'agent: x, after: [b] }]\n',
    );
    expect(await run({ file })).toEqual({
      code: 2,
      out: '',
      err: `${file}:3:35: tasks[0].after: these tasks wait for each other: a -> b -> c -> a\n`,
    });
  });

  it('exits with 2 and names an agent that is missing in the module of the plan', async () => {
    const agentsOf: ScheduleCommand['agentsOf'] = async ({ agents }) => {
      expect(agents).toBe(join(EQUITY, '..', 'agents.ts'));
      const names = ['screening', 'business', 'financial', 'strategy', 'valuations'];
      return new Map(names.map((name) => [name, async () => null]));
    };
    const { code, err } = await run({ agentsOf });
    expect(code).toBe(2);
    expect(err).toBe(
      `${EQUITY}:11:23: stages.valuation.agent: unknown agent "valuation"; did you mean "valuations"? (and 1 more)\n`,
    );
  });
});
