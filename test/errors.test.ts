/** Errors: the text for anything that was thrown, and errors as JSON. */
import { describe, expect, it } from 'vitest';
import { admitError } from '../src/actors/model/thrown.ts';
import { errorText } from '../src/cli/store/stopped-store.ts';
import { BosunError, isBosunError, messageOf } from '../src/errors.ts';
import { STACK_FRAMES_MAX } from '../src/limits.ts';
import { failureOf } from '../src/machines/work/failure-tiers.ts';
import { shortStack } from '../src/stack.ts';
import { packed, toldError, unpacked } from '../src/workers/call-messages.ts';
import { HARMS, harmless } from './support/actors/hostile/values.ts';

describe('the text of a thrown value', () => {
  it.each(HARMS)('exists for %s, and making it throws no error (F1)', (what) => {
    expect(typeof messageOf(harmless(what))).toBe('string');
    expect(isBosunError(harmless(what))).toBe(false);
    const admitted = admitError(harmless(what));
    expect(typeof messageOf(admitted)).toBe('string');
    expect(['string', 'undefined']).toContain(typeof errorText(admitted));
    // The message for work, and the form in which a worker reports it to the host.
    expect(failureOf(harmless(what))).toMatchObject({ errorType: 'crash', message: expect.any(String) as string });
    expect(unpacked(packed(toldError(harmless(what))))).toMatchObject({ code: 'BOSUN_INTERNAL', details: {} });
  });

  it('is the message of an error, the JSON of plain data, and the string form of anything else', () => {
    expect(messageOf(new TypeError('no'))).toBe('no');
    expect(messageOf('no')).toBe('no');
    expect(messageOf({ code: 7, big: 7n })).toBe('{"code":7,"big":"7"}');
    expect(messageOf(/(?<year>\d+)/.exec('2026')!.groups)).toBe('{"year":"2026"}');
    expect(messageOf(Symbol('s'))).toBe('Symbol(s)');
    expect(messageOf(undefined)).toBe('undefined');
    expect(messageOf(new URL('file:///a'))).toBe('file:///a');
  });

  it('says so if the value has no text', () => {
    expect(messageOf(harmless('a proxy all of whose traps throw'))).toBe('something was thrown that has no text');
  });
});

describe('a thrown value that cannot be stored', () => {
  it('keeps its name, message and stack, whatever its cause is', () => {
    class Refused extends Error {
      override name = 'Refused';
    }
    const thrown = new Refused('no', { cause: () => {} });
    const stack = shortStack(thrown.stack!, STACK_FRAMES_MAX);
    expect(admitError(thrown)).toMatchObject({ name: 'Refused', message: 'no', stack });
  });
});

describe('an error in JSON', () => {
  it('has its name, code, message and details', () => {
    const error = new BosunError('BOSUN_TIMEOUT', 'too late', { details: { address: 'a' }, cause: new Error('why') });
    expect(JSON.parse(JSON.stringify({ error }))).toEqual({
      error: { name: 'BosunError', code: 'BOSUN_TIMEOUT', message: 'too late', details: { address: 'a' } },
    });
  });

  it('has its name and message after it was stored', () => {
    const stored = admitError(Object.assign(new TypeError('no'), { code: 'E_NO' }));
    expect(JSON.parse(JSON.stringify([stored]))).toEqual([{ name: 'TypeError', message: 'no', code: 'E_NO' }]);
    expect(Object.keys(stored as object)).toEqual(['code']);
  });
});
