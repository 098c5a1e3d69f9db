/**
 * A story of lives: diarists begin, note, fail and end at a few addresses, again and again, and the power is cut at
 * random writes, between two steps, or at a given write. After each cut, on hold and then at work, the records, results
 * and pages of results are compared with what the story knows.
 */
import { isBosunError } from '../../../src/errors.ts';
import { type ActorResult } from '../../../src/actors/model/results.ts';
import { faultyStore, type HoldPoint } from '../../../src/testing/faulty-store.ts';
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';
import { TestSystem } from '../../../src/testing/test-system.ts';
import { randomOf } from '../chance.ts';
import { DIARISTS, type DiaristName, DIARY_OPTIONS, foldAll } from './diarist.ts';
import { LivesAudit } from './lives-audit.ts';

export const ADDRESSES = ['a', 'b', 'c', 'd', 'e'] as const;

/** A life as the story knows it. */
export interface Life {
  readonly tag: number;
  readonly address: string;
  readonly agent: DiaristName;
  readonly restart: 'temporary' | 'transient';
  /** Its entries to be, in order. */
  told: (number | 'begin')[];
  /** How much of that is promised: acknowledged by a store that syncs. */
  promised: number;
  /** How it was ordered to end. */
  ends: 'done' | 'failed' | 'stopped' | undefined;
  /** Its result as it was first seen. */
  result: ActorResult | undefined;
  /** Whether it failed last, so that another failure would suspend it. */
  isStruck: boolean;
}

/** A step of the story at one address, which means the same whatever a cut has left. */
export interface LifeStep {
  readonly do: 'note' | 'notes' | 'fail' | 'end' | 'stop' | 'again' | 'wait' | 'settle';
  readonly at: number;
}

/** Where the power is cut: at a write from now on, or between two steps. */
export interface LivesCut {
  readonly write: number;
  readonly point: HoldPoint;
}

const SHARES = { note: 20, notes: 15, fail: 6, end: 20, stop: 6, again: 10, wait: 6, settle: 6 } as const;

export function randomSteps(count: number, ...name: readonly (string | number)[]): readonly LifeStep[] {
  const random = randomOf('steps of lives', ...name);
  const bag = Object.entries(SHARES).flatMap(([what, share]) => Array<LifeStep['do']>(share).fill(what as 'note'));
  return Array.from({ length: count }, () => ({ do: random.pick(bag), at: random.integer(ADDRESSES.length) }));
}

export class LivesStory {
  readonly test: TestSystem;
  readonly violations: string[] = [];
  cuts = 0;
  readonly #random: SeededRandom;
  readonly #audit: LivesAudit;
  /** The last life at each address, as far as the story knows. */
  readonly #last = new Map<string, Life>();
  /** All lives of which something may be left. Where writes are lost, what was dropped may be back. */
  #lives: Life[] = [];
  readonly #isSynced: boolean;
  #numbers = 0;
  /** The writes of the store so far, and what is done at one of them. */
  writes = 0;
  #atWrite: { readonly write: number; readonly act: () => void } | undefined;
  /** The generation of clients, which die with the power. */
  #generation = 0;

