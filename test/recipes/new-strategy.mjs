/**
 * The recipe for a new restart strategy, carried out on a copy of the repository: `node test/recipes/new-strategy.mjs`.
 * Prints the files that it takes, and exits 1 where they are more than six, or where the result does not compile or
 * does not work.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recipe } from './recipe.mjs';

const STRATEGIES = 'src/supervisor/strategies.ts';

const RULES = `    case 'prior_for_one':
      return { isOfTemplate: false, joins: (child, failed) => child.position <= failed.position };
`;

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
  expect(test.shard.tree().boss).toMatchObject({ strategy: 'prior_for_one', restartsInPeriod: 1 });
});
`;

recipe({
  filesMax: 6,
  change(changes) {
    changes.insert(STRATEGIES, { before: "'dynamic'", text: "'prior_for_one', " });
    changes.insert(STRATEGIES, { before: '    // OTP', text: RULES });
    changes.insert('docs/supervision.md', {
      before: '| `dynamic` | none',
      text:
        '| `prior_for_one` | those that were started before it. ' +
        'For children each of which uses those after it. |\n',
    });
    changes.insert('CHANGELOG.md', { before: '- **', text: '- **Supervision**: the strategy `prior_for_one`.\n' });
    changes.create('test/supervisor/prior-for-one.test.ts', TEST);
  },
  check({ run, copy }) {
    const file = join(copy, STRATEGIES);
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.replace(RULES, ''));
    if (compiles(run, copy, [STRATEGIES])) throw new Error('a strategy without rules compiles');
    writeFileSync(file, whole);
    typeCheck(run, copy, ['src', 'test/supervisor']);
    run('vitest', 'run', 'test/supervisor/prior-for-one.test.ts');
  },
});

/** @param include What is checked, with all that it imports. */
function typeCheck(run, copy, include) {
  const config = {
    extends: './tsconfig.json',
    include,
    compilerOptions: { incremental: false, tsBuildInfoFile: null },
  };
  writeFileSync(join(copy, 'tsconfig.recipe.json'), JSON.stringify(config));
  run('tsc', '-p', 'tsconfig.recipe.json');
}

function compiles(run, copy, include) {
  try {
    typeCheck(run, copy, include);
    return true;
  } catch {
    return false;
  }
}
