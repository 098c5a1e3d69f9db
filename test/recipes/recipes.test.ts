/** The recipes of the guide for contributors find each place where they insert text; they fail if a place has moved. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it.each([
  ['new-strategy', 6],
  ['new-desk', 8],
  ['new-method', 4],
])('%s changes at most %i files, and finds every place that it changes', (name, most) => {
  const said = execFileSync(process.execPath, [join(import.meta.dirname, `${name}.mjs`), '--dry-run'], {
    encoding: 'utf8',
  });
  expect(said).toContain(` files, of at most ${most}`);
});
