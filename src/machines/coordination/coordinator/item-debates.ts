/**
 * What a debate means for the work of an item, as a record beside the item's progress: the value that is gone on with,
 * whether it may still change, and which tasks rest on it (CA-124, CA-134). Pure.
 */
import { ITEM_DEBATES_KEPT_MAX } from '../../../limits.ts';
import { type ItemDebate } from '../../work/agent-function.ts';
import { type DebateNews, type Resolution } from '../debates/debate-state.ts';
import { type Plan } from '../plan/plan.ts';

/** Tasks that are to run again because what they used was overridden, one after the other. */
export interface Rerun {
  /** The one that runs now. */
  readonly current: string;
  readonly next: readonly string[];
}

type Debates = Readonly<Record<string, ItemDebate>>;

/** Of those that are decided the latest are kept; what is open is never among those dropped. */
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
  { provisional }: Extract<DebateNews, { type: 'debate.provisional' }>,
  flagged: readonly string[],
): ItemDebate {
  const { debate, topic, mark, position } = provisional;
  const { statement, value } = position;
  return { debate, topic, state: 'provisional', statement, value, mark, confidence: null, flagged };
}

export function deferredDebate({ debate }: Extract<DebateNews, { type: 'debate.deferred' }>): ItemDebate {
  const nothing = { statement: null, value: null, confidence: null, flagged: [] };
  return { debate, topic: debate, state: 'deferred', mark: 'deferred to the next gate', ...nothing };
}

export function decidedDebate(
  { debate, topic, position, mark, confidence }: Resolution,
  flagged: readonly string[],
): ItemDebate {
  const { statement, value } = position ?? { statement: null, value: null };
  return { debate, topic, state: 'decided', statement, value, mark, confidence, flagged };
}

/**
 * Dependents of a debate as tasks of the plan: by id, or by stage of the item that it is about. What is neither is
 * nothing of the plan's.
 */
export function tasksNamed(plan: Plan, item: string | null, dependents: readonly string[]): readonly string[] {
  const ids = new Set(plan.tasks.map(({ id }) => id));
  return dependents.flatMap((name) =>
    ids.has(name) ? [name] : item !== null && ids.has(`${item}/${name}`) ? [`${item}/${name}`] : [],
  );
}
