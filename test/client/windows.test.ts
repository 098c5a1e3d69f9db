/** Windows through the client: a page that is kept current, over breaks too, and typed by the host's exports. */
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { procedure } from '../../src/actors/api/procedure.ts';
import { window } from '../../src/actors/api/window.ts';
import { createClient } from '../../src/client/client.ts';
import { type ClientError } from '../../src/client/client-error.ts';
import { windowTopic } from '../../src/client/remote-window.ts';
import { type crewProcedures } from '../../src/crew.ts';
import { type GateShown } from '../../src/crew-gates.ts';
import { rowsInOrder, type WindowPage } from '../../src/gateway/protocol/window-page.ts';
import { ClientTest } from '../support/client/client-kit.ts';
import { startGatewayTest } from '../support/gateway/memory-client.ts';
import { shop } from '../support/gateway/shop.ts';

const about = { params: z.object({}), result: z.object({ count: z.number() }), example: { p: {}, r: { count: 1 } } };

const procedures = {
  'visits.plain': procedure({ ...about, means: 'No window.', read: () => ({ count: 1 }) }),
  'items.all': window({
    means: 'All items.',
    params: z.object({ word: z.string().optional() }),
    row: z.object({ n: z.number() }),
    of: { address: 'desk', table: 'items' },
    shows: (row: { readonly n: number }) => row,
    example: { p: {}, r: { rows: {}, size: 0, next: null, isReverse: false } },
  }),
  'visits.now': procedure({
    ...about,
    means: 'The count of the visits, times a factor.',
    params: z.object({ times: z.int().default(1) }),
    window: { address: 'visits' },
    read: async ({ times }, reader) => {
      const { context } = await reader.actor('visits');
      return { count: (context as { count: number }).count * times };
    },
  }),
  'visits.lost': procedure({
    ...about,
    means: 'The count of visits that nobody counts.',
    window: { address: 'lost' },
    read: async (_, reader) => ({ count: Number((await reader.actor('lost')).sequence) }),
  }),
};

async function start(): Promise<ClientTest> {
  const test = new ClientTest(await startGatewayTest({ procedures }, shop()));
  onTestFinished(() => test.stop());
  return test;
}

describe('a window of a client', () => {
  it('gives its present page and each changed one to all that watch, and continues over a break', async () => {
    const test = await start();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    const view = client.window<typeof procedures, 'visits.now'>('visits.now', { times: 2 });
    expect(view.getSnapshot()).toBe(undefined);
    const [first, second]: [number[], number[]] = [[], []];
    const one = view.subscribe(({ count }) => first.push(count));
    await test.settle();
    const other = view.subscribe({ next: ({ count }) => second.push(count) });
    await visits.send({ type: 'add', by: 3 });
    await test.advance(1_000);
    expect([first, second]).toEqual([
      [0, 6],
      [0, 6],
    ]);
    one.unsubscribe();
    test.cut();
    await test.advance(10_000);
    await client.actor('visits', 'counter').send({ type: 'add', by: 1 });
    await test.advance(1_000);
    expect([first.at(-1), second.at(-1), view.getSnapshot()]).toEqual([6, 8, { count: 8 }]);
    other.unsubscribe();
    await visits.send({ type: 'add', by: 1 });
    await test.advance(1_000);
    expect(view.getSnapshot()).toEqual({ count: 8 });
    client.close();
  });

  it('keeps an observer that throws from no other, and ends with its error', async () => {
    const test = await start();
    const logged: unknown[] = [];
    const client = await test.live({ log: (line) => logged.push(line) });
    const errors: ClientError[] = [];
    const view = client.window<typeof procedures, 'visits.now'>('visits.now', {});
    const seen: number[] = [];
    view.subscribe(() => {
      throw new Error('an observer');
    });
    view.subscribe(({ count }) => seen.push(count));
    client
      .window<typeof procedures, 'visits.lost'>('visits.lost', {})
      .subscribe({ error: (error) => errors.push(error) });
    await test.settle();
    expect([seen, logged.length]).toEqual([[0], 1]);
    expect(errors).toMatchObject([{ code: 'BOSUN_ACTOR_UNKNOWN' }]);
    client.close();
    for (let time = 0; time < 2; time++) view.subscribe({ error: (error) => errors.push(error) });
    expect(errors.slice(1).map(({ code }) => code)).toEqual(['BOSUN_CLIENT_CLOSED', 'BOSUN_CLIENT_CLOSED']);
  });
});

describe('the topic of a window', () => {
  it('has its parameters in a query, without those that are undefined', () => {
    expect(windowTopic('gates.open', {})).toBe('window/gates.open?');
    const params = { audience: 'ada & bob', kind: undefined, limit: 5, isOver: true };
    expect(windowTopic('gates.open', params)).toBe('window/gates.open?audience=ada+%26+bob&limit=5&isOver=true');
  });
});

describe('the rows of a page', () => {
  it('are in the order of the window, whatever the order of the keys of the object', () => {
    const rows = { b: 2, 10: 10, a: 1, 9: 9 };
    const page = { rows, size: 4, next: null };
    expect(rowsInOrder({ ...page, isReverse: false })).toEqual([10, 9, 1, 2]);
    expect(rowsInOrder({ ...page, isReverse: true })).toEqual([2, 1, 9, 10]);
  });
});

/** Compiled, never run. */
function typed(): void {
  const client = createClient('ws://shop');
  const page = client.window<typeof procedures, 'items.all'>('items.all', { word: 'lamp', limit: 3 }).getSnapshot();
  expectTypeOf(page).toEqualTypeOf<WindowPage<{ n: number }> | undefined>();
  const gates = client.window<typeof crewProcedures, 'gates.open'>('gates.open', { audience: 'ada' });
  expectTypeOf(gates.getSnapshot()).toEqualTypeOf<WindowPage<GateShown> | undefined>();
  // @ts-expect-error a parameter of another type
  client.window<typeof procedures, 'items.all'>('items.all', { word: 7 });
  // @ts-expect-error a parameter that the window does not have
  client.window<typeof procedures, 'items.all'>('items.all', { words: 'lamp' });
  // @ts-expect-error a procedure without a window
  client.window<typeof procedures, 'visits.plain'>('visits.plain', {});
  // @ts-expect-error a procedure that is not offered
  client.window<typeof procedures, 'items.none'>('items.none', {});
}

describe('misuse of a window of a client', () => {
  it('does not compile', () => {
    expect(typed).toBeTypeOf('function');
  });
});
