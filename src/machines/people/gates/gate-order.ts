/**
 * The order in which open gates are read: by deadline, and how urgent each is. Pure, and without imports, since the
 * page uses it too.
 */

const HOUR_MS = 60 * 60_000;

/** Milliseconds to the deadline within which a gate is to be answered now, and today. */
export const GATE_SOON_MS = { now: 2 * HOUR_MS, today: 6 * HOUR_MS } as const;

/** The urgency of a question to people. */
export type Urgency = keyof typeof GATE_SOON_MS | 'later';

/** The urgency of a gate by its deadline, null if it has none. An overdue gate is to be answered now. */
export function urgencyOfGate(deadlineAtMs: number | null, nowMs: number): Urgency {
  const leftMs = (deadlineAtMs ?? Infinity) - nowMs;
  return leftMs <= GATE_SOON_MS.now ? 'now' : leftMs <= GATE_SOON_MS.today ? 'today' : 'later';
}

/** Digits of a time in a key: enough for 30,000 years. */
const TIME_DIGITS = 15;

/** The place of gates without a deadline: behind all others. */
const NEVER = '9'.repeat(TIME_DIGITS);

/** The place of an open gate at its desk: such places sort by deadline, then by id. */
export function placeOfGate(id: string, deadlineAtMs: number | null): string {
  return `${deadlineAtMs === null ? NEVER : timeKey(deadlineAtMs)} ${id}`;
}

/** The first key of the desk's records behind the gates that are due until a time. */
export function placeBehind(ms: number): string {
  return `0 ${timeKey(ms + 1)}`;
}

function timeKey(ms: number): string {
  return String(Math.max(0, Math.trunc(ms))).padStart(TIME_DIGITS, '0');
}
