import { afterAll, describe, expect, it } from 'vitest';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { checkCommand } from '../../../../src/cli/store/check-command.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { Shard } from '../../../../src/shard.ts';
import { Workspace } from '../../../support/cli/workspace.ts';
import { first, second } from '../../../support/actors/versions/orders.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

/** A module that stands for the code to be deployed. */
function module(file: string, version: number, options: string, states: string): void {
  const machine = `createMachine({ id: 'order', context: {}, ${states} })`;
  work.write(
    file,
    `import { createMachine } from 'xstate';
export const order = {
  name: 'order',
  version: ${version},
  machine: ${machine},
  events: {},
  limits: { mailboxMessages: 10 },
  migrate: {},
  migrateChildren: {},
  previous: [],
  ${options}
};
export const words = ['not', 'an', 'agent'];\n`,
  );
}

async function fill(path: string, agents: readonly AnyAgent[], ...addresses: readonly string[]): Promise<void> {
  const system = await new Shard({ agents, store: levelStore(work.file(path)), durability: 'process' }).start();
  for (const address of addresses) await system.spawn(agents[0]!, address);
  await system.idle();
  await system.stop();
}

/** Runs the command in this process. */
async function check({ plan, agents, data }: { plan?: string; agents?: string; data: string }) {
  const said = { out: '', err: '' };
  const to = (stream: 'out' | 'err') => ({ write: (text: string) => void (said[stream] += text) });
  const code = await checkCommand({
    plan,
    agents,
    data,
    cwd: work.path,
    env: {},
    json: true,
    out: to('out'),
    err: to('err'),
  });
  return {
    code,
    err: said.err,
    report: said.out === '' ? null : (JSON.parse(said.out) as { actors: number; refused: number; groups: object[] }),
  };
}

describe('bosun check', () => {
  it('tells the outcome for each agent and version, and exits with 1 if some actors would be suspended', async () => {
    await fill('shop', [first], 'a', 'b', 'c', 'd');
    const states = "initial: 'x', states: { x: {}, y: { on: { go: 'x' } } }";
    module('migrating.mjs', 2, "migrate: { 2: ({ context }) => ({ value: 'x', context }) }", states);
    module('failing.mjs', 2, "migrate: { 2: () => { throw new Error('no idea'); } }", states);
    module('forgetful.mjs', 1, '', states);

    expect(await check({ agents: 'migrating.mjs', data: 'shop' })).toMatchObject({
      code: 0,
      report: {
        actors: 5,
        refused: 0,
        groups: [
          { agent: 'bosun.boss', verdict: 'fine' },
          { agent: 'order', version: 1, verdict: 'migrates', count: 4, addresses: ['a', 'b', 'c'], reason: null },
        ],
      },
    });
    expect(await check({ agents: 'failing.mjs', data: 'shop' })).toMatchObject({
      code: 1,
      report: {
        refused: 4,
        groups: [{}, { verdict: 'refused', count: 4, reason: expect.stringContaining('threw: no idea') as string }],
      },
    });
    expect(await check({ agents: 'forgetful.mjs', data: 'shop' })).toMatchObject({
      code: 1,
      report: { groups: [{}, { reason: expect.stringContaining('raise the version') as string }] },
    });
    const { out, err, code } = await work.bosun(['check', '--agents', 'forgetful.mjs', '--data', 'shop']);
    expect([code, out.split('\n')[1], err]).toEqual([
      1,
      'order, version 1: 4 refused (a, b, c, ...)',
      '4 of 5 actors would be suspended\n',
    ]);
    // Nothing of it was written.
    const system = await new Shard({
      agents: [second],
      store: levelStore(work.file('shop')),
      durability: 'process',
    }).start();
    expect(system.snapshot('a')).toMatchObject({ status: 'active', context: { total: 0 } });
    await system.stop();
  });

  it('takes a plan for the store of a plan', async () => {
    work.write('agents.mjs', 'export async function worker() {}');
    work.write('plan.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: worker }] }');
    expect((await work.run('plan.yaml')).code).toBe(0);
    const { code, report } = await check({ plan: 'plan.yaml', data: 'data' });
    expect([code, report!.refused]).toEqual([0, 0]);
    expect(report!.groups.every((group) => (group as { verdict: string }).verdict === 'fine')).toBe(true);
  });

  it('exits with 2 for bad input, and with 4 for a store in use', async () => {
    await fill('used', [first], 'a');
    module('order.mjs', 1, '', '');
    work.write('broken.mjs', 'export const = 1;');
    work.write('empty.mjs', 'export const agents = [];');
    for (const [args, reason] of [
      [{ data: 'used' }, 'name the plan'],
      [{ agents: 'order.mjs', data: 'nowhere' }, 'holds no store'],
      [{ agents: 'broken.mjs', data: 'used' }, 'cannot be loaded'],
      [{ agents: 'missing.mjs', data: 'used' }, 'cannot be loaded'],
      [{ agents: 'empty.mjs', data: 'used' }, 'exports no agents'],
    ] as const) {
      const { code, err } = await check(args);
      expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
    }
    const system = await new Shard({ agents: [first], store: levelStore(work.file('used')) }).start();
    expect((await check({ agents: 'order.mjs', data: 'used' })).code).toBe(4);
    await system.stop();
  });
});
