/**
 * A story in which the power is cut at one write of one store: of one kernel, or of one or both of two workers. The
 * stores are then compared with memory, and the next start has to bring the story to its end.
 */
import { plainReferences } from '../../../src/persistence/format/plain-references.ts';
import { survey } from '../../../src/persistence/journal/recovery.ts';
import { type Durability } from '../../../src/persistence/journal/journal.ts';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { type FaultyStore, type HoldPoint } from '../../../src/testing/faulty-store.ts';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { allBooks, type Command, expectedBooks, perform, sessionOf } from './script.ts';
import { faultyStores, type Stage, stageOf } from './stage.ts';
import { type Books, emptyOutside, type Outside, treeOf, workerAgent } from './workshop.ts';

/** Commands that may follow without being awaited. */
const BURST = 3;

/** Time enough for every timer and every retry. */
const END_MS = 60_000;

export interface Cut {
  /** The part whose write it is. */
  readonly part: number;
  readonly write: number;
  readonly point: HoldPoint;
  /** Whether only that part dies and the other continues, or all die. */
  readonly dies: 'part' | 'all';
  /** Unsynced writes that are lost, at durability `process`. */
  readonly lost: number;
}

/** Whether a store syncs writes that have to be synced, or only pretends to. */
export type Sync = 'honest' | 'pretended';

/** The state of every chain of a part in memory after each of its writes, by the write's number. */
type Chains = ReadonlyMap<number, { readonly seq: number; readonly hash: number }>;

/** Chains by part, then by write. */
export type History = readonly (readonly Chains[])[];

export interface CutPlot {
  readonly script: readonly Command[];
  readonly staff: readonly string[];
  readonly parts: number;
}

export class CutStory {
  /** Chains by part and by the number of durable writes. */
  readonly history: Chains[][];
  readonly violations: string[] = [];
  /** Writes of the start, by part. */
  begun: readonly number[] = [];
  readonly #plot: CutPlot;
  readonly #cut: Cut | null;
  readonly #outside: Outside = emptyOutside();
  readonly #stores: readonly FaultyStore[];
  readonly #stage: Stage;
  readonly #worker: AnyAgent = workerAgent(this.#outside);
  readonly #durability: Durability;
  /** Commands that were acknowledged. */
  readonly #acknowledged = new Set<number>();
  readonly #writes: number[];
  /** The books at the end. */
  #books: Books | null = null;
  /** The generation of clients, which die with the power. */
  #life = 0;

  /** @param cut Null: the story runs to its end. */
  constructor(plot: CutPlot, cut: Cut | null, sync: Sync = 'honest') {
    this.#plot = plot;
    this.#cut = cut;
    this.#durability = (cut?.lost ?? 0) > 0 ? 'process' : 'disk';
    this.#stores = faultyStores(plot.parts);
    this.history = this.#stores.map(() => []);
    this.#writes = this.#stores.map(() => 0);
    for (const [part, store] of this.#stores.entries()) this.#watch(store, part, sync);
    const journal = { fold: { windowEpochs: 12, sliceRecords: 4 }, storeId: 'workshop' };
    this.#stage = stageOf({
      agents: [this.#worker],
      tree: treeOf(plot.staff),
      journal,
      durability: this.#durability,
      stores: this.#stores,
    });
  }

