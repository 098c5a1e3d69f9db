/**
 * The debates that concern an item, recorded with the item's progress: the value in force, whether it may still change,
 * and the tasks that depend on it (CA-124, CA-134). Pure.
 */
import { ITEM_DEBATES_KEPT_MAX } from '../../limits.ts';
import { type ItemDebate } from '../../work/agent-function.ts';
import { type DebateNews, type Resolution } from '../debates/debate-state.ts';
import { reviewHeadline } from '../debates/provisional.ts';
import { type Plan } from '../plan/plan.ts';

/** Tasks that run again one after the other because a value that they used was overridden. */
export interface Rerun {
  /** The task that runs now. */
  readonly current: string;
  readonly next: readonly string[];
}

type Debates = Readonly<Record<string, ItemDebate>>;

/** Adds or replaces a debate. Only the latest decided debates are kept; open ones are never dropped. */
export function withDebate(debates: Debates = {}, debate: ItemDebate): Debates {
  const { [debate.debate]: _, ...others } = debates;
  const decided = Object.values(others).filter(({ state }) => state === 'decided');
  const dropped = new Set(
    decided.slice(0, Math.max(0, decided.length + 1 - ITEM_DEBATES_KEPT_MAX)).map((old) => old.debate),
  );
  return { ...Object.fromEntries(Object.entries(others).filter(([id]) => !dropped.has(id))), [debate.debate]: debate };
}

export function withoutDebate(debates: Debates = {}, debate: string): Debates {
  const { [debate]: _, ...others } = debates;
  return others;
}

export function provisionalDebate(
  { provisional, review: { positions, rationale, dependents } }: Extract<DebateNews, { type: 'debate.provisional' }>,
  flagged: readonly string[],
): ItemDebate {
  const { debate, topic, mark, position } = provisional;
  const { statement, value } = position;
  // The override deadline is left out: a review that nobody answers starts it anew.
  const review = { positions, rationale, dependents };
  return { debate, topic, state: 'provisional', statement, value, mark, confidence: null, flagged, review };
}

export function deferredDebate({ debate }: Extract<DebateNews, { type: 'debate.deferred' }>): ItemDebate {
  const nothing = { statement: null, value: null, confidence: null, flagged: [], review: null };
  return { debate, topic: debate, state: 'deferred', mark: 'deferred to the next gate', ...nothing };
}

export function decidedDebate(
  { debate, topic, position, mark, confidence }: Resolution,
  flagged: readonly string[],
): ItemDebate {
  const { statement, value } = position ?? { statement: null, value: null };
  return { debate, topic, state: 'decided', statement, value, mark, confidence, flagged, review: null };
}

/** The debates that a gate shows: provisional values with their positions (CA-132), and debates without a value. */
export interface DebatesToReview {
  /** The headline in the seed's words: `2 provisional decisions require review`. */
  readonly headline: string;
  readonly provisional: readonly object[];
  readonly deferred: readonly string[];
}

/** The debates to be reviewed at the next gate of an item; null if there are none. */
export function debatesToReview(debates: Debates = {}): DebatesToReview | null {
  const open = Object.values(debates).filter(({ state }) => state !== 'decided');
  if (open.length === 0) return null;
  const provisional = open.flatMap(({ debate, topic, mark, state, review }) =>
    state === 'provisional' ? [{ debate, topic, mark, ...review }] : [],
  );
  const deferred = open.flatMap(({ debate, state }) => (state === 'deferred' ? [debate] : []));
  return { headline: reviewHeadline(provisional.length), provisional, deferred };
}

/**
 * Dependents of a debate as tasks of the plan: by id, or by stage of the item that it concerns. Names that match
 * neither are ignored.
 */
export function tasksNamed(plan: Plan, item: string | null, dependents: readonly string[]): readonly string[] {
  const ids = new Set(plan.tasks.map(({ id }) => id));
  return dependents.flatMap((name) =>
    ids.has(name) ? [name] : item !== null && ids.has(`${item}/${name}`) ? [`${item}/${name}`] : [],
  );
}
