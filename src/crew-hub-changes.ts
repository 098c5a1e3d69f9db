/** The changed files of sessions for clients, with their diff: while they work, and while the host has them. */
import { z } from 'zod';
import { procedure, type Procedures } from './actors/api/procedure.ts';

/** Characters of a diff that one answer has at most. */
const CHARS_MAX = 200_000;
const CHARS = 20_000;

const sessionChanges = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      isNew: z.boolean(),
      lines: z.int().nullable().describe('Changed lines; null for a file that is not text.'),
    }),
  ),
  patch: z.string().describe('A unified diff, or its beginning.'),
  isCut: z.boolean().describe('Whether the diff is longer.'),
});

/** The changed files of a session, as its host found them, and their diff. */
export type SessionChanges = z.output<typeof sessionChanges>;

/**
 * Looks at what a session has changed so far: `patch` has at most `chars` characters. Undefined if the session has
 * changed no files here, or nobody can look any more.
 */
export type ReadChanges = (session: string, chars: number) => Promise<SessionChanges | undefined>;

/** Makes the procedure of changes, for a host that can look at them. */
export function changesProcedures(read: ReadChanges) {
  return {
    'session.changes': procedure({
      means: 'The files that a session has changed, and their diff, while it works and after.',
      scope: 'actor:read',
      does: 'nothing',
      params: z.object({
        session: z.string().min(1).max(200).describe('The id of the session: `R-1-1`.'),
        chars: z.int().min(1).max(CHARS_MAX).default(CHARS).describe('Characters of the beginning of the diff.'),
      }),
      result: z.object({ changes: sessionChanges.nullable() }),
      example: {
        p: { session: 'R-1-1' },
        r: { changes: { files: [{ path: 'a.ts', isNew: false, lines: 2 }], patch: '--- a/a.ts', isCut: false } },
      },
      port: async ({ session, chars }) => ({ changes: (await read(session, chars)) ?? null }),
    }),
  } satisfies Procedures;
}