  #watch(store: FaultyStore, part: number, sync: Sync): void {
    const write = store.write.bind(store);
    store.write = (writes, options) => {
      if (this.#life === 0) this.history[part]![this.#writes[part]!] = this.#chains(part);
      this.#writes[part]! += 1;
      if (this.#life === 0 && part === this.#cut?.part && this.#writes[part] === this.#cut.write)
        void store.hold(this.#cut.point).reached.then(() => this.#cutOff());
      return write(writes, sync === 'honest' ? options : { sync: false });
    };
  }

  #cutOff = (): void => {};

  /** Runs the story from the beginning to the end, or until the power fails. */
  async untilTheCut(): Promise<'ended' | 'cut'> {
    const cut = new Promise<'cut'>((resolve) => (this.#cutOff = () => resolve('cut')));
    const whole = async () => {
      await this.#stage.start();
      this.begun = [...this.#writes];
      await this.#perform(1);
      await this.#end();
      return 'ended' as const;
    };
    const end = await Promise.race([cut, whole()]);
    this.#life += 1;
    return end;
  }

  /** Cuts the power and compares the stores of the dead parts with memory. */
  async lookAtTheDisk(reference: History): Promise<void> {
    const { dies, part, lost } = this.#cut!;
    const told = new Set(this.#acknowledged);
    const kept = Math.max(0, this.#stores[part]!.log.filter(({ sync }) => !sync).length - lost);
    await this.#stage.crash({ ...(dies === 'part' ? { part } : {}), ...(lost > 0 ? { keepUnsynced: kept } : {}) });
    for (const [index, store] of this.#stores.entries()) {
      if (dies === 'all' || index === part) await this.#look(store, index, { reference: reference[index]!, told });
    }
  }

  async #look(
    store: FaultyStore,
    part: number,
    { reference, told }: { reference: readonly Chains[]; told: ReadonlySet<number> },
  ): Promise<void> {
    await store.open();
    const { recovered, journalDamage } = await survey(store, plainReferences);
    await store.close();
    if (journalDamage !== null) this.violations.push(journalDamage.message);
    this.violations.push(...recovered.damage.map(({ message }) => message));
    // The first write is the manifest; each one after it is an epoch.
    const memory = reference[recovered.epoch + 1];
    const disk = new Map([...recovered.states].map(([life, { seq, hash }]) => [life, { seq, hash }]));
    if (JSON.stringify([...disk].sort(byLife)) !== JSON.stringify([...(memory ?? [])].sort(byLife))) {
      this.violations.push(`store ${part} is at epoch ${recovered.epoch} and not what memory was then`);
    }
    const last =
      (recovered.rows.get(KEYSPACE.sessions)?.get(sessionOf(part)) as readonly [number] | undefined)?.[0] ?? 0;
    if (this.#durability === 'disk') this.#findLost(told, part, last);
  }

  /** Starts again, continues the script after the commands in the stores, and ends it. */
  async goOn(): Promise<void> {
    await this.#stage.restart();
    // A command that a part already has is a repeat to it.
    const open = this.#stage.parts().map((part, index) => this.#firstOpen(index, part.lastSequence(sessionOf(index))));
    await this.#perform(Math.min(...open));
    await this.#end();
    await this.#stage.stop();
  }

  /** @returns The number of the first command that a part may lack when it has those of its session up to one. */
  #firstOpen(part: number, last: number): number {
    const isElsewhere = (command: Command) => command.kind === 'send' && this.#stage.partOf(command.to) !== part;
    const open = this.#plot.script.findIndex((command, index) => index >= last && !isElsewhere(command));
    return open === -1 ? this.#plot.script.length + 1 : open + 1;
  }

  /** Checks that each number is in its book once, and that each effect and durable action has one id. */
  audit(): void {
    const { ticks, notes, ...expected } = expectedBooks(this.#plot.script);
    const { ticked, ...books } = this.#books!;
    for (const [book, numbers] of Object.entries(books) as [keyof typeof books, readonly number[]][]) {
      if (numbers.join() !== expected[book].join())
        this.violations.push(`in the book "${book}" is ${numbers.join()}, and not ${expected[book].join()}`);
    }
    const { started, mailed, noted } = this.#outside;
    this.#atMostOnce('ticked', ticked, ticks);
    // Without `disk`, outputs of lost epochs may have left, under numbers that are assigned again.
    if (this.#durability === 'disk') {
      this.#atMostOnce('noted', noted, notes);
      this.#oneIdEach('started', started);
      this.#oneIdEach('mailed', mailed);
    }
    const sent = new Set(mailed.map(({ n }) => n));
    this.violations.push(...expected.mailed.filter((n) => !sent.has(n)).map((n) => `${n} was never mailed`));
    // A start runs after its epoch is durable, so no two have one number.
    const starts = started.map(({ effectId, attempt }) => `${effectId} attempt ${attempt}`);
    const twice = starts.filter((start, index) => starts.indexOf(start) !== index);
    if (this.#durability === 'disk' && twice.length > 0) this.violations.push(`started twice: ${twice.join()}`);
  }

  #chains(part: number): Chains {
    try {
      return this.#stage.parts()[part]!.chains();
    } catch {
      // The manifest is written before there is a system.
      return new Map();
    }
  }

  async #perform(first: number): Promise<void> {
    const { script } = this.#plot;
    const life = this.#life;
    for (let next = first; next <= script.length; next++) {
      const burst: Promise<void>[] = [];
      for (; next < script.length && burst.length < BURST && script[next - 1]!.kind === 'send'; next++)
        burst.push(this.#one(next, life));
      await Promise.all(burst);
      await this.#one(next, life);
    }
  }

  /** Performs a command as a client of one life, which waits for ever once its process is dead. */
  async #one(number: number, life: number): Promise<void> {
    if (life !== this.#life) await new Promise<never>(() => {});
    await perform(this.#stage, this.#plot.script[number - 1]!, number, this.#worker);
    this.#acknowledged.add(number);
    if (life !== this.#life) await new Promise<never>(() => {});
  }

  async #end(): Promise<void> {
    await this.#stage.advance(END_MS);
    this.#books = allBooks(this.#stage);
    if (this.#life === 0)
      for (const [part, chains] of this.history.entries()) chains[this.#writes[part]!] = this.#chains(part);
  }

  #findLost(told: ReadonlySet<number>, part: number, last: number): void {
    const { script } = this.#plot;
    const lost = [...told].filter((number) => {
      const command = script[number - 1]!;
      return command.kind === 'send' && this.#stage.partOf(command.to) === part && number > last;
    });
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
      if ((ids.get(effectId) ?? n) !== n || (numbers.get(n) ?? effectId) !== effectId)
        this.violations.push(`${what}: ${n} has more than one effect id`);
      ids.set(effectId, n);
      numbers.set(n, effectId);
    }
  }
}

function byLife([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number {
  return a - b;
}
