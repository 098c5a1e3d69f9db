import { describe, expect, it } from 'vitest';
import { parseChildSpec } from '../../src/supervisor/child-spec.ts';
import { declarationOrders } from '../../src/supervisor/declaration.ts';
import { type ChildRecord } from '../../src/supervisor/decision.ts';
import { type Order } from '../../src/supervisor/boss-orders.ts';
import { type ScriptStep } from '../../src/supervisor/script.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { agents, notes, restarts, told } from '../support/supervisor/worker.ts';

const a = { id: 'a', agent: 'worker' };
const b = { id: 'b', agent: 'worker' };

function record(options: Record<string, unknown>, status: ChildRecord['status'] = 'running'): ChildRecord {
  const retry = status === 'waiting' ? { atMs: 5, mode: 'committed' as const } : null;
  return {
    spec: parseChildSpec(options),
    position: 3,
    status,
    consecutive: 0,
    startedAtMs: 0,
    retry,
    restarts: 2,
    lastError: undefined,
  };
}

/** The orders for a change of the declared children, in short. */
function orders(before: object[], now: object[], records: ChildRecord[]): string[] {
  const given = declarationOrders({
    before: before.map(parseChildSpec),
    now: now.map(parseChildSpec),
    records: new Map(records.map((row) => [row.spec.id, row])),
    nextPosition: 10,
  });
  return [...given.orders.map(inShort), ...given.steps.map(stepInShort)];
}

function stepInShort(step: ScriptStep): string {
  return step.do === 'start' ? `start ${step.id} ${step.position}` : `${step.do} ${'id' in step ? step.id : ''}`;
}

function inShort(order: Order): string {
  if (order.type === 'bosun.child.record')
    return `record ${order.params.id} ${order.params.record?.status} ${order.params.record?.position}`;
  return 'params' in order ? `${order.type.slice('bosun.child.'.length)} ${order.params.id}` : order.type;
}

describe('a changed declaration', () => {
  it('starts children that are new', () => {
    expect(orders([a], [a, b], [record(a)])).toEqual(['record a running 3', 'start b 11']);
  });

  it('stops children that are removed, and keeps their records', () => {
    expect(orders([a, b], [a], [record(a), record(b)])).toEqual(['record a running 3', 'terminate b']);
  });

  it('ends a removed child that waits for its restart', () => {
    expect(orders([a], [], [record(a, 'waiting')])).toEqual(['terminate a']);
  });

  it('leaves dynamic children unchanged', () => {
    expect(orders([a], [a], [record(a), record(b)])).toEqual(['record a running 3']);
  });

  it('takes over a dynamic child of the same id', () => {
    expect(orders([], [a], [record(a)])).toEqual(['record a running 3']);
  });

  it('starts a child that was removed and is declared again, in its old place', () => {
    expect(orders([], [a], [record(a, 'ended')])).toEqual(['start a 3']);
  });

  it('does not start a declared child that has ended', () => {
    expect(orders([a], [a], [record(a, 'ended')])).toEqual(['record a ended 3']);
    expect(orders([a], [a], [])).toEqual([]);
  });

  it('replaces a child whose declared agent has changed', () => {
    expect(orders([a], [{ ...a, agent: 'manager' }], [record(a)])).toEqual(['terminate a', 'start a 3']);
    expect(orders([a], [{ id: 'a', boss: {} }], [record(a)])).toContain('terminate a');
  });

  it('is passed on to nested Bosses', () => {
    const boss = { id: 'b', boss: { children: [a] } };
    expect(orders([boss], [boss], [record(boss)])).toEqual(['record b running 3', 'declare b']);
  });
});

describe('the next start of a system whose tree has changed', () => {
  const tree = (children: object[], below: object[]) =>
    ({ children: [...children, { id: 'team', boss: { children: below } }] }) as never;

  it('starts new static children and stops removed ones, at every level', async () => {
    const test = await startTestSystem({ agents, tree: tree([a, b], [a, b]) });
    await told(test, 'a', 'note', 'kept');
    await told(test, 'team/a', 'note', 'kept');
    const c = { id: 'c', agent: 'worker' };
    await test.crash();
    await test.restart({ tree: tree([a, c], [c, a]) });
    expect(['a', 'b', 'c', 'team/a', 'team/b', 'team/c'].map((address) => notes(test, address))).toEqual([
      ['kept'],
      null,
      [],
      ['kept'],
      null,
      [],
    ]);
  });

  it('starts a child that is declared again in its initial state, and stops no dynamic child', async () => {
    const test = await startTestSystem({ agents, tree: tree([a], []) });
    await told(test, 'a', 'note', 'old');
    await test.shard.spawn(agents[0], 'dynamic');
    await test.crash();
    await test.restart({ tree: tree([], []) });
    expect([notes(test, 'a'), notes(test, 'dynamic')]).toEqual([null, []]);
    await test.crash();
    await test.restart({ tree: tree([a], []) });
    expect([notes(test, 'a'), notes(test, 'dynamic')]).toEqual([[], []]);
  });

  it('supervises by the new options and specs', async () => {
    const test = await startTestSystem({ agents, tree: { intensity: 0, children: [a] } });
    await test.crash();
    await test.restart({ tree: { intensity: 1, children: [{ ...a, resume: 'initial' }] } });
    await told(test, 'a', 'note', 'forgotten');
    await told(test, 'a', 'explode');
    expect([notes(test, 'a'), restarts(test, 'a')]).toEqual([[], 1]);
  });

  it('gives a restarted nested Boss its newly declared children, not the original ones', async () => {
    const team = (children: object[]) => ({ children: [{ id: 'team', boss: { intensity: 3, children } }] }) as never;
    const test = await startTestSystem({ agents, tree: team([a, b]) });
    await test.crash();
    const c = { id: 'c', agent: 'worker' };
    await test.restart({ tree: team([a, c]) });
    for (let crash = 0; crash < 4; crash++) await told(test, 'team/a', 'explode');
    expect(restarts(test, 'team')).toBe(1);
    expect(['team/a', 'team/b', 'team/c'].map((address) => notes(test, address))).toEqual([[], null, []]);
  });
});
