/**
 * The tests of a run by name, for those who ask whether one has passed. A report of a hub counts them, and is as small
 * as before.
 */
import { clip, type Found } from './finding.ts';

/** Names that are kept for each result of a run. A test without a name has shown nothing. */
export const NAMES_MAX = 50_000;

/** Characters of the message of a failed test, and of a value that it compared. */
const MESSAGE_CHARS_MAX = 2_000;
const VALUE_CHARS_MAX = 500;

/** A test that failed, as its runner tells. */
export interface FailedTest {
  readonly test: string;
  readonly message: string;
  readonly expected?: string;
  readonly actual?: string;
}

/** Tests by their results. Their names have those of groups before them, with ` > ` between. */
export interface TestRun {
  readonly passed: readonly string[];
  readonly failed: readonly FailedTest[];
  readonly skipped: readonly string[];
}

/** A failed test within bounds, with the values that it compared where they are told. */
export function failedTest(test: string, told: Pick<Found, 'message' | 'expected' | 'actual'>): FailedTest {
  const value = (name: 'expected' | 'actual', inMessage: RegExp) => {
    const said = told[name] ?? inMessage.exec(told.message)?.[1];
    return said === undefined
      ? {}
      : { [name]: clip(typeof said === 'string' ? said : JSON.stringify(said), VALUE_CHARS_MAX) };
  };
  // As node --test, Jest and testify write them.
  const values = {
    ...value('expected', /^\s*expected\s*:\s*(.+?),?$/im),
    ...value('actual', /^\s*(?:actual|received)\s*:\s*(.+?),?$/im),
  };
  return { test, message: clip(told.message.trim(), MESSAGE_CHARS_MAX), ...values };
}
