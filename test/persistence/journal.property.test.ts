import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StateChange } from '../../src/actors/model/state.ts';
import { KEYSPACE } from '../../src/actors/model/ports.ts';
import { unseal } from '../../src/persistence/format/envelope.ts';
import { createJournal, type Durability } from '../../src/persistence/journal/journal.ts';
import { type FoldLimits } from '../../src/persistence/journal/fold.ts';
import { numberIn, PREFIX, unreadKeys } from '../../src/persistence/format/keys.ts';
import { Segments } from '../../src/persistence/journal/segments.ts';
import { isTable, leavesOf, table } from '../../src/table.ts';
import { faultyStore, type FaultyStore } from '../../src/testing/faulty-store.ts';
import {
  expected,
  type Facts,
  found,
  nextEpoch,
  NOTHING,
  Reference,
  references,
  type Step,
} from '../support/persistence/model.ts';
import { byEffort, PATIENCE_MS } from '../support/effort.ts';

/** Steps of the system: epochs, and the ways they are interrupted. */
type Event =
  | { readonly kind: 'epoch'; readonly steps: readonly Step[] }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'crash'; readonly keepUnsynced: number }
  | { readonly kind: 'crash while held'; readonly at: 'before' | 'durable'; readonly steps: readonly Step[] }
  | {
      readonly kind: 'failed write';
      readonly applied: boolean;
      readonly again: boolean;
      readonly steps: readonly Step[];
    };

/**
 * Shrinking a long story may take minutes; a shorter one found in time is enough. No bound for the stories themselves:
 * they take seconds.
 */
const BOUNDED = { interruptAfterTimeLimit: PATIENCE_MS / 2 };

const pick = fc.nat(1_000);
const value = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.record({ id: fc.string(), count: fc.nat() }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(), { maxKeys: 5 }),
  fc.record({ life: fc.nat(), address: fc.string() }).map(({ life, address }) => new Reference(life, address)),
  fc.constant(undefined),
);
const context = fc.dictionary(fc.constantFrom('order', 'count', 'notes', 'by', 'x', 'y'), value, {
  noNullPrototype: true,
});
/** Enough for several pages. */
const rowKey = fc.nat(150).map((n) => `row ${n}`);
const rows = fc.array(fc.tuple(rowKey, fc.record({ n: fc.nat() })), { maxLength: 120, size: 'max' });
const withTable = fc.record({ order: value, items: rows.map((entries) => table(entries)) });
const rowChanges = fc.record({
  size: fc.constant(0),
  set: fc.array(fc.tuple(rowKey, fc.record({ n: fc.nat() })), { maxLength: 5 }),
  unset: fc.array(rowKey, { maxLength: 60, size: 'max' }),
});
const change: fc.Arbitrary<StateChange> = fc.oneof(
  withTable.map((value) => ({ context: { value } })),
  withTable.map((set) => ({ set })),
  rowChanges.map((items) => ({ rows: { items } })),
  rowChanges.map((items) => ({ set: { items: table() }, rows: { items } })),
  fc.record({ unset: fc.constant(['items']) }),
  context.map((value) => ({ status: 'active' as const, configuration: 0, context: { value } })),
  context.map((set) => ({ set })),
  fc.record({ configuration: fc.nat(3), set: context }),
  fc.record({ set: context, unset: fc.constantFrom(['order'], ['count', 'x']) }),
  value.map((value) => ({ status: 'done' as const, output: { value } })),
  fc.nat().map((attempt) => ({ attempt })),
);
const first = fc
  .oneof(context, withTable)
  .map((value) => ({ status: 'active' as const, configuration: 0, context: { value } }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('birth' as const), initial: fc.option(first) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('change' as const), pick, change }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('death' as const), pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('arrival' as const),
      keyspace: fc.constantFrom(KEYSPACE.mailboxes, KEYSPACE.timers, KEYSPACE.deadLetters),
      row: fc.tuple(fc.nat(), value),
    }),
  },
  // Enough messages for whole segments.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('arrival' as const),
      keyspace: fc.constant(KEYSPACE.mailboxes),
      row: fc.tuple(fc.nat(), value),
      times: fc.constantFrom(1, 1, 1, 150),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('removal' as const),
      pick,
      net: fc.boolean(),
      times: fc.constantFrom(1, 1, 1, 100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewrite' as const), pick, row: fc.tuple(fc.nat(), value) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('removal' as const), pick, net: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('named row' as const), name: fc.constantFrom('s1', 's2'), row: fc.nat() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('configuration' as const),
      definition: fc.constantFrom('4fe1', '9a00'),
      nodes: fc.array(fc.constantFrom('m', 'm.a', 'm.b.c'), { maxLength: 3 }),
    }),
  },
);
const steps = fc.array(step, { maxLength: 8 });
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('epoch' as const), steps }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), keepUnsynced: fc.nat(6) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('crash while held' as const),
      at: fc.constantFrom('before' as const, 'durable' as const),
      steps,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('failed write' as const),
      applied: fc.boolean(),
      again: fc.boolean(),
      steps,
    }),
  },
);
const fold: fc.Arbitrary<FoldLimits> = fc.record({
  windowEpochs: fc.integer({ min: 1, max: 8 }),
  windowBytes: fc.constantFrom(1, 1_000, 1_000_000),
  sliceRecords: fc.integer({ min: 1, max: 5 }),
  sliceBytes: fc.constantFrom(1, 1_000_000),
});

/** A journal under test, the facts it must hold, and the facts of every epoch before. */
class Trial {
  readonly store: FaultyStore = faultyStore();
  readonly #journal;
  readonly #history: Facts[] = [NOTHING];
  /** The last epoch that a power cut cannot take. */
  #durable = 0;
  readonly #synced: boolean;
  facts = NOTHING;

