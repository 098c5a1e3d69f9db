/**
 * The budget of a run, in money and tokens: reserved when a session is spawned, settled when it closes (CN-016), so
 * that sessions side by side cannot promise the same amount twice. Pure.
 */

/** The kinds of amounts that are limited: US dollars, and tokens. */
const KINDS = ['costUsd', 'tokens'] as const;
type Kind = (typeof KINDS)[number];

/** An amount of each kind. */
export type Amounts = Readonly<Record<Kind, number>>;
/** The most of each kind; null: no limit. */
export type AmountLimits = Readonly<Record<Kind, number | null>>;

/** The time, steps, tokens and money that a session has used. */
export interface Usage extends Amounts {
  readonly ms: number;
  readonly steps: number;
}

export const NO_USAGE: Usage = { ms: 0, steps: 0, tokens: 0, costUsd: 0 };

/** The budget of a run as it stands. */
export interface Budget {
  /** The limits of the run, with what people granted beside them. */
  readonly max: AmountLimits;
  readonly spent: Amounts;
  /** Reserved amounts by session that is open; null: it has no limit. */
  readonly reserved: Readonly<Record<string, AmountLimits>>;
}

/** The budget of a run that begins. Limits of an earlier build have no tokens. */
export function newBudget({ costUsd = null, tokens = null }: Partial<AmountLimits>): Budget {
  return { max: { costUsd, tokens }, spent: { costUsd: 0, tokens: 0 }, reserved: {} };
}

/** The amount that nobody has spent or reserved; null without a limit. */
export function leftOf({ max, spent, reserved }: Budget, kind: Kind): number | null {
  const limit = max[kind];
  return limit === null
    ? null
    : Object.values(reserved).reduce((left, one) => left - (one[kind] ?? 0), limit - spent[kind]);
}

/**
 * The amounts to reserve for a session: what its agent is given, or an equal share of the rest for each session that
 * may still begin beside it. Names the kind of which the rest does not cover it.
 */
export function reservationFor(
  budget: Budget,
  given: Partial<AmountLimits>,
  concurrent: number,
): { readonly granted: AmountLimits } | { readonly lacks: Kind } {
  const places = Math.max(1, concurrent - Object.keys(budget.reserved).length);
  const granted: Record<Kind, number | null> = { costUsd: null, tokens: null };
  for (const kind of KINDS) {
    const left = leftOf(budget, kind);
    granted[kind] = given[kind] ?? (left === null ? null : left / places);
    if (left !== null && (!isAbove(left, 0) || isAbove(granted[kind] ?? 0, left))) return { lacks: kind };
  }
  return { granted };
}

export function reserve(budget: Budget, session: string, granted: AmountLimits): Budget {
  return { ...budget, reserved: { ...budget.reserved, [session]: granted } };
}

/** Replaces the reservation of a closed session by what it used. A session without a reservation changes nothing. */
export function settle(budget: Budget, session: string, used: Amounts): Budget {
  const { [session]: before, ...reserved } = budget.reserved;
  return before === undefined ? budget : { ...budget, reserved, spent: plus(budget.spent, used) };
}

/** The budget with what people grant beside its limits. */
export function extended(budget: Budget, extra: Partial<Amounts>): Budget {
  const { max } = budget;
  const more = (kind: Kind) => (max[kind] === null ? null : max[kind] + (extra[kind] ?? 0));
  return { ...budget, max: { costUsd: more('costUsd'), tokens: more('tokens') } };
}

/** Adds what was used. What is no amount, or below zero, adds nothing. Time is measured, not said. */
export function plus<Sum extends Amounts & Partial<Usage>>(
  sum: Sum,
  used: { readonly [Field in keyof Usage]?: number | undefined },
): Sum {
  const after = (before: number, more = 0) => before + (Number.isFinite(more) ? Math.max(0, more) : 0);
  return {
    ...sum,
    ...(sum.steps !== undefined && { steps: after(sum.steps, used.steps) }),
    tokens: after(sum.tokens, used.tokens),
    costUsd: after(sum.costUsd, used.costUsd),
  };
}

/** The limit that is exceeded, in words; undefined if none is. */
export function exceeded(used: Amounts, granted: AmountLimits): string | undefined {
  const kind = KINDS.find((one) => isAbove(used[one], granted[one] ?? Infinity));
  return kind === undefined ? undefined : amountText(kind, granted[kind]);
}

const UNITS: Readonly<Record<Kind, string>> = { costUsd: '$', tokens: 'tokens' };

/** An amount for people: `2.5 $`. */
export function amountText(kind: Kind, amount: number | null): string {
  return `${Number((amount ?? 0).toPrecision(12))} ${UNITS[kind]}`;
}

/** Amounts for people, without those that are not there or zero; null if all are. */
export function amountsText(amounts: Partial<AmountLimits>): string | null {
  const shown = KINDS.filter((kind) => (amounts[kind] ?? 0) > 0);
  return shown.length === 0 ? null : shown.map((kind) => amountText(kind, amounts[kind]!)).join(', ');
}

/** Sums of fractions are off in the last digits: less than this is none. */
const ROUNDING = 1e-9;

function isAbove(amount: number, limit: number): boolean {
  return amount > limit + ROUNDING;
}
