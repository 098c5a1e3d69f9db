/** Procedures of the crew: what a gateway tells of a plan, its pauses and its questions to people. */
import { describe, expect, it } from 'vitest';
import { type DurableReader } from '../src/actors/api/procedure.ts';
import { crewOf, crewProcedures, type WrittenPlan } from '../src/crew.ts';
import { newProgress } from '../src/machines/coordination/coordinator/coordinator-context.ts';
import { type AgentFunction } from '../src/machines/work/agent-function.ts';
import { UNTOUCHED } from '../src/machines/coordination/coordinator/progress.ts';
import { startTestSystem } from '../src/testing/test-system.ts';
import { shop } from './support/gateway/shop.ts';
import { GatewayTest } from './support/gateway/memory-client.ts';

const PLAN: WrittenPlan = {
  version: 1,
  plan: 'sums',
  stages: { add: { agent: 'add', gate: { preset: 'G3' } }, tell: { agent: 'tell', after: ['add'] } },
  items: { one: {}, two: {}, three: {} },
};

async function crew() {
  const add = async (_: unknown, { item }: { readonly item: string }) => {
    if (item !== 'one') await new Promise(() => {});
    return { sum: 1 };
  };
  const test = new GatewayTest(await startTestSystem(crewOf(PLAN, { add, tell: add })), { procedures: crewProcedures });
  const client = await test.client();
  const call = async (m: string, p: object = {}) => {
    const answer = (await test.call(client, m, p)) as unknown as { r?: unknown; e?: unknown };
    return answer.r ?? answer.e;
  };
  return { test, call };
}

describe('crew.plan', () => {
  it('names the tickets for whose answer an item waits', async () => {
    const ask: AgentFunction = (_, { crew: its }) => its.askPerson({ name: 'peers', title: 'Which peers?' });
    const plan: WrittenPlan = { version: 1, plan: 'asking', tasks: [{ id: 'one', agent: 'ask' }] };
    const test = new GatewayTest(await startTestSystem(crewOf(plan, { ask })), { procedures: crewProcedures });
    const answer = await test.call(await test.client(), 'crew.plan', {});
    expect(answer).toMatchObject({ r: { items: [{ item: 'one', phase: 'running', tickets: ['TK-0001'] }] } });
    await test.stop();
  });

  it('returns for each item its phase, its tasks, its open question and its pause', async () => {
    const { test, call } = await crew();
    await test.test.system.ask('coordinator', {
      type: 'pause.request',
      item: 'two',
      reason: 'provider is down',
      trigger: 'MANUAL',
      failedTask: null,
      batchId: null,
      createdBy: 'ada',
      checkpointId: null,
    });
    await test.settle();
    const told = (await call('crew.plan')) as { items: { item: string; gates: string[] }[] };
    expect(told).toMatchObject({ plan: 'sums', next: null });
    const [one, two, three] = told.items;
    expect(one).toMatchObject({ item: 'one', tasks: 2, done: 1, running: [], pause: null });
    expect(one!.gates).toHaveLength(1);
    expect(two).toMatchObject({
      item: 'two',
      phase: 'pausing',
      reason: 'provider is down',
      pause: { status: 'PAUSING', trigger: 'MANUAL' },
    });
    expect(three).toMatchObject({ item: 'three', phase: 'running', running: ['three/add'], pause: null });
    await test.stop();
  });

  it('is read by page, in the order of the plan', async () => {
    const { test, call } = await crew();
    expect(await call('crew.plan', { limit: 2 })).toMatchObject({
      items: [{ item: 'one' }, { item: 'two' }],
      next: 'two',
    });
    expect(await call('crew.plan', { limit: 2, after: 'two' })).toMatchObject({
      items: [{ item: 'three' }],
      next: null,
    });
    expect(await call('crew.plan', { limit: 0 })).toMatchObject({ code: 'BOSUN_CALL_INVALID' });
    await test.stop();
  });

  it('includes the items that a view of the coordinator leaves out', async () => {
    const { test } = await crew();
    const { plan } = test.test.shard.snapshot('coordinator')!.context as { plan: object };
    await test.stop();
    const row = (done: string[]) => ({ ...UNTOUCHED, done });
    const pages: Record<string, object> = {
      two: { size: 3, rows: { two: row(['b']) }, next: 'three' },
      three: { size: 3, rows: { three: row(['c', 'd']) }, next: null },
    };
    const items = { size: 3, rows: { one: row(['a']) }, next: 'two' };
    const reader = {
      actor: () => Promise.resolve({ value: 'working', context: { ...newProgress(), plan, items } }),
      table: (_: string, __: string, { from }: { from: string }) => Promise.resolve(pages[from]),
    } as unknown as DurableReader;
    const { way } = crewProcedures['crew.plan'];
    const told = (await (way.run as (p: object, r: DurableReader) => unknown)({ limit: 100 }, reader)) as {
      items: { item: string; done: number }[];
    };
    expect(told.items.map(({ item, done }) => [item, done])).toEqual([
      ['one', 1],
      ['two', 1],
      ['three', 2],
    ]);
  });

  it('says so if there is no plan', async () => {
    const test = new GatewayTest(await startTestSystem(shop()), { procedures: crewProcedures });
    const { e } = (await test.call(await test.client(), 'crew.plan')) as unknown as { e: { message: string } };
    expect(e.message).toBe('this system has no plan; start one with bosun run plan.yaml');
    await test.stop();
  });
});
