/**
 * Each call gets exactly the answer that belongs to it, whatever is refused, lost or acknowledged meanwhile: at a
 * gateway of one system, and of two workers.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { type ClientError } from '../../src/client/client-error.ts';
import { gatewaySocket } from '../../src/testing/gateway-socket.ts';
import { randomOf } from '../support/chance.ts';
import { type Shop, startClientTest } from '../support/client/client-kit.ts';
import { byEffort } from '../support/effort.ts';
import { startSpreadGateway } from '../support/gateway/workers-kit.ts';

const RUNS = byEffort({ quick: 3, ci: 40, soak: 400 });
const UNBOUND = { rate: { burst: 1e9, perSecond: 1e9 } };

interface Host {
  readonly addresses: readonly string[];
  readonly client: Client<Shop>;
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
  cut(): void;
  /** The death of one worker or of the whole host, and its next start. */
  crash(which: number): Promise<void>;
  seen(address: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

async function oneSystem(): Promise<Host> {
  const test = await startClientTest(UNBOUND);
  const client = await test.live();
  return {
    addresses: ['visits'],
    client,
    settle: () => test.settle(),
    advance: (ms) => test.advance(ms),
    cut: () => test.cut(),
    crash: async (keepUnsynced) => {
      await test.crash({ keepUnsynced });
      await test.restart();
    },
    seen: () => Promise.resolve(test.context.seen),
    stop: () => test.stop(),
  };
}

async function twoWorkers(): Promise<Host> {
  const test = await startSpreadGateway(UNBOUND);
  const { WebSocket, lines } = gatewaySocket(() => test.gateway);
  const { clock } = test.test;
  const client = createClient<Shop>('ws://shop', { WebSocket, clock, random: randomOf('the client of two workers') });
  await test.settle();
  return {
    addresses: test.pair,
    client,
    settle: () => test.settle(),
    advance: (ms) => test.advance(ms),
    cut: () => [...lines].forEach((line) => line.cut()),
    crash: async (which) => {
      test.test.crash(which % 2);
      await test.settle();
      await test.restart(which % 2);
    },
    seen: async (address) => {
      const reading = test.test.system.snapshot(address);
      await test.settle();
      return ((await reading)!.context as { seen: readonly string[] }).seen;
    },
    stop: () => Promise.resolve(client.close()),
  };
}

type Kind = 'good' | 'wrong' | 'nobody' | 'undeclared';
const CODES = { wrong: 'BOSUN_EVENT_INVALID', nobody: 'BOSUN_ACTOR_UNKNOWN', undeclared: 'BOSUN_EVENT_REFUSED' };

const kind = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Kind>('good') },
  { weight: 2, arbitrary: fc.constantFrom<Kind>('wrong', 'nobody', 'undeclared') },
);
const at = fc.nat({ max: 1 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), kind, at, isTaken: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('many' as const), sends: fc.array(fc.tuple(kind, at), { maxLength: 8 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const), at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(10, 1_500) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), which: fc.nat({ max: 2 }) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The answer of a call, and the answers that are allowed. */
interface Answer {
  told: unknown;
  readonly expected: readonly unknown[];
}

class Caller {
  readonly answers: Answer[] = [];
  /** Tags by address, in the order in which they were sent. */
  readonly sent = new Map<string, string[]>();
  readonly #host: Host;
  #number = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  send(which: Kind, place: number, isTaken: boolean): void {
    const { to, event } = this.#request(which, place);
    const sent = this.#host.client.actor(to, 'counter').send(event, isTaken ? { until: 'taken' } : {});
    // A repeat of a send does not learn the outcome of the first.
    const good = isTaken ? [{ taken: true }, { taken: null }] : [{ taken: null }];
    this.#watch(sent, which === 'good' ? good : [CODES[which]]);
  }

  many(sends: readonly (readonly [Kind, number])[]): void {
    const requests = sends.map(([which, place]) => this.#request(which, place));
    const refused = sends.flatMap(([which], index) => (which === 'good' ? [] : [[index, CODES[which]]]));
    this.#watch(this.#host.client.sendMany(requests), [refused.length === 0 ? undefined : refused]);
  }

  /** A question whose answer is of another kind, with a key, so that it is answered over breaks too. */
  ask(place: number): void {
    const asked = this.#host.client
      .actor(this.#at(place), 'counter')
      .ask({ type: 'count' }, { key: `${++this.#number}` });
    this.#watch(
      asked.then((count) => typeof count),
      ['number'],
    );
  }

  #request(which: Kind, place: number): { to: string; event: { type: 'add'; by: number; tag?: string } } {
    const tag = `t${++this.#number}`;
    const to = which === 'nobody' ? 'nobody' : this.#at(place);
    if (which === 'good') this.sent.set(to, [...(this.sent.get(to) ?? []), tag]);
    if (which === 'undeclared') return { to, event: { type: 'odd' } as never };
    return { to, event: { type: 'add', by: (which === 'wrong' ? 'x' : 1) as number, tag } };
  }

  #at(place: number): string {
    const { addresses } = this.#host;
    return addresses[place % addresses.length]!;
  }

  #watch(call: Promise<unknown>, expected: readonly unknown[]): void {
    const answer: Answer = { told: 'nothing', expected };
    this.answers.push(answer);
    call.then(
      (value) => (answer.told = value),
      ({ code, details }: ClientError) => {
        const refused = details['refused'] as { index: number; error: ClientError }[] | undefined;
        answer.told = refused?.map((one) => [one.index, one.error.code]) ?? code;
      },
    );
  }
}

async function play(host: Host, caller: Caller, one: Step): Promise<void> {
  switch (one.do) {
    case 'send':
      return caller.send(one.kind, one.at, one.isTaken);
    case 'many':
      return caller.many(one.sends);
    case 'ask':
      return caller.ask(one.at);
    case 'settle':
      return host.settle();
    case 'pass':
      return host.advance(one.ms);
    case 'cut':
      return host.cut();
    case 'crash':
      return host.crash(one.which);
  }
}

describe('a call among refused, lost and jointly acknowledged calls', () => {
  it.each([
    ['one system', oneSystem],
    ['two workers', twoWorkers],
  ])('gets exactly the answer that belongs to it, from %s', async (_, start) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
        const host = await start();
        const caller = new Caller(host);
        for (const one of steps) await play(host, caller, one);
        await host.advance(90_000);
        for (const { told, expected } of caller.answers) expect(expected).toContainEqual(told);
        expect(host.client.unacknowledged).toBe(0);
        for (const address of host.addresses) expect(await host.seen(address)).toEqual(caller.sent.get(address) ?? []);
        await host.stop();
      }),
      { numRuns: RUNS },
    );
  });
});
