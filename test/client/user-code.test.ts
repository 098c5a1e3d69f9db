/**
 * Functions that users give to a client: what they throw, reject with or give instead of what is due reaches the log,
 * and neither the other observers, the connection nor the process.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClientOptions } from '../../src/client/client.ts';
import { HARMS, hostile } from '../support/actors/hostile/values.ts';
import { memoryStorage, startClientTest, watched } from '../support/client/client-kit.ts';
import { sample } from '../support/effort.ts';
import { unhandled } from '../support/unhandled.ts';

const LONG_MS = 120_000;

const rejecting = (): never => Promise.reject(new Error('odd')) as never;
const throwing = (): never => {
  throw new Error('odd');
};

/** A token that the gateway knows; it needs none. */
const TOKEN = 'token-of-the-operator';

async function started(options: ClientOptions = {}) {
  const test = await startClientTest({ operator: TOKEN });
  const logged: string[] = [];
  const client = await test.live({ log: (...line: unknown[]) => void logged.push(String(line[0])), ...options });
  onTestFinished(async () => {
    client.close();
    await test.stop();
  });
  return { test, client, logged, visits: client.actor('visits', 'counter') };
}

/** An event of the counter that is durable and has been seen. */
async function added({ test, visits }: Pick<Awaited<ReturnType<typeof started>>, 'test' | 'visits'>) {
  const sent = watched(visits.send({ type: 'add', by: 1 }));
  await test.settle();
  expect(sent.value).toEqual({ taken: null });
}

describe('an observer', () => {
  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('is a line of the log if it %s, and the others are called as before (class A)', async (_, odd) => {
    const kit = await started();
    const { test, client, logged, visits } = kit;
    const told: unknown[] = [];
    const left = await unhandled(async () => {
      client.status.subscribe(odd);
      client.watch('tree', { next: odd, confirmed: odd, error: odd });
      visits.subscribe(odd);
      visits.subscribe({ next: odd, error: odd });
      visits.on('*', odd);
      visits.subscribe(({ context }) => told.push(context?.count));
      await test.settle();
      await added(kit);
      test.cut();
      await test.advance(LONG_MS);
      await added(kit);
      await test.settle();
    });
    expect(left).toEqual([]);
    expect([told, client.status.get()]).toEqual([[0, 1, 2], 'live']);
    expect(new Set(logged)).toEqual(new Set(['an observer of the client failed: odd']));
  });

  it.each(sample(HARMS, 6))('may throw, or reject with, %s (class D)', async (what) => {
    const { test, visits, logged } = await started();
    const left = await unhandled(async () => {
      visits.subscribe(() => {
        throw hostile(what);
      });
      // eslint-disable-next-line @typescript-eslint/no-misused-promises -- what users write, and types allow
      visits.subscribe(async () => {
        throw hostile(what);
      });
      await test.settle();
    });
    expect([left, logged.length]).toEqual([[], 2]);
  });

  it('harms nobody even if the log throws or rejects (class A)', async () => {
    for (const log of [throwing, rejecting]) {
      const kit = await started({ log });
      const left = await unhandled(async () => {
        kit.visits.subscribe(throwing);
        await kit.test.settle();
        await added(kit);
      });
      expect(left).toEqual([]);
    }
  });
});

describe('waitFor', () => {
  it('refuses a condition that gives a promise, whose rejection is handled (class A)', async () => {
    const { test, visits } = await started();
    const left = await unhandled(async () => {
      const waits = watched(visits.waitFor(rejecting));
      await test.settle();
      expect(waits.error).toMatchObject({
        code: 'BOSUN_VALUE_REFUSED',
        message: expect.stringContaining('the condition of waitFor for visits gives a promise') as string,
      });
    });
    expect(left).toEqual([]);
  });
});

