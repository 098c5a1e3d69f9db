/** The random breaks of test/gateway/client/reconnect.property.test.ts, with the client that users have. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Client } from '../../src/client/client.ts';
import { type ClientTest, memoryStorage, type Shop, startClientTest } from '../support/client/client-kit.ts';
import { byEffort } from '../support/effort.ts';

const RUNS = byEffort({ quick: 3, ci: 25, soak: 500 });
const CLIENTS = 3;

/** A person who sends, watches, and sometimes reloads the page. */
class Person {
  readonly name: string;
  readonly acknowledged: string[] = [];
  readonly refused: string[] = [];
  readonly storage = memoryStorage();
  client: Client<Shop>;
  #numbered = 0;
  readonly #test: ClientTest;

  constructor(name: string, test: ClientTest) {
    this.name = name;
    this.#test = test;
    this.client = this.#open();
  }

  give(): void {
    const tag = `${this.name}${++this.#numbered}`;
    this.client
      .actor('visits', 'counter')
      .send({ type: 'add', by: 1, tag })
      .then(
        () => this.acknowledged.push(tag),
        // Nobody waits any more: the next client on the storage sees to it.
        () => this.refused.push(tag),
      );
  }

  /** A send that is refused, so that its number is free. */
  giveWrong(): void {
    this.client
      .actor('visits', 'counter')
      .send({ type: 'add', by: 'x' as never })
      .catch(() => {});
  }

  reload(): void {
    this.client.close();
    this.client = this.#open();
  }

  get view(): unknown {
    return this.client.actor('visits', 'counter').getSnapshot().context;
  }

  get sent(): string[] {
    return Array.from({ length: this.#numbered }, (_, n) => `${this.name}${n + 1}`);
  }

  #open(): Client<Shop> {
    const client = this.#test.client({ storage: this.storage });
    client.actor('visits', 'counter').subscribe(() => {});
    return client;
  }
}

const who = fc.nat({ max: CLIENTS - 1 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('give' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('giveWrong' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), who, ms: fc.constantFrom(10, 200, 3_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cut' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deafen' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reload' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), who, keepUnsynced: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redeploy' as const), who }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function play(test: ClientTest, people: readonly Person[], one: Step): Promise<void> {
  const person = people[one.who]!;
  switch (one.do) {
    case 'give':
      return person.give();
    case 'giveWrong':
      return person.giveWrong();
    case 'reload':
      return person.reload();
    case 'cut':
      return [...test.socket.lines][one.who]?.cut();
    case 'deafen':
      return [...test.socket.lines][one.who]?.deafen();
    case 'settle':
      return test.settle();
    case 'pass':
      return test.advance(one.ms);
    case 'crash':
      await test.crash({ keepUnsynced: one.keepUnsynced });
      return test.restart();
    case 'redeploy':
      test.isDown = true;
      test.host.gateway.abandon();
      await test.host.test.shard.stop();
      return test.restart();
  }
}

it('executes acknowledged sends once and in order, and brings every client to the state of the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const test = await startClientTest({ rate: { burst: 1e9, perSecond: 1e9 } });
      const people = Array.from({ length: CLIENTS }, (_, n) => new Person('abc'[n]!, test));
      for (const one of steps) await play(test, people, one);
      // Long enough for one whose line says nothing to notice, and to come back.
      await test.advance(120_000);
      const { count, seen } = test.context;
      expect(people.map(({ client }) => [client.status.get(), client.unacknowledged])).toEqual(
        people.map(() => ['live', 0]),
      );
      // Acknowledged or left to the storage, each has happened; none twice.
      expect([...seen].sort()).toEqual(people.flatMap(({ sent }) => sent).sort());
      expect(count).toBe(seen.length);
      for (const { name, sent, acknowledged, refused, view } of people) {
        expect([...acknowledged, ...refused].sort()).toEqual([...sent].sort());
        expect(seen.filter((tag) => tag.startsWith(name))).toEqual(sent);
        expect(view).toEqual({ count, seen });
      }
      await test.stop();
    }),
    { numRuns: RUNS },
  );
});
