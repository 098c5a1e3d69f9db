/**
 * Recipes: changes that a guide promises to be small, carried out on a copy of the repository. A recipe says what it
 * inserts and creates; here it is applied, checked by what it runs in the copy, and its files are counted.
 *
 * `--dry-run` only looks for the places where something is inserted, and takes no second.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../..');

/** The files that a recipe changes, by their paths. */
class Changes {
  texts = new Map();

  create(path, text) {
    this.texts.set(path, text);
  }

  /** Puts text before the first place where another one stands in a file. */
  insert(path, { before, text }) {
    const old = this.texts.get(path) ?? readFileSync(join(repository, path), 'utf8');
    const at = old.indexOf(before);
    if (at === -1) throw new Error(`${path} has no ${JSON.stringify(before)}: mend the recipe`);
    this.create(path, old.slice(0, at) + text + old.slice(at));
  }
}

/**
 * Carries out a recipe. Exits with 1 where it takes too many files, a place is missing, or its check fails.
 *
 * @param change Is given `insert` and `create`.
 * @param check Is given `run(command, ...arguments)`, which runs an installed command in the copy and throws where it
 *   fails, `node(...arguments)`, which does the same with a program of the copy, and the directory of the copy.
 */
export function recipe({ filesMax, change, check }) {
  try {
    const changes = new Changes();
    change(changes);
    if (!process.argv.includes('--dry-run')) inCopy(changes, check);
    console.log([...changes.texts.keys()].join('\n'));
    console.log(`${changes.texts.size} files, of at most ${filesMax}`);
    if (changes.texts.size > filesMax) process.exitCode = 1;
  } catch (error) {
    console.error(String(error.stdout ?? ''), error.message);
    process.exitCode = 1;
  }
}

function inCopy({ texts }, check) {
  const copy = mkdtempSync(join(tmpdir(), 'bosun-recipe-'));
  try {
    const files = execFileSync('git', ['ls-files'], { cwd: repository, encoding: 'utf8' }).split('\n').filter(Boolean);
    for (const path of files) if (existsSync(join(repository, path))) cpSync(join(repository, path), join(copy, path));
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
    for (const [path, text] of texts) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const options = { cwd: copy, stdio: 'pipe', maxBuffer: 100 * 2 ** 20 };
    const run = (command, ...args) => execFileSync(join(copy, 'node_modules/.bin', command), args, options);
    const node = (...args) => execFileSync(process.execPath, args, options);
    // A change is formatted before it is checked, as by its author.
    run('biome', 'format', '--write', ...texts.keys());
    check({ run, node, copy });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