describe('a token function', () => {
  // A text is a token, whatever is in it.
  const values = sample(
    HARMS.filter((what) => what !== 'half a surrogate pair'),
    6,
  );

  it.each(values)('may throw, reject with, or give %s: the client tries again later (class D)', async (what) => {
    for (const odd of [
      () => {
        throw hostile(what);
      },
      async () => {
        throw hostile(what);
      },
      () => hostile(what),
    ]) {
      let calls = 0;
      const token = () => (++calls === 1 ? (odd() as string) : TOKEN);
      const left = await unhandled(async () => {
        const { test, client, logged } = await started({ token });
        await test.advance(LONG_MS);
        expect(client.status.get()).toBe('live');
        if (what !== 'undefined') expect(calls).toBe(2);
        if (what !== 'undefined' && what !== 'a promise that never settles') {
          expect(logged).toEqual([expect.stringContaining('the client cannot connect: ')]);
        }
      });
      expect(left).toEqual([]);
    }
  });
});

describe('onUnauthorized', () => {
  it('is called again if it failed, before the client gives up (class D)', async () => {
    const token = 'a-token-of-16-characters';
    const test = await startClientTest({ tokens: [{ id: 'ada', token }] });
    onTestFinished(() => test.stop());
    let calls = 0;
    const logged: string[] = [];
    const client = await test.live({
      token: 'an-old-token-of-16-characters',
      onUnauthorized: () => (++calls === 1 ? rejecting() : token),
      log: (line) => void logged.push(String(line)),
    });
    await test.advance(LONG_MS);
    expect([client.status.get(), calls]).toEqual(['live', 2]);
    expect(logged).toEqual(['the client cannot connect: odd']);
    client.close();
  });
});

describe('a WebSocket class', () => {
  it('may throw when it is made, and when it sends (class D)', async () => {
    const test = await startClientTest();
    onTestFinished(() => test.stop());
    const { WebSocket } = test.socket;
    let [made, sends] = [0, 0];
    class Odd extends WebSocket {
      constructor(url: string, protocols: string[]) {
        if (++made === 1) throw hostile('a proxy all of whose traps throw');
        super(url, protocols);
      }
      override send(data: string): void {
        if (++sends === 3) throw new Error('closing');
        super.send(data);
      }
    }
    const left = await unhandled(async () => {
      const client = await test.live({ WebSocket: Odd as never, log: () => {} });
      await test.advance(LONG_MS);
      const visits = client.actor('visits', 'counter');
      const sent = [1, 2, 3].map((by) => watched(visits.send({ type: 'add', by })));
      await test.advance(LONG_MS);
      expect(sent.map(({ value }) => value)).toEqual([{ taken: null }, { taken: null }, { taken: null }]);
      expect(test.context.count).toBe(6);
      client.close();
    });
    expect(left).toEqual([]);
  });
});

describe('a storage', () => {
  const odd = {
    'that throws when it is read': { getItem: throwing },
    'that throws when it is written': { setItem: throwing },
    'that rejects': { getItem: rejecting, setItem: rejecting },
    'that throws what has no text': {
      getItem: () => {
        throw hostile('a proxy all of whose traps throw');
      },
    },
  };

  it.each(Object.entries(odd))(
    '%s is one line of the log, and the client does without it (class D)',
    async (_, fails) => {
      const left = await unhandled(async () => {
        const kit = await started({ storage: { ...memoryStorage(), ...fails } });
        await added(kit);
        await added(kit);
        expect(kit.test.context.count).toBe(2);
        expect(kit.logged).toEqual([expect.stringContaining('the storage of the client fails')]);
      });
      expect(left).toEqual([]);
    },
  );

  it('keeps no send that the next client would send again if it is full (class D)', async () => {
    const test = await startClientTest();
    onTestFinished(() => test.stop());
    const kept = memoryStorage();
    let isFull = false;
    const storage = {
      getItem: kept.getItem,
      setItem: (key: string, value: string) => {
        if (isFull && value !== '') throw new Error('QuotaExceededError');
        kept.setItem(key, value);
      },
    };
    test.isDown = true;
    const first = test.client({ storage, log: () => {} });
    const sent = watched(first.actor('visits', 'counter').send({ type: 'add', by: 1 }));
    await test.settle();
    isFull = true;
    test.isDown = false;
    await test.advance(LONG_MS);
    expect(sent.value).toEqual({ taken: null });
    first.close();
    isFull = false;
    const second = await test.live({ storage });
    await test.advance(LONG_MS);
    expect(test.context.count).toBe(1);
    second.close();
  });
});

