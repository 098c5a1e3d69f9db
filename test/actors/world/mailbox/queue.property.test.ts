/**
 * Random mixes of deferrals, changes of state and priorities, against a model of gen_statem's queue: no message is lost
 * or doubled, and the order is kept.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { withACrashAfterEveryEpoch } from '../../../support/supervisor/every-epoch.ts';
import {
  agentOf,
  type Deed,
  QueueModel,
  type Sent,
  STATES,
  type Table,
  TYPES,
} from '../../../support/actors/queue-model.ts';
import { byEffort } from '../../../support/effort.ts';

/** More turns than any terminating table takes here. */
const TURNS_MAX = 2_000;

const deed: fc.Arbitrary<Deed> = fc.record({
  defers: fc.boolean(),
  target: fc.option(fc.constantFrom(...STATES), { nil: null }),
  raises: fc.boolean(),
});
const level = fc.constantFrom('high' as const, 'normal' as const, 'low' as const);
const keyed = <K extends string, V>(keys: readonly K[], value: fc.Arbitrary<V>) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, value])) as Record<K, fc.Arbitrary<V>>);
const table = fc.record({
  deeds: keyed(STATES, keyed(TYPES, deed)),
  priorities: keyed(TYPES, level),
}) as fc.Arbitrary<Table>;
const plain = table.map(
  ({ deeds }): Table => ({ deeds, priorities: { a: 'normal', b: 'normal', c: 'normal', d: 'normal' } }),
);
/** Each batch arrives together; `true` is a crash of the host. */
const script = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.constantFrom(...TYPES), { maxLength: 40 }) },
    { weight: 1, arbitrary: fc.constant(true as const) },
  ),
  { maxLength: 6 },
);

const optionsOf = (table: Table) => ({ agents: [agentOf(table)], tree: { children: [{ id: 'q', agent: 'q' }] } });

function standingOf(test: TestSystem) {
  const { value, context } = test.shard.snapshot('q')!;
  return { state: value, notes: (context as { notes: string[] }).notes };
}

async function send(test: TestSystem, messages: readonly Sent[]): Promise<void> {
  await Promise.all(messages.map((message) => test.shard.send('q', message)));
  await test.settle();
}

describe('a mailbox', () => {
  it('behaves like the model, over crashes of the host', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(table, script, async (table, script) => {
        const model = new QueueModel(table);
        const test = await startTestSystem(optionsOf(table));
        let n = 0;
        for (const step of script) {
          if (step === true) {
            await test.crash();
            await test.restart();
            model.restore();
            continue;
          }
          const messages = step.map((type) => ({ type, n: n++ }));
          // A table that loops for ever has no end to compare.
          if (!model.take(messages, TURNS_MAX)) break;
          await send(test, messages);
          const { state, notes, deferred } = model.standing;
          expect({ ...standingOf(test), unread: test.shard.tree('q').mailbox }).toEqual({
            state,
            notes,
            unread: deferred.length,
          });
          compared += 1;
        }
        await test.shard.stop();
      }),
      { numRuns: byEffort({ quick: 10, ci: 150 }) },
    );
    expect(compared).toBeGreaterThan(byEffort({ quick: 4, ci: 100 }));
  });

  it('is the same after a crash behind any epoch, even with deferred messages half taken up', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(
        plain,
        fc.array(fc.constantFrom(...TYPES), { minLength: 20, maxLength: 60 }),
        async (table, types) => {
          const messages = types.map((type, n) => ({ type, n }));
          fc.pre(new QueueModel(table).take(messages, TURNS_MAX));
          const told = await withACrashAfterEveryEpoch({
            options: () => optionsOf(table),
            begin: async (test) => {
              await Promise.all(messages.map((message) => test.shard.send('q', message)));
            },
            unfoldMs: 0,
            outcome: standingOf,
          });
          crashes += told.crashes;
        },
      ),
      { numRuns: byEffort({ quick: 3, ci: 25 }) },
    );
    expect(crashes).toBeGreaterThan(byEffort({ quick: 2, ci: 25 }));
  });
});
