/** Builds before the tests, where something has changed: those that start processes run the built package. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Written when a build has gone well, with the time of its begin, and removed with what it built. */
const STAMP = 'dist/.built';

export default function setup(): void {
  if (changedMs() < builtMs()) return;
  const begin = new Date();
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  });
  execFileSync(process.execPath, ['src/inspector/build.mjs'], { stdio: 'inherit' });
  writeFileSync(STAMP, '');
  utimesSync(STAMP, begin, begin);
}

/** Of what a build is made of. A directory changes with a file that is removed. */
function changedMs(): number {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
  return Math.max(
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'src', ...sources].map(
      (path) => statSync(path).mtimeMs,
    ),
  );
}

function builtMs(): number {
  return statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
