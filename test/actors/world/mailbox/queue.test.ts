import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Queue } from '../../../../src/actors/model/queue.ts';

describe('a queue', () => {
  it('behaves like an array under random push, unshift, shift and take', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant('push' as const) },
      { weight: 2, arbitrary: fc.constant('shift' as const) },
      fc.constant('unshift' as const),
      fc.record({ take: fc.nat(100) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 500 }), (steps) => {
        const queue = new Queue<number>();
        const model: number[] = [];
        steps.forEach((what, item) => {
          if (what === 'shift') expect(queue.shift()).toBe(model.shift());
          else if (typeof what === 'object') expect(queue.take(what.take)).toBe(model.splice(what.take, 1)[0]);
          else {
            queue[what](item);
            model[what](item);
          }
          expect([queue.size, queue.peek()]).toEqual([model.length, model[0]]);
        });
        expect(queue.toArray()).toEqual(model);
      }),
    );
  });
});
