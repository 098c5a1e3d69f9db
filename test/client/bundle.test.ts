/** The size of the client bundle that a page loads, which contains no Node modules. */
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const GZIP_BYTES_MAX = 13.5 * 1_024;

it('the client bundle with its dependencies is below 13.5 KB gzipped and imports no Node module', async () => {
  const build = await rolldown({
    input: join(import.meta.dirname, '../../src/client/index.ts'),
    platform: 'browser',
    external: isBuiltin,
  });
  const { output } = await build.generate({ minify: true, format: 'esm' });
  await build.close();
  expect(output).toHaveLength(1);
  const [chunk] = output;
  expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
  // Compared as a list, so that a failure does not print the whole bundle.
  expect(chunk.code.match(/bosun\.v1\.json/g)).toHaveLength(1);
  expect(chunk.code.match(/node:|\brequire\(|\bBuffer\b/g)).toBe(null);
  expect(gzipSync(chunk.code).length).toBeLessThan(GZIP_BYTES_MAX);
});
