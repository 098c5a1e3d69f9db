/**
 * The looks of clients into sessions beside their records: what a command has printed, and which files have changed,
 * while the session works, and for as long as the host keeps them.
 */
import { z } from 'zod';
import { procedure, type Procedures } from './actors/api/procedure.ts';
import { type SessionOutput } from './machines/hub/session-records.ts';

/**
 * Reads what the command of a session has printed so far in its last try: `tail` has at most `chars` characters of each
 * stream. Undefined if the session has run no command here, or its files are gone.
 */
export type ReadOutput = (session: string, chars: number) => Promise<SessionOutput | undefined>;

const stream = z.object({
  bytes: z.number().describe('Bytes printed so far.'),
  tail: z.string().describe('The end of the text.'),
});

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

/** The session, and how much of a text one answer has. */
const paramsOf = (what: string) =>
  z.object({
    session: z.string().min(1).max(200).describe('The id of the session: `R-1-1`.'),
    chars: z.int().min(1).max(200_000).default(20_000).describe(`Characters of ${what}.`),
  });

/** Makes the procedure of outputs, for a host that keeps them: `bosun hub run` does. */
export function outputProcedures(read: ReadOutput) {
  return {
    'session.output': procedure({
      means: 'What the command of a session has printed in its last try, while it runs and after.',
      scope: 'actor:read',
      does: 'nothing',
      params: paramsOf('the end of each stream'),
      result: z.object({
        output: z.object({ round: z.int().describe('The try, from 1.'), stdout: stream, stderr: stream }).nullable(),
      }),
      example: {
        p: { session: 'R-1-1' },
        r: { output: { round: 1, stdout: { bytes: 12, tail: '1 test fails' }, stderr: { bytes: 0, tail: '' } } },
      },
      port: async ({ session, chars }) => ({ output: (await read(session, chars)) ?? null }),
    }),
  } satisfies Procedures;
}

/** Makes the procedure of changes, for a host that can look at them. */
export function changesProcedures(read: ReadChanges) {
  return {
    'session.changes': procedure({
      means: 'The files that a session has changed, and their diff, while it works and after.',
      scope: 'actor:read',
      does: 'nothing',
      params: paramsOf('the beginning of the diff'),
      result: z.object({ changes: sessionChanges.nullable() }),
      example: {
        p: { session: 'R-1-1' },
        r: { changes: { files: [{ path: 'a.ts', isNew: false, lines: 2 }], patch: '--- a/a.ts', isCut: false } },
      },
      port: async ({ session, chars }) => ({ changes: (await read(session, chars)) ?? null }),
    }),
  } satisfies Procedures;
}
