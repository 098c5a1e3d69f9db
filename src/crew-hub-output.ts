/** The output of commands of sessions for clients: while they run, and for as long as the host keeps their files. */
import { z } from 'zod';
import { procedure, type Procedures } from './actors/api/procedure.ts';
import { type SessionOutput } from './machines/hub/session-records.ts';

/** Characters of the end of each stream that one answer has at most. */
const CHARS_MAX = 200_000;
const CHARS = 20_000;

/**
 * Reads what the command of a session has printed so far in its last try: `tail` has at most `chars` characters of each
 * stream. Undefined if the session has run no command here, or its files are gone.
 */
export type ReadOutput = (session: string, chars: number) => Promise<SessionOutput | undefined>;

const stream = z.object({
  bytes: z.number().describe('Bytes printed so far.'),
  tail: z.string().describe('The end of the text.'),
});

/** Makes the procedure of outputs, for a host that keeps them: `bosun hub run` does. */
export function outputProcedures(read: ReadOutput) {
  return {
    'session.output': procedure({
      means: 'What the command of a session has printed in its last try, while it runs and after.',
      scope: 'actor:read',
      does: 'nothing',
      params: z.object({
        session: z.string().min(1).max(200).describe('The id of the session: `R-1-1`.'),
        chars: z.int().min(1).max(CHARS_MAX).default(CHARS).describe('Characters of the end of each stream.'),
      }),
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
