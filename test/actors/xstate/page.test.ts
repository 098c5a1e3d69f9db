/**
 * docs/xstate-support.md says what the scenarios show. `npx vitest run test/actors/xstate/page.test.ts -u` writes it
 * anew.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GROUPS, page } from '../../support/actors/xstate/page.ts';

it('docs/xstate-support.md is what the scenarios give', async () => {
  await expect(await page()).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/xstate-support.md'));
});

it('names every feature once', () => {
  const names = GROUPS.flatMap(({ rows }) => rows.map(({ feature }) => feature.feature));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
