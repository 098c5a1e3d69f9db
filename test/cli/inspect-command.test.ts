/** `bosun inspect`: charts of actors in a stopped store, and of agents without one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/command-line.ts';
import { type Chart } from '../../src/gateway/charts/model.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { parseXml } from '../support/gateway/charted.ts';
import { LONG } from '../support/effort.ts';
import { Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

beforeAll(async () => {
  work.write(
    'agents.mjs',
    `import { setup } from 'xstate';
     const drying = setup({}).createMachine({
       id: 'drying', initial: 'hot', states: { hot: { on: { COOL: 'cold' } }, cold: { type: 'final' } },
     });
     export const dryer = setup({ actors: { drying } }).createMachine({
       id: 'dryer',
       initial: 'on',
       states: { on: { invoke: { id: 'hot air', src: 'drying', onDone: 'off' } }, off: { type: 'final' } },
     });
     export async function worker() { throw new Error('no'); }`,
  );
  work.write(
    'plan.yaml',
    '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: a, agent: worker, retry: { attempts: 1 } }] }',
  );
  work.write('machines.yaml', '{ version: 1, plan: p, agents: ./agents.mjs, tasks: [{ id: wet, agent: dryer }] }');
  expect(await work.bosun(['run', 'plan.yaml', '--data', 'crew'])).toMatchObject({ code: 3 });
});

const chartIn = (out: string) => JSON.parse(out) as Chart & { active: readonly string[] | null };

describe('bosun inspect', () => {
  it('draws an actor of a stopped store with the state it is in', async () => {
    const { code, out, err } = await work.bosun(['inspect', 'coordinator', '--data', 'crew']);
    expect([code, err]).toEqual([0, '']);
    const svg = parseXml(out);
    expect(svg.children[0]!.text).toBe('coordinator (lead-coordinator)');
    expect(svg.children[1]!.text).toContain('now in lead-coordinator.paused');
    const { active, id } = chartIn((await work.bosun(['inspect', 'coordinator', '--data', 'crew', '--json'])).out);
    expect([id, active]).toEqual(['lead-coordinator', ['lead-coordinator', 'lead-coordinator.paused']]);
  });

  it('draws Bosses, and actors below other actors', async () => {
    expect(chartIn((await work.bosun(['inspect', 'root', '--data', 'crew/store', '--json'])).out)).toMatchObject({
      id: 'boss',
      active: ['boss', 'boss.supervising', 'boss.supervising.running'],
    });
    expect(chartIn((await work.bosun(['inspect', 'pauses/a', '--data', 'crew', '--json'])).out).active).toContain(
      'pause-manager.PAUSED',
    );
  });

  it('draws an agent without a store', async () => {
    expect(chartIn((await work.bosun(['inspect', 'pause-manager', '--data', 'nowhere', '--json'])).out)).toMatchObject({
      id: 'pause-manager',
      active: null,
    });
    expect(
      chartIn(
        (await work.bosun(['inspect', 'stage:dryer', '--plan', 'machines.yaml', '--data', 'nowhere', '--json'])).out,
      ),
    ).toMatchObject({ id: 'stage' });
    work.write(
      'orders.mjs',
      `import { createMachine } from 'xstate'; export const order = { name: 'order', version: 1, machine: ` +
        `createMachine({ id: 'order' }) };`,
    );
    expect(
      chartIn((await work.bosun(['inspect', 'order', '--agents', 'orders.mjs', '--data', 'nowhere', '--json'])).out),
    ).toMatchObject({ id: 'order' });
    expect(chartIn((await work.bosun(['inspect', 'bosun.boss', '--data', 'nowhere', '--json'])).out)).toMatchObject({
      id: 'boss',
    });
  });

  it('draws the machine of an actor in a plan, and the children of that machine', LONG, async () => {
    const run = await work.start(['run', 'machines.yaml', '--data', 'dry', '--serve', '--port', '0']).serves();
    await work.looks(['tree', '--data', 'dry'], ({ out }) => out.includes('hot%20air  '));
    await run.interrupt();
    const active: unknown[] = [];
    for (const address of ['stages/wet/agent', 'stages/wet/agent/work', 'stages/wet/agent/work/hot%20air']) {
      const { out } = await work.bosun(['inspect', address, '--plan', 'machines.yaml', '--data', 'dry', '--json']);
      active.push(chartIn(out).active);
    }
    expect(active).toEqual([
      ['stage', 'stage.working'],
      ['dryer', 'dryer.on'],
      ['drying', 'drying.hot'],
    ]);
  });

  it.each([
    ['svg', /^<svg /],
    ['mermaid', /^stateDiagram-v2\n/],
    ['json', /^\{\n/],
  ])('writes %s to a file', async (format, opening) => {
    expect(
      await work.bosun(['inspect', 'pause-manager', '--format', format, '--out', `chart.${format}`]),
    ).toMatchObject({ code: 0, out: '', err: '' });
    expect(work.read(`chart.${format}`)).toMatch(opening);
  });

  it('refuses to print SVG on a terminal, and says how to save it', async () => {
    const on = async (...options: string[]) => {
      const said = { out: '', err: '' };
      const out = { isTTY: true, write: (text: string) => (said.out += text) };
      const err = { isTTY: true, write: (text: string) => (said.err += text) };
      const code = await commandLine(['inspect', 'pause-manager', ...options], {
        out,
        err,
        env: {},
        cwd: work.path,
        interruption: () => new AbortController().signal,
      });
      return { code, ...said };
    };
    expect(await on()).toEqual({
      code: 2,
      out: '',
      err:
        'a terminal cannot show an SVG drawing: save it with --out FILE or > FILE, or add --format mermaid to read ' +
        'it as text\n',
    });
    expect(await on('--format', 'mermaid')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^stateDiagram-v2\n/) as string,
    });
    expect(await on('--out', 'saved.svg')).toEqual({ code: 0, out: '', err: '' });
  });

  it('names a machine without an id by its agent, or in a plan by its export', LONG, async () => {
    work.write(
      'nameless.mjs',
      `
      import { setup } from 'xstate';
      const heater = setup({}).createMachine({
        initial: 'hot', states: { hot: { on: { COOL: 'cold' } }, cold: { type: 'final' } },
      });
      export const kiln = setup({ actors: { heater } }).createMachine({
        initial: 'on',
        states: { on: { invoke: { id: 'heat', src: 'heater', onDone: 'off' } }, off: { type: 'final' } },
      });
      export const order = { name: 'order', version: 1, machine: heater };`,
    );
    work.write('nameless.yaml', '{ version: 1, plan: p, agents: ./nameless.mjs, tasks: [{ id: pot, agent: kiln }] }');
    const run = await work.start(['run', 'nameless.yaml', '--data', 'kiln', '--serve', '--port', '0']).serves();
    await work.looks(['tree', '--data', 'kiln'], ({ out }) => out.includes('/work/heat  '));
    await run.interrupt();
    const drawn = async (...args: string[]) => (await work.bosun(['inspect', ...args])).out;
    const ofPlan = ['--plan', 'nameless.yaml', '--data', 'kiln'];
    for (const [name, active, ...args] of [
      ['kiln', 'kiln.on', 'stages/pot/agent/work', ...ofPlan],
      ['heater', 'heater.hot', 'stages/pot/agent/work/heat', ...ofPlan],
      ['order', null, 'order', '--agents', 'nameless.mjs', '--data', 'nowhere'],
    ] as const) {
      const svg = await drawn(...args);
      expect(svg).not.toContain('>(machine)');
      if (active !== null) expect(svg).toContain(`now in ${active}</desc>`);
      expect(await drawn(...args, '--format', 'mermaid')).toContain(`state "${name}" as s0`);
      // Programs know it by the id that XState gave it.
      expect(chartIn(await drawn(...args, '--json')).id).toBe('(machine)');
    }
  });

  it('exits with 2 for an unknown name, an unknown machine, or a file that cannot be written', LONG, async () => {
    expect(await work.bosun(['inspect', 'nobody', '--data', 'crew'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('known agents: lead-coordinator, pause-manager') as string,
    });
    expect(await work.bosun(['inspect', 'pause-manager', '--out', 'no/such/place.svg'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('cannot be written') as string,
    });
    expect(await work.bosun(['inspect', 'stages/wet/agent/work', '--data', 'dry'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--plan') as string,
    });
    expect(await work.bosun(['inspect', 'x', '--agents', 'agents.mjs', '--plan', 'plan.yaml'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('not both') as string,
    });
    expect(await work.bosun(['inspect', 'x', '--format', 'png'])).toMatchObject({ code: 2, out: '' });
  });

  it('exits with 4 for an actor if the store is in use, but still draws an agent', LONG, async () => {
    const store = levelStore(work.file('crew/store'));
    await store.open();
    try {
      expect(await work.bosun(['inspect', 'coordinator', '--data', 'crew'])).toMatchObject({ code: 4, out: '' });
      expect(await work.bosun(['inspect', 'pause-manager', '--data', 'crew'])).toMatchObject({ code: 0 });
    } finally {
      await store.close();
    }
  });
});
