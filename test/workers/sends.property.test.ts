/**
 * Sends of the host over two workers are acknowledged together, and each sender learns the true outcome of its own
 * send, whatever is refused and whichever worker dies meanwhile.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Placement } from '../../src/actors/model/placement.ts';
import { type BosunError } from '../../src/errors.ts';
import { type SpreadTestSystem, startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { byEffort } from '../support/effort.ts';
import { counter } from '../support/gateway/shop.ts';
import { placedNames } from '../support/workers/actors.ts';

const RUNS = byEffort({ quick: 5, ci: 100, soak: 1_000 });
const AT = new Placement(2, new Set());
const NAMES = placedNames((address) => AT.homeOf(address) as number, { count: 1 }).map(([name]) => name!);

type Kind = 'good' | 'wrong' | 'nobody' | 'undeclared';
const CODES = { wrong: 'BOSUN_EVENT_INVALID', nobody: 'BOSUN_ACTOR_UNKNOWN', undeclared: 'BOSUN_EVENT_REFUSED' };

const which = fc.nat({ max: 1 });
const kind = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Kind>('good') },
  { weight: 2, arbitrary: fc.constantFrom<Kind>('wrong', 'nobody', 'undeclared') },
);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const), kind, which, isRepeatable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), which }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Sent {
  readonly tag: string;
  readonly kind: Kind;
  readonly isRepeatable: boolean;
  told: unknown;
}

class Host {
  readonly sent: [Sent[], Sent[]] = [[], []];
  readonly read: unknown[] = [];
  readonly #test: SpreadTestSystem;
  #number = 0;

  constructor(test: SpreadTestSystem) {
    this.#test = test;
  }

  send(kind: Kind, worker: number, isRepeatable: boolean): void {
    const sequence = ++this.#number;
    const sent: Sent = { tag: `t${sequence}`, kind, isRepeatable, told: 'nothing' };
    this.sent[worker as 0 | 1].push(sent);
    const to = kind === 'nobody' ? `${NAMES[worker]}/nobody` : NAMES[worker]!;
    const event = {
      type: kind === 'undeclared' ? 'odd' : 'add',
      by: kind === 'wrong' ? 'x' : 1,
      tag: sent.tag,
    };
    this.#test.system.send(to, event, isRepeatable ? { session: { id: `s${worker}`, sequence } } : {}).then(
      () => (sent.told = 'durable'),
      ({ code }: BosunError) => (sent.told = code),
    );
  }

  /** Reads, between the sends; each has an answer of its own. */
  look(worker: number): void {
    const index = this.read.push('nothing') - 1;
    void this.#test.system.snapshot(NAMES[worker]!).then((snapshot) => (this.read[index] = snapshot?.address));
  }
}

function play(test: SpreadTestSystem, host: Host, one: Step): Promise<void> | void {
  switch (one.do) {
    case 'send':
      return host.send(one.kind, one.which, one.isRepeatable);
    case 'read':
      return host.look(one.which);
    case 'settle':
      return test.settle();
    case 'turn':
      return new Promise((resolve) => test.clock.defer(resolve));
    case 'crash':
      test.crash(one.which);
      return test.restart(one.which, { isSettled: false });
  }
}

async function seenAt(test: SpreadTestSystem, worker: number): Promise<readonly string[]> {
  const reading = test.system.snapshot(NAMES[worker]!);
  await test.settle();
  return ((await reading)!.context as { seen: readonly string[] }).seen;
}

it('each sender over two workers learns the true outcome of its own send', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const children = NAMES.map((id) => ({ id, agent: 'counter' }));
      const test = await startSpreadTestSystem({ workers: 2, agents: [counter], tree: { children } });
      const host = new Host(test);
      for (const one of steps) await play(test, host, one);
      await test.settle();
      for (const worker of [0, 1] as const) {
        const seen = await seenAt(test, worker);
        expect(new Set(seen).size).toBe(seen.length);
        for (const { tag, kind: what, isRepeatable, told } of host.sent[worker]) {
          if (what !== 'good') {
            // One that was on its way to a worker that died is told so, since nothing says whether it was refused.
            expect([CODES[what], ...(isRepeatable ? [] : ['BOSUN_WORKER_DOWN'])]).toContain(told);
            expect(seen).not.toContain(tag);
          } else if (isRepeatable || told === 'durable') expect([told, seen.includes(tag)]).toEqual(['durable', true]);
          else expect(told).toBe('BOSUN_WORKER_DOWN');
        }
        const order = host.sent[worker].map(({ tag }) => tag).filter((tag) => seen.includes(tag));
        expect(seen).toEqual(order);
      }
      expect(host.read).not.toContain('nothing');
      await test.system.stop();
    }),
    { numRuns: RUNS },
  );
});
