/** Compares the records and results of a system with the lives of a story (lives-story.ts). */
import { isBosunError } from '../../../src/errors.ts';
import { type ActorResult } from '../../../src/actors/model/results.ts';
import { type FoundRecord } from '../../../src/actors/api/record-pages.ts';
import { type Run, type RunsOptions } from '../../../src/actors/api/run-pages.ts';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { BRIEF_KEEPS, type DiaristName, type Entry, storedLives } from './diarist.ts';
import { type Life } from './lives-story.ts';

interface Occasion {
  /** Whether what was acknowledged has to be there. */
  readonly isBinding: boolean;
  /** Whether the system is on hold: what is durable, before anything is done about it. */
  readonly isHeld: boolean;
}

/** The finds about a life. */
interface Sight {
  readonly life: Life;
  readonly records: readonly FoundRecord[];
  /** Its number in the system. */
  readonly number: number;
}

const LIFE_DIGITS = 14;

export class LivesAudit {
  readonly #test: TestSystem;
  readonly #random: SeededRandom;
  readonly #tell: (violation: string) => void;
  /** Lives whose results have been seen, by number in the system. */
  readonly #seen = new Set<number>();
  /** Numbers of lives in the system by what they are called in the story. */
  readonly #numbers = new Map<number, number>();
  /** The last life at each address whose result was dropped, as the story calls it. */
  readonly #gone = new Map<string, number>();
  readonly #dropped = new Set<number>();

  constructor(test: TestSystem, random: SeededRandom, tell: (violation: string) => void) {
    this.#test = test;
    this.#random = random;
    this.#tell = tell;
  }

  get ended(): number {
    return this.#seen.size;
  }

  get dropped(): number {
    return this.#dropped.size;
  }

  /** Looks at all lives. Returns those of which something is left, with what they have noted. */
  async look(lives: readonly Life[], occasion: Occasion): Promise<Life[]> {
    const runs = await this.#allRuns();
    const left: Life[] = [];
    const sights: Sight[] = [];
    for (const life of lives) {
      const records = await this.#found(life);
      const [first] = records;
      if (first === undefined) this.#absent(life, runs, occasion);
      else {
        const number = parseInt(first.cursor.slice(-LIFE_DIGITS), 16);
        this.#numbers.set(life.tag, number);
        sights.push({ life, records, number });
        left.push(life);
      }
    }
    for (const sight of sights) await this.#checkLife(sight, runs, occasion);
    const known = new Set(sights.map(({ number }) => number));
    for (const run of runs) {
      this.#seen.add(run.life);
      if (!known.has(run.life)) this.#tell(`life ${run.life} at ${run.address} has a result and no records`);
    }
    for (const address of new Set(lives.map((life) => life.address))) await this.#checkAddress(address, sights, runs);
    if (!occasion.isHeld) {
      const kept = runs.filter(({ agent }) => agent === 'brief').length;
      if (kept > BRIEF_KEEPS) this.#tell(`${kept} results are kept of the brief`);
    }
    return left;
  }

