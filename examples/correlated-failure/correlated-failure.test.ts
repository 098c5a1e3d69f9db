/**
 * The example as its README describes it, in a short time: the quota of the vendor runs out, the crew waits for it, and
 * every item is completed.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { storyOf, type Told, Workspace } from '../../test/support/cli/workspace.ts';
import { startDataServer } from './data-server.ts';

const PLAN = fileURLToPath(new URL('plan.yaml', import.meta.url));
/** A hundred times as long as the first and second tries of all items take, which have to fall into it. */
const WINDOW_MS = 20_000;

describe('the example', () => {
  const work = new Workspace();
  let run: Told;
  afterAll(() => work[Symbol.asyncDispose]());
  beforeAll(async () => {
    // The agents run in this process and read its environment.
    vi.stubEnv('BOSUN_EXAMPLE_WINDOW_MS', String(WINDOW_MS));
    vi.stubEnv('BOSUN_EXAMPLE_QUOTA', undefined);
    run = await work.run(PLAN, '--wait').finally(() => vi.unstubAllEnvs());
  });

  const ofType = (type: string) =>
    run.lines.filter((line) => line.type === type) as unknown as Record<string, unknown>[];

  it('CA-058, CA-067: traces the failures of four items to one cause, the quota of the vendor', () => {
    const paused = ofType('item.paused').map(({ item }) => item);
    expect(paused).toHaveLength(4);
    expect(ofType('failure.correlated').at(-1)).toMatchObject({ rootCause: 'Loopback Prices API quota exceeded' });
    expect((ofType('failure.correlated').at(-1)!['items'] as string[]).toSorted()).toEqual(paused.toSorted());
  });

  it('CA-032, CA-054: resumes the items by itself when the vendor has quota again, and not earlier', () => {
    const waits = ofType('batch.changed').find(({ notBeforeMs }) => notBeforeMs !== null)!;
    expect(waits).toMatchObject({ batchId: 'batch-1', total: 4 });
    const story = storyOf(run.lines);
    expect(story.findIndex((line) => line.startsWith('item.resumed'))).toBeGreaterThan(
      run.lines.indexOf(waits as never),
    );
    expect(ofType('item.resumed')).toHaveLength(4);
  });

  it('ends with every item completed and exit code 0', () => {
    expect(run.code).toBe(0);
    expect(ofType('batch.changed').at(-1)).toMatchObject({
      phase: 'finished',
      status: 'COMPLETED',
      resumed: 4,
      failed: 0,
    });
    expect(ofType('task.completed')).toHaveLength(16);
    expect(run.lines.at(-1)).toMatchObject({ type: 'plan.completed', done: 16 });
  });
});

describe('the data server', () => {
  it('answers as many requests as its quota allows, then 429 with Retry-After, and reports its quota', async () => {
    const server = await startDataServer({ quota: 2, windowMs: 60_000 });
    try {
      const prices = () => fetch(`${server.url}/prices/AAPL`);
      const answers = [await prices(), await prices(), await prices()];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(Number(answers[2]!.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await answers[0]!.json()).toEqual(await answers[1]!.json());
      expect(await (await fetch(`${server.url}/quota`)).json()).toMatchObject({ limit: 2, used: 2 });
      expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
    } finally {
      await server.close();
    }
  });
});
