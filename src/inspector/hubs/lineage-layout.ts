/**
 * The layout of a lineage tree: the hub at the left, each session to the right of the hub that spawned it, beside as
 * many rows as the sessions below it take. Pure.
 */

interface Node {
  readonly session: string;
  /** The session that spawned it: the run for those of its hub. */
  readonly parent: string;
}

/** A session in its place. */
export interface Placed<Session> {
  readonly of: Session;
  /** The column, from 1: that of the hub is 0. */
  readonly column: number;
  /** The first row, from 0. */
  readonly row: number;
  /** Number of rows. */
  readonly span: number;
}

export interface LineageLayout<Session> {
  /** The sessions that are shown, from top to bottom and from left to right. */
  readonly places: readonly Placed<Session>[];
  readonly rows: number;
  readonly columns: number;
  /** Number of sessions that are not shown. */
  readonly left: number;
}

/** A session while it is placed. */
interface Placing<Session> {
  readonly of: Session;
  readonly parent: Placing<Session> | undefined;
  readonly column: number;
  row: number;
  /** Rows that the sessions below it take. */
  taken: number;
}

/**
 * Places the latest sessions, and the hubs above them.
 *
 * @param sessions In the order of their starts. One whose hub is not before it belongs to the hub of the run.
 */
export function lineageLayout<Session extends Node>(
  sessions: readonly Session[],
  { shown }: { readonly shown: number },
): LineageLayout<Session> {
  const visible = latest(sessions, shown);
  const byId = new Map<string, Placing<Session>>();
  for (const of of visible) {
    const parent = byId.get(of.parent);
    byId.set(of.session, { of, parent, column: (parent?.column ?? 0) + 1, row: 0, taken: 0 });
  }
  const placing = [...byId.values()];
  const spanOf = ({ taken }: Placing<Session>) => Math.max(1, taken);
  // A session stands behind its hub: from the end on, all below it are counted before it is.
  for (const one of placing.toReversed()) if (one.parent !== undefined) one.parent.taken += spanOf(one);
  const next = new Map<Placing<Session> | undefined, number>();
  for (const one of placing) {
    one.row = next.get(one.parent) ?? one.parent?.row ?? 0;
    next.set(one.parent, one.row + spanOf(one));
  }
  return {
    places: placing
      .map((one) => ({ of: one.of, column: one.column, row: one.row, span: spanOf(one) }))
      .sort((a, b) => a.row - b.row || a.column - b.column),
    rows: next.get(undefined) ?? 0,
    columns: placing.reduce((most, { column }) => Math.max(most, column), 0),
    left: sessions.length - placing.length,
  };
}

/** The last sessions, and those above them, in order. */
function latest<Session extends Node>(sessions: readonly Session[], shown: number): Session[] {
  const wanted = new Set<string>();
  return sessions
    .toReversed()
    .filter(({ session, parent }, at) => {
      const isShown = at < shown || wanted.has(session);
      if (isShown) wanted.add(parent);
      return isShown;
    })
    .reverse();
}
