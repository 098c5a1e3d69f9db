import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from './sum.mjs';

test('a sum is more than each of its parts', () => assert.equal(sum(2, 3), 5));
