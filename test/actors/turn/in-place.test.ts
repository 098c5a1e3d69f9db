/** Turns that change dates and bytes of stored values in place, which JavaScript cannot freeze: they are refused. */
import { inspect } from 'node:util';
import { assign, fromTransition, sendTo, setup } from 'xstate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Change, changing, type Context, FRESH, fresh, shownContext } from '../../support/actors/dated.ts';
import { contextOf, startSubject, tell } from '../../support/actors/subject.ts';
import { crash } from '../../support/actors/started.ts';
import { scribbled } from '../../support/scribbled.ts';

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
    // The message is delivered again, when there is nothing left to give.
    const machine = changing(
      ({ bytes }) => bytes.length > 0 && port1.postMessage(bytes, [bytes.buffer as ArrayBuffer]),
    );
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

describe('a turn that assigns a proxy that cannot be read', () => {
  it('is refused with its place', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const machine = setup({ types: {} as { context: { got: object } } }).createMachine({
      context: { got: {} },
      on: { go: { actions: assign({ got: () => proxy }) } },
    });
    const test = await startSubject(machine, { events: ['go'] });
    await tell(test, 'go');
    const [letter] = test.shard.deadLetters.list();
    expect(letter?.error).toMatchObject({
      code: 'BOSUN_VALUE_REFUSED',
      message: expect.stringMatching(/^context\.got cannot be read: .*; store a copy of its data$/) as string,
    });
    expect(contextOf(test)).toEqual({ got: {} });
  });
});
