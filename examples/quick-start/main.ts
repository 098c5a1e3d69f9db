/** The shortest useful system: one machine of your own under a Boss, whose state outlives the process. */
import { createSystem, defineAgent, levelStore } from 'bosun';
import { assign, setup } from 'xstate';
import { z } from 'zod';

const counter = defineAgent({
  name: 'counter',
  machine: setup({
    types: {} as { context: { count: number }; events: { type: 'add'; by: number } },
  }).createMachine({
    context: { count: 0 },
    on: { add: { actions: assign({ count: ({ context, event }) => context.count + event.by }) } },
  }),
  events: { add: z.object({ by: z.number() }) }, // what may come from outside
});

/** Runs one process: continues from the state on disk, counts one visit, stops. */
async function visit(): Promise<number> {
  const system = await createSystem({ agents: [counter], store: levelStore('./counter-data') }).start();
  const visits = await system.spawn(counter, 'visits'); // gets the actor, or has the root Boss start it
  await visits.send({ type: 'add', by: 1 }); // resolves when the event is on disk
  await system.idle(); // and now it has been processed, too
  const { count } = visits.getSnapshot().context;
  await system.stop();
  return count;
}

console.log(await visit()); // -> 1
console.log(await visit()); // -> 2
