/**
 * Setup that runs before each test file. Properties are drawn from the seed of the run (effort.ts). Reports of kits are
 * kept with their test (shown-by.ts). Spies and stubs end with their test, and a file that leaves something to the next
 * fails (leftovers.ts). Vitest maps every frame of every stack that is read, and tests of failures read tens of
 * thousands, most of them alike: here each place is mapped once.
 */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { configureTestSystems } from '../../src/testing/test-system.ts';
import { SEED } from './effort.ts';
import { forgive, restored, surroundings, useOwnSurroundings } from './leftovers.ts';
import { beginFile, beginTest } from './shown-by.ts';

fc.configureGlobal({ seed: SEED });
// Many of our promises never settle on purpose.
configureTestSystems({ effectsMs: 0, warn: () => {} });

beforeAll(beginFile);
beforeEach(beginTest);

type Prepare = (error: Error, frames: NodeJS.CallSite[]) => string;

const MARK = Symbol.for('bosun.test.stacks');

const vitest = Error.prepareStackTrace as (Prepare & { [MARK]?: true }) | undefined;

if (vitest !== undefined && vitest[MARK] === undefined) {
  /** Mapped places, by place. */
  const mapped = new Map<string, string>();
  const lineOf = (frame: NodeJS.CallSite): string => {
    const text = frame.toString();
    const at = /[^( ]+:\d+:\d+(?=\)?$)/.exec(text)?.[0];
    if (at === undefined) return text;
    let place = mapped.get(at);
    if (place === undefined) {
      place = /[^( ]+:\d+:\d+(?=\)?$)/.exec(vitest(new Error(), [frame]))?.[0] ?? at;
      mapped.set(at, place);
    }
    return text.replace(at, () => place);
  };
  const prepare: Prepare = (error, frames) =>
    [`${error.name || 'Error'}: ${error.message || ''}`, ...frames.map((frame) => `    at ${lineOf(frame)}`)].join(
      '\n',
    );
  Error.prepareStackTrace = Object.assign(prepare, { [MARK]: true as const });
}

// Hooks that are registered first run last, after those of the file.
afterEach(({ task }) => {
  if (task.result?.state === 'fail') forgive();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

useOwnSurroundings();
const { prepareStackTrace, stackTraceLimit } = Error;
const before = surroundings();

afterAll(async () => {
  // The compiler within jiti, which loads the agents of users, replaces both once and for ever.
  if (Error.prepareStackTrace !== prepareStackTrace) Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  await restored(before);
});
