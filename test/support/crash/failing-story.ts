/**
 * A story in which one write of one store fails, for a moment or for ten minutes, while promises, callbacks and clients
 * are alive and the next epoch is filling. It runs on one kernel, or on two workers, one of which continues.
 */
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { BosunError, isBosunError } from '../../../src/errors.ts';
import { type FaultyStore } from '../../../src/testing/faulty-store.ts';
import { allBooks, type Command, perform } from './script.ts';
import { faultyStores, type Stage, stageOf } from './stage.ts';
import { type Books, emptyOutside, type Outside, systemIdOf, treeOf, workerAgent } from './workshop.ts';

/** Commands in progress at a time. */
const BURST = 4;

const OUTAGE_MS = 600_000;

/** Time enough for the longest wait between two tries of the kernel, and for every timer. */
const END_MS = 60_000;

export interface Failure {
  /** The part whose store fails. */
  readonly part: number;
  readonly write: number;
  /** Whether the failed write is on the medium nevertheless. */
  readonly applied: boolean;
  /** `blip`: the next try succeeds. `outage`: none does for ten minutes. */
  readonly length: 'blip' | 'outage';
  /** Whether the medium keeps the data written to it after the failure. */
  readonly medium: 'honest' | 'forgetful';
}

export interface Plot {
  readonly script: readonly Command[];
  readonly staff: readonly string[];
  readonly parts: number;
}

export interface Ending {
  readonly books: Books;
  readonly outside: Outside;
  /** The books at the next start. */
  readonly recovered: Books;
  /** Writes of the start and of the whole story, by part. */
  readonly begun: readonly number[];
  readonly writes: readonly number[];
  /** Sends that were refused and then repeated. */
  readonly refused: number;
  /**
   * Numbers sent to a worker whose store was out, and numbers about which one asked the other; they belong in the books
   * too.
   */
  readonly across: Pick<Books, 'received' | 'counselled'>;
  readonly problems: readonly string[];
}

/** @param failure Null for the undisturbed run. */
export function tell(plot: Plot, failure: Failure | null): Promise<Ending> {
  return new Story(plot, failure).tell();
}

class Story {
  readonly #plot: Plot;
  readonly #failure: Failure | null;
  readonly #outside = emptyOutside();
  readonly #worker: AnyAgent = workerAgent(this.#outside);
  readonly #stores: readonly FaultyStore[];
  readonly #stage: Stage;
  readonly #problems: string[] = [];
  readonly #writes: number[];
  readonly #across = { received: [] as number[], counselled: [] as number[] };
  #refused = 0;
  /** Whether an outage lasts. The story ends it when time has passed. */
  #isOut = false;
  #hasFailed = false;

  constructor(plot: Plot, failure: Failure | null) {
    this.#plot = plot;
    this.#failure = failure;
    this.#stores = faultyStores(plot.parts);
    this.#writes = this.#stores.map(() => 0);
    for (const [part, store] of this.#stores.entries()) this.#watch(store, part);
    this.#stage = stageOf({
      agents: [this.#worker],
      tree: treeOf(plot.staff),
      journal: { fold: { windowEpochs: 12, sliceRecords: 4 } },
      stores: this.#stores,
    });
  }

  /**
   * Watches a store. The undisturbed run does the same, because one more promise in the way of a write may merge two
   * epochs.
   */
  #watch(store: FaultyStore, part: number): void {
    const failure = this.#failure?.part === part ? this.#failure : null;
    const write = store.write.bind(store);
    const open = store.open.bind(store);
    store.open = async () => {
      if (this.#isOut && failure?.applied === true) throw new BosunError('BOSUN_STORE_FAILED', 'the medium is away');
      await open();
    };
    let isAgain = false;
    store.write = async (writes, options) => {
      this.#writes[part]! += 1;
      if (failure !== null && this.#writes[part] === failure.write) {
        this.#fail(store, failure);
        isAgain = true;
      } else if (isAgain && failure?.medium === 'forgetful') {
        isAgain = false;
        return;
      }
      await write(writes, options);
    };
  }

  #fail(store: FaultyStore, { applied, length }: Failure): void {
    this.#hasFailed = true;
    this.#isOut = length === 'outage';
    // If the epoch is on the medium, the outage is that it cannot be read.
    store.failWrites(this.#isOut && !applied ? Infinity : 1, { applied });
  }

