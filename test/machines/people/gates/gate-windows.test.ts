/** Windows of a desk with very many open gates, as clients of a gateway get them: small, in order, and never lossy. */
import { afterEach, describe, expect, it } from 'vitest';
import { type GateShown, gateProcedures } from '../../../../src/crew-gates.ts';
import { rowsInOrder, type WindowPage } from '../../../../src/gateway/protocol/window-page.ts';
import { gateAgents, gateChildren, type GateDeskContext } from '../../../../src/machines/people/gates/gate-desk.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { startTestSystem } from '../../../../src/testing/test-system.ts';
import { byEffort, PATIENCE_MS } from '../../../support/effort.ts';
import { GatewayTest, type MemoryClient } from '../../../support/gateway/memory-client.ts';
import { startSpreadGateway } from '../../../support/gateway/workers-kit.ts';
import { openIn } from '../../../../src/machines/rules/records.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const GATES = byEffort({ quick: 300, ci: 10_000 });
const AT_ONCE = 250;

type Page = WindowPage<GateShown>;

const tree = { children: gateChildren() };
const operator = 'o'.repeat(16);
const options = { procedures: gateProcedures, operator, rate: { burst: 100_000, perSecond: 100_000 } };

let running: GatewayTest | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function start(): Promise<GatewayTest> {
  return (running = new GatewayTest(await startTestSystem({ agents: gateAgents, tree }), options));
}

interface Front {
  readonly call: (method: string, p?: object) => Promise<unknown>;
  readonly client: MemoryClient;
}

async function frontOf(test: Pick<GatewayTest, 'client' | 'call'>): Promise<Front> {
  const client = await test.client({ token: operator });
  const call = async (method: string, p: object = {}) => {
    const answer = (await test.call(client, method, p)) as unknown as { r?: unknown; e?: unknown };
    return answer.r ?? answer.e;
  };
  return { client, call };
}

const question = (id: string, deadlineMs: number | null) => ({
  ...{ type: 'gate.open', id, kind: 'G4', title: `May ${id} go on?`, item: id, stage: 'valuation' },
  ...{ proposal: 'Buy at 182, as the plan says', package: { of: id }, audience: ['ada', 'bob'] },
  ...{ form: { type: 'object' }, deadlineMs, onTimeout: { name: 'standard', value: null } },
});

const idOf = (n: number) => `gate-${String(n).padStart(5, '0')}`;
/** Times that are neither in the order of the ids nor all different; every ninth gate has none. */
const deadlineOf = (n: number) => (n % 9 === 0 ? null : 3 * HOUR_MS + ((n * 7_919) % 5_000) * MINUTE_MS);

/** Opens gates at a desk without waiting for each. */
async function fill({ test }: GatewayTest, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => from + at);
    for (const n of some) void test.shard.send(DESKS.gates, question(idOf(n), deadlineOf(n)));
    await test.settle();
  }
}

const open = (call: Front['call'], id: string, deadlineMs: number | null) =>
  call('actor.ask', { address: DESKS.gates, event: question(id, deadlineMs) });

