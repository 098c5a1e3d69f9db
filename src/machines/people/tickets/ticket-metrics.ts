/**
 * Counters of the ticket desk (MX-099): how many tickets stand in each status, and how those that ended were answered.
 * Each report of a ticket changes them by what it says, so that they cost the same beside any number of tickets. Pure.
 */
import { ticketStatus, type TicketStatus } from './ticket-messages.ts';
import { type TicketRow } from './ticket-state.ts';

/** The number of tickets in each status. Archived tickets that were dropped are not counted. */
export type StatusCounts = Readonly<Record<TicketStatus, number>>;

/** Sums over all tickets so far. */
export interface TicketSums {
  readonly opened: number;
  /**
   * Resolutions: all of them, those by hand, those within the time of their priority, and those by the first review.
   */
  readonly resolved: number;
  readonly byHand: number;
  readonly inTime: number;
  readonly atFirst: number;
  /** Tickets that were resolved by the first review and reopened later. */
  readonly atFirstWrong: number;
  /** The number of reviews that resolved tickets needed. */
  readonly reviews: number;
  readonly escalated: number;
  readonly rejected: number;
  readonly reopened: number;
  /** Tasks that waited for a ticket which was then resolved (MX-100). */
  readonly tasksUnblocked: number;
  readonly ratings: number;
  readonly ratingSum: number;
}

export const NO_COUNTS: StatusCounts = Object.fromEntries(ticketStatus.options.map((status) => [status, 0])) as Record<
  TicketStatus,
  number
>;

export const NO_SUMS: TicketSums = {
  ...{ opened: 0, resolved: 0, byHand: 0, inTime: 0, atFirst: 0, atFirstWrong: 0, reviews: 0, escalated: 0 },
  ...{ rejected: 0, reopened: 0, tasksUnblocked: 0, ratings: 0, ratingSum: 0 },
};

/** The counts after a ticket has changed its status; null stands for a ticket outside the list. */
export function counted(counts: StatusCounts, before: TicketStatus | null, now: TicketStatus | null): StatusCounts {
  if (before === now) return counts;
  return {
    ...counts,
    ...(before !== null && { [before]: counts[before] - 1 }),
    ...(now !== null && { [now]: counts[now] + 1 }),
  };
}

/** The sums after a ticket has changed. `before` is its previous row, null for a new ticket. */
export function summed(sums: TicketSums, before: TicketRow | null, row: TicketRow): TicketSums {
  const is = (status: TicketStatus) => row.status === status && before?.status !== status;
  const isReopened = row.reopens > (before?.reopens ?? 0);
  const added: Partial<Record<keyof TicketSums, number>> = {
    opened: Number(before === null),
    rejected: Number(is('rejected')),
    escalated: Number(is('escalated')),
    reopened: Number(isReopened),
    atFirstWrong: Number(isReopened && before !== null && isAtFirst(before)),
    ...(is('resolved') && {
      resolved: 1,
      byHand: Number(row.resolution!.byHand),
      inTime: Number(row.overdueAtMs === null),
      atFirst: Number(isAtFirst(row)),
      reviews: row.reviews,
      tasksUnblocked: Number(row.isBlocking && row.task !== null),
    }),
    ...ratingChange(before?.rating ?? null, row.rating),
  };
  return Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [name, (sum as number) + (added[name as keyof TicketSums] ?? 0)]),
  ) as unknown as TicketSums;
}

/** Figures for people; a figure is null while nothing was counted for it. */
export function ticketFigures(sums: TicketSums): {
  /** Mean number of reviews per resolved ticket. The specification's target is below 2.5. */
  readonly reviewsMean: number | null;
  readonly inTimeShare: number | null;
  /** Share of tickets that were escalated. The target is below 0.1. */
  readonly escalatedShare: number | null;
  /** Share of first reviews that passed and whose ticket was not reopened. The target is 0.85. */
  readonly firstReviewAccuracy: number | null;
  readonly ratingMean: number | null;
} {
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    reviewsMean: share(sums.reviews, sums.resolved),
    inTimeShare: share(sums.inTime, sums.resolved),
    escalatedShare: share(sums.escalated, sums.opened),
    firstReviewAccuracy: share(sums.atFirst - sums.atFirstWrong, sums.atFirst),
    ratingMean: share(sums.ratingSum, sums.ratings),
  };
}

function isAtFirst({ resolution, reviews }: TicketRow): boolean {
  return resolution !== null && !resolution.byHand && reviews === 1;
}

function ratingChange(before: number | null, now: number | null): { ratings: number; ratingSum: number } {
  if (now === null) return { ratings: 0, ratingSum: 0 };
  return { ratings: Number(before === null), ratingSum: now - (before ?? 0) };
}
