/** Codes of the currencies in which customers pay. */
export const CURRENCIES = [];