  constructor(durability: Durability, limits: FoldLimits) {
    this.#journal = createJournal(this.store, { durability, fold: limits, storeId: 'trial' });
    this.#synced = durability === 'disk';
  }

  async begin(): Promise<void> {
    await this.#openAt(NOTHING);
  }

  async take(event: Event): Promise<void> {
    if (event.kind === 'epoch') await this.epoch(event.steps);
    else if (event.kind === 'reopen') {
      await this.#journal.close();
      await this.#openAt(this.facts);
    } else if (event.kind === 'crash') await this.#crash(event.keepUnsynced);
    else if (event.kind === 'crash while held') await this.#crashWhileHeld(event.at, event.steps);
    else await this.#failWrite(event, event.steps);
  }

  async epoch(steps: readonly Step[]): Promise<void> {
    const { epoch, after } = nextEpoch(this.facts, steps, this.#journal.codec);
    await this.#journal.commit(epoch);
    this.#remember(after);
  }

  async #crash(keepUnsynced: number): Promise<void> {
    this.store.crash({ keepUnsynced });
    await this.#journal.close();
    this.#durable = Math.min(this.facts.epoch, this.#durable + keepUnsynced);
    await this.#openAt(this.#history[this.#durable] as Facts);
  }

  async #crashWhileHeld(at: 'before' | 'durable', steps: readonly Step[]): Promise<void> {
    const { epoch, after } = nextEpoch(this.facts, steps, this.#journal.codec);
    const held = this.store.hold(at);
    void this.#journal.commit(epoch);
    await held.reached;
    if (at === 'durable') this.#remember(after);
    await this.#crash(0);
  }

  async #failWrite({ applied, again }: { applied: boolean; again: boolean }, steps: readonly Step[]): Promise<void> {
    const { epoch, after } = nextEpoch(this.facts, steps, this.#journal.codec);
    this.store.failWrites(1, { applied });
    await expect(this.#journal.commit(epoch)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    await expect(this.#journal.commit(epoch)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    if (again) await this.#journal.retry();
    if (again || applied) this.#remember(after);
    if (applied) this.#durable = after.epoch;
    if (again) return;
    await this.#journal.close();
    await this.#openAt(this.facts);
  }

  #remember(after: Facts): void {
    this.facts = after;
    this.#history[after.epoch] = after;
    if (this.#synced) this.#durable = after.epoch;
  }

  async #openAt(facts: Facts): Promise<void> {
    expect(found(await this.#journal.open(references))).toEqual(expected(facts));
    this.facts = facts;
  }
}

function keysUnder(store: FaultyStore, prefix: string): string[] {
  return store.entries().flatMap(([key]) => (key.startsWith(prefix) ? [key] : []));
}

describe.each<Durability>(['disk', 'process'])('the journal at durability "%s"', (durability) => {
  it('recovers exactly the last durable epoch after any interruption', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40, size: 'max' }), fold, async (events, limits) => {
        const trial = new Trial(durability, limits);
        await trial.begin();
        for (const event of events) await trial.take(event);
        await trial.take({ kind: 'reopen' });
      }),
      { numRuns: byEffort({ quick: 8, ci: 200 }), ...BOUNDED },
    );
  });

  it('holds only live records after a fold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30, size: 'max' }), fold, async (events, limits) => {
        const trial = new Trial(durability, limits);
        await trial.begin();
        for (const event of events) await trial.take(event);
        // Two folds of whatever gathered, one small slice an epoch.
        const enough = 400 + 3 * trial.facts.counters.message;
        for (let i = 0; i < enough; i++) await trial.epoch([]);
        const { store, facts } = trial;
        expect(keysUnder(store, PREFIX.state).length).toBe(facts.states.size);
        const tables = [...facts.states.values()].flatMap(({ context }) =>
          Object.values(context ?? {}).filter(isTable),
        );
        expect(keysUnder(store, PREFIX.page).length).toBe(tables.flatMap(leavesOf).length);
        const rows = store.entries().flatMap(([key]) => ('antfbdq'.includes(key[0] ?? '') ? [key] : []));
        // Identities stand with the states.
        expect([...rows, ...unreadIn(store)].sort()).toEqual(
          [...facts.rows.keys()].filter((key) => !key.startsWith('i!')).sort(),
        );
        const epochs = keysUnder(store, PREFIX.epoch).map(numberIn);
        expect(epochs).toEqual(epochs.map((_, i) => facts.epoch - epochs.length + 1 + i));
        expect(epochs.length).toBeLessThan(enough);
        await trial.take({ kind: 'reopen' });
      }),
      { numRuns: byEffort({ quick: 4, ci: 60 }), ...BOUNDED },
    );
  });
});

/** The keys of the messages in a store, each of them once. */
function unreadIn(store: FaultyStore): string[] {
  const records = new Map(store.entries());
  const segments = new Segments();
  const found = keysUnder(store, PREFIX.segment).flatMap((key) => {
    const [copy, other] = unreadKeys(numberIn(key));
    const unread = records.get(copy);
    expect(records.has(other)).toBe(unread !== undefined);
    records.delete(copy);
    records.delete(other);
    const messages: string[] = [];
    segments.load(key, records.get(key)!, unread && unseal(copy, unread), (message) => messages.push(message));
    expect(messages).not.toEqual([]);
    return messages;
  });
  expect([...records.keys()].filter((key) => key.startsWith(PREFIX.unread))).toEqual([]);
  return [...found, ...keysUnder(store, `${KEYSPACE.mailboxes}!`)];
}
