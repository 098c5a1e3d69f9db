/** Messages between workers arrive once and in order, whichever worker dies, and at whatever moment. */
import { describe, expect, it } from 'vitest';
import { type HeldWrite } from '../../src/testing/faulty-store.ts';
import { type SpreadTestSystem, startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort } from '../support/effort.ts';
import { playerAgent, type PlayerContext } from '../support/workers/players.ts';

const NAMES = Array.from({ length: 6 }, (_, index) => `player-${index}`);
const TREE = { intensity: 100, children: NAMES.map((id) => ({ id, agent: 'player', input: { name: id } })) };

async function game(workers: number, residentActors?: number): Promise<SpreadTestSystem> {
  return await startSpreadTestSystem({
    workers,
    residentActors,
    agents: [playerAgent],
    tree: TREE,
    journal: { fold: { windowEpochs: 6, windowBytes: 4_096, sliceRecords: 2, sliceBytes: 1_024 } },
  });
}

async function caughtBy(test: SpreadTestSystem, name: string): Promise<PlayerContext['caught']> {
  return ((await test.system.snapshot(name))!.context as PlayerContext).caught;
}

describe('tokens between workers', () => {
  it('are received by an actor on another worker', async () => {
    const test = await game(2);
    const [one] = NAMES as [string];
    const other = NAMES.find((name) => test.system.workerOf(name) !== test.system.workerOf(one))!;
    await test.system.send(one, { type: 'throw', to: other, count: 3 });
    await test.settle();
    expect(await caughtBy(test, other)).toEqual([0, 1, 2].map((number) => ({ by: one, number })));
    await test.system.stop();
  });

  it.each(Array.from({ length: byEffort({ quick: 4, ci: 100, soak: 3_000 }) }, (_, index) => index + 1))(
    'arrive once and in order over crashes (run %i)',
    async (run) => {
      const random = randomOf('tokens between workers', run);
      const upTo = (limit: number) => Math.floor(random.next() * limit);
      const workers = 2 + (run % 2);
      // Of some, most players rest.
      const test = await game(workers, run % 3 === 0 ? 2 : undefined);
      const thrown = new Map<string, number>();
      const orders: Promise<void>[] = [];
      /** Held writes by worker, while none has come to be held and let go. */
      const held = new Map<number, HeldWrite>();
      const reached: HeldWrite[] = [];
      const letGo = () => {
        for (const write of [...held.values(), ...reached.splice(0)]) write.release();
      };
      for (let step = 0; step < 40; step++) {
        const choice = random.next();
        const worker = upTo(workers);
        if (choice < 0.5) {
          const by = NAMES[upTo(NAMES.length)]!;
          const to = NAMES[upTo(NAMES.length)]!;
          const count = 1 + upTo(5);
          // In a session: what a death leaves open is sent again.
          orders.push(order(test, { by, to, count, sequence: orders.length + 1 }));
          thrown.set(`${by} ${to}`, (thrown.get(`${by} ${to}`) ?? 0) + count);
        } else if (choice < 0.65) {
          if (held.has(worker)) held.get(worker)!.release();
          else {
            const write = test.stores[worker]!.hold(random.next() < 0.5 ? 'before' : 'durable');
            held.set(worker, write);
            void write.reached.then(() => held.get(worker) === write && held.delete(worker) && reached.push(write));
          }
        } else if (choice < 0.8 && test.worker(worker) !== undefined) {
          test.crash(worker, { keepUnsynced: upTo(2) });
          held.get(worker)?.release();
          held.delete(worker);
        } else if (choice < 0.95) {
          letGo();
          if (test.worker(worker) === undefined) await test.restart(worker, { isSettled: false });
        } else {
          letGo();
          await test.settle();
        }
        // At some moment while messages are under way.
        for (let n = upTo(8); n > 0; n--) await new Promise<void>((resolve) => test.clock.defer(resolve));
      }
      letGo();
      for (let worker = 0; worker < workers; worker++)
        if (test.worker(worker) === undefined) await test.restart(worker);
      await Promise.all(orders);
      await test.settle();
      const caught = new Map<string, number[]>();
      for (const to of NAMES) {
        for (const { by, number } of await caughtBy(test, to))
          caught.set(`${by} ${to}`, [...(caught.get(`${by} ${to}`) ?? []), number]);
      }
      expect(Object.fromEntries(caught)).toEqual(
        Object.fromEntries(
          [...thrown].map(([pair, count]) => [pair, Array.from({ length: count }, (_, number) => number)]),
        ),
      );
      expect(await test.system.deadLetters.list()).toEqual([]);
      await test.system.stop();
    },
  );
});

/** Each order has its own session, so that orders may overtake each other. */
async function order(
  test: SpreadTestSystem,
  { by, to, count, sequence }: { by: string; to: string; count: number; sequence: number },
): Promise<void> {
  await test.system.send(by, { type: 'throw', to, count }, { session: { id: `order ${sequence}`, sequence: 1 } });
}
