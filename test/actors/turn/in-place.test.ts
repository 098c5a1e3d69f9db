/**
 * Dates and bytes of stored values, which JavaScript cannot freeze: a change in place is refused in a turn, and no
 * other code that gets such a value can change what is stored.
 */
import { inspect } from 'node:util';
import {
  assign,
  emit,
  enqueueActions,
  fromCallback,
  fromObservable,
  fromPromise,
  fromTransition,
  sendTo,
  setup,
} from 'xstate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { reply } from '../../../src/actors/model/talk-actions.ts';
import { table, type Table } from '../../../src/table.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { agentOf, contextOf, startSubject, tell } from '../../support/actors/subject.ts';
import { startDeclared } from '../../support/actors/declared.ts';
import { crash } from '../../support/actors/started.ts';
import { scribbled } from '../../support/scribbled.ts';

interface Context {
  readonly due: Date;
  readonly bytes: Uint8Array;
  readonly nested: ReadonlyMap<string, readonly { readonly at: Date }[]>;
  readonly rows: Table<{ readonly at: Date; readonly bytes: Uint8Array }>;
  readonly inner: { readonly rows: Table<readonly Date[]>; readonly list: readonly Date[] };
  readonly got: unknown;
  readonly seen: Date | null;
}

function fresh(): Context {
  return {
    due: new Date(5),
    bytes: new Uint8Array([1, 2]),
    nested: new Map([['a', [{ at: new Date(6) }]]]),
    rows: table([['k', { at: new Date(7), bytes: new Uint8Array([3]) }]]),
    inner: { rows: table([['k', [new Date(8)]]]), list: [new Date(9)] },
    got: null,
    seen: null,
  };
}

const FRESH = inspect(fresh(), { depth: 9 });

function shownContext(test: TestSystem): string {
  return inspect(contextOf(test), { depth: 9 });
}

type Change = (context: Context, event: { readonly at: Date }) => unknown;

function changing(change: Change) {
  return setup({ types: {} as { context: Context; events: { type: 'go'; at: Date } } }).createMachine({
    context: fresh,
    on: { go: { actions: assign(({ context, event }) => (change(context, event), { got: 'changed' })) } },
  });
}

/** Each change in place, with the place that its refusal names. */
const CHANGES: Readonly<Record<string, readonly [change: Change, place: string]>> = {
  'a date': [({ due }) => due.setTime(99), 'context.due is a date'],
  'a date by the method of its class': [({ due }) => Date.prototype.setTime.call(due, 9), 'context.due is a date'],
  bytes: [({ bytes }) => (bytes[0] = 9), 'context.bytes is bytes'],
  'bytes by a view of their buffer': [
    ({ bytes: { buffer } }) => new DataView(buffer).setUint8(1, 9),
    'context.bytes is bytes',
  ],
  'a date within a map': [
    ({ nested }) => nested.get('a')![0]!.at.setTime(99),
    'context.nested.(member)[0].at is a date',
  ],
  'a date in a row': [({ rows }) => rows.get('k')!.at.setTime(99), 'context.rows.get("k").at is a date'],
  'bytes in a row of a loop': [
    ({ rows }) => rows.forEach(({ bytes }) => bytes.fill(9)),
    'context.rows.get("k").bytes is bytes',
  ],
  'bytes in a row of an iteration': [
    ({ rows }) => [...rows.values()].map(({ bytes }) => bytes.fill(9)),
    'context.rows.get("k").bytes is bytes',
  ],
  'a date within a list beside a table': [({ inner }) => inner.list[0]!.setTime(99), 'context.inner.list[0] is a date'],
  'a row that is a date, of a table within an object': [
    ({ inner }) => inner.rows.first()![1][0]!.setTime(99),
    'context.inner.rows.get("k")[0] is a date',
  ],
  'a date of the event': [(_, { at }) => at.setTime(99), 'event.at is a date'],
};

