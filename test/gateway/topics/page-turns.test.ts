/**
 * Pages of actors that many callers ask for at once: the work in one round of the event loop, and the order of callers.
 */
import { expect, it } from 'vitest';
import { type Caller } from '../../../src/gateway/callers/callers.ts';
import { AllLooks } from '../../../src/gateway/callers/looks.ts';
import { ACTORS_EXAMINED_MAX, LOOKED_BURST, PAGE_SLICE } from '../../../src/gateway/limits.ts';
import { type ListedActor } from '../../../src/gateway/protocol/views.ts';
import { ListPage, paged } from '../../../src/gateway/topics/actor-pages.ts';
import { PageTurns } from '../../../src/gateway/topics/page-turns.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const ACTORS = 20_000;

/** Pages over so many actors, none of which is of the agent that is asked for; the event loop goes round by hand. */
class Rounds {
  readonly #turns: PageTurns;
  readonly #looks = new AllLooks(new VirtualClock());
  #due: (() => void)[] = [];
  /** Actors looked at since the round began. */
  looked = 0;

  constructor() {
    this.#turns = new PageTurns({ defer: (callback) => void this.#due.push(callback) });
  }

  ask(id: string, agent = 'nobody'): Promise<unknown> {
    const caller: Caller = { id, scopes: new Set(), addresses: ['**'] } as never;
    const call = { caller, looks: this.#looks.of(caller), isOver: false };
    return paged({ turns: this.#turns, call }, this.#actors(), new ListPage(caller, { agent, limit: 1 }));
  }

  async next(): Promise<void> {
    this.looked = 0;
    for (const callback of this.#due.splice(0)) callback();
    await Promise.resolve();
  }

  *#actors(): Generator<ListedActor> {
    for (let n = 0; n < ACTORS; n++) {
      this.looked += 1;
      yield { address: `a-${n}`, agent: 'counter', row: () => ({ address: `a-${n}` }) } as never;
    }
  }
}

it('pages share one slice of each round, however many are in progress (F4)', async () => {
  const rounds = new Rounds();
  const asked = Array.from({ length: 50 }, (_, n) => rounds.ask(`caller-${n}`));
  for (let round = 0; round < 50; round++) {
    expect(rounds.looked).toBeLessThanOrEqual(PAGE_SLICE);
    await rounds.next();
  }
  void asked;
});

it('pages are made for callers in turn: a small page does not wait for the large pages of another caller', async () => {
  const rounds = new Rounds();
  const large = [rounds.ask('greedy'), rounds.ask('greedy')];
  let small: unknown;
  void rounds.ask('calm', 'counter').then((page) => (small = page));
  for (let round = 0; round < 2; round++) await rounds.next();
  expect(small).toMatchObject({ actors: [{ address: 'a-0' }], next: 'a-0' });
  void large;
});

it('pages of one caller are made one after another, and refused once the first have spent its budget', async () => {
  const rounds = new Rounds();
  const [first, second] = [rounds.ask('greedy'), rounds.ask('greedy')];
  const outcomes = Promise.allSettled([first, second, rounds.ask('greedy'), rounds.ask('greedy')]);
  let all = 0;
  for (let round = 0; round < 30; round++) {
    all += rounds.looked;
    await rounds.next();
  }
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(await outcomes).toMatchObject([{}, {}, { reason: { code: 'BOSUN_RATE_LIMITED' } }, {}]);
  expect(all).toBe(LOOKED_BURST);
});

it(`a page ends after ${ACTORS_EXAMINED_MAX} actors that do not fit, and the next one goes on there (F4)`, async () => {
  const rounds = new Rounds();
  const asked = rounds.ask('greedy');
  let all = 0;
  for (let round = 0; round < 10; round++) {
    all += rounds.looked;
    await rounds.next();
  }
  expect(all).toBe(10_000);
  expect(await asked).toEqual({ actors: [], next: 'a-9999' });
});
