/**
 * A tool of the crew: an actor that checks the style of files by `tools/lint.js` of the repository, one request at a
 * time. It handles no failure of that program: it fails with it, and its Boss starts it again, with the request.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defer, defineAgent, reply, type ReplyTo } from 'bosun';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';

const run = promisify(execFile);

const check = z.object({ folder: z.string(), files: z.array(z.string()) });
type Files = z.output<typeof check>;

/** Makes the agent. Its cache is in this folder. */
export function linterAgent(cacheFolder: string) {
  const machine = setup({
    types: {} as {
      context: { readonly work: Files | null; readonly replyTo: ReplyTo | undefined };
      events: { readonly type: 'check'; readonly replyTo?: ReplyTo } & Files;
    },
    actors: {
      lint: fromPromise<string[], Files>(async ({ input: { folder, files }, signal }) => {
        const args = [join(folder, 'tools', 'lint.js'), folder, cacheFolder, ...files];
        const { stdout } = await run(process.execPath, args, { signal }).catch(
          (error: { readonly stderr?: string }) => {
            // The program says why in a line.
            throw new Error(error.stderr?.trim() || String(error));
          },
        );
        return JSON.parse(stdout) as string[];
      }),
    },
  }).createMachine({
    id: 'linter',
    context: { work: null, replyTo: undefined },
    initial: 'idle',
    states: {
      idle: {
        on: {
          check: {
            target: 'checking',
            actions: assign({
              work: ({ event: { folder, files } }) => ({ folder, files }),
              replyTo: ({ event }) => event.replyTo,
            }),
          },
        },
      },
      checking: {
        on: { check: { actions: defer() } },
        invoke: {
          src: 'lint',
          input: ({ context }) => context.work!,
          onDone: {
            target: 'idle',
            actions: reply(({ event }) => event.output, { to: ({ context }) => context.replyTo }),
          },
        },
      },
    },
  });
  return defineAgent({ name: 'linter', machine, events: { check }, trace: { keep: 100 } });
}
