/**
 * Finds the child tables that the next turn of a Boss needs whole. A step is pure and a Boss's is cheap, so it is taken
 * once and discarded: the tables that it read, and those that its commands would end, have to be in memory before the
 * real turn.
 */
import { type EventObject } from 'xstate';
import type { Cell } from '../../world/cell.ts';
import { type Step, type StepEngine } from '../../model/step-engine.ts';
import { type ChildCommand } from '../../model/supervision.ts';

/** Commands that may end everything below the child that they name. */
const ENDING: ReadonlySet<string> = new Set<ChildCommand['type']>([
  'bosun.child.terminate',
  'bosun.child.halt',
  'bosun.child.restart',
]);

/**
 * Finds the Bosses whose child tables the next turn of `boss` needs whole.
 *
 * @param partial Bosses at and below `boss` whose tables are not whole.
 * @param withFacts Adds the facts for the Boss's decision to the event.
 * @returns The Bosses out of `partial` whose tables the turn needs.
 */
export function tablesNeeded(
  engine: StepEngine,
  boss: Cell,
  partial: readonly Cell[],
  withFacts: () => EventObject,
): Cell[] {
  let step: Step | undefined;
  try {
    step = engine.transition(boss.definition, boss.ref, boss.snapshot!, withFacts());
  } catch {
    // Either a table is not whole, and knows it; or the turn will throw too, and the Boss ends with everything that it
    // has.
  }
  const wanted = partial.filter(({ childTable }) => childTable?.isWanted === true);
  for (const { childTable } of wanted) childTable!.isWanted = false;
  if (wanted.length > 0) return wanted;
  const ends =
    step === undefined || step.snapshot.status !== 'active'
      ? [boss]
      : step.effects.flatMap((effect) => endedBy(boss, effect));
  return partial.filter((cell) => ends.some((end) => isBelow(cell, end)));
}

function endedBy(boss: Cell, effect: Step['effects'][number]): Cell[] {
  if (effect.kind !== 'command' || !ENDING.has(effect.name)) return [];
  const child = boss.children.get((effect.params as { readonly id: string }).id);
  return child === undefined ? [] : [child];
}

/** Whether an actor is another one, or below it. */
export function isBelow(cell: Cell, top: Cell): boolean {
  for (let at: Cell | undefined = cell; at !== undefined; at = at.parent) if (at === top) return true;
  return false;
}
