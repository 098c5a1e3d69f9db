/**
 * Checks the style of files, and keeps which of them it has found sound. Its cache is in the folder of its second
 * argument; a cache that is damaged is set aside, and the run fails: the next one begins with an empty cache.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, cacheFolder, ...files] = process.argv.slice(2);
const cacheFile = join(cacheFolder, 'lint-cache.json');

const RULES = [
  { finds: /\t/, says: 'a tab' },
  { finds: /.{121}/, says: 'a line of more than 120 characters' },
  { finds: /\bconsole\./, says: 'a message to the console' },
];

function readCache() {
  if (!existsSync(cacheFile)) return {};
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'));
  } catch (error) {
    renameSync(cacheFile, `${cacheFile}.damaged`);
    process.stderr.write(`the cache ${cacheFile} is damaged: ${error.message}\n`);
    process.exit(1);
  }
}

function flawsOf(file, text) {
  return text
    .split('\n')
    .flatMap((line, at) =>
      RULES.filter(({ finds }) => finds.test(line)).map(({ says }) => `${file}:${at + 1}: ${says}`),
    );
}

const sound = readCache();
const flaws = files.flatMap((file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const digest = createHash('sha256').update(text).digest('hex');
  if (sound[file] === digest) return [];
  const found = flawsOf(file, text);
  if (found.length === 0) sound[file] = digest;
  return found;
});
mkdirSync(cacheFolder, { recursive: true });
writeFileSync(cacheFile, JSON.stringify(sound));
process.stdout.write(JSON.stringify(flaws));
