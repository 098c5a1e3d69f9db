/** Dates and bytes of stored values in the hands of code outside of turns: its changes never reach a state. */
import { inspect } from 'node:util';
import { assign, emit, enqueueActions, fromCallback, fromObservable, fromPromise, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { reply } from '../../../src/actors/model/talk-actions.ts';
import { table, type Table } from '../../../src/table.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { changing, type Context, FRESH, fresh, shownContext } from '../../support/actors/dated.ts';
import { agentOf, contextOf, startSubject, tell } from '../../support/actors/subject.ts';
import { startDeclared } from '../../support/actors/declared.ts';
import { crash } from '../../support/actors/started.ts';
import { scribbled } from '../../support/scribbled.ts';

const gotten: unknown[] = [];

/** A machine that hands its context to everything that runs outside of a turn. */
const handing = setup({
  types: {} as { context: Context; events: { type: 'ask' | 'drop' | 'emit' | 'more' | 'act'; at: Date } },
  actors: {
    promise: fromPromise<unknown, unknown>(async ({ input, self }) => {
      const { checkpoint, checkpointed, memo } = effectOf(self);
      gotten.push(scribbled(checkpointed));
      await checkpoint(input);
      gotten.push(scribbled(await memo('first', () => input)));
      scribbled(await memo('first', () => input));
      const result = { input };
      queueMicrotask(() => scribbled(result));
      return result;
    }),
    callback: fromCallback(({ input, receive }) => {
      scribbled(input);
      receive((event) => scribbled(event));
    }),
  },
  actions: {
    scribble: ({ context, event }) => void scribbled({ context, event }),
    take: (_, params: unknown) => void scribbled(params),
  },
}).createMachine({
  context: fresh,
  invoke: [
    {
      src: 'promise',
      input: ({ context }: { context: Context }) => context.due,
      onDone: { actions: assign({ got: 'done' }) },
    },
    { src: 'callback', id: 'callback', input: ({ context }) => ({ deep: [context.bytes, context.nested] }) },
  ],
  on: {
    act: {
      actions: [
        assign({
          seen: ({ event }) => event.at,
          rows: ({ context: { rows } }) => rows.set('new', { at: new Date(70), bytes: new Uint8Array([3]) }),
        }),
        'scribble',
        { type: 'take', params: ({ context }: { context: Context }) => context.bytes },
        enqueueActions(({ enqueue }) =>
          enqueue(({ context, self }) => void scribbled([context, self.getSnapshot().context])),
        ),
      ],
    },
    emit: {
      actions: [
        assign({ got: 'emitted' }),
        emit(({ context }) => ({ type: 'told', due: context.due, bytes: context.bytes })),
      ],
    },
    drop: { actions: assign({ rows: ({ context: { rows } }) => rows.delete('new') }) },
    more: { actions: sendTo('callback', ({ context }: { context: Context }) => ({ type: 'more', due: context.due })) },
    ask: { actions: reply(({ context }) => ({ due: context.due, bytes: context.bytes })) },
  },
});

/** The context as a host gets it. */
async function shownBy(test: TestSystem): Promise<Context> {
  return (await test.system.snapshot('subject'))!.context as Context;
}

describe('code outside of turns', () => {
  async function expectFresh(test: TestSystem): Promise<void> {
    await tell(test, 'drop');
    const { got: _, seen: _seen, ...context } = await shownBy(test);
    const { got: __, seen: __seen, ...expected } = fresh();
    expect(inspect(context, { depth: 9 })).toBe(inspect(expected, { depth: 9 }));
    await tell(test, 'act', { at: new Date(8) });
    await tell(test, 'drop');
    expect(inspect({ ...(await shownBy(test)), got: null, seen: null }, { depth: 9 })).toBe(FRESH);
    await crash(test);
    scribbled(await shownBy(test));
    expect(inspect({ ...(await shownBy(test)), got: null, seen: null }, { depth: 9 })).toBe(FRESH);
  }
  const start = () => startSubject(handing, { events: ['ask', 'drop', 'emit', 'more', 'act'] });

  it('changes no state by the input of an effect, its checkpoint, its memo, or the result that it keeps', async () => {
    const test = await start();
    await test.settle();
    await expectFresh(test);
  });

  it('changes no state by the arguments of an action, or the snapshot of its actor', async () => {
    const test = await start();
    await tell(test, 'act', { at: new Date(8) });
    await expectFresh(test);
  });

  it('is stopped as ever if it is an observable with dates in its input', async () => {
    let due: Date | undefined;
    let unsubscribed = 0;
    const ticks = fromObservable(({ input }: { input: Date }) => {
      due = scribbled(input);
      return { subscribe: () => ({ unsubscribe: () => (unsubscribed += 1) }) } as never;
    });
    const machine = setup({ types: {} as { context: Context }, actors: { ticks } }).createMachine({
      context: fresh,
      initial: 'on',
      states: { on: { invoke: { src: 'ticks', input: ({ context }) => context.due }, on: { off: 'off' } }, off: {} },
    });
    const test = await startSubject(machine, { events: ['off'] });
    await test.settle();
    expect([due?.getFullYear(), unsubscribed]).toEqual([1999, 0]);
    await tell(test, 'off');
    expect(unsubscribed).toBe(1);
    expect(shownContext(test)).toBe(FRESH);
  });

  it('changes no state by an event that a callback receives', async () => {
    const test = await start();
    await tell(test, 'more', { at: new Date(8) });
    await expectFresh(test);
  });

  it('changes no state by a snapshot: read, subscribed to, or waited for', async () => {
    const test = await start();
    const actor = await test.system.actor('subject');
    actor.subscribe((snapshot) => scribbled(snapshot.context));
    scribbled((await test.system.snapshot('subject'))!.context);
    scribbled((await actor.waitFor(() => true)).context);
    scribbled(actor.getSnapshot().context);
    expect(inspect({ ...(actor.getSnapshot().context as Context), got: null, seen: null }, { depth: 9 })).toBe(FRESH);
    await tell(test, 'act', { at: new Date(8) });
    await expectFresh(test);
  });

  it('changes no state by an emitted event, a reply, or the record of a turn', async () => {
    const test = await start();
    const actor = await test.system.actor('subject');
    const emitted: unknown[] = [];
    actor.on('told', (event) => scribbled(event));
    actor.on('told', (event) => emitted.push(event));
    const records: unknown[] = [];
    await test.system.admin.onTurn('subject', (record) => void scribbled(record));
    await test.system.admin.onTurn('subject', ({ event, change }) => records.push(event, change));
    await tell(test, 'emit', { at: new Date(8) });
    expect(emitted).toEqual([{ type: 'told', due: new Date(5), bytes: new Uint8Array([1, 2]) }]);
    expect(records.at(-1)).toEqual({ set: { got: 'emitted' } });
    await tell(test, 'act', { at: new Date(8) });
    const row = { at: new Date(70), bytes: new Uint8Array([3]) };
    expect(records.slice(-2)).toEqual([
      { type: 'act', at: new Date(8) },
      { set: { seen: new Date(8) }, rows: { rows: { size: 2, set: [['new', row]], unset: [] } } },
    ]);
    await tell(test, 'drop');
    expect(records.at(-1)).toEqual({ rows: { rows: { size: 1, set: [], unset: ['new'] } } });
    scribbled(await actor.ask({ type: 'ask' }));
    scribbled(await test.system.admin.recent('subject'));
    await expectFresh(test);
  });

  it('shows each observer of turns the rows of a turn as they were set', async () => {
    const machine = setup({ types: {} as { context: { rows: Table<{ readonly n: number }> } } }).createMachine({
      context: { rows: table() },
      on: { put: { actions: assign({ rows: ({ context }) => context.rows.set('k', { n: 1 }) }) } },
    });
    const test = await startSubject(machine, { events: ['put'] });
    const changes: unknown[] = [];
    await test.system.admin.onTurn('subject', (record) => void scribbled(record));
    await test.system.admin.onTurn('subject', ({ change }) => changes.push(change));
    await tell(test, 'put');
    expect(changes).toEqual([{ rows: { rows: { size: 1, set: [['k', { n: 1 }]], unset: [] } } }]);
  });

  it('changes no state by an event that it sent, or the input that it gave, and changes later', async () => {
    const keeper = agentOf(
      'keeper',
      setup({ types: {} as { context: { input: unknown; got: unknown }; input: unknown } }).createMachine({
        context: ({ input }) => ({ input, got: null }),
        on: { take: { actions: assign({ got: ({ event }) => event }) } },
      }),
      ['take'],
    );
    const test = await startSubject(handing, { agents: [keeper] });
    const given = fresh();
    await test.system.spawn(keeper, 'kept', { input: given });
    scribbled(given);
    const sent = { type: 'take', ...fresh() };
    const sending = test.system.send('kept', sent);
    scribbled(sent);
    await test.settle();
    await sending;
    const expected = inspect({ input: fresh(), got: { ...fresh(), type: 'take' } }, { depth: 9 });
    expect(inspect(contextOf(test, 'kept'), { depth: 9 })).toBe(expected);
    await crash(test);
    expect(inspect(contextOf(test, 'kept'), { depth: 9 })).toBe(expected);
  });
});

describe('a Boss', () => {
  it('keeps the input of a child and its last error as they were, also after a restart', async () => {
    const failing = changing(() => {
      throw new Error('no', { cause: { at: [1] } });
    });
    const kept = agentOf('kept', setup({}).createMachine({ on: { go: {} } }), ['go']);
    const test = await startSubject(failing, { events: ['go'], agents: [kept] });
    await test.system.spawn(kept, 'kept', { input: { at: new Date(5), list: [{ a: 1 }] } });
    await tell(test, 'go', { at: new Date(8) });
    const children = async () =>
      inspect([await test.system.boss().whichChildren(), await test.system.boss().getChildSpec('kept')], { depth: 9 });
    for (const run of ['first', 'second']) {
      const before = await children();
      expect([run, before]).toEqual([run, expect.stringContaining('1970-01-01T00:00:00.005Z')]);
      scribbled(await test.system.boss().whichChildren());
      scribbled(await test.system.boss().getChildSpec('kept'));
      scribbled(await test.system.tree());
      expect(await children()).toBe(before);
      await crash(test);
    }
  });
});

describe('a snapshot that holds dates', () => {
  it('is the same object until the actor changes or a reader changes it', async () => {
    const test = await startSubject(handing, { events: ['act'] });
    await test.settle();
    const actor = await test.system.actor('subject');
    const before = actor.getSnapshot();
    expect(actor.getSnapshot()).toBe(before);
    const { due } = before.context as Context;
    due.setTime(0);
    expect(actor.getSnapshot()).not.toBe(before);
    expect(due).toEqual(new Date(0));
  });
});

describe('a durable action', () => {
  it('cannot change what its next try gets', async () => {
    const tries: string[] = [];
    const machine = setup({
      types: {} as { context: Context; events: { type: 'go'; at: Date } },
      actions: {
        mail: ({ event }, params: unknown) => {
          tries.push(inspect({ event, params }));
          scribbled({ event, params });
          if (tries.length < 3) throw new Error('down');
        },
      },
    }).createMachine({
      context: fresh,
      on: { go: { actions: { type: 'mail', params: ({ context }: { context: Context }) => ({ due: context.due }) } } },
    });
    const mail = { durable: true, retry: { attempts: 3, backoff: { minMs: 0 } } } as const;
    const test = await startDeclared(machine, { events: ['go'], actions: { mail } });
    await tell(test, 'go', { at: new Date(8) });
    await test.advance(60_000);
    expect(tries).toHaveLength(3);
    expect(new Set(tries)).toEqual(
      new Set([inspect({ event: { at: new Date(8), type: 'go' }, params: { due: new Date(5) } })]),
    );
    expect(shownContext(test)).toBe(FRESH);
  });
});
