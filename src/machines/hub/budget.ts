/**
 * The budget of a run: reserved when a session is spawned, settled when it closes (CN-016), so that sessions side by
 * side cannot promise the same money twice. Pure. Amounts are in US dollars.
 */

/** The time, steps and money that a session has used. */
export interface Usage {
  readonly ms: number;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number;
}

export const NO_USAGE: Usage = { ms: 0, steps: 0, tokens: 0, costUsd: 0 };

/** The budget of a run as it stands. */
export interface Budget {
  /** The most that the run may cost; null: no limit. */
  readonly costUsdMax: number | null;
  readonly spentUsd: number;
  /** Reserved amounts by session that is open. */
  readonly reserved: Readonly<Record<string, number>>;
}

export function newBudget(costUsdMax: number | null): Budget {
  return { costUsdMax, spentUsd: 0, reserved: {} };
}

/** The amount that nobody has spent or reserved; null without a limit. */
export function leftUsd({ costUsdMax, spentUsd, reserved }: Budget): number | null {
  if (costUsdMax === null) return null;
  const promised = Object.values(reserved).reduce((sum, one) => sum + one, 0);
  return costUsdMax - spentUsd - promised;
}

/**
 * The amount to reserve for a session: what its agent is given, or an equal share of the rest for each session that may
 * still begin beside it. Null if the rest does not cover it, 0 without a limit.
 */
export function reservationFor(budget: Budget, costUsd: number | null, concurrent: number): number | null {
  const left = leftUsd(budget);
  if (left === null) return costUsd ?? 0;
  if (left <= 0) return null;
  const places = Math.max(1, concurrent - Object.keys(budget.reserved).length);
  const wanted = costUsd ?? left / places;
  return wanted <= left ? wanted : null;
}

export function reserve(budget: Budget, session: string, amountUsd: number): Budget {
  return { ...budget, reserved: { ...budget.reserved, [session]: amountUsd } };
}

/** Replaces the reservation of a closed session by what it cost. A session without a reservation changes nothing. */
export function settle(budget: Budget, session: string, { costUsd }: Pick<Usage, 'costUsd'>): Budget {
  const { [session]: before, ...reserved } = budget.reserved;
  return before === undefined ? budget : { ...budget, reserved, spentUsd: budget.spentUsd + Math.max(0, costUsd) };
}
