/**
 * A power cut at every write of a long script on the simulated store: before the write, after it and before anybody knows,
 * and with the last unsynced writes lost. Whatever the moment, the disk is what memory was, and the script can be ended.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Durability } from '../../src/persistence/journal.ts';
import { plainReferences } from '../../src/persistence/plain-references.ts';
import { survey } from '../../src/persistence/recovery.ts';
import { type FaultyStore, faultyStore, type HoldPoint } from '../../src/testing/faulty-store.ts';
import { TestSystem } from '../../src/testing/test-system.ts';
import { allBooks, expectedBooks, perform, scriptOf, SESSION } from './script.ts';
import { emptyOutside, type Outside, TREE, workerAgent } from './workshop.ts';
import { byEffort, EFFORT } from '../effort.ts';

const SOAK = EFFORT === 'soak';

const COMMANDS = 500;

/** Of the writes, every so many are cut; all of them in a long run. */
const STRIDE = byEffort({ quick: 60, ci: 24, soak: 1 });

/** A command that is on its way when the power fails may be followed by so many that were not awaited. */
const BURST = 3;

/** Unsynced writes that a power cut takes, at most, beside what it leaves. */
const LOST_MAX = 5;

/** For every timer and every retry. */
const END_MS = 60_000;

const script = scriptOf(COMMANDS);

type Cut = { readonly write: number; readonly point: HoldPoint; readonly lost: number };

/** What a sabotaged store does with writes that are to be synced. */
type Sync = 'honest' | 'pretended';

/** Where every chain stood in memory behind each write, by the write's number. */
type Chains = ReadonlyMap<number, { readonly seq: number; readonly hash: number }>;

/** One life of the workshop, with a cut in it or without. */
class Telling {
  readonly outside: Outside = emptyOutside();
  readonly store: FaultyStore = faultyStore();
  readonly test: TestSystem;
  /** By the number of writes that were durable then. */
  readonly history: Chains[] = [];
  readonly violations: string[] = [];
  readonly #worker = workerAgent(this.outside);
  readonly #durability: Durability;
  /** Commands that were acknowledged. */
  #acknowledged = new Set<number>();
  #writes = 0;
  #isOver = false;

