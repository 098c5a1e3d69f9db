import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Queue } from '../../../../src/actors/model/queue.ts';

describe('a queue', () => {
  it('does as an array does, whatever is pushed, put first and taken', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant('push' as const) },
      { weight: 2, arbitrary: fc.constant('shift' as const) },
      fc.constant('unshift' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 500 }), (steps) => {
        const queue = new Queue<number>();
        const model: number[] = [];
        steps.forEach((what, item) => {
          if (what === 'shift') expect(queue.shift()).toBe(model.shift());
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
