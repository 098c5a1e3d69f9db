/**
 * The gateway of the row about greedy callers, in a process of its own: Bosun's default limits over very many actors.
 * Ends when its parent process does.
 */
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { createGateway } from '../dist/gateway/index.js';
import { createSystem, defineAgent, memoryStore, reply } from '../dist/index.js';

const board = defineAgent({
  name: 'board',
  machine: setup({}).createMachine({
    context: { count: 0 },
    on: {
      write: { actions: assign(({ context }) => ({ count: context.count + 1 })) },
      echo: { actions: reply(({ context }) => context.count) },
    },
  }),
  events: { write: z.object({}), echo: z.object({}) },
});

/** Starts in flight at a time: far below the bound of the root's mailbox. */
const AT_ONCE = 1_000;

const { actors, tokens } = JSON.parse(process.argv[2]);
const system = await createSystem({ agents: [board], store: memoryStore(), durability: 'memory' }).start();
for (const { id } of tokens) await system.spawn(board, id);
for (let first = 0; first < actors; first += AT_ONCE) {
  const ids = Array.from({ length: Math.min(AT_ONCE, actors - first) }, (_, index) => `idle-${first + index}`);
  await Promise.all(ids.map((id) => system.spawn(board, id)));
}
await system.idle();
const { url } = await createGateway(system, { port: 0, tokens }).listen();

process.on('message', ({ id }) => process.send({ id }));
process.on('disconnect', () => process.exit(0));
process.send({ url: url.replace('http', 'ws') });
