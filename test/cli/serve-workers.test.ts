/** `bosun serve` with workers: the verbs of the command line see one system, also after its restart. */
import { afterAll, describe, expect, it } from 'vitest';
import { AGENTS } from '../support/cli/shop-config.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const config = (rest: string) =>
  `${AGENTS}export default { agents: [counter], tree: { children: ['a', 'b', 'c', 'd'].map((id) => ({ id, agent: ` +
  `'counter' })) }, gateway: { port: 0 }, ${rest} };`;

describe('bosun serve over workers', () => {
  it('serves one system, which verbs find, and keeps its state over a restart', async () => {
    work.write('bosun.config.mts', config('workers: 2'));
    for (const count of ['1', '2']) {
      const serving = await work.spawn(['serve', '--json', '--data', 'spread']).serves();
      for (const id of ['a', 'b', 'c', 'd']) {
        expect(await work.bosun(['send', id, 'add', '{"by": 1}', '--wait', '--data', 'spread'])).toMatchObject({
          code: 0,
        });
        expect(await work.bosun(['ask', id, 'count', '--json', '--data', 'spread'])).toMatchObject({
          code: 0,
          out: expect.stringContaining(count) as string,
        });
      }
      expect(
        (await work.bosun(['ps', '--agent', 'counter', '--json', '--data', 'spread'])).out.trim().split('\n'),
      ).toHaveLength(4);
      const { code, err } = await serving.end('SIGTERM');
      expect(code).toBe(0);
      expect(linesOf(err)[0]).toMatchObject({
        msg: expect.stringContaining('bosun serves bosun.config.mts over 2 workers at ') as string,
      });
    }
    expect(['0', '1'].map((worker) => work.has(`spread/workers/${worker}/CURRENT`))).toEqual([true, true]);
    expect(await work.bosun(['verify', '--data', 'spread/workers/1'])).toMatchObject({ code: 0 });
    expect(await work.bosun(['ps', '--data', 'spread'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('spread/workers/0') as string,
    });
  });

  it('refuses a plan, a different number of workers, and a directory of a system without workers', async () => {
    const serve = async (rest: string, args: readonly string[]) => {
      work.write('bosun.config.mts', config(rest));
      const { code, err } = await work.spawn(['serve', ...args]).ended;
      return [
        code,
        linesOf(err)
          .map((line) => (line as unknown as { code?: string }).code)
          .find((one) => one !== undefined),
      ];
    };
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
    expect(await serve('workers: 2', ['plan.yaml', '--data', 'planned'])).toEqual([2, 'BOSUN_CONFIG_INVALID']);
    expect(await serve('workers: 0', ['--data', 'none'])).toEqual([2, 'BOSUN_CONFIG_INVALID']);
    expect(await serve('workers: 3', ['--data', 'spread'])).toEqual([1, 'BOSUN_WORKERS_CHANGED']);
    expect(await serve('', ['--data', 'spread'])).toEqual([1, 'BOSUN_WORKERS_CHANGED']);
    expect(await work.bosun(['run', 'plan.yaml', '--data', 'spread'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('holds the stores of workers') as string,
    });
    expect(work.has('spread/store')).toBe(false);
  });
});
