/** Builds the package before the tests if anything has changed: tests that start processes run the built package. */
import { execFileSync } from 'node:child_process';

export default function setup(): void {
  // Declarations are needed only by the examples in the documents, which take long to check.
  const how = process.env['CI'] === 'true' ? [] : ['--to-run'];
  execFileSync(process.execPath, ['.ci/build.mjs', ...how], { stdio: 'inherit' });
}