  async tell(): Promise<Ending> {
    const { script } = this.#plot;
    await this.#stage.start();
    const begun = [...this.#writes];
    for (let next = 0; next < script.length; ) {
      const burst: Promise<void>[] = [];
      // Not awaited: by then the epoch after the failed one is filling.
      for (; next < script.length && burst.length < BURST && script[next]!.kind === 'send'; next++)
        burst.push(this.#one(next + 1));
      if (burst.length === 0) burst.push(this.#one(++next));
      await this.#endOutage(burst);
    }
    await this.#endOutage([this.#stage.advance(END_MS)]);
    if (this.#isOut) this.#problems.push('the outage has no end');
    if (this.#failure !== null && !this.#hasFailed) this.#problems.push('the write never came');
    const books = allBooks(this.#stage);
    const writes = [...this.#writes];
    const outside = structuredClone(this.#outside);
    await this.#stage.crash();
    const recovered = await this.#recover(books);
    return {
      books,
      outside,
      recovered,
      begun,
      writes,
      refused: this.#refused,
      across: this.#across,
      problems: this.#problems,
    };
  }

  /** Recovers the books. Throws if anything is damaged. */
  async #recover(books: Books): Promise<Books> {
    try {
      await this.#stage.restart();
      return allBooks(this.#stage);
    } catch (error) {
      this.#problems.push(String(error));
      return books;
    }
  }

  async #one(number: number): Promise<void> {
    const command = this.#plot.script[number - 1]!;
    for (;;) {
      try {
        await perform(this.#stage, command, number, this.#worker);
        return;
      } catch (error) {
        if (!isBosunError(error, 'BOSUN_STORE_UNAVAILABLE')) throw error;
        this.#refused += 1;
        await this.#healed();
      }
    }
  }

  readonly #whenHealed: (() => void)[] = [];

  #healed(): Promise<void> {
    return new Promise((resolve) => this.#whenHealed.push(resolve));
  }

  /** Lets time pass during an outage and checks it before anything that waits for its end can settle. */
  async #endOutage(waiting: readonly Promise<unknown>[]): Promise<void> {
    let isDone = false;
    const done = Promise.all(waiting).then(() => (isDone = true));
    while (!isDone || this.#isOut) {
      await Promise.race([done, this.#stage.settle()]);
      if (!this.#isOut) continue;
      const { part } = this.#failure!;
      await this.#stage.advance(OUTAGE_MS);
      this.#lookAtOutage(part);
      await this.#refusesSends(part);
      for (const address of this.#staffOf(part, 'others').slice(0, 1))
        await this.#goesOn(address, this.#staffOf(part, 'its own')[0]!);
      this.#isOut = false;
      this.#stores[part]!.failWrites(0);
      await this.#stage.advance(10_000);
      if (this.#stage.parts()[part]!.outage !== undefined) this.#problems.push('it did not heal');
      for (const go of this.#whenHealed.splice(0)) go();
    }
  }

  #staffOf(part: number, whose: 'its own' | 'others'): string[] {
    return this.#plot.staff.filter((address) => (this.#stage.partOf(address) === part) === (whose === 'its own'));
  }

  #lookAtOutage(part: number): void {
    for (const [index, { outage }] of this.#stage.parts().entries()) {
      if (index === part ? !isBosunError(outage, 'BOSUN_STORE_UNAVAILABLE') : outage !== undefined)
        this.#problems.push(`of part ${index} is told: ${String(outage)}`);
    }
    if (this.#stage.parts()[part]!.tree().address !== 'root') this.#problems.push('reads are not served');
  }

  async #refusesSends(part: number): Promise<void> {
    const sent = this.#stage.send(this.#staffOf(part, 'its own')[0]!, { type: 'add', n: 0 } as never);
    const error: unknown = await sent.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!isBosunError(error, 'BOSUN_STORE_UNAVAILABLE')) this.#problems.push('a send was not refused');
    this.#refused += 1;
  }

  /** Checks that the healthy worker takes orders, whose effects on the other one have to wait. */
  async #goesOn(address: string, out: string): Promise<void> {
    const n = this.#plot.script.length + 1;
    await this.#stage.send(address, { type: 'pass', n, to: systemIdOf(out) } as never);
    await this.#stage.send(address, { type: 'consult', n, to: out } as never);
    await this.#stage.settle();
    const { received, counselled } = allBooks(this.#stage);
    if (received.includes(n) || counselled.includes(n)) this.#problems.push('somebody was told what is not durable');
    this.#across.received.push(n);
    this.#across.counselled.push(n);
  }
}
