/** docs/api.md: it lists every public export, and each of them has a docstring. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiPage } from './support/api-page.ts';
import { LONG } from './support/effort.ts';

describe('docs/api.md', LONG, () => {
  const { text, undocumented } = apiPage();

  it('has a line for every public export', async () => {
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../docs/api.md'));
  });

  it('finds a docstring at each export', () => {
    expect(undocumented).toEqual([]);
  });
});
