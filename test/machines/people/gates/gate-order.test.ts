/** The order of open gates at their desk: by deadline, through extensions, and after an upgrade of an older store. */
import { afterEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { gateChildren, gateDesk, type GateDeskContext } from '../../../../src/machines/people/gates/gate-desk.ts';
import { placeBehind, placeOfGate, urgencyOfGate } from '../../../../src/machines/people/gates/gate-order.ts';
import { gate } from '../../../../src/machines/people/gates/gate.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { endedIn, openIn, recordsIn } from '../../../../src/machines/rules/records.ts';
import { goOn, keepApart } from '../../../support/machines/records-apart.ts';

const HOUR_MS = 3_600_000;

let running: TestSystem | undefined;
afterEach(async () => {
  await running?.shard.stop();
  running = undefined;
});

async function start(agents: readonly AnyAgent[] = [gate, gateDesk]): Promise<TestSystem> {
  return (running = await startTestSystem({ agents, tree: { children: gateChildren() } }));
}

async function ask(test: TestSystem, event: { type: string; [field: string]: unknown }): Promise<void> {
  const asked = test.shard.ask(DESKS.gates, event);
  await test.settle();
  expect(await asked).toMatchObject({ taken: true });
}

const QUESTION = { kind: 'review', title: 'Print it?', package: null, audience: ['ada'], form: { type: 'object' } };

function open(test: TestSystem, id: string, deadlineMs: number | null, more: object = {}): Promise<void> {
  return ask(test, { type: 'gate.open', id, ...QUESTION, deadlineMs, ...more });
}

const deskOf = (test: TestSystem) => test.shard.snapshot(DESKS.gates)!.context as GateDeskContext;
const idsOf = (test: TestSystem) => openIn(deskOf(test)).map(({ id }) => id);

describe('the open gates of a desk', () => {
  it('stand by deadline, those without one last, and by id where deadlines are equal', async () => {
    const test = await start();
    for (const [id, ms] of [
      ['a', null],
      ['b', 9 * HOUR_MS],
      ['d', HOUR_MS],
      ['c', HOUR_MS],
      ['zz-urgent', HOUR_MS / 2],
    ] as const)
      await open(test, id, ms);
    expect(idsOf(test)).toEqual(['zz-urgent', 'c', 'd', 'b', 'a']);
    await ask(test, { type: 'gate.extend', gate: 'zz-urgent', by: 'ada', byMs: 2 * HOUR_MS });
    expect(idsOf(test)).toEqual(['c', 'd', 'zz-urgent', 'b', 'a']);
    await ask(test, { type: 'gate.answer', gate: 'd', by: 'ada', answer: {} });
    expect(idsOf(test)).toEqual(['c', 'zz-urgent', 'b', 'a']);
    expect([...deskOf(test).places.keys()]).toEqual(['a', 'b', 'c', 'd', 'zz-urgent']);
    expect(recordsIn(deskOf(test)).length).toBe(5);
    await test.crash();
    await test.restart();
    expect(idsOf(test)).toEqual(['c', 'zz-urgent', 'b', 'a']);
  });

  it('keep the name of what holds if nobody answers', async () => {
    const test = await start();
    await open(test, 'a', HOUR_MS, { onTimeout: { name: 'standard', value: 1 } });
    await open(test, 'b', HOUR_MS);
    expect(openIn(deskOf(test)).map(({ onTimeout }) => onTimeout)).toEqual(['standard', null]);
  });

  it('are placed by deadline when a store of the first version is opened', async () => {
    const { name, machine, events } = gateDesk;
    const test = await start([gate, defineAgent({ name, machine, events })]);
    await open(test, 'a', null);
    await open(test, 'b', 9 * HOUR_MS, { onTimeout: { name: 'standard', value: 1 } });
    await open(test, 'c', HOUR_MS);
    await open(test, 'd', HOUR_MS);
    await ask(test, { type: 'gate.answer', gate: 'd', by: 'ada', answer: {} });
    await keepApart(test, [DESKS.gates], ['onTimeout']);
    expect(Object.keys(deskOf(test))).not.toContain('rows');
    await test.crash();
    await test.restart({ agents: [gate, gateDesk] });
    await goOn(test, [DESKS.gates]);
    expect(idsOf(test)).toEqual(['c', 'b', 'a']);
    expect([...deskOf(test).places.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect(endedIn(deskOf(test))).toMatchObject([{ id: 'd', phase: 'answered', onTimeout: null }]);
    await ask(test, { type: 'gate.extend', gate: 'c', by: 'ada', byMs: 24 * HOUR_MS });
    expect(idsOf(test)).toEqual(['b', 'c', 'a']);
    await test.advance(9 * HOUR_MS);
    expect(idsOf(test)).toEqual(['c', 'a']);
    expect(endedIn(deskOf(test))).toMatchObject([{ id: 'd' }, { id: 'b', phase: 'timedOut' }]);
  });
});

describe('the order of gates', () => {
  it('is that of their deadlines, whatever their ids', () => {
    const places = [placeOfGate('z', 5), placeOfGate('a', 40), placeOfGate('b', 1_767_225_600_000)];
    expect([...places, placeOfGate('0', null)]).toEqual([...places, placeOfGate('0', null)].sort());
    expect(`0 ${placeOfGate('~', 40)}` < placeBehind(40)).toBe(true);
    expect(`0 ${placeOfGate('-', 41)}` < placeBehind(40)).toBe(false);
  });

  it('counts an overdue gate as one for now', () => {
    const urgencies = [-1, 2 * HOUR_MS, 2 * HOUR_MS + 1, 6 * HOUR_MS, 6 * HOUR_MS + 1].map((ms) =>
      urgencyOfGate(1e12 + ms, 1e12),
    );
    expect(urgencies).toEqual(['now', 'now', 'today', 'today', 'later']);
    expect(urgencyOfGate(null, 1e12)).toBe('later');
  });
});
