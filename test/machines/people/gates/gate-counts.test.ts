/**
 * The cost of one gate in exact counts: turns that change something, bytes of the journal, and checks of an order by
 * its schema. These counts must not grow.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { gateAgents, gateChildren } from '../../../../src/machines/people/gates/gate-desk.ts';
import { formOf } from '../../../../src/machines/people/gates/gate-form.ts';
import { order, ruledAgent } from '../../../../src/machines/rules/turn.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { decodeEpoch } from '../../../../src/persistence/journal/epoch-format.ts';
import { numberIn, PREFIX } from '../../../../src/persistence/format/keys.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { startMachines } from '../../../support/machines/machines-under-test.ts';

let test: TestSystem | undefined;
afterEach(() => test?.shard.stop());

/** Epochs that the given work writes. */
async function written(system: TestSystem, work: () => unknown): Promise<{ deltas: number; journalBytes: number }> {
  const { length: before } = system.store.log;
  await work();
  await system.settle();
  const writes = system.store.log.slice(before).flatMap((batch) => batch.writes);
  const epochs = writes.flatMap(({ key, value }) =>
    key.startsWith(PREFIX.epoch) && value !== null ? [{ number: numberIn(key), value }] : [],
  );
  return {
    deltas: epochs.reduce((sum, { number, value }) => sum + decodeEpoch(number, value).deltas.length, 0),
    journalBytes: epochs.reduce((sum, { value }) => sum + value.length, 0),
  };
}

const FORM = formOf(z.object({ ok: z.boolean() }));

const questionOf = (n: number) => ({
  type: 'gate.open',
  id: `gate-${n}`,
  kind: 'G4',
  title: `May ${n} go on?`,
  package: { item: n },
  audience: ['*'],
  form: FORM,
  remindAfterMs: [],
  deadlineMs: null,
  onTimeout: null,
});

describe('a gate', () => {
  it('is opened by four turns (desk, Boss, gate, desk) and answered by four (desk, gate, desk, Boss)', async () => {
    const started = await startMachines({ agents: gateAgents, tree: { children: gateChildren() } });
    test = started;
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const open = (n: number) => started.shard.ask(DESKS.gates, questionOf(n) as never);
    const answer = (n: number) => {
      const event = { type: 'gate.answer', gate: `gate-${n}`, by: 'ada', answer: { ok: true } };
      return started.shard.ask(DESKS.gates, event as never);
    };
    // The first gate writes shapes and names to which later gates only refer.
    await written(started, () => open(100).then(() => answer(100)));
    const opened = await written(started, () => Promise.all(numbers.map(open)));
    expect(opened.deltas).toBe(4 * numbers.length);
    const answered = await written(started, () => Promise.all(numbers.map(answer)));
    expect(answered.deltas).toBe(4 * numbers.length);
    expect(opened.journalBytes / numbers.length).toBeLessThan(900);
    // With the result of the gate, which has ended.
    expect(answered.journalBytes / numbers.length).toBeLessThan(660);
  });
});

describe('an order', () => {
  it('is checked by its schema once, whether it comes from outside or from an agent', async () => {
    let checks = 0;
    const amount = z.number().refine(() => (checks += 1) > 0);
    const desk = ruledAgent({
      name: 'desk',
      context: () => ({ sum: 0 }),
      rules: {
        add: order(z.object({ amount }), (turn: { context: { sum: number }; assign(patch: object): void }, event) => {
          turn.assign({ sum: turn.context.sum + event.amount });
          return { sum: turn.context.sum };
        }),
      },
    });
    const agent = defineAgent({
      name: 'agent',
      machine: setup({}).createMachine({
        on: {
          tell: {
            actions: enqueueActions(({ enqueue, event, system }) =>
              enqueue.sendTo(system.get('desk')!, { type: 'add', amount: event['amount'] as number } as never),
            ),
          },
        },
      }),
      events: { tell: z.object({ amount: z.unknown() }) },
    });
    const started = await startMachines({
      agents: [desk, agent],
      tree: {
        children: [
          { id: 'desk', systemId: 'desk', agent: 'desk' },
          { id: 'agent', agent: 'agent' },
        ],
      },
    });
    test = started;
    const sum = () => (started.shard.snapshot('desk')!.context as { sum: number }).sum;
    expect(await started.shard.ask('desk', { type: 'add', amount: 1 } as never)).toEqual({ sum: 1 });
    expect([checks, sum()]).toEqual([1, 1]);
    await started.shard.send('agent', { type: 'tell', amount: 2 } as never);
    await started.settle();
    expect([checks, sum()]).toEqual([2, 3]);
    await started.shard.send('agent', { type: 'tell', amount: 'much' } as never);
    await started.settle();
    expect(sum()).toBe(3);
  });
});
