import { describe, expect, it, vi } from 'vitest';
import { disown, due, handled, isAsync, isThenable, watch } from '../src/user-code.ts';
import { HARMS, hostile } from './support/actors/hostile/values.ts';
import { unhandled } from './support/unhandled.ts';

class Spiteful extends Promise<unknown> {
  static override get [Symbol.species](): never {
    throw new Error('no such class');
  }
}

describe('a value that user code owes', () => {
  it('is returned as it is if nobody has to wait for it', () => {
    const value = { then: 'later' };
    expect(due(value, 'the guard g')).toBe(value);
  });

  it('is refused with its place if it is a promise, whose rejection is handled', async () => {
    const left = await unhandled(async () => {
      expect(() => due(Promise.reject(new Error('down')), 'the guard g of order')).toThrow(
        expect.objectContaining({ code: 'BOSUN_VALUE_REFUSED', details: { place: 'the guard g of order' } }),
      );
    });
    expect(left).toEqual([]);
  });

  it('is refused if it only has a `then`, which is not called', () => {
    const then = vi.fn();
    expect(() => due({ then }, 'the guard g')).toThrow('the guard g gives a promise');
    expect(then).not.toHaveBeenCalled();
  });
});

describe('a promise that nobody awaits', () => {
  it('ends no process if it rejects, of a class that throws too', async () => {
    const left = await unhandled(async () => {
      disown(Promise.reject(new Error('down')));
      disown(Spiteful.reject(new Error('down')));
    });
    expect(left).toEqual([]);
  });

  it('ends no process if it is among the data of a value', async () => {
    const rejecting = () => Promise.reject(new Error('down'));
    const left = await unhandled(async () => {
      disown({ a: Symbol('s'), b: [new Map([[1, rejecting()]]), new Set([rejecting()])] });
      disown(Object.assign(new Error('e', { cause: rejecting() }), { other: { deep: rejecting() } }));
      disown(Object.defineProperty({ b: rejecting() }, 'a', { get: () => hostile('a symbol'), enumerable: true }));
    });
    expect(left).toEqual([]);
  });

  it('would have ended it (the test itself)', async () => {
    expect(await unhandled(async () => void Promise.reject(new Error('down')))).toHaveLength(1);
  });

  it.each(HARMS)('is not mistaken for %s', (what) => {
    for (const ask of [isThenable, isAsync]) {
      const value = hostile(what);
      expect(() => disown(value)).not.toThrow();
      expect(typeof ask(value)).toBe('boolean');
    }
  });
});

describe('a promise that is awaited', () => {
  it.each(HARMS.filter((what) => !what.includes('never settles')))('leaves nothing behind, be it %s', async (what) => {
    const left = await unhandled(async () => {
      try {
        disown(await handled(hostile(what)));
      } catch (thrown) {
        disown(thrown);
      }
    });
    expect(left).toEqual([]);
  });
});

describe('a watched call', () => {
  const failureOf = (call: () => unknown) => new Promise((resolve) => watch(call, resolve));

  it('tells what the function throws, and what its promise rejects with', async () => {
    const down = new Error('down');
    expect(
      await failureOf(() => {
        throw down;
      }),
    ).toBe(down);
    expect(await failureOf(() => Promise.reject(down))).toBe(down);
    expect(await failureOf(() => Spiteful.reject(down))).toBe(down);
    expect(
      await failureOf(() => ({
        then: () => {
          throw down;
        },
      })),
    ).toBe(down);
  });

  it('tells nothing of a function that succeeds', async () => {
    const failed = vi.fn();
    for (const given of [1, undefined, Promise.resolve(2)]) watch(() => given, failed);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failed).not.toHaveBeenCalled();
  });
});

it('knows a function that was written with `async`', () => {
  expect([async () => {}, () => {}, async function named() {}, 1].map(isAsync)).toEqual([true, false, true, false]);
});
