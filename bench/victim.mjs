/**
 * The two processes of the row about kill -9. `load` makes a population, keeps it busy, reports the acknowledged part
 * and runs until it is killed; `recover` opens the store and reports how long the first event took.
 */
import { createSystem, levelStore } from '../dist/index.js';
import { tally } from './machines.mjs';
import { workerId, workerSystem } from './population.mjs';

/** Sends in progress at a time. */
const OUTSTANDING = 1_000;

const FIRST = workerId(0);

const { task, directory, actors, inputs, residentActors } = JSON.parse(process.argv[2]);
process.on('disconnect', () => process.exit(0));
process.send(task === 'load' ? await load() : await recover());

async function load() {
  const { system, addresses } = await workerSystem(levelStore(directory), actors, { agent: tally });
  let sent = 0;
  let acknowledged = 0;
  return new Promise((resolve) => {
    const client = async () => {
      for (;;) {
        await system.send(addresses[sent++ % actors], { type: 'tally.add' });
        if (++acknowledged === inputs) resolve({ acknowledged });
      }
    };
    for (let index = 0; index < OUTSTANDING; index++) void client();
  });
}

async function recover() {
  const startMs = performance.now();
  const system = await createSystem({ agents: [tally], store: levelStore(directory), residentActors }).start();
  await system.send(FIRST, { type: 'tally.add' });
  const ms = performance.now() - startMs;
  await system.idle();
  const { children } = await system.tree();
  const states = await Promise.all(children.map(({ address }) => system.snapshot(address)));
  const found = states.reduce((count, { context }) => count + context.count, 0);
  return { ms, found };
}
