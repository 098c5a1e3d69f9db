/**
 * Shortens stacks. A failure is stored with its stack and quoted in a record, so every restart pays for its length; the
 * frames of the kernel, of XState and of Node are the same each time.
 */

/** Paths of frames that are left out. The path of a bundle is not among them, so a bundle keeps all its frames. */
const KERNEL = new URL('actors/', import.meta.url);
const LEFT_OUT = ['node:', '/node_modules/xstate/', KERNEL.href, decodeURI(KERNEL.pathname)];

/**
 * Shortens a stack.
 *
 * @param stack As V8 writes it: the text of the error, then a line for each frame.
 * @param framesMax The number of frames kept: the first ones outside of the kernel, or the first of all where there are
 * no others.
 */
export function shortStack(stack: string, framesMax: number): string {
  // No newline within the gap: the search in a text of many lines would be quadratic.
  const begin = stack.search(/\n[ \t]+at /);
  if (begin === -1) return stack;
  const frames = stack.slice(begin + 1).split('\n');
  const own = frames.filter((frame) => !LEFT_OUT.some((place) => frame.includes(place)));
  const kept = (own.length === 0 ? frames : own).slice(0, framesMax);
  return kept.length === frames.length ? stack : [stack.slice(0, begin), ...kept].join('\n');
}
