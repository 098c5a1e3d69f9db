/** Sends that a client may repeat, at a gateway over workers: each counts once, whichever worker dies and whenever. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Caller } from '../../../src/gateway/callers/callers.ts';
import { SessionQueues } from '../../../src/gateway/workers/session-queues.ts';
import { SESSION_QUEUES_MAX, SESSION_SILENT_MS } from '../../../src/gateway/limits.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { type MemoryClient } from '../../support/gateway/memory-client.ts';
import { type SpreadGatewayTest, startSpreadGateway } from '../../support/gateway/workers-kit.ts';

const SESSION = 'a-session-of-22-chars-';

function add(test: SpreadGatewayTest, client: MemoryClient, address: string, seq: number, by = 1): string {
  return test.begin(client, 'actor.send', { address, event: { type: 'add', by } }, { seq });
}

function answersOf(client: MemoryClient, ids: readonly string[]): unknown[] {
  return ids
    .map((id) => client.last('res', id))
    .map((res) =>
      res?.['ok'] === true
        ? res['replayed'] === true
          ? 'replayed'
          : 'ok'
        : (res?.['e'] as { code: string } | undefined)?.code,
    );
}

describe('a session over workers', () => {
  it('has one sequence, whichever actors the sends are for, even when all sends come at once', async () => {
    const test = await startSpreadGateway();
    const [zero, one] = test.pair;
    const client = await test.client({ session: SESSION });
    expect(client.last('welcome')).toMatchObject({ session: { resumed: false, sequence: 0 } });
    const ids = [zero, zero, one, one, zero, one].map((address, index) => add(test, client, address, index + 1));
    await test.settle();
    expect(answersOf(client, ids)).toEqual(Array(6).fill('ok'));
    expect([await test.countOf(zero), await test.countOf(one)]).toEqual([3, 3]);
    const again = [zero, zero, one, one, zero, one].map((address, index) => add(test, client, address, index + 1));
    await test.settle();
    expect(answersOf(client, again)).toEqual(Array(6).fill('replayed'));
    expect([await test.countOf(zero), await test.countOf(one)]).toEqual([3, 3]);
    await test.crashAll();
    const other = await test.client({ session: SESSION });
    expect(other.last('welcome')).toMatchObject({ session: { resumed: true, sequence: 6 } });
  });

  it('has no gaps: the number of a refused send has to be used again, on any worker', async () => {
    const test = await startSpreadGateway();
    const [zero, one] = test.pair;
    const client = await test.client({ session: SESSION });
    const bad = (address: string, seq: number) =>
      test.begin(client, 'actor.send', { address, event: { type: 'add', by: 'x' } }, { seq });
    const ids = [
      bad(zero, 1),
      add(test, client, one, 2),
      add(test, client, zero, 1),
      add(test, client, one, 2),
      bad(one, 3),
      add(test, client, one, 4),
      add(test, client, one, 3),
    ];
    await test.settle();
    expect(answersOf(client, ids)).toEqual([
      'BOSUN_EVENT_INVALID',
      'BOSUN_SEQUENCE_GAP',
      'ok',
      'ok',
      'BOSUN_EVENT_INVALID',
      'BOSUN_SEQUENCE_GAP',
      'ok',
    ]);
    expect(client.last('res', ids[1])).toMatchObject({ e: { details: { expected: 1 } } });
    expect(client.last('res', ids[5])).toMatchObject({ e: { details: { expected: 3 } } });
  });

  it('continues after a number that was used up by a refused event', async () => {
    const test = await startSpreadGateway();
    const [zero, one] = test.pair;
    const client = await test.client({ session: SESSION });
    await test.call(client, 'actor.send', { address: zero, event: { type: 'close' } }, { seq: 1 });
    const ids = [
      test.begin(client, 'actor.send', { address: zero, event: { type: 'add', by: 1 }, until: 'taken' }, { seq: 2 }),
      add(test, client, one, 3),
    ];
    await test.settle();
    expect(answersOf(client, ids)).toEqual(['BOSUN_EVENT_NOT_TAKEN', 'ok']);
  });

  it('treats a repeated number as a repeat, even if the send is for an actor on another worker', async () => {
    const test = await startSpreadGateway();
    const [zero, one] = test.pair;
    const client = await test.client({ session: SESSION });
    const ids = [add(test, client, zero, 1), add(test, client, one, 1)];
    await test.settle();
    expect(answersOf(client, ids)).toEqual(['ok', 'replayed']);
    expect([await test.countOf(zero), await test.countOf(one)]).toEqual([1, 0]);
  });

  it('gets its welcome once its sends in progress have ended', async () => {
    const test = await startSpreadGateway();
    const [, one] = test.pair;
    const first = await test.client({ session: SESSION });
    const held = test.test.stores[1]!.hold('before');
    add(test, first, one, 1);
    await held.reached;
    first.drop();
    const second = new (first.constructor as new (gateway: typeof test.gateway) => MemoryClient)(test.gateway);
    second.hello({ session: SESSION });
    await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    expect(second.last('welcome')).toBe(undefined);
    held.release();
    await test.settle();
    expect(second.last('welcome')).toMatchObject({ session: { resumed: true, sequence: 1 } });
    expect(await test.countOf(one)).toBe(1);
  });

  it('counts each send once, whichever worker dies and whatever is repeated', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ to: fc.integer({ min: 0, max: 1 }) }) },
      { weight: 1, arbitrary: fc.record({ crash: fc.integer({ min: 0, max: 1 }) }) },
      { weight: 1, arbitrary: fc.constant({ all: true as const }) },
      { weight: 1, arbitrary: fc.constant({ settle: true as const }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const test = await startSpreadGateway({ rate: { burst: 10_000, perSecond: 10_000 } });
        const numbered: { seq: number; to: string; id: string }[] = [];
        const told = [0, 0];
        let client = await test.client({ session: SESSION });
        // As a client does: unanswered sends are repeated in order, after the last number of the gateway.
        const resend = async () => {
          client = await test.client({ session: SESSION });
          const { sequence } = (client.last('welcome') as unknown as { session: { sequence: number } }).session;
          for (const one of numbered) if (one.seq > sequence) one.id = add(test, client, one.to, one.seq);
          await test.settle();
        };
        for (const one of steps) {
          if ('to' in one) {
            const to = test.pair[one.to]!;
            told[one.to]! += 1;
            numbered.push({ seq: numbered.length + 1, to, id: add(test, client, to, numbered.length + 1) });
          } else if ('crash' in one) {
            test.test.crash(one.crash);
            await test.restart(one.crash);
          } else if ('all' in one) {
            await test.crashAll();
            await resend();
          } else await test.settle();
        }
        await test.settle();
        await resend();
        expect([await test.countOf(test.pair[0]), await test.countOf(test.pair[1])]).toEqual(told);
        await test.stop();
      }),
      { numRuns: byEffort({ quick: 6, ci: 60, soak: 400 }) },
    );
  });
});

describe('the memory of sessions', () => {
  const caller: Caller = { id: 'ada', scopes: new Set(), addresses: ['**'], expiresAtMs: undefined };

  function lines() {
    const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
    const asked: string[] = [];
    const made = new SessionQueues({ clock, ask: (_, session) => Promise.resolve(asked.push(session)) });
    return { clock, asked, lines: made };
  }

  it(`holds the last ${SESSION_QUEUES_MAX} sessions, and every session with sends in progress`, LONG, async () => {
    const { asked, lines: known } = lines();
    let end = (): void => {};
    const busy = known.send(
      caller,
      { id: 'busy', sequence: 1 },
      0,
      () => new Promise<void>((resolve) => (end = resolve)),
    );
    for (let n = 1; n < SESSION_QUEUES_MAX; n++) await known.last(caller, `${n}`);
    expect(known.size).toBe(SESSION_QUEUES_MAX);
    await known.last(caller, 'one more');
    expect(known.size).toBe(SESSION_QUEUES_MAX);
    const count = asked.length;
    await known.send(caller, { id: '2', sequence: 1 }, 0, () => Promise.resolve());
    expect(asked).toHaveLength(count);
    await known.send(caller, { id: '1', sequence: 1 }, 0, () => Promise.resolve());
    expect(asked).toHaveLength(count + 1);
    end();
    await busy;
  });

  it(`is read from the workers again after a silence of more than ${SESSION_SILENT_MS} ms`, async () => {
    const { clock, asked, lines: known } = lines();
    const send = (sequence: number) => known.send(caller, { id: 'one', sequence }, 0, () => Promise.resolve());
    await send(1);
    clock.nowMs += SESSION_SILENT_MS;
    await send(2);
    expect(asked).toHaveLength(1);
    clock.nowMs += SESSION_SILENT_MS + 1;
    await send(3);
    expect(asked).toHaveLength(2);
  });

  it('is unknown if the workers cannot be asked, and then nothing is sent', async () => {
    const known = new SessionQueues({
      clock: { monotonicMs: () => 0 },
      ask: () => Promise.reject(new Error('closed')),
    });
    let isSent = false;
    await expect(
      known.send(caller, { id: 'one', sequence: 1 }, 0, () => Promise.resolve((isSent = true))),
    ).rejects.toThrow('closed');
    await expect(known.last(caller, 'one')).rejects.toThrow('closed');
    expect(isSent).toBe(false);
  });
});
