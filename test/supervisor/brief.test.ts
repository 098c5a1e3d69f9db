import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit } from '../../src/actors/model/value-check.ts';
import { BosunError } from '../../src/errors.ts';
import { brief } from '../../src/supervisor/brief.ts';
import { LONG } from '../support/effort.ts';

function chain(length: number): Error {
  return Array.from({ length }).reduce<Error>(
    (cause, _, index) => new Error(`level ${index}`, { cause }),
    new Error('bottom'),
  );
}

describe('the error that a Boss keeps', () => {
  it('has its name, message, code, stack and first causes', () => {
    const kept = brief(new BosunError('BOSUN_TIMEOUT', 'too late', { cause: new TypeError('why') })) as BosunError;
    expect(kept).toMatchObject({
      name: 'BosunError',
      message: 'too late',
      code: 'BOSUN_TIMEOUT',
      cause: { name: 'TypeError', message: 'why' },
    });
    expect(kept.stack).toContain('brief.test.ts');
  });

  it('is shortened if it is long', () => {
    const kept = brief(new Error('x'.repeat(5_000_000), { cause: chain(40) })) as Error;
    expect(kept.message.length).toBeLessThan(2_100);
    expect(JSON.stringify(kept, Object.getOwnPropertyNames(kept)).length).toBeLessThan(40_000);
  });

  it('is the thrown value itself if that is small, and a quotation of it otherwise', () => {
    expect(brief('no')).toBe('no');
    expect(brief(undefined)).toBe(undefined);
    expect(brief(7)).toBe(7);
    expect(brief({ code: 7, big: 7n })).toMatchObject({ message: '{"code":7,"big":"7"}' });
    expect(brief(Symbol('s'))).toMatchObject({ message: 'Symbol(s)' });
  });

  it('is never refused by admission, even nested five levels deep', LONG, () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.string({ unit: 'binary' }).map((text) => new Error(text)),
          fc.nat({ max: 40 }).map(chain),
        ),
        (thrown) => {
          expect(() => admit({ a: { b: { c: { d: brief(thrown) } } } }, 'record')).not.toThrow();
        },
      ),
    );
  });
});
