/**
 * The promise of resuming, as a property: whatever breaks (lines, answers, the host itself) and in whatever order
 * clients repeat themselves, in the end every client sees the state of the server, and each acknowledged send has
 * happened exactly once.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Frame, type GatewayTest, MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { patched } from '../../../src/gateway/protocol/patch.ts';
import { type Cursor } from '../../../src/gateway/protocol/protocol.ts';
import { byEffort } from '../../support/effort.ts';

const RUNS = byEffort({ quick: 3, ci: 40, soak: 1_000 });
const CLIENTS = 3;

/** A client as the documentation describes it: repeats unanswered sends, resumes where it left off. */
class Survivor {
  readonly name: string;
  readonly acknowledged = new Set<string>();
  /** Not answered, by number. */
  readonly pending = new Map<number, string>();
  #numbered = 0;
  #line: MemoryClient | undefined;
  #read = 0;
  #at: Cursor | undefined;
  #view: unknown;
  /** Whether arriving frames are lost on the way. */
  isDeaf = false;

  constructor(name: string) {
    this.name = name;
  }

  get view(): unknown {
    return this.#view;
  }

  connect(test: GatewayTest): void {
    this.drop();
    this.#line = new MemoryClient(test.gateway);
    this.#read = 0;
    this.isDeaf = false;
    this.#line.hello({ session: `session-of-${this.name}-0123456789` });
    this.#line.send({ t: 'sub', id: 's', topic: 'actor/visits', ...(this.#at && { from: this.#at }) });
  }

  drop(): void {
    this.#line?.drop();
    this.#line = undefined;
  }

  /** The host is gone, and the line with it. */
  lost(): void {
    this.#line = undefined;
  }

  give(): void {
    const tag = `${this.name}${++this.#numbered}`;
    this.pending.set(this.#numbered, tag);
    this.#transmit(this.#numbered, tag);
  }

  /** All that was not answered, and once more, in an order that chance gives. */
  repeat(order: readonly number[]): void {
    const open = [...this.pending];
    for (const pick of order) {
      const one = open[pick % Math.max(1, open.length)];
      if (one !== undefined) this.#transmit(...one);
    }
    for (const one of open) this.#transmit(...one);
  }

  listen(): void {
    const fresh = this.#line?.frames.slice(this.#read) ?? [];
    this.#read += fresh.length;
    if (!this.isDeaf) for (const frame of fresh) this.#hear(frame);
  }

  #hear(frame: Frame): void {
    if (frame.t === 'res' && frame.ok) {
      const seq = Number(frame.id.split('.')[0]);
      const tag = this.pending.get(seq);
      if (tag !== undefined) this.acknowledged.add(tag);
      this.pending.delete(seq);
    } else if (frame.t === 'snap') {
      if (!frame.recovered) this.#view = frame.d;
      this.#at = frame.at;
    } else if (frame.t === 'delta') {
      expect(frame.prev).toBe(this.#at?.seq);
      this.#view = patched(this.#view, frame.ops);
      this.#at = frame.at;
    }
  }

  #transmit(seq: number, tag: string): void {
    this.#line?.send({
      t: 'req',
      id: `${seq}.${this.#line.frames.length}.${Math.abs(hash(`${tag}${++tries}`))}`,
      m: 'actor.send',
      p: { address: 'visits', event: { type: 'add', by: 1, tag } },
      seq,
    });
  }
}

let tries = 0;

function hash(text: string): number {
  return [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 7);
}

const who = fc.nat({ max: CLIENTS - 1 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('give' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('repeat' as const),
      who,
      order: fc.array(fc.nat({ max: 9 }), { maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('connect' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deafen' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), who, keepUnsynced: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redeploy' as const), who }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function play(test: GatewayTest, clients: readonly Survivor[], one: Step): Promise<void> {
  const client = clients[one.who]!;
  switch (one.do) {
    case 'give':
      return client.give();
    case 'repeat':
      return client.repeat(one.order);
    case 'drop':
      return client.drop();
    case 'connect':
      return client.connect(test);
    case 'deafen':
      client.isDeaf = true;
      return;
    case 'settle':
      await test.settle();
      for (const each of clients) each.listen();
      return;
    case 'crash':
      test.gateway.abandon();
      await test.test.crash({ keepUnsynced: one.keepUnsynced });
      for (const each of clients) each.lost();
      return test.restart();
    case 'redeploy':
      test.gateway.abandon();
      for (const each of clients) each.lost();
      await test.test.shard.stop();
      return test.restart();
  }
}

it(`every client ends with the server's state, and each acknowledged send happened once and in order`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const test = await startGatewayTest({ rate: { burst: 1e9, perSecond: 1e9 } });
      const clients = Array.from({ length: CLIENTS }, (_, n) => new Survivor('abc'[n]!));
      for (const client of clients) client.connect(test);
      for (const one of steps) await play(test, clients, one);
      for (let round = 0; round < 3; round++) {
        for (const client of clients) client.connect(test);
        await test.settle();
        for (const client of clients) {
          client.listen();
          client.repeat([]);
        }
        await test.settle();
        for (const client of clients) client.listen();
      }
      const { count, seen } = test.test.shard.snapshot('visits')!.context as { count: number; seen: string[] };
      const acknowledged = clients.flatMap((client) => [...client.acknowledged]);
      expect(clients.map(({ pending }) => pending.size)).toEqual([0, 0, 0]);
      expect([...seen].sort()).toEqual([...acknowledged].sort());
      expect(count).toBe(seen.length);
      for (const { name } of clients) {
        const own = seen.filter((tag) => tag.startsWith(name)).map((tag) => Number(tag.slice(1)));
        expect(own).toEqual([...own].sort((a, b) => a - b));
      }
      for (const client of clients) expect(client.view).toMatchObject({ context: { count, seen } });
      await test.stop();
    }),
    { numRuns: RUNS },
  );
});
