/** The example as its README tells it: a failure, a gate, a dispute that people override, and a kill on the way. */
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LONG } from '../../test/support/effort.ts';
import { storyOf, type Told, Workspace } from '../../test/support/cli/workspace.ts';

const PLAN = fileURLToPath(new URL('plan.yaml', import.meta.url));
const DATA = ['--data', 'migration'];

describe('the example', LONG, () => {
  const work = new Workspace();
  beforeEach(() => {
    // The agents run in this process and read its environment.
    vi.stubEnv('BOSUN_PACE_MS', '0');
    vi.stubEnv('BOSUN_DATA_DIR', work.file('migration'));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await work[Symbol.asyncDispose]();
  });

  const order = async (...args: string[]) =>
    expect((await work.bosun([...args, ...DATA])).code, args.join(' ')).toBe(0);
  const run = () => work.run(PLAN, ...DATA);
  const proposals = ({ lines }: Told) => lines.flatMap((line) => ('proposal' in line ? [line.proposal] : []));
  const tables = (name: string) => JSON.parse(work.read(`migration/loaded/${name}.json`)) as { ids: string[] }[];

  it('pauses the item whose table is broken, and asks people about the other', async () => {
    const first = await run();
    expect(first.code).toBe(3);
    expect(first.err).toContain('suppliers is paused: suppliers/read failed: suppliers.csv, line 5: not the 4 fields');
    expect(proposals(first)).toContain('load 3 rows for 3, sum 195');
  });

  it('CA-107, CA-122: resumes it, and goes on with the cautious value over kill -9', async () => {
    await order('gates', 'answer', 'plan.cutover.1', 'decision=approve', '--by', 'ada');
    await order('send', 'debates', 'regime.readings', '{ "readings": { "writesPerMinute": 0 } }');
    mkdirSync(work.file('migration/corrected'));
    const broken = readFileSync(new URL('data/suppliers.csv', import.meta.url), 'utf8');
    work.write('migration/corrected/suppliers.csv', broken.replaceAll(/;$/gm, ''));
    await order('plan', 'resume', 'suppliers');
    const doomed = work.spawn(['run', PLAN, ...DATA], { env: { BOSUN_PACE_MS: '600000' } });
    await doomed.says('started    suppliers/convert');
    await doomed.end('SIGKILL');

    const second = await run();
    expect(storyOf(second.lines)).toContain('task.completed suppliers/convert 2');
    expect(proposals(second)).toContain('load 5 rows for 5, sum 867');
    const { out } = await work.bosun(['debates', 'show', 'suppliers-similarity', ...DATA]);
    expect(out).toContain('the highest similarity: 1 is more cautious than 0.8');
    expect(out).toContain('regime frozen');
  });

  it('CA-134: converts again, and only that and what follows it, when people override the value', async () => {
    await order('debates', 'override', 'suppliers-similarity', '--by', 'ada', '--reason', 'they are one firm');
    const third = await run();
    expect(storyOf(third.lines).filter((line) => line.startsWith('task.completed'))).toEqual([
      'task.completed suppliers/convert 1',
      'task.completed suppliers/check 1',
    ]);
    expect(proposals(third)).toContain('load 4 rows for 5, sum 867');
  });

  it('ends with both tables loaded', async () => {
    await order('gates', 'answer', 'plan.cutover.3', 'decision=approve', '--by', 'ada');
    expect((await run()).code).toBe(0);
    expect([tables('customers').length, tables('suppliers')[0]!.ids]).toEqual([3, ['1', '2']]);
  });
});
