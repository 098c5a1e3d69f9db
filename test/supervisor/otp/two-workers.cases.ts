/**
 * A system over two workers in one thread with the interface of a test system, so that the cases for one system also
 * run on two workers.
 */
import { type EventObject } from 'xstate';
import { type ShardBoss } from '../../../src/supervisor/boss-handle.ts';
import { type FaultyStore } from '../../../src/testing/faulty-store.ts';
import { SpreadTestSystem, type SpreadTestOptions } from '../../../src/testing/spread-test-system.ts';
import { type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { type VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { type Shard } from '../../../src/shard.ts';
import { mergedTree } from '../../../src/system-merge.ts';

export class TwoWorkers {
  readonly #spread: SpreadTestSystem;

  constructor({ store: _, ...options }: TestSystemOptions) {
    this.#spread = new SpreadTestSystem({ ...(options as Omit<SpreadTestOptions, 'workers'>), workers: 2 });
  }

  get clock(): VirtualClock {
    return this.#spread.clock;
  }

  get store(): FaultyStore {
    return this.#spread.stores[0]!;
  }

  /** Reads go directly to the two workers. */
  get shard() {
    const { system } = this.#spread;
    const halves = () => [0, 1].flatMap((worker) => this.#spread.worker(worker) ?? []);
    const home = (address: string) => {
      const worker = system.workerOf(address);
      return worker === undefined ? halves() : [this.#spread.worker(worker)!];
    };
    return {
      start: () => system.start(),
      stop: () => system.stop(),
      send: (address: string, event: EventObject) => system.send(address, event),
      snapshot: (address: string) =>
        home(address)
          .map((half) => half.snapshot(address))
          .find((snapshot) => snapshot !== undefined),
      tree: () => mergedTree(halves().map((half) => half.tree())),
      deadLetters: { list: () => halves().flatMap((half) => half.deadLetters.list()) },
      boss: (address: string) => this.#boss(address, home(address)),
    };
  }

  settle(): Promise<void> {
    return this.#spread.settle();
  }

  advance(ms: number): Promise<void> {
    return this.#spread.advance(ms);
  }

  async crash(): Promise<void> {
    this.#spread.crashAll();
    await Promise.resolve();
  }

  async restart(changes: Partial<TestSystemOptions> = {}): Promise<void> {
    await this.#spread.restartAll(changes as Partial<SpreadTestOptions>);
  }

  #boss(address: string, halves: readonly Shard[]): ShardBoss {
    const whichChildren = () =>
      halves
        .flatMap((half) => (half.snapshot(address) === undefined ? [] : half.boss(address).whichChildren()))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    const orders = this.#spread.system.boss(address);
    return Object.assign(Object.create(orders) as ShardBoss, {
      startChild: (child: object) => orders.startChild(child),
      terminateChild: (id: string) => orders.terminateChild(id),
      restartChild: (id: string) => orders.restartChild(id),
      deleteChild: (id: string) => orders.deleteChild(id),
      // One place has the order of starts; two have none between them.
      whichChildren: halves.length === 1 ? () => halves[0]!.boss(address).whichChildren() : whichChildren,
      countChildren: () =>
        halves
          .map((half) => half.boss(address).countChildren())
          .reduce((sum, one) => ({
            specs: sum.specs + one.specs,
            active: sum.active + one.active,
            supervisors: sum.supervisors + one.supervisors,
            workers: sum.workers + one.workers,
          })),
      getChildSpec: (id: string) => {
        const found = halves.flatMap((half) => {
          try {
            return [half.boss(address).getChildSpec(id)];
          } catch {
            return [];
          }
        });
        return found[0] ?? halves[0]!.boss(address).getChildSpec(id);
      },
    });
  }
}
