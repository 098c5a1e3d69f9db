/**
 * Runs before each test file. Vitest maps every frame of every stack that is read, and tests of failures read tens of
 * thousands, most of them alike: here each place is mapped once.
 */
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