describe('a turn that changes a stored value in place', () => {
  it.each(Object.entries(CHANGES))('is refused for %s, and leaves the state as it was', async (_, [change, place]) => {
    const test = await startSubject(changing(change), { events: ['go'] });
    await tell(test, 'go', { at: new Date(8) });
    expect(shownContext(test)).toBe(FRESH);
    const [letter] = test.shard.deadLetters.list();
    expect(letter?.error).toMatchObject({ code: 'BOSUN_VALUE_REFUSED' });
    expect(String((letter!.error as Error).message)).toContain(`${place}, and was changed in place`);
    expect(letter?.event).toEqual({ type: 'go', at: new Date(8) });
    await crash(test);
    expect(shownContext(test)).toBe(FRESH);
  });

  it('is refused for a date of another actor, which stays as it was', async () => {
    const machine = setup({ types: {} as { context: Context }, actors: { kid: changing(() => {}) } }).createMachine({
      context: fresh,
      invoke: { src: 'kid', id: 'kid' },
      on: {
        go: {
          actions: assign(({ self }) => (self.getSnapshot().children['kid']!.getSnapshot().context.due.setTime(9), {})),
        },
      },
    });
    const test = await startSubject(machine, { events: ['go'] });
    await tell(test, 'go');
    expect((test.shard.deadLetters.list()[0]!.error as Error).message).toContain(
      'a part of a snapshot of another actor',
    );
    expect((contextOf(test, 'subject/kid') as Context).due).toEqual(new Date(5));
  });

  it('is refused for the state of a reducer', async () => {
    const reducer = fromTransition((state: { due: Date }) => (state.due.setTime(9), state), { due: new Date(5) });
    const machine = setup({ types: {} as { context: { failed: string } }, actors: { reducer } }).createMachine({
      context: { failed: '' },
      invoke: {
        src: 'reducer',
        id: 'reducer',
        onError: { actions: assign({ failed: ({ event }) => (event.error as Error).message }) },
      },
      on: { go: { actions: sendTo('reducer', { type: 'any' }) } },
    });
    const test = await startSubject(machine, { events: ['go'] });
    await tell(test, 'go');
    expect(contextOf(test)).toMatchObject({ failed: expect.stringContaining('context.due is a date') as string });
  });

  it('leaves the state as it was if it throws after the change', async () => {
    const test = await startSubject(
      changing((context) => {
        scribbled(context);
        throw new Error('no');
      }),
      { events: ['go'] },
    );
    await tell(test, 'go', { at: new Date(8) });
    expect(shownContext(test)).toBe(FRESH);
    expect((test.shard.deadLetters.list()[0]!.error as Error).message).toBe('no');
    await crash(test);
    expect(shownContext(test)).toBe(FRESH);
  });

  it('may make new dates and bytes, which are stored', async () => {
    const machine = setup({ types: {} as { context: Context } }).createMachine({
      context: fresh,
      on: {
        go: {
          actions: assign(({ context: { due, bytes, rows } }) => ({
            due: new Date(due.getTime() + 1),
            bytes: bytes.map((byte) => byte + 1),
            rows: rows.update('k', (row) => ({ ...row!, at: new Date(70) })),
          })),
        },
      },
    });
    const test = await startSubject(machine, { events: ['go'] });
    await tell(test, 'go');
    const expected = { due: new Date(6), bytes: new Uint8Array([2, 3]) };
    expect(contextOf(test)).toMatchObject(expected);
    await crash(test);
    expect(contextOf(test)).toMatchObject(expected);
    expect((contextOf(test) as Context).rows.get('k')).toEqual({ at: new Date(70), bytes: new Uint8Array([3]) });
  });

  it('cannot give bytes away: every turn is refused from there on, and a restart has them again', async () => {
    const { port1 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const machine = changing(({ bytes }) => port1.postMessage(bytes, [bytes.buffer as ArrayBuffer]));
    const test = await startSubject(machine, { events: ['go'] });
    await tell(test, 'go', { at: new Date(8) });
    expect((test.shard.deadLetters.list()[0]!.error as Error).message).toContain('context.bytes is bytes');
    expect(shownContext(test)).not.toBe(FRESH);
    await crash(test);
    expect(shownContext(test)).toBe(FRESH);
  });

  it('cannot change the rows of a table that it moves as a whole', async () => {
    let kept: { readonly at: Date; readonly bytes: Uint8Array } | undefined;
    const machine = setup({ types: {} as { context: Context } }).createMachine({
      context: fresh,
      on: {
        keep: { actions: assign(({ context }) => ((kept = context.rows.get('k')), { got: 'kept' })) },
        move: {
          actions: assign({ got: ({ context }) => ({ rows: context.rows }), rows: ({ context }) => context.rows }),
        },
        copy: { actions: assign({ seen: null, copied: ({ context }: { context: Context }) => context.rows } as never) },
      },
    });
    const test = await startSubject(machine, { events: ['keep', 'move', 'copy'] });
    await tell(test, 'keep');
    for (const type of ['move', 'copy']) {
      scribbled(kept);
      await tell(test, type);
    }
    const expected = { got: { rows: [fresh().rows.get('k')] }, copied: [fresh().rows.get('k')] };
    const rowsOf = () => {
      const { got, copied } = contextOf(test) as { got: { rows: Context['rows'] }; copied: Context['rows'] };
      return { got: { rows: [...got.rows.values()] }, copied: [...copied.values()] };
    };
    expect(rowsOf()).toEqual(expected);
    await crash(test);
    expect(rowsOf()).toEqual(expected);
  });

  it('cannot change what an earlier turn took out of the state', async () => {
    let kept: Context | undefined;
    const machine = setup({ types: {} as { context: Context } }).createMachine({
      context: fresh,
      on: {
        keep: { actions: assign(({ context }) => ((kept = context), { got: 'kept' })) },
        read: { actions: assign({ got: ({ context }) => [context.due.getTime(), ...context.bytes] }) },
      },
    });
    const test = await startSubject(machine, { events: ['keep', 'read'] });
    await tell(test, 'keep');
    scribbled(kept);
    await tell(test, 'read');
    expect((contextOf(test) as Context).got).toEqual([5, 1, 2]);
    await crash(test);
    expect((contextOf(test) as Context).got).toEqual([5, 1, 2]);
    expect(inspect({ ...(contextOf(test) as Context), got: null, seen: null }, { depth: 9 })).toBe(FRESH);
  });
});

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
