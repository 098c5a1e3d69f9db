/**
 * The bench for the cases of OTP's supervisor_SUITE: a Boss `sup` under the root, on a host that may die between and
 * within the steps.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { type ShardBoss } from '../../../../src/supervisor/boss-handle.ts';
import { type BossOptions } from '../../../../src/supervisor/child-spec.ts';
import { type Shard } from '../../../../src/shard.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { agents, failing } from './cast.ts';
import { type Answers, type Cut, MortalHost } from './mortal-host.ts';
import { SlicedClock } from './sliced-clock.ts';

/**
 * Every call of a method of the Bench that returns a promise is a step, and so is every order to `b.sup` and `b.root`.
 */
export type Script = (b: Bench) => Promise<void>;

export interface Case {
  readonly number: number;
  /** The case's name in supervisor_SUITE.erl, or E (Elixir), P (Pekko), R (ractor), N (new). */
  readonly source: string;
  /** How Bosun differs on purpose, or why the case does not apply. */
  readonly differs?: string;
  readonly without?: string;
  /** Several scripts if a case covers several systems. */
  readonly run?: Script | readonly Script[];
  /** Why no crash is possible between its steps. */
  readonly uncut?: string;
}

/** One script for each of these values. */
export function forEach<T>(values: readonly T[], run: (b: Bench, value: T) => Promise<void>): Script[] {
  return values.map((value) => (b: Bench) => run(b, value));
}

export interface BenchOptions {
  /** `two workers`: on two stores in memory. */
  readonly store?: 'memory' | 'leveldb' | 'two workers';
  /** Default `never`. */
  readonly cut?: Cut;
  /** Whether each visit of an actor is an epoch of its own. */
  readonly isSliced?: boolean;
  /** Answers of the same script without a cut. */
  readonly undisturbed?: Answers;
}

const ORDERS = new Set<PropertyKey>([
  'startChild',
  'terminateChild',
  'restartChild',
  'deleteChild',
] satisfies (keyof ShardBoss)[]);

export class Bench {
  readonly #options: BenchOptions;
  #host: MortalHost | undefined;
  #cleanUp = (): void => {};
  /** Whether orders belong to the step of another method. */
  #isWithin = false;
  #explosions = 0;
  /** `a up`, `a down` in order. */
  heard: string[] = [];
  /** Failures of children as their Bosses reported them, in order. */
  readonly failures: string[] = [];

  constructor(options: BenchOptions = {}) {
    this.#options = options;
  }

  get test(): TestSystem {
    return this.#mortal.test;
  }

  /** Steps, writes and answers of the story so far. */
  get story(): { readonly steps: number; readonly writes: number; readonly answers: Answers } {
    return { steps: this.#host?.steps ?? 0, writes: failing.writes, answers: this.#host?.answers ?? [] };
  }

  /** A large count for cases about scale. A story that is repeated for each of its epochs uses a small one. */
  many(count: number): number {
    return this.#options.isSliced === true ? Math.min(count, 6) : count;
  }

  /** @param own Options of the child spec of `sup`. */
  async start(boss: BossOptions, own: object = {}): Promise<void> {
    failing.reset();
    const { store, cut = 'never', isSliced, undisturbed } = this.#options;
    const onCreate = (system: Shard) => this.#listen(system);
    const options = {
      agents,
      tree: treeOf(boss, own),
      onCreate,
      ...(isSliced === true && { clock: new SlicedClock() }),
    };
    if (store === 'leveldb') {
      const directory = mkdtempSync(join(tmpdir(), 'bosun-otp-'));
      this.#cleanUp = () => rmSync(directory, { recursive: true });
      this.#host = new MortalHost(
        { ...options, durability: 'process', store: levelStore(directory) as never },
        cut,
        undisturbed,
      );
    } else this.#host = new MortalHost(options, cut, undisturbed, store === 'two workers');
    await this.#host.start();
  }

  /** The Boss under test. */
  get sup(): ShardBoss {
    return this.boss('sup');
  }

  get root(): ShardBoss {
    return this.boss('root');
  }

