/** The people whose answer to a question, or acknowledgement of a card, counts. Pure. */

/** The entry of an audience that admits anybody. */
export const ANYBODY = '*';

/** Why a person is not a member of the audience; undefined for a member. */
export function strangerProblem(audience: readonly string[], by: string | null): string | undefined {
  if (audience.includes(ANYBODY) || (by !== null && audience.includes(by))) return undefined;
  return `by: ${by ?? 'nobody'} is not among those asked`;
}
