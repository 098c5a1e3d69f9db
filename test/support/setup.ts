/**
 * Setup that runs before each test file. Properties are drawn from the seed of the run (effort.ts). Reports of kits are
 * kept with their test (shown-by.ts). Vitest maps every frame of every stack that is read, and tests of failures read
 * tens of thousands, most of them alike: here each place is mapped once.
 */
import fc from 'fast-check';
import { beforeAll, beforeEach } from 'vitest';
import { SEED } from './effort.ts';
import { beginFile, beginTest } from './shown-by.ts';

fc.configureGlobal({ seed: SEED });

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
