/**
 * Builds `dist`, and says on stderr what it does and how long that takes. `--to-run` builds what a process needs and
 * nothing else: types are neither checked nor written, which halves the time. Where nothing has changed since a build
 * of that kind, nothing is built; else the compiler goes on from what it knows of the last one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** Holds which kind of build has gone well, with the time of its begin; it goes with what was built. */
const STAMP = 'dist/.built';

/** Between two signs of life of a step: redrawn on a terminal, a line of its own elsewhere. */
const TICK_MS = process.stderr.isTTY ? 1_000 : 2_000;
const SECOND_MS = 1_000;

const isToRun = process.argv.includes('--to-run');
const begin = new Date();

if (isBuilt()) say('build', 'nothing has changed');
else {
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];
  const quick = isToRun ? ['--noCheck', '--declaration', 'false'] : [];
  await step(existsSync(STAMP) ? 'compiling what has changed' : 'compiling, as nothing is built yet', [
    ...compiler,
    ...quick,
  ]);
  removeRemains();
  await step('bundling the page', ['src/inspector/build.mjs']);
  if (!isToRun) await step('writing the documents of the protocol', ['.ci/documents.mjs']);
  chmodSync('dist/cli/main.js', 0o755);
  writeFileSync(STAMP, isToRun ? 'to run' : 'all');
  utimesSync(STAMP, begin, begin);
  say('built', 'in all', Date.now() - begin.getTime());
}

function isBuilt() {
  if (!existsSync(STAMP)) return false;
  const isEnough = isToRun || readFileSync(STAMP, 'utf8') === 'all';
  return isEnough && changedMs() < statSync(STAMP).mtimeMs;
}

/** When something that a build is made of was changed last. A directory changes with a file that is removed. */
function changedMs() {
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', '.ci/build.mjs'];
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
  return Math.max(...[...settings, 'src', ...sources].map((path) => statSync(path).mtimeMs));
}

/** Ends this process with the exit code of one that fails. */
async function step(what, args) {
  const from = Date.now();
  const tell = process.stderr.isTTY ? redraw : (_, ms) => say('build', what, ms === 0 ? undefined : ms);
  tell(what, 0);
  const ticking = setInterval(() => tell(what, Date.now() - from), TICK_MS);
  // What a compiler has to say is said below the line, not in it.
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  clearInterval(ticking);
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  say(code === 0 ? 'built' : 'failed', what, Date.now() - from);
  process.stderr.write(said);
  if (code !== 0) process.exit(code ?? 1);
}

/**
 * Removes what types leave behind: the compiler keeps `import {} from` of an import that was of types alone, which
 * would load a module for nothing, and modules that are empty then. Lines stay where source maps have them.
 */
function removeRemains() {
  for (const path of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.js') || path.startsWith('inspector')) continue;
    const file = join('dist', path);
    const whole = readFileSync(file, 'utf8');
    const code = whole.replaceAll(/^(?:import|export) \{ *\} from ["'][^"'\n]+["'];$/gm, '');
    if (code.replaceAll(/^\s*(?:\/?\*.*|\/\/.*|export \{\};)$/gm, '').trim() === '') {
      rmSync(file);
      rmSync(`${file}.map`, { force: true });
    } else if (code !== whole) writeFileSync(file, code);
  }
}

function redraw(what, ms) {
  process.stderr.write(`\r\u001b[K${lineOf('build', what, ms)}`);
}

function say(word, what, ms) {
  process.stderr.write(`${lineOf(word, what, ms)}\n`);
}

/** As the lines of `bosun run`: a word of eleven columns, and what it is about. Coloured on a terminal only. */
function lineOf(word, what, ms) {
  const colour = { build: 36, built: 32, failed: 31 }[word];
  const isColoured = process.stderr.isTTY && !process.env.NO_COLOR;
  const padded = word.padEnd(10);
  const time = ms === undefined ? '' : `, ${(ms / SECOND_MS).toFixed(1)} s`;
  return `${isColoured ? `\u001b[${colour}m${padded}\u001b[0m` : padded} ${what}${time}`;
}
