/**
 * Assertions of the SCXML test suite: each passes on both the kernel and XState, or on neither.
 */
import { describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { judge } from '../../support/actors/xstate/feature.ts';
import { W3C } from '../../support/actors/xstate/page.ts';

describe('an assertion of SCXML', () => {
  it.each(sample(W3C, 6))('$test: $feature', async (one) => {
    const { plain, hosted, cut } = await judge(one);
    if (one.unlike === undefined) expect(plain.value).toBe('pass');
    else expect(plain.value).not.toBe('pass');
    for (const other of [hosted, ...cut]) expect(other.value).toEqual(plain.value);
  });
});
