import { describe, expect, it } from 'vitest';
import { FailureTexts } from '../../../src/actors/turn/failure-texts.ts';
import { STACK_PERIOD_MS, STACKS_PER_PERIOD_MAX } from '../../../src/limits.ts';

/** The number of failures, of `count` ones, that are admitted with a stack frame of this file. */
function framed(texts: FailureTexts, { agent = 'a', count = 1, make = () => new Error('broken') }): number {
  const errors = Array.from({ length: count }, () => texts.admit(agent, make()) as Error);
  return errors.filter(({ stack }) => stack!.includes('failure-texts.test.ts')).length;
}

describe('the stack of a failure', () => {
  it('is stored for the first failures of an agent within a period, and again in the next period', () => {
    let nowMs = 5_000;
    const texts = new FailureTexts(() => nowMs);
    expect(framed(texts, { count: STACKS_PER_PERIOD_MAX + 5 })).toBe(STACKS_PER_PERIOD_MAX);
    nowMs += STACK_PERIOD_MS;
    expect(framed(texts, { count: 1 })).toBe(1);
  });

  it('is limited for each agent and each name of an error separately', () => {
    const texts = new FailureTexts(() => 0);
    framed(texts, { count: STACKS_PER_PERIOD_MAX });
    expect(framed(texts, {})).toBe(0);
    expect(framed(texts, { agent: 'b' })).toBe(1);
    expect(framed(texts, { make: () => new TypeError('broken') })).toBe(1);
  });

  it('is never read beyond the limit; a note replaces it, and name, message, code and cause stay', () => {
    const texts = new FailureTexts(() => 0);
    framed(texts, { count: STACKS_PER_PERIOD_MAX });
    const error = Object.assign(new Error('broken', { cause: 'the tool' }), { code: 'EPIPE' });
    Object.defineProperty(error, 'stack', {
      get: () => {
        throw new Error('it is read');
      },
    });
    const stored = texts.admit('a', error) as Error;
    expect(stored).toMatchObject({ name: 'Error', message: 'broken', code: 'EPIPE', cause: 'the tool' });
    expect(stored.stack).toBe('Error: broken\n    (frames left out: more than 10 of a within 1000 ms)');
  });

  it('is kept on an error that was admitted before, and a thrown text stays as it is', () => {
    const texts = new FailureTexts(() => 0);
    const stored = texts.admit('a', new Error('broken'));
    framed(texts, { count: STACKS_PER_PERIOD_MAX });
    expect(texts.admit('a', stored)).toBe(stored);
    expect(texts.admit('a', 'a text')).toBe('a text');
  });
});
