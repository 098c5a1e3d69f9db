/**
 * The layers of the product through which a test shows its title. The kits record them in the test's meta when the test
 * uses them, and the requirements reporter reads them there; no test states them by hand.
 */
import { TestRunner } from 'vitest';
import { type Kind } from './requirement-rows.ts';

declare module 'vitest' {
  interface TaskMeta {
    shownBy?: Kind[];
  }
}

/** Layers recorded by hooks that run before the tests of a file. */
const inHooks = new Set<Kind>();

/** Records a layer for the present test. Called by a kit; without effect outside of a test. */
export function showsBy(kind: Kind): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) inHooks.add(kind);
  else test.meta.shownBy = [...(test.meta.shownBy ?? []), kind];
}

/** Resets the layers of hooks before the first test of each file. */
export function beginFile(): void {
  inHooks.clear();
}

/** Records the layers of hooks for each test, which uses what they set up. */
export function beginTest(): void {
  for (const kind of inHooks) showsBy(kind);
}
