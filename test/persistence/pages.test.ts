/** Pages of tables: wherever a power cut interrupts a fold, the state on disk has all its pages. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActorState, type StoreWrite } from '../../src/actors/model/ports.ts';
import { UNBORN } from '../../src/actors/model/state.ts';
import { ChangedActor, openActor } from '../../src/persistence/format/actor-record.ts';
import { createCodec } from '../../src/persistence/format/codec.ts';
import { stateKey } from '../../src/persistence/format/keys.ts';
import { Pages } from '../../src/persistence/format/pages.ts';
import { plainReferences } from '../../src/persistence/format/plain-references.ts';
import { table, type Table } from '../../src/table.ts';
import { byEffort } from '../support/effort.ts';
import { identityAt } from '../support/persistence/model.ts';

const LIFE = 7;

interface Step {
  readonly set: readonly number[];
  readonly unset: readonly number[];
  readonly isCleared: boolean;
}

const row = fc.nat(200);
const steps = fc.array(
  fc.record({
    set: fc.array(row, { maxLength: 60, size: 'max' }),
    unset: fc.array(row, { maxLength: 20 }),
    isCleared: fc.nat(9).map((n) => n === 0),
  }) satisfies fc.Arbitrary<Step>,
  { minLength: 1, maxLength: 8 },
);

function after(before: Table<{ n: number }>, { set, unset, isCleared }: Step): Table<{ n: number }> {
  const kept = isCleared ? table<{ n: number }>() : before;
  const filled = set.reduce((rows, n) => rows.set(`row ${n}`, { n }), kept);
  return unset.reduce((rows, n) => rows.delete(`row ${n}`), filled);
}

/** Folds each version, and after each write reads the store as the next start would. */
function told(story: readonly Step[], order: (writes: StoreWrite[]) => StoreWrite[]): void {
  const codec = createCodec(plainReferences);
  const pages = new Pages(codec);
  const store = new Map<string, Uint8Array>();
  let items = table<{ n: number }>();
  let onDisk: readonly [string, { n: number }][] | undefined;
  for (const step of story) {
    items = after(items, step);
    const state: ActorState = { ...UNBORN, seq: 1, context: { items } };
    const actor = new ChangedActor({ identity: identityAt(LIFE), state });
    for (const { key, value } of order([...pages.writesOf(LIFE, actor)])) {
      if (value === null) store.delete(key);
      else store.set(key, value);
      if (key === stateKey(LIFE)) onDisk = [...items];
      if (onDisk === undefined) continue;
      const { state: stored } = openActor(stateKey(LIFE), store.get(stateKey(LIFE))!);
      const { context } = new Pages(codec).read(stateKey(LIFE), stored as Uint8Array, (page) => store.get(page));
      expect([...(context as { items: typeof items }).items]).toEqual(onDisk);
    }
  }
  expect([...store.keys()].every((key) => key === stateKey(LIFE) || pages.names(LIFE, pageIn(key)))).toBe(true);
}

function pageIn(key: string): number {
  return Number.parseInt(key.slice(key.lastIndexOf('!') + 1), 16);
}

describe('the writes of a fold', () => {
  it('leave a complete state after each write, and at the end exactly the pages that the state names', () => {
    fc.assert(
      fc.property(steps, (story) => told(story, (writes) => writes)),
      { numRuns: byEffort({ quick: 30, ci: 500, soak: 5_000 }) },
    );
  });

  it.each([
    ['the state before its pages', (a: StoreWrite, b: StoreWrite) => Number(isState(b)) - Number(isState(a))],
    ['the deletions first', (a: StoreWrite, b: StoreWrite) => Number(b.value === null) - Number(a.value === null)],
  ])('leave a state without its pages if ordered with %s', (_what, compare) => {
    const story: Step[] = [1, 2, 3].map((n) => ({
      set: Array.from({ length: 90 }, (_, i) => i * n),
      unset: [n],
      isCleared: n === 3,
    }));
    expect(() => told(story, (writes) => writes.toSorted(compare))).toThrow('is missing, and the state of its actor');
  });
});

function isState({ key }: StoreWrite): boolean {
  return key === stateKey(LIFE);
}
