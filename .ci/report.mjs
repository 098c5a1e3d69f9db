/** The lines of a test run's report (test/support/run-reporter.ts), with the exit code that `.ci/within.mjs` adds. */
import { existsSync, readFileSync } from 'node:fs';

/** Reads a report. A line that its writer could not finish is left out; a file that is not there has no lines. */
export function entriesOf(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}