  constructor(cut: Cut | null, sync: Sync = 'honest') {
    this.#durability = (cut?.lost ?? 0) > 0 ? 'process' : 'disk';
    const fold = { windowEpochs: 12, sliceRecords: 4 };
    this.test = new TestSystem({ agents: [this.#worker], tree: TREE, journal: { fold, storeId: 'workshop' }, durability: this.#durability, store: this.store });
    const write = this.store.write.bind(this.store);
    this.store.write = (writes, options) => {
      if (!this.#isOver) this.history[this.#writes] = this.#chains();
      this.#writes += 1;
      if (!this.#isOver && this.#writes === cut?.write) void this.store.hold(cut.point).reached.then(() => this.#cutOff());
      return write(writes, sync === 'honest' ? options : { sync: false });
    };
  }

  #cutOff = (): void => {};

  /** How many writes there were before the script ended. */
  get writes(): number {
    return this.history.length;
  }

  /** From the beginning to the end, or until the power fails. */
  async untilTheCut(): Promise<'ended' | 'cut'> {
    const cut = new Promise<'cut'>((resolve) => (this.#cutOff = () => resolve('cut')));
    const whole = async () => {
      await this.test.system.start();
      await this.test.settle();
      await this.#perform(0);
      await this.#end();
      return 'ended' as const;
    };
    const end = await Promise.race([cut, whole()]);
    this.#isOver = true;
    return end;
  }

  /** The power fails, and what the disk holds is compared with what memory held. */
  async lookAtTheDisk({ lost }: Cut, reference: readonly Chains[]): Promise<void> {
    const told = new Set(this.#acknowledged);
    const kept = Math.max(0, this.store.log.filter(({ sync }) => !sync).length - lost);
    await this.test.crash(lost > 0 ? { keepUnsynced: kept } : {});
    await this.store.open();
    const { recovered, journalDamage } = await survey(this.store, plainReferences);
    await this.store.close();
    if (journalDamage !== null) this.violations.push(journalDamage.message);
    this.violations.push(...recovered.damage.map(({ message }) => message));
    // The first write is the manifest; each one after it is an epoch.
    const memory = reference[recovered.epoch + 1];
    const disk = new Map([...recovered.states].map(([life, { seq, hash }]) => [life, { seq, hash }]));
    if (JSON.stringify([...disk].sort(byLife)) !== JSON.stringify([...(memory ?? [])].sort(byLife))) {
      this.violations.push(`the disk is at epoch ${recovered.epoch} and not what memory was then`);
    }
    if (this.#durability === 'disk') this.#findLost(told, (recovered.rows.get('d')?.get(SESSION) as readonly [number] | undefined)?.[0] ?? 0);
  }

  /** The next process goes on with the script behind what is in the store, and ends it. */
  async goOn(): Promise<void> {
    await this.test.restart();
    await this.#perform(this.test.system.lastSequence(SESSION));
    await this.#end();
    await this.test.system.stop();
  }

  /** Each number in its book once, each effect and durable action with one id. */
  audit(): void {
    const { ticks, notes, ...expected } = expectedBooks(script);
    const { ticked, ...books } = allBooks(this.test);
    for (const [book, numbers] of Object.entries(books) as [keyof typeof books, readonly number[]][]) {
      if (numbers.join() !== expected[book].join()) this.violations.push(`in the book "${book}" is ${numbers.join()}, and not ${expected[book].join()}`);
    }
    const { started, mailed, noted } = this.outside;
    this.#atMostOnce('ticked', ticked, ticks);
    // Outputs of epochs that were lost have left all the same, under numbers that are given out again.
    if (this.#durability === 'disk') {
      this.#atMostOnce('noted', noted, notes);
      this.#oneIdEach('started', started);
      this.#oneIdEach('mailed', mailed);
    }
    const sent = new Set(mailed.map(({ n }) => n));
    this.violations.push(...expected.mailed.filter((n) => !sent.has(n)).map((n) => `${n} was never mailed`));
    // A start runs once its epoch is durable, so no two have one number.
    const starts = started.map(({ effectId, attempt }) => `${effectId} attempt ${attempt}`);
    const twice = starts.filter((start, index) => starts.indexOf(start) !== index);
    if (this.#durability === 'disk' && twice.length > 0) this.violations.push(`started twice: ${twice.join()}`);
  }

  #chains(): Chains {
    try {
      return this.test.system.chains();
    } catch {
      // The manifest is written before there is a system.
      return new Map();
    }
  }

  async #perform(done: number): Promise<void> {
    for (let next = done + 1; next <= script.length; next++) {
      const burst: Promise<void>[] = [];
      for (; next < script.length && burst.length < BURST && script[next - 1]!.kind === 'send'; next++) burst.push(this.#one(next));
      await Promise.all(burst);
      await this.#one(next);
    }
  }

  async #one(number: number): Promise<void> {
    const { system } = this.test;
    await perform(this.test, script[number - 1]!, number, this.#worker);
    this.#acknowledged.add(number);
    // The client of a process that is dead.
    if (system !== this.test.system) await new Promise<never>(() => {});
  }

  async #end(): Promise<void> {
    await this.test.advance(END_MS);
    if (!this.#isOver) this.history[this.#writes] = this.#chains();
  }

  #findLost(told: ReadonlySet<number>, last: number): void {
    const lost = [...told].filter((number) => script[number - 1]!.kind === 'send' && number > last);
    if (lost.length > 0) this.violations.push(`acknowledged and lost: ${lost.join()}`);
  }

  #atMostOnce(what: string, seen: readonly number[], possible: readonly number[]): void {
    const wrong = seen.filter((n, index) => !possible.includes(n) || seen.indexOf(n) !== index);
    if (wrong.length > 0) this.violations.push(`${what} more than once, or by nobody: ${wrong.join()}`);
  }

  #oneIdEach(what: string, runs: readonly { readonly effectId: string; readonly n: number }[]): void {
    const ids = new Map<string, number>();
    const numbers = new Map<number, string>();
    for (const { effectId, n } of runs) {
      if ((ids.get(effectId) ?? n) !== n || (numbers.get(n) ?? effectId) !== effectId) this.violations.push(`${what}: ${n} has more than one effect id`);
      ids.set(effectId, n);
      numbers.set(n, effectId);
    }
  }
}

function byLife([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number {
  return a - b;
}

async function undisturbed(): Promise<Telling> {
  const telling = new Telling(null);
  expect(await telling.untilTheCut()).toBe('ended');
  telling.audit();
  expect(telling.violations).toEqual([]);
  return telling;
}

/** @returns What is wrong after a cut. */
async function violationsOf(cut: Cut, reference: readonly Chains[], sync: Sync = 'honest'): Promise<string[]> {
  const telling = new Telling(cut, sync);
  expect(await telling.untilTheCut()).toBe('cut');
  await telling.lookAtTheDisk(cut, reference);
  await telling.goOn();
  telling.audit();
  return telling.violations.map((violation) => `${cut.point} write ${cut.write}, ${cut.lost} lost: ${violation}`);
}

describe(`a script of ${COMMANDS} commands`, () => {
  // Stacks of errors are stored, and how V8 words a frame may change while a test runs: with what it has compiled.
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  it('ends the same wherever the power is cut, and no chain on disk is one that memory did not have', async () => {
    const begun = performance.now();
    const { history, writes } = await undisturbed();
    const violations: string[] = [];
    let cuts = 0;
    for (let write = 1; write < writes; write += STRIDE) {
      for (const [point, lost] of [['before', 0], ['durable', 0], ['durable', 1 + (write % LOST_MAX)]] as const) {
        violations.push(...(await violationsOf({ write, point, lost }, history)));
        cuts += 1;
      }
      if (SOAK && write % 50 === 1) process.stderr.write(`every write: ${write} of ${writes}, ${violations.length} violations\n`);
    }
    console.log(`every write: ${cuts} cuts at ${writes - 1} writes, ${violations.length} violations, ${Math.round((performance.now() - begun) / 1_000)} s`);
    expect(violations).toEqual([]);
  }, 3_600_000);

  it('is found out where a store acknowledges what it has not synced', async () => {
    const { history } = await undisturbed();
    const violations = await violationsOf({ write: 100, point: 'durable', lost: 0 }, history, 'pretended');
    expect(violations).toContainEqual(expect.stringContaining('acknowledged and lost'));
  });
});
