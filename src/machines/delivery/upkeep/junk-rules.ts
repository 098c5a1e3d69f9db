/**
 * Junk (MX-023): work that nobody has touched for so long that it is in the way. These are duplicates in the queue, and
 * work that was found and never planned. Pure.
 */
import { normalised } from '../../answers/words.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { DAY_MS } from '../oversight/oversight-rules.ts';

/** How the Updater cleans up. */
export interface UpkeepSettings {
  readonly scan?: 'daily' | 'weekly';
  /** Milliseconds without a touch from which on something is junk. */
  readonly junkMs?: number;
  /** Whether junk is merged or withdrawn at once, or people are asked. */
  readonly conflictMode?: 'auto-merge' | 'user-confirm';
}
export const UPKEEP = { scan: 'daily', junkMs: 7 * DAY_MS, conflictMode: 'user-confirm' } as const;
export const SCANS_MS = { daily: DAY_MS, weekly: 7 * DAY_MS } as const;

/** Something that nobody touches any more. */
export interface Junk {
  readonly kind: 'duplicate' | 'held';
  /** Its name among all junk. */
  readonly key: string;
  /** The task itself, or the one behind which it was found. */
  readonly task: string;
  /** The task that is the same; null if there is none. */
  readonly into: string | null;
  readonly title: string;
  readonly owner: string;
}

/** A task in the queue that no session has had. */
export interface Waiting {
  readonly item: WorkItem;
  readonly touchedAtMs: number;
  /** Whether other work depends on it. */
  readonly isNeeded: boolean;
}

/** Tasks that are the same as an earlier one, and that nobody has touched since, the first of each left out. */
export function duplicatesIn(waiting: readonly Waiting[], sinceMs: number): readonly Junk[] {
  const first = new Map<string, WorkItem>();
  const junk: Junk[] = [];
  for (const { item, touchedAtMs, isNeeded } of waiting) {
    const same = first.get(scopeOf(item));
    if (same === undefined) first.set(scopeOf(item), item);
    else if (touchedAtMs <= sinceMs && !isNeeded) junk.push({ ...junkOf(item, 'duplicate', item.id), into: same.id });
  }
  return junk;
}

/** Work that was found behind a task. */
export function junkOf({ id: task, title, owner }: WorkItem, kind: Junk['kind'], name: string): Junk {
  return { kind, key: `${kind} ${name}`, task, into: null, title: title.slice(0, 150).toWellFormed(), owner };
}

/** The title and the scope of a task, by which two are the same. */
function scopeOf({ title, kind, concerns, dependencies, context: { plan, files } }: WorkItem): string {
  return JSON.stringify([
    normalised(title),
    kind,
    plan,
    ...[concerns, dependencies, files].map((all) => all.toSorted()),
  ]);
}

/** The context of the task that stays, with the criteria of the one that is the same. */
export function mergedContext({ context }: WorkItem, { context: other }: WorkItem): WorkItem['context'] {
  const acceptance = [...new Set([...context.acceptance, ...other.acceptance])].slice(0, 20);
  const proofs = [...(context.proofs ?? []), ...(other.proofs ?? [])].slice(0, 20);
  return { ...context, acceptance, ...(proofs.length > 0 && { proofs }) };
}