describe(`a desk with ${GATES.toLocaleString('en')} open gates`, () => {
  it(
    'shows the most urgent ones first and small, patches them, gives every gate by page, and counts them',
    async () => {
      const test = await start();
      await fill(test, GATES);
      const { client, call } = await frontOf(test);
      expect(await open(call, 'zz-urgent', HOUR_MS)).toMatchObject({ reply: { taken: true } });
      const topic = 'window/gates.open?audience=ada&limit=100';
      client.send({ t: 'sub', id: topic, topic });
      client.send({ t: 'sub', id: 'counts', topic: 'window/gates.counts' });
      await test.settle();
      const view = () => client.view(topic) as Page;

      // The first window.
      expect(rowsInOrder(view())[0]).toMatchObject({ id: 'zz-urgent', onTimeout: 'standard', askedBy: null });
      expect(view().size).toBe(GATES + 1);
      expect(Buffer.byteLength(JSON.stringify(client.last('snap', topic)))).toBeLessThan(64 * 1024);

      // Its changes.
      const changes = [
        () => open(call, 'aa-new', 2 * HOUR_MS),
        () => call('gates.extend', { gate: 'zz-urgent', byMs: 30 * MINUTE_MS, by: 'ada' }),
        () => call('gates.answer', { gate: 'aa-new', by: 'bob', answer: {} }),
      ];
      for (const change of changes) {
        const before = client.of('delta', topic).length;
        expect(await change()).toMatchObject({});
        await test.advance(1_000);
        const deltas = client.of('delta', topic).slice(before);
        expect(deltas).not.toEqual([]);
        for (const delta of deltas) expect(Buffer.byteLength(JSON.stringify(delta))).toBeLessThan(2 * 1024);
        expect(view()).toEqual(await call('gates.open', { audience: 'ada', limit: 100 }));
      }
      expect(rowsInOrder(view())[0]).toMatchObject({ id: 'zz-urgent', lastOrder: { type: 'gate.extend' } });

      // Every gate by page, while others are opened and answered.
      const seen: string[] = [];
      let turn = 0;
      for (let after: string | null | undefined; after !== null; turn++) {
        const page = (await call('gates.open', { ...(after !== undefined && { after }) })) as Page;
        seen.push(...rowsInOrder(page).map(({ id }) => id));
        after = page.next;
        await open(call, `during-${turn}`, deadlineOf(turn + 1));
        if (turn > 0) await call('gates.answer', { gate: `during-${turn - 1}`, by: 'ada', answer: {} });
      }
      const lasting = seen.filter((id) => !id.startsWith('during-'));
      expect(new Set(seen).size).toBe(seen.length);
      expect(lasting.toSorted()).toEqual([...Array.from({ length: GATES }, (_, n) => idOf(n)), 'zz-urgent']);

      // Counts.
      await test.advance(1_000);
      const rows = openIn(test.test.shard.snapshot(DESKS.gates)!.context as GateDeskContext);
      const { nowMs } = test.test.shard.clientApi as { nowMs: number };
      const dueBy = (ms: number) => rows.filter(({ deadlineAtMs }) => (deadlineAtMs ?? Infinity) <= nowMs + ms).length;
      const [now, soon] = [dueBy(2 * HOUR_MS), dueBy(6 * HOUR_MS)];
      const counts = { open: rows.length, now, today: soon - now, later: rows.length - soon };
      expect(await call('gates.counts')).toMatchObject(counts);
      expect(client.view('counts')).toMatchObject(counts);
      expect(now).toBeGreaterThan(0);

      // Closed ones and a search.
      const closed = (await call('gates.closed', { limit: 3 })) as Page;
      expect(rowsInOrder(closed).map(({ id }) => id)).toEqual([1, 2, 3].map((back) => `during-${turn - 1 - back}`));
      const found = (await call('gates.search', { key: 'gate-0001' })) as Page;
      expect(rowsInOrder(found).map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => idOf(10 + n)));
      expect(await call('gates.search', { key: 'during-1', isOver: true, limit: 1 })).toMatchObject({
        rows: { 'during-1': { isOver: true } },
      });

      // A power cut.
      const before = await call('gates.open', { limit: 100 });
      await test.crash();
      await test.restart();
      const again = await frontOf(test);
      expect(await again.call('gates.open', { limit: 100 })).toEqual(before);
      expect(await again.call('gates.counts')).toMatchObject({ open: rows.length });
    },
    PATIENCE_MS,
  );
});

describe('windows of gates over workers', () => {
  it('are the same, and follow their desk over the death of its worker', async () => {
    const test = await startSpreadGateway(options, { agents: gateAgents, tree });
    const { client, call } = await frontOf(test);
    for (let n = 0; n < 12; n++) await open(call, idOf(n), deadlineOf(n));
    await open(call, 'zz-urgent', HOUR_MS);
    await test.subscribe(client, 'window/gates.open?limit=5');
    const view = () => client.view('window/gates.open?limit=5') as Page;
    expect(rowsInOrder(view())).toHaveLength(5);
    expect(rowsInOrder(view())[0]).toMatchObject({ id: 'zz-urgent' });
    const home = test.test.system.workerOf(DESKS.gates)!;
    test.test.crash(home);
    await test.settle();
    await test.restart(home);
    await call('gates.answer', { gate: 'zz-urgent', by: 'ada', answer: {} });
    await test.advance(1_000);
    expect(client.of('end')).toEqual([]);
    expect(view()).toEqual(await call('gates.open', { limit: 5 }));
    expect(view().size).toBe(12);
    expect(await call('gates.counts')).toMatchObject({ open: 12, closed: 1 });
    const { rows } = (await call('gates.closed')) as Page;
    expect(Object.values(rows)).toMatchObject([{ id: 'zz-urgent', result: { by: 'ada' } }]);
  });

  it('show what happened while the worker was down', async () => {
    const test = await startSpreadGateway(options, { agents: gateAgents, tree });
    const { client, call } = await frontOf(test);
    await open(call, 'brief', 3_000);
    await open(call, 'long', HOUR_MS);
    await test.subscribe(client, 'window/gates.open');
    const home = test.test.system.workerOf(DESKS.gates)!;
    test.test.crash(home);
    await test.advance(5_000);
    await test.restart(home);
    await test.advance(1_000);
    expect(rowsInOrder(client.view('window/gates.open') as Page).map(({ id }) => id)).toEqual(['long']);
  });
});
