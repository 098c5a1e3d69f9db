/**
 * G10 and G15: the waits of others while a system is busy: at half of its capacity for acknowledgements, at all of it
 * for the event loop.
 */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { durableLoad, plainLoad, SESSIONS } from '../load.mjs';
import { syncMs } from '../machine.mjs';
import { assertSameWork, plainWorkers, workerSystem } from '../population.mjs';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

/**
 * Resolution in milliseconds, the finest of Node. The figure includes the wait for it: an idle loop has a delay of 1.1
 * ms.
 */
const DELAY_RESOLUTION_MS = 1;

export const acknowledgements = {
  name: 'G10',
  title: 'Acknowledgements of a busy system',
  about: ({ actors, outstanding, inputs }) =>
    `The load of G3 (${actors.toLocaleString('en')} actors, ${SESSIONS} sessions) with ` +
    `${outstanding.toLocaleString('en')} sends outstanding, ${inputs.toLocaleString('en')} a round; one send of ` +
    '16 is timed. ' +
    '(The thousand that begin a round at once would be its slowest hundredth if a round were shorter.) **disk**: ' +
    'write and fdatasync of 4 KB, 200 times, in turn with it.',
  sizes: {
    full: { actors: 10_000, outstanding: 1_000, inputs: 400_000 },
    quick: { actors: 200, outstanding: 40, inputs: 2_000 },
  },
  ratios: [
    {
      name: 'acknowledgement p99 at 1,000 outstanding, in fsync medians',
      of: ({ durable, disk }) => durable.ackP99Ms / disk.fsyncMs,
      atMost: 70,
      aim: 50,
    },
  ],

  async open(size, directory) {
    const { durable, check, close } = await saturated(size, directory);
    const round = inTurn({ durable, disk: () => ({ fsyncMs: syncMs(directory).median }) });
    return { subject: durable, round: checked(round, check), close };
  },
};

export const eventLoop = {
  name: 'G15',
  title: 'Event loop of a saturated system',
  about: ({ outstanding, inputs }) =>
    `The load of G3, ${outstanding.toLocaleString('en')} sends outstanding, ${inputs.toLocaleString('en')} a ` +
    `round. **durable**: how late a timer of ${DELAY_RESOLUTION_MS} ms fires ` +
    '(`monitorEventLoopDelay`, that millisecond included), which is what anything else in the process waits for ' +
    'its turn.',
  sizes: {
    full: { actors: 10_000, outstanding: 4_000, inputs: 200_000 },
    quick: { actors: 200, outstanding: 80, inputs: 4_000 },
  },
  ratios: [
    {
      name: 'event-loop delay p99 at saturation',
      of: ({ durable }) => durable.delayP99Ms,
      atMost: 8,
      aim: 6,
      unit: ' ms',
    },
  ],

  async open(size, directory) {
    const { durable, check, close } = await saturated(size, directory);
    const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
    const watched = async () => {
      delays.reset();
      delays.enable();
      const { perSecond } = await durable();
      delays.disable();
      return {
        delayP50Ms: delays.percentile(50) / 1e6,
        delayP99Ms: delays.percentile(99) / 1e6,
        delayMaxMs: delays.max / 1e6,
        perSecond,
      };
    };
    return { subject: durable, round: checked(inTurn({ durable: watched }), check), close };
  },
};

/** A population under load, and plain actors that take the same events off the clock. */
async function saturated({ actors, outstanding, inputs }, directory) {
  const { store, seen } = watchedStore(join(directory, 'durable'));
  const { system, addresses } = await workerSystem(store, actors);
  const plain = plainWorkers(actors);
  const follow = plainLoad(plain, inputs);
  return {
    durable: durableLoad({ system, addresses, seen, outstanding, count: inputs }),
    async check() {
      follow();
      await assertSameWork(system, addresses, plain);
    },
    close: () => system.stop(),
  };
}

function checked(round, check) {
  return async () => {
    const sample = await round();
    await check();
    return sample;
  };
}
