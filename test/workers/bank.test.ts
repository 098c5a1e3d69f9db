/**
 * The bank of the crash test over two workers: transfers travel between them by names, receipts by references. Whenever
 * one or both die, their stores together hold the initial sum of money and every accepted order is counted once.
 */
import { describe, expect, it } from 'vitest';
import { type FaultyStore } from '../../src/testing/faulty-store.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { type SeededRandom } from '../../src/testing/seeded-random.ts';
import { type SpreadTestSystem, startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { randomOf } from '../support/chance.ts';
import { auditWorkers } from '../support/crash/bank-audit.ts';
import { byEffort } from '../support/effort.ts';
import { accountAgent, ACCOUNTS, addressOf, JOURNAL, TREE } from '../support/fixtures/crash/bank-account.mjs';

const CLIENTS = 4;
const WORKERS = 2;

/** Each client has a line of orders for each worker, in a session of its own: within one they are taken in order. */
class Clients {
  readonly #test: SpreadTestSystem;
  readonly #random: SeededRandom;
  readonly #accounts: readonly (readonly number[])[];
  readonly #sent = new Map<string, number>();
  /** The highest number that was acknowledged, by session. */
  readonly acknowledged = new Map<string, number>();

  constructor(test: SpreadTestSystem, random: SeededRandom) {
    this.#test = test;
    this.#random = random;
    const all = Array.from({ length: ACCOUNTS }, (_, number) => number);
    this.#accounts = Array.from({ length: WORKERS }, (_, worker) =>
      all.filter((number) => test.system.workerOf(addressOf(number)) === worker),
    );
  }

  order(): void {
    const worker = this.#random.integer(WORKERS);
    const from = this.#accounts[worker]!;
    const session = `client-${this.#random.integer(CLIENTS)}@${worker}`;
    const sequence = (this.#sent.get(session) ?? 0) + 1;
    this.#sent.set(session, sequence);
    const route = Array.from({ length: 1 + this.#random.integer(5) }, () => this.#random.integer(ACCOUNTS));
    const delayMs = this.#random.integer(8) === 0 ? 1 + this.#random.integer(20) : 0;
    const event = { type: 'transfer', session, sequence, amount: 1 + this.#random.integer(50), route, delayMs };
    this.#test.system
      .send(addressOf(from[this.#random.integer(from.length)]!), event, { session: { id: session, sequence } })
      .then(
        () => this.acknowledged.set(session, Math.max(sequence, this.acknowledged.get(session) ?? 0)),
        // The worker died: the order is in the store or not, and the next orders follow it.
        () => {},
      );
  }

  /** Goes on behind the last order that is in the store. */
  goOn(lastSequence: ReadonlyMap<string, number>): void {
    for (const session of this.#sent.keys()) this.#sent.set(session, lastSequence.get(session) ?? 0);
  }
}

/** The audit of what a power cut at this moment leaves. */
async function audit(stores: readonly FaultyStore[]) {
  const copies = await Promise.all(
    stores.map(async (store) => {
      const copy = memoryStore();
      await copy.open();
      await copy.write(
        store.entries().map(([key, value]) => ({ key, value })),
        { sync: true },
      );
      return copy;
    }),
  );
  return await auditWorkers(copies);
}

describe('a bank over two workers', () => {
  it.each(Array.from({ length: byEffort({ quick: 1, ci: 10, soak: 300 }) }, (_, index) => index + 1))(
    'loses and doubles nothing, whichever workers die (run %i)',
    async (run) => {
      const random = randomOf('a bank over two workers', run);
      const test = await startSpreadTestSystem({
        workers: WORKERS,
        agents: [accountAgent],
        tree: TREE,
        journal: JOURNAL,
      });
      const clients = new Clients(test, random);
      let crossing = 0;
      for (let cut = 0; cut < 12; cut++) {
        for (let step = 0; step < 30; step++) {
          clients.order();
          for (let n = random.integer(3); n > 0; n--) await new Promise<void>((resolve) => test.clock.defer(resolve));
          if (random.next() < 0.1)
            await test.clock.advance(5, () => new Promise((resolve) => test.clock.defer(resolve)));
        }
        // One worker dies, then all: the stores are audited each time that no worker runs.
        const alone = random.integer(WORKERS + 1);
        test.crash(alone % WORKERS, { keepUnsynced: random.integer(2) });
        if (alone < WORKERS) {
          await test.restart(alone, { isSettled: false });
          for (let n = random.integer(12); n > 0; n--) await new Promise<void>((resolve) => test.clock.defer(resolve));
        }
        test.crashAll();
        const found = await audit(test.stores);
        expect(found.violations).toEqual([]);
        for (const [session, sequence] of clients.acknowledged)
          expect(found.lastSequence.get(session), session).toBeGreaterThanOrEqual(sequence);
        crossing += found.crossing;
        clients.goOn(found.lastSequence);
        await test.restartAll();
      }
      await test.advance(1_000);
      test.crashAll();
      expect(await audit(test.stores)).toMatchObject({ violations: [], unread: 0 });
      expect(crossing).toBeGreaterThan(0);
    },
  );
});
