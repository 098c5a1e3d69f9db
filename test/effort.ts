/**
 * How hard the tests try. `npm test` and `npm run check` try for as long as somebody waits for them, CI=true for minutes, the soak
 * for an hour. What is tried is the same; how much of it is chosen here and nowhere else.
 */

/** `quick` beside nothing else; `ci` where CI=true; `soak` by vitest.soak.config.ts. */
export const EFFORT: 'quick' | 'ci' | 'soak' = process.env['BOSUN_SOAK'] === '1' ? 'soak' : process.env['CI'] === 'true' ? 'ci' : 'quick';

/** One of these. Without `soak`, as in CI. */
export function byEffort<T>(choice: { readonly quick: T; readonly ci: T; readonly soak?: T }): T {
  if (EFFORT === 'quick') return choice.quick;
  return EFFORT === 'soak' && choice.soak !== undefined ? choice.soak : choice.ci;
}