  boss(address: string): ShardBoss {
    const handle = () => this.test.shard.boss(address);
    // A handle belongs to one start of the system; an order may have to go to the next one.
    return new Proxy(handle(), {
      get: (current, name) => {
        const member = Reflect.get(current, name) as (...args: unknown[]) => unknown;
        if (!ORDERS.has(name)) return typeof member === 'function' ? member.bind(current) : member;
        return (...args: unknown[]) =>
          this.#order(() =>
            (Reflect.get(handle(), name) as (...args: unknown[]) => Promise<unknown>).apply(handle(), args),
          );
      },
    });
  }

  /** Whether the Boss under test lives. */
  get lives(): boolean {
    return this.test.shard.snapshot('sup') !== undefined;
  }

  /** Children as `a running`, in the order of their starts. */
  get children(): string[] {
    return this.sup.whichChildren().map(({ id, status }) => `${id} ${status}`);
  }

  /** Notes of children, or null for missing ones. */
  notes(...ids: string[]): (string | null)[] {
    return ids.map((id) => {
      const snapshot = this.test.shard.snapshot(`sup/${id}`);
      return snapshot === undefined ? null : (snapshot.context as { notes: string[] }).notes.join();
    });
  }

  restarts(...ids: string[]): (number | undefined)[] {
    return ids.map((id) => this.sup.whichChildren().find((child) => child.id === id)?.restarts);
  }

  tell(id: string, type: string): Promise<void> {
    return this.#mortal.step(() => this.#tell(id, type));
  }

  /** Sends an event to several children one after the other. */
  async tellAll(ids: readonly string[], type: string): Promise<void> {
    for (const id of ids) await this.tell(id, type);
  }

  /** Sends an event to several children at the same time. */
  tellAtOnce(ids: readonly string[], type: string): Promise<void> {
    return this.#mortal.step(() => Promise.all(ids.map((id) => this.#tell(id, type))).then(() => {}));
  }

  /** Deploys the next version of the code: another tree on the same store. Rejects an invalid one. */
  upgrade(boss: BossOptions): Promise<void> {
    return this.#mortal.step(() => this.#mortal.replace({ tree: treeOf(boss) }));
  }

  advance(ms: number): Promise<void> {
    return this.#mortal.step(() => this.#mortal.advance(ms));
  }

  /** Starts a slow order without waiting for its end. */
  begin(order: () => Promise<unknown>): Promise<void> {
    return this.#mortal.step(() => {
      this.#within(order).catch(() => {});
      return this.#mortal.settle();
    });
  }

  /** Gives orders at the same time, and waits for them. */
  together(orders: () => Promise<unknown>[]): Promise<void> {
    return this.#mortal.step(() => Promise.all(this.#within(orders)).then(() => {}));
  }

  /** The part of the state that must not depend on crashes of the host. */
  outcome(): unknown {
    if (this.#host === undefined) return 'no system';
    const { shard: system } = this.test;
    const seen: Record<string, unknown> = {};
    const visit = ({ address, agent, children, ...node }: ReturnType<typeof system.tree>): void => {
      const { status, state, restarts, restartInMs, lastError } = node;
      const context = system.snapshot(address)?.context as { notes?: string[]; window?: number[]; waiting?: number };
      const { notes, window, waiting } = context;
      const records =
        agent === 'boss'
          ? system
              .boss(address)
              .whichChildren()
              .map(({ id, status, restarts, restartAtMs }) => [id, status, restarts, restartAtMs])
          : null;
      seen[address] = {
        agent,
        status,
        state,
        restarts,
        restartInMs,
        lastError: String(lastError),
        notes,
        window,
        waiting,
        records,
      };
      children.forEach(visit);
    };
    visit(system.tree());
    return {
      seen,
      heard: this.heard,
      failures: this.failures,
      tries: failing.tries,
      dead: system.deadLetters.list().map(({ reason, address }) => `${address} ${reason}`),
    };
  }

  async end(): Promise<void> {
    await this.#host?.test.shard.stop();
    this.#cleanUp();
  }

  get #mortal(): MortalHost {
    if (this.#host === undefined) throw new Error('start the bench first');
    return this.#host;
  }

  #order(give: () => Promise<unknown>): Promise<unknown> {
    const order = () => this.#mortal.order(give);
    return this.#isWithin
      ? order()
      : this.#mortal
          .step(() =>
            order().then(
              (value) => ({ value }),
              (error: unknown) => ({ error }),
            ),
          )
          .then((outcome) => {
            if ('error' in outcome) throw outcome.error;
            return outcome.value;
          });
  }

  #within<Result>(give: () => Result): Result {
    this.#isWithin = true;
    try {
      return give();
    } finally {
      this.#isWithin = false;
    }
  }

  async #tell(id: string, type: string): Promise<void> {
    const text = type === 'explode' ? `explosion ${++this.#explosions}` : type;
    const tell = async () => {
      await this.#mortal.send(`sup/${id}`, type === 'finish' ? { type } : { type, text });
      await this.#mortal.settle();
    };
    await tell();
    if (failing.hasForgotten(text)) await tell();
  }

  #listen(system: Shard): void {
    system.onEmitted((address, event) => {
      const { type, id, restarts } = event as { type: string; id?: string; restarts?: number };
      if (type === 'up' || type === 'down') this.heard.push(`${address.replace('sup/', '')} ${type}`);
      else this.failures.push([address, type, id, restarts].join(' '));
    });
  }
}

function treeOf(boss: BossOptions, own: object = {}): BossOptions {
  return {
    intensity: 1_000,
    children: [
      { id: 'sup', restart: 'temporary', boss: { intensity: 2, periodMs: 3_600_000, ...boss }, ...own } as never,
    ],
  };
}

/** The code with which a promise is rejected; `done` if it is not. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? 'no code',
  );
}
