/** Windows of gates: what a gateway shows of the questions that wait for people, and the orders about them. */
import { describe, expect, it } from 'vitest';
import { crewOf, crewProcedures, type WrittenPlan } from '../src/crew.ts';
import { startTestSystem } from '../src/testing/test-system.ts';
import { GatewayTest } from './support/gateway/memory-client.ts';

const PLAN: WrittenPlan = {
  version: 1,
  plan: 'sums',
  stages: { add: { agent: 'add', gate: { preset: 'G3' } } },
  items: { one: {} },
};

async function crew() {
  const add = () => Promise.resolve({ sum: 1 });
  const test = new GatewayTest(await startTestSystem(crewOf(PLAN, { add })), { procedures: crewProcedures });
  const client = await test.client();
  const call = async (m: string, p: object = {}) => {
    const answer = (await test.call(client, m, p)) as unknown as { r?: unknown; e?: unknown };
    return answer.r ?? answer.e;
  };
  return { test, client, call };
}

describe('the procedures of gates', () => {
  it('show a question with its material and form, and accept an answer of its audience', async () => {
    const { test, call } = await crew();
    const { rows } = (await call('gates.open')) as { rows: Record<string, { id: string }> };
    const [gate] = Object.values(rows);
    expect(gate).toMatchObject({ item: 'one', phase: 'open', isOver: false, askedBy: 'coordinator' });
    const { id } = gate!;
    expect(await call('gates.get', { gate: id })).toMatchObject({
      gate: { id },
      question: { form: { type: 'object' } },
    });
    expect(await call('gates.get', { gate: 'none' })).toEqual({ gate: null, question: null });
    expect(await call('gates.counts')).toMatchObject({ open: 1, closed: 0 });
    expect(await call('gates.search', { key: id.slice(0, 2) })).toMatchObject({ rows: { [id]: { id } }, size: 1 });
    const wrong = await call('gates.answer', { gate: id, by: 'ada', answer: { decision: 'perhaps' } });
    expect(wrong).toMatchObject({ taken: false });
    expect(await call('gates.answer', { gate: id, by: 'ada', answer: { decision: 'approve' } })).toEqual({
      taken: true,
      problems: [],
    });
    expect(await call('gates.open')).toMatchObject({ rows: {}, size: 0, next: null });
    expect(await call('gates.closed')).toMatchObject({ size: 1, isReverse: false });
    expect(await call('gates.get', { gate: id })).toMatchObject({ gate: { result: { by: 'ada' } }, question: null });
    await test.stop();
  });

  it('are watched as topics, which change with the desk', async () => {
    const { test, client, call } = await crew();
    client.send({ t: 'sub', id: 'open', topic: 'window/gates.open?limit=10' });
    client.send({ t: 'sub', id: 'counts', topic: 'window/gates.counts' });
    await test.settle();
    const { rows } = client.view('open') as { rows: Record<string, { id: string }> };
    expect(client.view('counts')).toMatchObject({ open: 1 });
    await call('gates.answer', { gate: Object.values(rows)[0]!.id, by: 'ada', answer: { decision: 'approve' } });
    await test.advance(1_000);
    expect(client.view('open')).toMatchObject({ rows: {}, size: 0 });
    expect(client.view('counts')).toMatchObject({ open: 0, closed: 1 });
    await test.stop();
  });
});
