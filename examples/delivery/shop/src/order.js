import { goodsOf } from './goods.js';

/** The price of an order, in cents. */
export function totalOf({ lines }) {
  return goodsOf(lines);
}