  constructor(name: readonly (string | number)[], durability: 'disk' | 'process' = 'disk') {
    this.#random = randomOf('story of lives', ...name);
    this.#isSynced = durability === 'disk';
    const store = faultyStore();
    const write = store.write.bind(store);
    store.write = (batch, how) => {
      this.writes += 1;
      if (this.#atWrite?.write === this.writes) this.#atWrite.act();
      return write(batch, how);
    };
    this.test = new TestSystem({ ...DIARY_OPTIONS, durability, store });
    this.#audit = new LivesAudit(this.test, this.#random, (what) => this.violations.push(what));
  }

  /** How many results the story has seen, kept or dropped since. */
  get ended(): number {
    return this.#audit.ended;
  }

  get dropped(): number {
    return this.#audit.dropped;
  }

  /**
   * Takes the steps, until the power is cut if it is.
   *
   * @returns The number of steps that were taken or begun.
   */
  async tell(steps: readonly LifeStep[], cut?: LivesCut): Promise<number> {
    let taken = 0;
    const generation = this.#generation;
    const whole = async () => {
      for (const step of steps) {
        if (this.#generation !== generation) return;
        taken += 1;
        await this.#take(step);
      }
    };
    await this.#until(whole, cut);
    return taken;
  }

  /** Starts for the first time, perhaps not to the end. */
  begin(cut?: LivesCut): Promise<void> {
    return this.#until(() => this.test.begin(), cut);
  }

  /** Runs until the end, or until the given write. */
  async #until(whole: () => Promise<void>, cut: LivesCut | undefined): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      if (cut === undefined) return;
      const act = () => void this.test.store.hold(cut.point).reached.then(resolve);
      this.#atWrite = { write: this.writes + cut.write, act };
    });
    await Promise.race([reached, whole()]);
    this.#atWrite = undefined;
  }

  /**
   * Cuts the power and compares what is left: on hold, which changes nothing, and again at work.
   *
   * @param keepUnsynced The unsynced writes that survive, where nothing is promised.
   */
  async cut(keepUnsynced = 0): Promise<void> {
    this.cuts += 1;
    this.#generation += 1;
    await this.test.crash({ keepUnsynced });
    await this.test.restart({ hold: true });
    await this.#audit.look(this.#lives, { isBinding: this.#isSynced, isHeld: true });
    await this.test.crash();
    await this.test.restart();
    await this.audit();
  }

  /** Compares what there is when all is quiet, and goes on with that. */
  async audit(): Promise<readonly Life[]> {
    await this.test.settle();
    const left = await this.#audit.look(this.#lives, { isBinding: this.#isSynced, isHeld: false });
    if (this.#isSynced) this.#lives = left;
    // The note behind its failure may be lost.
    if (!this.#isSynced) for (const life of this.#lives) life.isStruck = true;
    const known = new Set(left);
    for (const [address, life] of this.#last)
      if (!known.has(life)) {
        const before = left.findLast((one) => one.address === address);
        if (before === undefined) this.#last.delete(address);
        else this.#last.set(address, before);
      }
    return left;
  }

  /** Ends all lives, drops what can be dropped, and compares the rows of the store with the results that are kept. */
  async end(): Promise<void> {
    for (const at of ADDRESSES.keys()) await this.#take({ do: 'end', at });
    await this.audit();
    await foldAll(this.test);
    this.#audit.checkStore(await this.audit());
    await this.test.shard.stop();
  }

  async #take(step: LifeStep): Promise<void> {
    if (step.do === 'wait') return this.test.advance(1 + this.#random.integer(500));
    if (step.do === 'settle') return this.test.settle();
    const address = ADDRESSES[step.at]!;
    const last = this.#last.get(address);
    if (step.do === 'again' && last?.ends !== undefined) return this.#spawnWithoutAgain(last);
    const life = last === undefined || last.ends !== undefined ? await this.#spawn(address) : last;
    if (step.do === 'notes') await Promise.all([1, 2, 3].map(() => this.#note(life)));
    else if (step.do === 'note' || step.do === 'again') await this.#note(life);
    else if (step.do === 'fail') await this.#fail(life);
    else await this.#end(life, step.do);
  }

  async #spawn(address: string): Promise<Life> {
    const agent = this.#random.pick(['brief', 'long'] as const);
    const restart = this.#random.pick(['temporary', 'transient'] as const);
    const tag = ++this.#numbers;
    const rest = { promised: 0, ends: undefined, result: undefined, isStruck: false };
    const life: Life = { tag, address, agent, restart, told: ['begin'], ...rest };
    // Its address may still be that of a life whose end is not durable.
    await this.#mine(this.test.settle());
    this.#lives.push(life);
    this.#last.set(address, life);
    const spawned = this.test.system.spawn(DIARISTS[agent], address, { input: { life: tag }, restart, again: true });
    await this.#mine(spawned);
    life.promised = 1;
    return life;
  }

  /** An id that has ended and is spawned once more gives its result, if it is kept, and begins nothing. */
  async #spawnWithoutAgain(life: Life): Promise<void> {
    await this.#mine(this.test.settle());
    const kept = await this.#mine(this.test.shard.results.at(life.address));
    if (kept === undefined) return;
    const given = this.test.system.spawn(DIARISTS[life.agent], life.address, { input: { life: -1 } });
    const spawned = await this.#mine(given.catch((error: unknown) => error as Error));
    if (spawned instanceof Error) {
      if (kept.agent === life.agent || !isBosunError(spawned, 'BOSUN_CHILD_SPEC_INVALID'))
        this.violations.push(`${life.address}: spawned once more: ${spawned.message}`);
    } else if (spawned.isLive) this.violations.push(`${life.address} begins again though its result is kept`);
    else if ((await spawned.result()).life !== kept.life) this.violations.push(`${life.address}: another result`);
  }

  async #note(life: Life): Promise<void> {
    const what = ++this.#numbers;
    life.told.push(what);
    const place = life.told.length;
    await this.#mine(this.test.shard.send(life.address, { type: 'note', what }));
    life.isStruck = false;
    life.promised = Math.max(life.promised, place);
  }

  async #fail(life: Life): Promise<void> {
    if (life.isStruck) return this.#note(life);
    life.isStruck = true;
    if (life.restart === 'temporary') life.ends = 'failed';
    await this.#mine(this.test.shard.send(life.address, { type: 'fail' }));
  }

  async #end(life: Life, how: 'end' | 'stop'): Promise<void> {
    if (how === 'end') {
      life.ends = 'done';
      await this.#mine(this.test.shard.send(life.address, { type: 'end' }));
    } else {
      // A stop overtakes what is unread.
      await this.#mine(this.test.settle());
      life.ends = 'stopped';
      await this.#mine(this.test.shard.boss().terminateChild(life.address));
    }
    if (this.#random.next() < 0.5) return;
    const given = this.test.system
      .result(life.address)
      .catch((error: unknown) => void this.violations.push(String(error)));
    life.result = (await this.#mine(given)) ?? undefined;
    if (life.result !== undefined && life.result.status !== life.ends)
      this.violations.push(`life ${life.tag} is ${life.result.status}, and not ${life.ends}`);
  }

  /** Waits as a client does: for ever, if the power has been cut meanwhile. */
  async #mine<T>(promise: Promise<T>): Promise<T> {
    const generation = this.#generation;
    const value = await promise;
    if (generation !== this.#generation) await new Promise<never>(() => {});
    return value;
  }
}
