import assert from 'node:assert/strict';
import test from 'node:test';
import { goodsOf } from '../src/goods.js';
import { totalOf } from '../src/order.js';

const novel = { price: 1290, count: 1 };
const cards = { price: 150, count: 4 };

/** Orders as customers place them; the shop of 1.0.0 takes no voucher. */
const orders = [
  { lines: [novel] },
  { lines: [novel, cards] },
  { lines: [cards], voucher: 500 },
  { lines: [cards], voucher: 5000 },
];

test('goods cost the sum of their lines', () => {
  assert.equal(goodsOf([novel, cards]), 1890);
});

test('a total is a whole number of cents', () => {
  for (const order of orders) assert.ok(Number.isInteger(totalOf(order)), `${totalOf(order)} cents`);
});

test('a total is never negative', () => {
  for (const order of orders) assert.ok(totalOf(order) >= 0, `an order costs ${totalOf(order)} cents`);
});
