/**
 * Builds the package before the tests if anything has changed: tests that start processes run the built package. All
 * temporary folders of the run lie in one, which is removed at the end.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_FOLDER } from './leftovers.ts';

export default function setup(): () => void {
  // Declarations are needed only by the examples in the documents, which take long to check.
  const how = process.env['CI'] === 'true' ? [] : ['--to-run'];
  execFileSync(process.execPath, ['.ci/build.mjs', ...how], { stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), RUN_FOLDER));
  // Some tests start a process as another user, who has to get through.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
