import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../test/support/effort.ts';

const JITI = resolve(import.meta.dirname, '../../node_modules/jiti/lib/jiti-cli.mjs');
const MAIN = resolve(import.meta.dirname, './main.ts');

const STORY = `         a shop: 0 of 2 tests pass
coder    12 (declared in docs/limits.md:3). [docs/limits.md:3, 90 %]
coder    src/limits.js has 12: 1 of 2 tests pass
coder    waiting: TK-0001 asks a person
         coder and the desk are killed
reviewer runs the desk from now on: waiting: TK-0001 asks a person
ada      bosun tickets reply TK-0001 "Customers pay in euro only."
coder    Customers pay in euro only. [TK-0001, 95 %]
coder    src/currencies.js has EUR: 2 of 2 tests pass
reviewer Customers pay in euro only. [TK-0001, 95 %]
ada      bosun answers correct Q-2 "Customers pay in euro and franc." --yes
coder    is told: Customers pay in euro and franc.
coder    src/currencies.js has EUR and CHF: 2 of 2 tests pass
reviewer is told: Customers pay in euro and franc.
`;

describe('the agents of the shop', () => {
  it('finish it with a document, a person, and what she said, over kill -9', LONG, () => {
    expect(execFileSync(process.execPath, [JITI, MAIN], { encoding: 'utf8' })).toBe(STORY);
  });
});
