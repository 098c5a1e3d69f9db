/** P8: bounds of the kernel that no other test reaches, each at its bound. */
import { assign, createMachine, enqueueActions, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { checkAddress, childAddress, childIdOf, invokedAddress } from '../../../../src/actors/model/address.ts';
import {
  ADDRESS_SEGMENT_CHARS_MAX,
  ADDRESS_SEGMENTS_MAX,
  QUARANTINE_MESSAGES_MAX,
  TIMERS_PER_ACTOR_MAX,
  TIMERS_PER_SLICE,
} from '../../../../src/limits.ts';
import { contextOf, startSubject, tell } from '../../../support/actors/subject.ts';

describe('an actor', () => {
  it(`has at most ${TIMERS_PER_ACTOR_MAX} timers; the turn that would arm one more throws`, async () => {
    const machine = setup({
      types: {} as { context: { armed: number }; events: { type: 'ARM'; count: number } },
    }).createMachine({
      context: { armed: 0 },
      on: {
        ARM: {
          actions: enqueueActions(({ enqueue, event, context }) => {
            for (let n = 0; n < event.count; n++)
              enqueue.raise({ type: 'ARM', count: 0 }, { delay: 1_000_000, id: `${context.armed + n}` });
            enqueue.assign({ armed: context.armed + event.count });
          }),
        },
      },
    });
    const test = await startSubject(machine, { events: ['ARM'] });
    await tell(test, 'ARM', { count: TIMERS_PER_ACTOR_MAX });
    await tell(test, 'ARM', { count: 1 });
    expect(contextOf(test)).toEqual({ armed: TIMERS_PER_ACTOR_MAX });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { code: 'BOSUN_VALUE_REFUSED' } },
    ]);
    await test.shard.stop();
  });
});

describe('a slice of the loop', () => {
  it(`takes ${TIMERS_PER_SLICE} due timers; the rest come up in the next slices, in order`, async () => {
    const machine = setup({
      types: {} as {
        context: { fired: number; inOrder: boolean };
        events: { type: 'ARM'; count: number } | { type: 'DUE'; n: number };
      },
    }).createMachine({
      context: { fired: 0, inOrder: true },
      on: {
        ARM: {
          actions: enqueueActions(({ enqueue, event }) => {
            for (let n = 0; n < event.count; n++) enqueue.raise({ type: 'DUE', n }, { delay: 1_000 });
          }),
        },
        DUE: {
          actions: assign(({ context, event }) => ({
            fired: context.fired + 1,
            inOrder: context.inOrder && event.n === context.fired,
          })),
        },
      },
    });
    for (const count of [TIMERS_PER_SLICE, TIMERS_PER_SLICE + 1, 3 * TIMERS_PER_SLICE]) {
      const test = await startSubject(machine, { events: ['ARM'] });
      await tell(test, 'ARM', { count });
      await test.advance(1_000);
      expect(contextOf(test)).toEqual({ fired: count, inOrder: true });
      await test.shard.stop();
    }
  });
});

describe('the quarantine', () => {
  it(`keeps the newest ${QUARANTINE_MESSAGES_MAX} messages, over a restart too`, async () => {
    const machine = createMachine({
      context: {},
      on: {
        // Sent between two messages that break, so that the actor is not suspended.
        PASS: {},
        BREAK: {
          actions: assign(() => {
            throw new Error('broken');
          }),
        },
      },
    });
    const test = await startSubject(machine, { events: ['BREAK', 'PASS'], intensity: 10 * QUARANTINE_MESSAGES_MAX });
    const sent = QUARANTINE_MESSAGES_MAX + 2;
    await Promise.all(
      Array.from({ length: sent }, (_, n) => [
        test.shard.send('subject', { type: 'BREAK', n }),
        test.shard.send('subject', { type: 'PASS' }),
      ]).flat(),
    );
    await test.settle();
    const numbers = () =>
      test.shard.deadLetters
        .list({ reason: 'quarantined' })
        .map((record) => (record.event as unknown as { n: number }).n);
    expect([numbers().length, numbers()[0], numbers().at(-1)]).toEqual([QUARANTINE_MESSAGES_MAX, 2, sent - 1]);
    await test.crash();
    await test.restart();
    expect([numbers().length, numbers()[0]]).toEqual([QUARANTINE_MESSAGES_MAX, 2]);
    await test.shard.stop();
  });
});

describe('an address', () => {
  const segments = (count: number) => Array.from({ length: count }, () => 'a').join('/');
  it(`has at most ${ADDRESS_SEGMENTS_MAX} segments of at most ${ADDRESS_SEGMENT_CHARS_MAX} characters`, () => {
    expect(checkAddress(segments(ADDRESS_SEGMENTS_MAX))).toBe(segments(ADDRESS_SEGMENTS_MAX));
    expect(() => checkAddress(segments(ADDRESS_SEGMENTS_MAX + 1))).toThrow('not an address');
    expect(checkAddress('a'.repeat(ADDRESS_SEGMENT_CHARS_MAX))).toHaveLength(ADDRESS_SEGMENT_CHARS_MAX);
    expect(() => checkAddress('a'.repeat(ADDRESS_SEGMENT_CHARS_MAX + 1))).toThrow('not an address');
  });
  it('is refused with empty segments or invalid characters', () => {
    for (const address of ['', '/', 'a/', '/a', 'a//b', 'a b', 'é', 'a\n', 'a!b'])
      expect(() => checkAddress(address)).toThrow('not an address');
  });
  it('is refused with the segments "." and "..", which have a meaning in paths (F16)', () => {
    for (const address of ['.', '..', 'a/..', './a', 'a/./b']) expect(() => checkAddress(address)).toThrow('not an');
    expect(() => childAddress('a', '..')).toThrow('not an address');
    expect([checkAddress('a.b/.c/...'), invokedAddress('p', '.'), invokedAddress('p', '..')]).toEqual([
      'a.b/.c/...',
      'p/%2E',
      'p/%2E%2E',
    ]);
    expect(['.', '..'].map((id) => childIdOf(invokedAddress('p', id)))).toEqual(['.', '..']);
  });
  it('an address of a Boss child may be a path; the name of the root is reserved', () => {
    expect([childAddress('root', 'a/b'), childAddress('a', 'b/c')]).toEqual(['a/b', 'a/b/c']);
    expect(() => childAddress('root', 'root')).toThrow('reserved');
  });
  it('an address of a machine child is one segment, whatever its id, and different for different ids', () => {
    const ids = ['a/b', 'a%2Fb', 'a b', 'a!b', '0.m.state', '😀', "it's (*)"];
    const addresses = ids.map((id) => invokedAddress('p', id));
    expect(new Set(addresses).size).toBe(ids.length);
    for (const address of addresses) expect(address.split('/')).toHaveLength(2);
    expect(addresses.map((address) => decodeURIComponent(address.slice(2)))).toEqual(ids);
    expect(addresses.map(childIdOf)).toEqual(ids);
    expect(childIdOf('a/100%')).toBe('100%');
  });
});
