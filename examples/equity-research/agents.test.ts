/** The six agents as the runtime sees them: plain results, repeatable, quick to stop, and in step with `plan.yaml`. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { normalisePlan, planFileSchema, schedule } from 'bosun/machines';
import { parse } from 'yaml';
import * as agents from './agents.ts';
import { contextOf, runCrew } from './crew-run.ts';
import { STAGE_PACE_MS } from './pace.ts';

const COMPANIES = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];
const STAGES = ['screening', 'business', 'financial', 'strategy', 'valuation', 'report'] as const;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'equity-research-'));
  vi.stubEnv('BOSUN_PACE_MS', '0');
  vi.stubEnv('BOSUN_REPORTS_DIR', join(directory, 'reports'));
  vi.stubEnv('BOSUN_EXECUTION_LOG', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

async function readReports(): Promise<Map<string, string>> {
  const folder = join(directory, 'reports');
  const names = (await readdir(folder)).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return new Map(names.map((name, index) => [name, contents[index] ?? '']));
}

describe('the crew', () => {
  it('writes a report and a chart for each company, and the same bytes when it is run again', async () => {
    for (const item of COMPANIES) await runCrew(item);
    const first = await readReports();
    expect([...first.keys()]).toEqual(COMPANIES.flatMap((item) => [`${item}.md`, `${item}.svg`]).toSorted());
    for (const item of COMPANIES) await runCrew(item);
    expect(await readReports()).toEqual(first);
  });

  it.each(COMPANIES)('passes on nothing but plain JSON data about %s', async (item) => {
    const results: Record<string, unknown> = {};
    for (const stage of STAGES) {
      const output = await agents[stage](undefined, contextOf(item, { results }));
      expect(JSON.parse(JSON.stringify(output))).toStrictEqual(output);
      results[stage] = output;
    }
  });

  it('uses the input of an item as its assumptions', async () => {
    const { valuation } = await runCrew('AAPL', { discountRate: 0.08 });
    expect(valuation.assumptions.discountRate).toBe(0.08);
    expect((await readReports()).get('AAPL.md')).toContain('| Discount rate | 8.0% |');
  });

  it('refuses an invalid input in its first stage', async () => {
    await expect(agents.screening({ discountrate: 0.08 }, contextOf('AAPL'))).rejects.toThrow('discountrate');
  });

  it('refuses an item without figures', async () => {
    await expect(agents.screening(undefined, contextOf('NVDA'))).rejects.toThrow('No figures for "NVDA"');
  });

  it('names the stage whose result is missing', async () => {
    await expect(agents.business(undefined, contextOf('AAPL'))).rejects.toThrow('Needs the result of stage "scr');
  });

  it('is the crew that plan.yaml asks for', async () => {
    const plan: unknown = parse(await readFile(new URL('./plan.yaml', import.meta.url), 'utf8'));
    expect(plan).toEqual({
      version: 1,
      plan: 'equity-research',
      unit: 'minutes',
      capacity: { screening: 5, business: 3, financial: 2, strategy: 3, valuation: 1 },
      agents: './agents.ts',
      stages: {
        screening: { agent: 'screening', duration: 2, retry: { attempts: 3 }, timeoutMs: 60000 },
        business: { agent: 'business', duration: 2, after: ['screening'] },
        financial: { agent: 'financial', duration: 2, after: ['business'] },
        strategy: { agent: 'strategy', duration: 2, after: ['business'] },
        valuation: { agent: 'valuation', duration: 1, after: ['financial', 'strategy'] },
        report: { agent: 'report', duration: 1, after: ['valuation'], barrier: true },
      },
      items: COMPANIES,
    });
    expect(Object.keys(agents).toSorted()).toEqual([...STAGES].toSorted());
  });

  it('takes some twenty seconds at its default pace, so that a reader can kill it midway (N9)', async () => {
    const file = planFileSchema.parse(parse(await readFile(new URL('./plan.yaml', import.meta.url), 'utf8')));
    const result = normalisePlan(file);
    if ('problems' in result) throw new Error(JSON.stringify(result.problems));
    // Whatever the plan says of their durations, all stages take the pace.
    const tasks = result.plan.tasks.map((task) => ({ ...task, duration: STAGE_PACE_MS / 1_000 }));
    const { makespan: seconds } = schedule({ ...result.plan, tasks });
    expect(seconds).toBeGreaterThanOrEqual(15);
    expect(seconds).toBeLessThanOrEqual(25);
  });
});

describe('an agent', () => {
  it.each(STAGES)('%s does not begin if aborted', async (stage) => {
    vi.stubEnv('BOSUN_EXECUTION_LOG', join(directory, 'log'));
    const context = contextOf('AAPL', { signal: AbortSignal.abort() });
    await expect(agents[stage](undefined, context)).rejects.toThrow(/abort/i);
    expect(await readdir(directory)).toEqual([]);
  });

  it('stops in the middle of its pause if aborted', async () => {
    vi.stubEnv('BOSUN_PACE_MS', '600000');
    const controller = new AbortController();
    const running = agents.screening(undefined, contextOf('AAPL', { signal: controller.signal }));
    controller.abort();
    await expect(running).rejects.toThrow(/abort/i);
  });

  it('refuses a pace that is not a number', async () => {
    vi.stubEnv('BOSUN_PACE_MS', 'fast');
    await expect(agents.screening(undefined, contextOf('AAPL'))).rejects.toThrow('BOSUN_PACE_MS must be');
  });

  it('writes a line to the execution log at its start and at its end', async () => {
    const log = join(directory, 'log');
    vi.stubEnv('BOSUN_EXECUTION_LOG', log);
    await agents.screening(undefined, contextOf('AAPL', { effectId: '3/7/0', attempt: 2 }));
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { task: 'AAPL/screening', phase: 'start', effectId: '3/7/0', attempt: 2 },
      { task: 'AAPL/screening', phase: 'finish', effectId: '3/7/0', attempt: 2 },
    ]);
  });

  it('an agent that failed has a line for its start and none for its end', async () => {
    const log = join(directory, 'log');
    vi.stubEnv('BOSUN_EXECUTION_LOG', log);
    await expect(agents.screening(undefined, contextOf('NVDA'))).rejects.toThrow();
    expect(await readFile(log, 'utf8')).toBe(
      '{"task":"NVDA/screening","phase":"start","effectId":"effect-of-NVDA","attempt":1}\n',
    );
  });

  it('replaces a report that a kill truncated, and leaves no temporary file', async () => {
    await runCrew('AAPL');
    const whole = await readReports();
    await writeFile(join(directory, 'reports', '.AAPL.md.tmp'), '# AAPL: App');
    await writeFile(join(directory, 'reports', 'AAPL.md'), 'an older report');
    await runCrew('AAPL');
    expect(await readReports()).toEqual(whole);
  });
});
