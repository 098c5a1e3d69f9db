/**
 * One suite of rules for hosts and clients, told on one kernel, on two workers, and through a client of each: every
 * side must come to the same result.
 */
import { describe, expect, it } from 'vitest';
import { sample } from '../support/effort.ts';
import { SIDES } from '../support/one-system/sides.ts';
import { ADMINISTRATION, LETTERS, NAMES, RECORDS, TREES } from './orders.cases.ts';
import { VALUES } from './values.cases.ts';
import { ASKS, HANDLES, SENDS, WAITS } from './talk.cases.ts';

const RULES = [
  ...SENDS,
  ...ASKS,
  ...HANDLES,
  ...WAITS,
  ...TREES,
  ...ADMINISTRATION,
  ...LETTERS,
  ...RECORDS,
  ...NAMES,
  ...VALUES,
];

describe('the rules', () => {
  it('are some hundred, each with a title of its own', () => {
    expect(RULES.length).toBeGreaterThanOrEqual(100);
    expect(new Set(RULES.map(([title]) => title)).size).toBe(RULES.length);
  });
});

describe.each(Object.entries(SIDES))('one system, seen from %s', (_, start) => {
  it.each(sample(RULES, 2))('%s', async (_title, act, expected) => {
    const side = await start();
    try {
      expect(await act(side)).toEqual(expected);
    } finally {
      await side.close();
    }
  });
});
