/**
 * G20: the wait of a user after kill -9: from the call that creates the system to the first acknowledged event, in a
 * new process, on a store whose last owner died under load.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inTurn } from '../rounds.mjs';

const VICTIM = join(import.meta.dirname, '../victim.mjs');

export const killed = {
  name: 'G20',
  title: 'First event after kill -9',
  about: ({ actors, inputs }) =>
    `A process with ${actors.toLocaleString('en')} live actors is killed with SIGKILL after ` +
    `${inputs.toLocaleString('en')} inputs, with more on their way; a new one opens the store. **durable**: from ` +
    '`createSystem` to the first event acknowledged, everybody in memory. **resting**: the same with ' +
    '`residentActors: 1_000`. **process**: from its start to the same moment, with Node and all modules. ' +
    'What the new process finds must be at least what was acknowledged to the old one.',
  sizes: {
    full: { actors: 10_000, inputs: 50_000 },
    quick: { actors: 100, inputs: 500 },
  },
  ratios: [
    {
      name: 'kill -9 with 10,000 live actors to the first event acknowledged',
      of: ({ durable }) => durable.ms,
      atMost: 400,
      aim: 250,
      unit: ' ms',
    },
    { name: 'the same with residentActors', of: ({ resting }) => resting.ms, unit: ' ms' },
  ],

  async open(size, directory) {
    const durable = () => killAndStart(size, join(directory, 'durable'));
    return {
      subject: durable,
      round: inTurn({
        durable,
        resting: () => killAndStart({ ...size, residentActors: 1_000 }, join(directory, 'resting')),
      }),
      async close() {},
    };
  },
};

async function killAndStart(size, directory) {
  await rm(directory, { recursive: true, force: true });
  const first = start('load', size, directory);
  const [{ acknowledged }] = await once(first, 'message');
  first.kill('SIGKILL');
  await once(first, 'exit');
  const startMs = performance.now();
  const second = start('recover', size, directory);
  const [{ ms, found }] = await once(second, 'message');
  const processMs = performance.now() - startMs;
  second.disconnect();
  await once(second, 'exit');
  if (found < acknowledged) throw new Error(`${acknowledged} inputs were acknowledged, ${found} are there`);
  return { ms, processMs };
}

function start(task, size, directory) {
  return fork(VICTIM, [JSON.stringify({ task, directory, ...size })]);
}
