/**
 * The proposal of a piece of work in one line, which distinguishes questions to people that otherwise read the same.
 * Only fields in which the work describes itself are read, because lists and notices reach more readers than a result
 * should. Pure.
 */

/** The length of a line in a list: the whole result is in the package of the question. */
const PROPOSAL_CHARS_MAX = 200;

/**
 * Fields of a result that may hold the proposal; the first one with text counts. `stdout` is the output of a shell
 * command.
 */
const SAID_IN = ['proposal', 'summary', 'stdout'] as const;

/**
 * The proposal in a result.
 *
 * @returns null if the result has no such field.
 */
export function proposalOf(output: unknown): string | null {
  const fields = typeof output === 'object' && output !== null ? (output as Readonly<Record<string, unknown>>) : {};
  for (const said of [output, ...SAID_IN.map((field) => fields[field])]) {
    const text = typeof said === 'string' ? lineOf(said) : '';
    if (text !== '') return text;
  }
  return null;
}

function lineOf(said: string): string {
  const line = said
    .slice(0, 10 * PROPOSAL_CHARS_MAX)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= PROPOSAL_CHARS_MAX ? line : `${line.slice(0, PROPOSAL_CHARS_MAX - 1)}\u2026`;
}
