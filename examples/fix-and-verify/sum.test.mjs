import assert from 'node:assert';
import { test } from 'node:test';
import { mean, sum } from './sum.mjs';

test('a sum is more than each of its parts', () => assert.equal(sum(2, 3), 5));
test('a mean is between its parts', () => assert.equal(mean(2, 4), 3));
