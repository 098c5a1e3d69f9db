/**
 * Whether seeds do the same everywhere: `node bench/determinism.mjs [SEEDS]`, after a build. Runs so many seeds
 * (default 1,000), half of them over two workers, in a process of their own, again in another, and by Node 22 and 24
 * where `node22` and `node24` are on the path; says which it had to leave out. Ends with 1 where hashes differ.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../test/support/fixtures/simulation/hash.mjs', import.meta.url));
const half = Math.ceil(Number(process.argv[2] ?? 1_000) / 2);

function hashesBy(node) {
  return [1, 2].map((workers) =>
    execFileSync(node, [script, '1', String(half), String(workers)], { encoding: 'utf8' }),
  );
}

function versionOf(node) {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

const [first, ...others] = [process.execPath, process.execPath, 'node22', 'node24'].flatMap((node) => {
  const version = versionOf(node);
  if (version === undefined) {
    process.stdout.write(`left out: there is no ${node} on the path\n`);
    return [];
  }
  const hashes = hashesBy(node);
  process.stdout.write(`Node ${version}, ${2 * half} seeds: ${hashes.join(' ')}\n`);
  return [hashes.join()];
});
if (others.some((hashes) => hashes !== first)) {
  process.stdout.write('hashes differ\n');
  process.exitCode = 1;
}
