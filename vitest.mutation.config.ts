import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const conditions = ['@bosun/source', 'node', 'default'];

/** Which part of the rules is mutated in this run, and which tests have to notice. */
const { rooms } = JSON.parse(readFileSync(new URL('.ci/mutation-rooms.json', import.meta.url), 'utf8')) as {
  readonly rooms: Readonly<Record<string, { readonly tests: readonly string[] }>>;
};
const { tests } = rooms[process.env['BOSUN_MUTATED_ROOM'] ?? 'rules']!;

/** In the order in which the room names its tests, and then the smaller first: the first that fails kills a mutant. */
class OwnFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = tests.indexOf(relative(import.meta.dirname, moduleId));
      return place === -1 ? tests.length + statSync(moduleId).size : place;
    };
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b)));
  }
}

/**
 * The tests of `npm run mutate`, as vitest.config.ts has them, but in threads of one process, and nothing built: no
 * test here starts a process. A test that hangs under a mutant is given up early.
 */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [...tests],
    setupFiles: ['test/support/setup.ts'],
    tags: [{ name: 'long', description: 'Run where CI=true, and by the name of its file.' }],
    // A known option that is not in the types.
    ...{ tagsFilter: ['!long'] },
    sequence: { sequencer: OwnFirst },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'threads',
    isolate: false,
  },
});