  /** Checks that no row of the store belongs to anybody but those of whom something is left. */
  checkStore(lives: readonly Life[]): void {
    const left = new Set(lives.map(({ tag }) => this.#numbers.get(tag)));
    for (const [letter, owners] of storedLives(this.#test)) {
      // Life 0 is the kernel, which keeps the audit.
      const strangers = [...owners].filter((owner) => owner !== 0 && !left.has(owner));
      if (strangers.length > 0) this.#tell(`rows ${letter} of lives that are gone: ${strangers.join()}`);
      if (letter === KEYSPACE.recordPurges && owners.size > 0) this.#tell('removals are not over');
    }
    const places = new Set(lives.map(({ address }) => address));
    const prefix = `${KEYSPACE.endedAddresses}!`;
    for (const [key] of this.#test.store.entries())
      if (key.startsWith(prefix) && !places.has(key.slice(prefix.length))) this.#tell(`${key} leads nowhere`);
  }

  /** All results, read in pages of random sizes: newest first and oldest first, together and by agent. */
  async #allRuns(): Promise<readonly Run[]> {
    const newest = await this.#pages({});
    const text = (runs: readonly Run[]) => JSON.stringify(runs.map(({ life, status }) => [life, status]));
    const oldest = await this.#pages({ newestFirst: false });
    if (text(newest) !== text(oldest.toReversed())) this.#tell('the pages of results depend on the direction');
    for (const agent of ['brief', 'long'] as const) {
      const own = await this.#pages({ agent, newestFirst: this.#random.next() < 0.5 });
      const sorted = own.toSorted((a, b) => (a.cursor < b.cursor ? 1 : -1));
      if (text(sorted) !== text(newest.filter((run) => run.agent === agent)))
        this.#tell(`the results of ${agent} are others than among all`);
    }
    const lives = newest.map(({ life }) => life);
    if (new Set(lives).size !== lives.length) this.#tell(`ends are listed twice: ${lives.join()}`);
    return oldest;
  }

  async #pages(options: RunsOptions): Promise<Run[]> {
    const runs: Run[] = [];
    for (let from: string | undefined; ; ) {
      const page = await this.#test.system.runs({ ...options, from, limit: 1 + this.#random.integer(6) });
      runs.push(...page.runs);
      if (page.next === null) return runs;
      from = page.next;
    }
  }

  /** The records of a life by its key, read in pages in either direction. */
  async #found({ agent, tag }: Life): Promise<readonly FoundRecord[]> {
    const newestFirst = this.#random.next() < 0.5;
    const records: FoundRecord[] = [];
    for (let from: string | undefined; ; ) {
      const options = { newestFirst, from, limit: 1 + this.#random.integer(9) };
      const page = await this.#test.system.records.find(agent, 'diary', ['life', tag], options);
      records.push(...page.records);
      if (page.next === null) return newestFirst ? records.reverse() : records;
      from = page.next;
    }
  }

  /** Nothing is found of a life: it never began, or its result was one too many. */
  #absent({ tag, address, agent, promised, ends }: Life, runs: readonly Run[], { isBinding }: Occasion): void {
    const hasNewer = runs.filter((run) => run.agent === agent).length >= BRIEF_KEEPS;
    if (agent === 'brief' && ends !== undefined && hasNewer) {
      this.#dropped.add(tag);
      this.#gone.set(address, tag);
    } else if (isBinding && promised > 0) this.#tell(`nothing is left of life ${tag}`);
  }

  async #checkLife({ life, records, number }: Sight, runs: readonly Run[], occasion: Occasion): Promise<void> {
    const { tag, address, told, ends } = life;
    const tell = (what: string) => this.#tell(`life ${tag} at ${address}: ${what}`);
    const entries = records.map(({ value }) => (value as Entry).what);
    if (entries.join() !== told.slice(0, entries.length).join()) tell(`noted ${entries.join()}, told ${told.join()}`);
    if (records.some((record, index) => record.number !== index + 1)) tell('records have holes or come twice');
    if (records.some((record) => record.address !== address)) tell('records have another address');
    if (occasion.isBinding && !occasion.isHeld && entries.length < life.promised)
      tell(`noted ${entries.length} of ${life.promised} that were acknowledged`);
    const living = this.#livingAt(address) === tag;
    const results = runs.filter((run) => run.life === number);
    if (results.length !== (living ? 0 : 1)) tell(`${living ? 'lives' : 'has ended'}, with ${results.length} results`);
    for (const run of results) checkResult(life, run, tell);
    life.result = results[0] ?? (occasion.isBinding ? life.result : undefined);
    if (living && life.result !== undefined) tell('lives though its result was given');
    if (occasion.isHeld) return;
    if (occasion.isBinding && living && ends !== undefined && life.result !== undefined) tell('should have ended');
    // What was never promised and is not there is not said again.
    life.told = told.slice(0, entries.length);
    life.promised = life.told.length;
    if (living) life.ends = undefined;
  }

  /** Compares the last life at an address with what is found there by address. */
  async #checkAddress(address: string, sights: readonly Sight[], runs: readonly Run[]): Promise<void> {
    const tell = (what: string) => this.#tell(`${address}: ${what}`);
    const living = this.#livingAt(address);
    const last = runs.findLast((run) => run.address === address);
    const shown = await this.#test.shard.results.at(address);
    const tagOf = (run: ActorResult) => sights.find(({ number }) => number === run.life)?.life.tag ?? 0;
    // The last of all that ended here may be one whose result was dropped, before that of an older one.
    const isHidden = shown === undefined && last !== undefined && (this.#gone.get(address) ?? 0) > tagOf(last);
    if (shown?.life !== last?.life && !isHidden) tell(`shows the result of ${shown?.life}, not of ${last?.life}`);
    const isThere = ({ life, number }: Sight) => (living === undefined ? number === shown?.life : life.tag === living);
    const there = sights.find(isThere);
    const page = await this.#test.system.records.list(address, 'diary', { limit: 1_000 }).catch((error: unknown) => {
      if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return undefined;
      throw error;
    });
    const text = (records: readonly { number: number; value: unknown }[] = []) =>
      JSON.stringify(records.map(({ number, value }) => [number, value]));
    if (text(page?.records) !== text(there?.records)) tell('has other records by address than by key');
    if (page !== undefined && (page.missing > 0 || page.life !== there?.number)) tell('has records that are missing');
  }

  /** The life at an address as the story calls it; undefined if nobody lives there. */
  #livingAt(address: string): number | undefined {
    const context = this.#test.shard.snapshot(address)?.context as { readonly life: number } | undefined;
    return context?.life;
  }
}

function checkResult(life: Life, run: ActorResult, tell: (what: string) => void): void {
  const { status, output, error, agent, address, startedAtMs, endedAtMs } = run;
  if (status !== life.ends) tell(`is ${status}, and not ${life.ends}`);
  if (agent !== (life.agent as DiaristName) || address !== life.address) tell(`has the result of ${agent} ${address}`);
  if (startedAtMs === null || startedAtMs > endedAtMs) tell(`began at ${startedAtMs} and ended at ${endedAtMs}`);
  if (status === 'done' && (output as { life?: number }).life !== life.tag) tell('has the output of another');
  if (status === 'failed' && (error as { message?: string }).message !== 'no more ink') tell('failed otherwise');
  const before = life.result;
  if (before !== undefined && (before.life !== run.life || before.endedAtMs !== endedAtMs))
    tell(`ended at ${before.endedAtMs}, then at ${endedAtMs}`);
}
