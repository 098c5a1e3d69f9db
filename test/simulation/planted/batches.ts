/**
 * Two systems that hand on many things at once, each with a fault that loses a few of them in an unlucky order, and its
 * mended twin. They were made from the page of the simulator, without a look into it.
 */
import { defineAgent, effectOf } from 'bosun';
import { finally_, simulation, sometimes } from 'bosun/testing';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';

interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * Gathers lines for a second and uploads them together. With the bug it is empty after an upload, whatever has come
 * meanwhile.
 */
const bufferOf = (hasBug: boolean) =>
  defineAgent({
    name: 'buffer',
    machine: setup({
      types: {} as {
        context: { taken: number; lines: readonly Line[] };
        events: { type: 'log'; text: string };
      },
      actors: { upload: fromPromise<number, { lines: readonly Line[] }>(async () => 0) },
      guards: { isEmpty: ({ context }) => context.lines.length === 0 },
    }).createMachine({
      context: { taken: 0, lines: [] },
      initial: 'empty',
      on: {
        log: {
          actions: assign(({ context: { taken, lines }, event: { text } }) => ({
            taken: taken + 1,
            lines: [...lines, { number: taken + 1, text }],
          })),
        },
      },
      states: {
        empty: { always: { guard: ({ context }) => context.lines.length > 0, target: 'gathering' } },
        gathering: { after: { 1_000: 'uploading' } },
        uploading: {
          invoke: {
            src: 'upload',
            input: ({ context }) => ({ lines: context.lines }),
            onDone: {
              target: 'empty',
              actions: assign({
                lines: ({ context, event }) => (hasBug ? [] : context.lines.slice(event.output)),
              }),
            },
            onError: 'gathering',
          },
        },
      },
    }),
    events: { log: z.object({ text: z.string().max(8) }) },
  });

/** A buffer that forgets what came while it was flushed. */
export function logs(hasBug: boolean) {
  return simulation<{ readonly lines: Map<number, string> }>({
    world: () => ({ lines: new Map() }),
    system: () => ({ agents: [bufferOf(hasBug)], tree: { children: [{ id: 'buffer', agent: 'buffer' }] } }),
    effects: {
      'buffer.upload': {
        latencyMs: [0, 200],
        fails: 0.1,
        losesAnswer: 0.1,
        run: (input, { world }) => {
          const { lines } = input as { lines: readonly Line[] };
          for (const { number, text } of lines) world.lines.set(number, text);
          return lines.length;
        },
      },
    },
    properties: [
      finally_('every line that was taken is uploaded', ({ snapshot, world }) => {
        const { taken } = snapshot('buffer')?.context as { taken: number };
        return world.lines.size === taken || `${taken} lines were taken, ${world.lines.size} are there`;
      }),
      sometimes('an upload has several lines', ({ world }) => world.lines.size > 2),
    ],
    steps: 30,
  });
}

/** The letters that came to their receivers. */
class Post {
  readonly delivered = new Set<string>();
}

/**
 * Delivers the letters of a mailing one after the other, by a promise that remembers how far it is. With the bug it
 * says that a letter is done before it is, so that a death between the two loses the letter.
 */
const mailingOf = (hasBug: boolean, post: Post) =>
  defineAgent({
    name: 'mailing',
    machine: setup({
      types: {} as {
        context: { mailing: number; count: number; sent: number };
        events: { type: 'send'; count: number };
      },
      actors: {
        deliver: fromPromise<void, { mailing: number; count: number }>(async ({ input: { mailing, count }, self }) => {
          const { checkpoint, checkpointed } = effectOf(self);
          for (let letter = (checkpointed as number | undefined) ?? 0; letter < count; letter += 1) {
            if (hasBug) await checkpoint(letter + 1);
            await new Promise((resolve) => setTimeout(resolve, 20)); // the way to the post office
            post.delivered.add(`${mailing}/${letter}`);
            if (!hasBug) await checkpoint(letter + 1);
          }
        }),
      },
    }).createMachine({
      context: { mailing: 0, count: 0, sent: 0 },
      initial: 'idle',
      states: {
        idle: {
          on: {
            send: {
              target: 'delivering',
              actions: assign(({ context, event }) => ({ mailing: context.mailing + 1, count: event.count })),
            },
          },
        },
        delivering: {
          invoke: {
            src: 'deliver',
            input: ({ context: { mailing, count } }) => ({ mailing, count }),
            onDone: { target: 'idle', actions: assign({ sent: ({ context }) => context.sent + context.count }) },
          },
        },
      },
    }),
    events: { send: z.object({ count: z.int().min(1).max(4) }) },
  });

/** A checkpoint that runs ahead of the work. */
export function mailings(hasBug: boolean) {
  return simulation<Post>({
    world: () => new Post(),
    system: (world) => ({
      agents: [mailingOf(hasBug, world)],
      tree: { children: [{ id: 'mailing', agent: 'mailing' }] },
    }),
    properties: [
      finally_('every letter of a mailing that is done was delivered', ({ snapshot, world }) => {
        const { sent } = snapshot('mailing')?.context as { sent: number };
        return world.delivered.size === sent || `${sent} letters were sent, ${world.delivered.size} delivered`;
      }),
      finally_('no mailing is under way', ({ snapshot }) => snapshot('mailing')?.value === 'idle'),
      sometimes('a mailing is done', ({ world }) => world.delivered.size > 0),
    ],
    steps: 30,
  });
}
