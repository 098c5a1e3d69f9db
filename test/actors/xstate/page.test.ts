/**
 * docs/xstate-support.md is generated from what the scenarios show.
 * `npx vitest run test/actors/xstate/page.test.ts -u` writes it again.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GROUPS, page } from '../../support/actors/xstate/page.ts';

it('docs/xstate-support.md agrees with the scenarios', async () => {
  await expect(await page()).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/xstate-support.md'));
});

it('docs/xstate-support.md names every feature once', () => {
  const names = GROUPS.flatMap(({ rows }) => rows.map(({ feature }) => feature.feature));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
