/**
 * The recipe for a new restart strategy, carried out on a copy of the repository: `node test/recipes/new-strategy.mjs`.
 * Prints the files that it takes, and exits 1 where they are more than six, or where the result does not compile or
 * does not work.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const FILES_MAX = 6;

const repository = resolve(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'bosun-recipe-'));
const touched = new Set();

/** Puts text before or after the first place where another one stands in a file. */
function insert(path, { before, after, text }) {
  const old = readFileSync(join(copy, path), 'utf8');
  const anchor = before ?? after;
  const at = old.indexOf(anchor);
  if (at === -1) throw new Error(`${path} has no ${JSON.stringify(anchor)}`);
  const place = before === undefined ? at + anchor.length : at;
  create(path, old.slice(0, place) + text + old.slice(place));
}

function create(path, text) {
  writeFileSync(join(copy, path), text);
  touched.add(path);
}

function run(...command) {
  execFileSync(join(copy, 'node_modules/.bin', command[0]), command.slice(1), { cwd: copy, stdio: 'pipe' });
}

/** @param include What is checked, with all that it imports. */
function typeCheck(include) {
  const config = {
    extends: './tsconfig.json',
    include,
    compilerOptions: { incremental: false, tsBuildInfoFile: null },
  };
  writeFileSync(join(copy, 'tsconfig.recipe.json'), JSON.stringify(config));
  run('tsc', '-p', 'tsconfig.recipe.json');
}

function compiles(include) {
  try {
    typeCheck(include);
    return true;
  } catch {
    return false;
  }
}

const TEST = `import { expect, it } from 'vitest';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { agents, notes, restarts, told } from '../support/supervisor/worker.ts';

it('restarts a child with those that were started before it', async () => {
  const ids = ['a', 'b', 'c'];
  const children = ids.map((id) => ({ id, agent: 'worker' }));
  const test = await startTestSystem({ agents, tree: { strategy: 'prior_for_one', children } });
  for (const id of ids) await told(test, id, 'note', 'before');
  await told(test, 'b', 'explode');
  expect(ids.map((id) => notes(test, id))).toEqual([[], [], ['before']]);
  expect(ids.map((id) => restarts(test, id))).toEqual([1, 1, 0]);
  expect(test.system.tree().boss).toMatchObject({ strategy: 'prior_for_one', restartsInPeriod: 1 });
});
`;

try {
  const files = execFileSync('git', ['ls-files'], { cwd: repository, encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const path of files) if (existsSync(join(repository, path))) cpSync(join(repository, path), join(copy, path));
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));

  const strategies = 'src/supervisor/strategies.ts';
  insert(strategies, { after: "'rest_for_one'", text: ", 'prior_for_one'" });
  if (compiles([strategies])) throw new Error('a strategy without rules compiles');
  insert(strategies, {
    before: '    // OTP',
    text: `    case 'prior_for_one':
      return { isOfTemplate: false, joins: (child, failed) => child.position <= failed.position };
`,
  });
  insert('docs/supervision.md', {
    before: '| `dynamic` | none.',
    text: '| `prior_for_one` | those that were started before it. For children each of which uses those after it. |\n',
  });
  insert('CHANGELOG.md', { before: '- **', text: '- **Supervision**: the strategy `prior_for_one`.\n' });
  create('test/supervisor/prior-for-one.test.ts', TEST);

  typeCheck(['src', 'test/supervisor']);
  run('vitest', 'run', 'test/supervisor/prior-for-one.test.ts');

  console.log([...touched].join('\n'));
  console.log(`${touched.size} files, of at most ${FILES_MAX}`);
  if (touched.size > FILES_MAX) process.exitCode = 1;
} catch (error) {
  console.error(String(error.stdout ?? ''), error.message);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
