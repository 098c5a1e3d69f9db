/** The price of the goods of an order, in cents. */
export const goodsOf = (lines) => lines.reduce((sum, { price, count }) => sum + price * count, 0);
