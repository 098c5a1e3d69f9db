/**
 * The bytes that one unit of work allocates and that an idle actor keeps in memory, which depend neither on other load
 * nor on the clock. The pauses of the garbage collector depend on them. The bounds leave room for a compiler that
 * inlines differently, and none for one more object of each kind.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../support/persistence/allocation.mjs', import.meta.url));
const FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

it('an input allocates under 1,600 bytes, a hop 1,700, a spawn 7,000, a failure 90,000; an idle actor 1,050', () => {
  const printed = execFileSync(process.execPath, [...FLAGS, SCRIPT], { encoding: 'utf8', stdio: 'pipe' });
  const bytes = JSON.parse(printed) as Record<'input' | 'hop' | 'spawn' | 'failure' | 'idle', number>;
  expect(bytes.input).toBeLessThan(1_600);
  expect(bytes.hop).toBeLessThan(1_700);
  expect(bytes.spawn).toBeLessThan(7_000);
  expect(bytes.failure).toBeLessThan(90_000);
  expect(bytes.idle).toBeLessThan(1_050);
});