describe('a record in the storage', () => {
  const session = 'a-session-of-22-chars-';
  const add = { p: { address: 'visits', event: { type: 'add', by: 1 } } };
  const key = 'bosun.client';

  const foreign: Record<string, unknown> = {
    'that is no text': new Date(0),
    'that is no JSON': '{',
    'that is null': 'null',
    'with no session': { sends: [] },
    'with a session that the gateway refuses': { session: 'short', sends: [] },
    'whose sends are no list': { session, sends: { length: 1 } },
    'with a send that is no object': { session, sends: [add, null] },
    'with a send that is a number': { session, sends: [7] },
    'with a send without parameters': { session, sends: [{ seq: 1 }] },
    'with a send whose parameters are a list': { session, sends: [{ p: [] }] },
    'with a number that is a text': { session, sends: [{ ...add, seq: '1' }] },
    'with a number below 1': { session, sends: [{ ...add, seq: 0 }] },
    'with a number behind which no other fits': { session, sends: [{ ...add, seq: Number.MAX_SAFE_INTEGER }] },
    'with a send that fits in no frame': { session, sends: [{ p: { address: 'visits', event: '\ud800' } }] },
    'with a million sends': { session, sends: Array<typeof add>(1_000_000).fill(add) },
    'with one send more than may be kept': { session, sends: Array<typeof add>(10_001).fill(add) },
  };

  it.each(Object.entries(foreign))('is a line of the log %s, and a new session begins (class C)', async (_, record) => {
    const storage = memoryStorage();
    const text = typeof record === 'string' || record instanceof Date ? record : JSON.stringify(record);
    storage.entries.set(key, text as string);
    const kit = await started({ storage });
    await added(kit);
    expect(kit.client.status.get()).toBe('live');
    expect(kit.test.context.count).toBe(1);
    expect(kit.logged).toEqual([expect.stringContaining('the storage of the client holds something else under')]);
    expect(storage.entries.get(key)).not.toContain(session);
  });

  it.each<[string, object[], number]>([
    ['as many as may be kept', Array<typeof add>(10_000).fill(add), 10_000],
    ['with numbers that the gateway does not expect', [{ ...add, seq: 5 }, { ...add, seq: 2 ** 52 }, add], 3],
    ['that the gateway refuses', [{ p: {} }, { p: { address: 'visits', event: { type: 'odd' } } }, add], 1],
  ])('is taken with sends %s, and the client goes on (class C)', async (_, sends, count) => {
    const storage = memoryStorage();
    storage.entries.set(key, JSON.stringify({ session, sends }));
    const kit = await started({ storage, queueMax: 10_001 });
    expect(kit.client.unacknowledged).toBeLessThanOrEqual(sends.length);
    if (count > 100) return expect(kit.logged).toEqual([]);
    await kit.test.advance(LONG_MS);
    expect([kit.test.context.count, kit.client.unacknowledged]).toEqual([count, 0]);
    await added(kit);
    expect(kit.logged).toEqual([]);
  });

  it('is missing where the storage only claims to have written it, and nothing else is (class C)', async () => {
    const kit = await started({ storage: { getItem: () => null, setItem: () => {} } });
    await added(kit);
    expect(kit.logged).toEqual([]);
  });
});

describe('an iteration of events', () => {
  it('ends without an error when its own client is closed (S17)', async () => {
    const { test, client, visits } = await started();
    const left = await unhandled(async () => {
      const seen: string[] = [];
      const hear = async () => {
        for await (const event of visits.events()) seen.push(event.type);
        seen.push('over');
      };
      void hear();
      await test.settle();
      client.close();
      await test.settle();
      expect(seen).toEqual(['over']);
      // One that is begun later ends at once.
      expect(await visits.events().next()).toEqual({ done: true, value: undefined });
    });
    expect(left).toEqual([]);
  });
});
