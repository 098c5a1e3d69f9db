/** The gateway of a running system as the verbs of the command line see it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dataDirectory, makeDirectory } from '../../src/cli/store/data-directory.ts';
import { frontDoor } from '../../src/cli/reach/front-door.ts';
import { Announcement } from '../../src/gateway/network/announcement.ts';
import { LiveGateway } from '../../src/cli/reach/live-gateway.ts';
import { gateProcedures } from '../../src/crew-gates.ts';
import { createGateway } from '../../src/gateway/network/server.ts';
import { ACTORS_PAGE_MAX, TABLE_ROWS_SHOWN } from '../../src/gateway/limits.ts';
import { INSTANCE_HEADER } from '../../src/gateway/protocol/protocol.ts';
import { gateAgents, gateChildren, type GateDeskContext, gatesIn } from '../../src/machines/people/gates/gate-desk.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { type TreeNode } from '../../src/system-options.ts';
import { liveTree } from '../../src/cli/system/tree-command.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { LONG } from '../support/effort.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { counter } from '../support/gateway/shop.ts';

const TOKEN = 'x'.repeat(32);

it('liveTree reads the whole tree, even if it is more than a page', LONG, async () => {
  const { shard: system } = await startTestSystem({
    agents: [counter],
    tree: {
      intensity: 5,
      children: ['a', 'b', 'c'].map((id) => ({ id, boss: { strategy: 'dynamic', template: { agent: 'counter' } } })),
    },
  });
  onTestFinished(() => system.stop());
  for (let n = 0; n < ACTORS_PAGE_MAX; n++) await system.boss('cab'[n % 3]).startChild();
  const gateway = createGateway(system, { port: 0, operator: TOKEN });
  onTestFinished(() => gateway.close());
  const { url } = await gateway.listen();
  const tree = await liveTree(new LiveGateway({ url, token: TOKEN }));
  const addressesIn = ({ address, children }: TreeNode): string[] => [address, ...children.flatMap(addressesIn)];
  expect(addressesIn(tree).sort()).toEqual(addressesIn(system.tree()).sort());
  expect(tree.children.map(({ address }) => address)).toEqual(['a', 'b', 'c']);
});

it('LiveGateway reads all rows of a desk, including those that a view leaves out', LONG, async () => {
  const { shard: system } = await startTestSystem({ agents: gateAgents, tree: { children: gateChildren() } });
  onTestFinished(() => system.stop());
  const gateway = createGateway(system, { port: 0, operator: TOKEN });
  onTestFinished(() => gateway.close());
  const { url } = await gateway.listen();
  const count = TABLE_ROWS_SHOWN + 10;
  const question = {
    type: 'gate.open',
    kind: 'k',
    title: 't',
    package: {},
    audience: ['*'],
    form: {},
    deadlineMs: null,
  };
  for (let n = 0; n < count; n++) await system.send(DESKS.gates, { ...question, id: `gate-${n}` });
  await system.idle();
  const { context } = await new LiveGateway({ url, token: TOKEN }).actor<GateDeskContext>(DESKS.gates);
  expect(gatesIn(context!).map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, n) => `gate-${n}`));
});

describe('bosun gates', () => {
  const COUNT = 1_500;
  const idOf = (n: number) => `gate-${String(n).padStart(4, '0')}`;

  it('lists of 1,501 gates those that are due first, and all where all are asked for (B2)', LONG, async () => {
    await using work = new Workspace();
    const directory = dataDirectory({ data: 'data', cwd: work.path });
    await makeDirectory(directory);
    const { shard: system } = await startTestSystem({ agents: gateAgents, tree: { children: gateChildren() } });
    onTestFinished(() => system.stop());
    const door = frontDoor(system, directory, { settings: { port: 0, procedures: gateProcedures }, log: () => {} });
    await door.open();
    onTestFinished(() => door.close());
    const question = { type: 'gate.open', kind: 'k', title: 't', package: {}, form: {} };
    const open = (id: string, deadlineMs: number | null, audience: readonly string[]) =>
      system.send(DESKS.gates, { ...question, id, deadlineMs, audience });
    for (let n = 0; n < COUNT; n++) await open(idOf(n), null, n % 2 === 0 ? ['*'] : ['eve']);
    await open('zz-urgent', 60 * 60_000, ['ada']);
    await system.idle();
    const list = async (...args: string[]) => {
      const { code, out, err } = await work.bosun(['gates', 'list', '--data', 'data', ...args]);
      const ids = args.includes('--json')
        ? (linesOf(out) as unknown as readonly { readonly id: string }[]).map(({ id }) => id)
        : out
            .split('\n')
            .slice(1, -1)
            .map((line) => line.split(' ')[0]);
      return { code, ids, err };
    };
    const first = await list();
    expect(first).toMatchObject({ code: 0, err: `${COUNT + 1 - 100} more: --all lists everything\n` });
    expect([first.ids.length, ...first.ids.slice(0, 2)]).toEqual([100, 'zz-urgent', idOf(0)]);
    const all = ['zz-urgent', ...Array.from({ length: COUNT }, (_, n) => idOf(n))];
    expect(await list('--json')).toEqual({ code: 0, ids: all, err: '' });
    expect(await list('--all')).toEqual({ code: 0, ids: all, err: '' });
    const { ids: ofAda } = await list('--json', '--for', 'ada');
    expect(ofAda).toEqual(all.filter((id, at) => at === 0 || Number(id.slice(-4)) % 2 === 0));
    await system.ask(DESKS.gates, { type: 'gate.withdraw', gate: 'zz-urgent', by: 'ada' });
    await system.idle();
    expect((await list('--all', '--json')).ids.at(-1)).toBe('zz-urgent');
    expect((await work.bosun(['gates', 'show', 'zz-urgent', '--data', 'data'])).out).toMatch(/^state +withdrawn$/m);
  });
});

it.each([
  [10_000, true],
  [20_000, false],
])('a gateway that answers after %i ms is found: %o', LONG, async (afterMs, isFound) => {
  await using work = new Workspace();
  const directory = dataDirectory({ data: 'busy', cwd: work.path });
  await makeDirectory(directory);
  const clock = new VirtualClock();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((timeoutMs) => {
    const limit = new AbortController();
    clock.setTimeout(() => limit.abort(new DOMException('the time is over', 'TimeoutError')), timeoutMs);
    return limit.signal;
  });
  const busy = createServer((_, response) => {
    response.setHeader(INSTANCE_HEADER, 'busy');
    void clock.advance(afterMs, () => Promise.resolve()).then(() => response.end('{}'));
  });
  onTestFinished(() => void busy.close());
  await once(busy.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  await new Announcement(directory.path, { token: TOKEN, instance: 'busy' }).make(url);
  expect((await LiveGateway.of({ data: 'busy', cwd: work.path }))?.url).toBe(isFound ? url : undefined);
});
