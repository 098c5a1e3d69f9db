/**
 * Numbers as text, the same on every machine: no locale, no clock. `null` is always shown as "n/a".
 * House form: comma groups, a plain hyphen for minus, percent with one decimal.
 */

/** The text for a value that does not exist or has no meaning. */
const NOT_AVAILABLE = 'n/a';

/** `391035` as `391,035`; at most `decimals` digits after the point (default none). */
export function money(value: number | null, decimals = 0): string {
  if (value === null) return NOT_AVAILABLE;
  const [whole = '', fraction] = fixed(value, decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `0.0925` as `9.3%`. */
export function percent(value: number | null): string {
  return value === null ? NOT_AVAILABLE : `${fixed(value * 100, 1)}%`;
}

/** A change of a percentage, in percentage points: `0.019` as `+1.9 pp`. */
export function points(value: number | null): string {
  if (value === null) return NOT_AVAILABLE;
  const text = fixed(value * 100, 1);
  return `${value > 0 && Number(text) !== 0 ? '+' : ''}${text} pp`;
}

/** A spread of percentages, which has no direction: `0.048` as `4.8 pp`. */
export function spread(value: number): string {
  return `${fixed(value * 100, 1)} pp`;
}

/** A multiple or plain number with two decimals: `1.6` as `1.60`. */
export function decimal(value: number | null, decimals = 2): string {
  return value === null ? NOT_AVAILABLE : fixed(value, decimals);
}

/** US dollars per share: `95.1` as `$95.10`, `-2` as `-$2.00`. */
export function perShare(value: number | null): string {
  if (value === null) return NOT_AVAILABLE;
  const text = money(Math.abs(value), 2);
  return value < 0 && Number(text) !== 0 ? `-$${text}` : `$${text}`;
}

/** `toFixed` without the minus of a number that rounds to zero. */
function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text;
}
