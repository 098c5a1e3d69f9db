/**
 * The capacity queue (CN-006): lanes with a number of places each, turns by rank and then by arrival, and a policy for
 * entries that find no place. Pure rules; the caller keeps lanes and entries, in a table by {@link turnKey} or in a
 * list by {@link byTurn}.
 */

/** A holder of places: an expert, an agent type, a batch. */
export interface Lane {
  readonly capacity: number;
  /** Places that are taken. */
  readonly held: number;
}

/** The position of an entry that waits for a place. */
export interface Turn {
  /** Entries of the lowest rank come first. */
  readonly rank: number;
  /** The order of arrival: a sequence number or a time, an integer of 0 or more. */
  readonly arrival: number;
}

/**
 * The treatment of an entry that finds every lane full: it waits for a place, is rejected, is deferred to a separate
 * occasion, or is settled at once without a place.
 */
export type OverflowPolicy = 'wait' | 'reject' | 'defer' | 'force-resolve';

export type Admission<Own extends Lane> = { readonly to: 'lane'; readonly lane: Own } | { readonly to: OverflowPolicy };

/** Returns the lane with the fewest places taken, the first of them on a tie; if all are full, the policy. */
export function admit<Own extends Lane>(lanes: readonly Own[], onOverflow: OverflowPolicy): Admission<Own> {
  const open = lanes.filter((lane) => roomIn(lane) > 0);
  if (open.length === 0) return { to: onOverflow };
  return { to: 'lane', lane: open.reduce((best, next) => (next.held < best.held ? next : best)) };
}

export function roomIn({ capacity, held }: Lane): number {
  return Math.max(0, capacity - held);
}

/** Compares entries by rank, then by arrival. */
export function byTurn(a: Turn, b: Turn): number {
  return a.rank - b.rank || a.arrival - b.arrival;
}

/** Digits of the largest safe integer. */
const ARRIVAL_DIGITS = String(Number.MAX_SAFE_INTEGER).length;

/** A table key that sorts as {@link byTurn} does. `rank` is a single digit. */
export function turnKey({ rank, arrival }: Turn, id: string): string {
  return `${rank}${String(arrival).padStart(ARRIVAL_DIGITS, '0')}${id}`.toWellFormed();
}

/**
 * The entries that may start now, in order, each if its lane has room, at most `batchMax` at a time. Stops reading once
 * every lane is full.
 *
 * @param waiting Sorted by their turns.
 */
export function startable<Entry>(
  waiting: Iterable<Entry>,
  {
    lanes,
    laneOf,
    batchMax = Infinity,
  }: { readonly lanes: ReadonlyMap<string, Lane>; laneOf(entry: Entry): string; readonly batchMax?: number },
): readonly Entry[] {
  const room = new Map([...lanes].map(([key, lane]) => [key, roomIn(lane)]));
  let left = Math.min(
    batchMax,
    [...room.values()].reduce((sum, places) => sum + places, 0),
  );
  const started: Entry[] = [];
  if (left === 0) return started;
  for (const entry of waiting) {
    const lane = laneOf(entry);
    const places = room.get(lane) ?? 0;
    if (places === 0) continue;
    room.set(lane, places - 1);
    started.push(entry);
    left -= 1;
    if (left === 0) break;
  }
  return started;
}
