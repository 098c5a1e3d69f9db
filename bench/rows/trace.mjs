/** G14: the cost of recording every turn, which is always on, and of a subscriber to all of them. */
import { join } from 'node:path';
import { setImmediate as afterAllElse } from 'node:timers/promises';
import { durableLoad, plainLoad } from '../load.mjs';
import { assertSameWork, plainWorkers, workerSystem } from '../population.mjs';
import { inTurn } from '../rounds.mjs';
import { withoutTracing } from '../silence.mjs';
import { watchedStore } from '../stores.mjs';

/**
 * Differences of a few per cent are measured in short alternating legs, so that other influences on the machine affect
 * all contenders.
 */
const LEGS = 4;

export const trace = {
  name: 'G14',
  title: 'Trace',
  about: ({ actors, outstanding, inputs }) =>
    `The load of G3 on three systems in turn, ${actors.toLocaleString('en')} actors each, ` +
    `${outstanding.toLocaleString('en')} sends outstanding, ${LEGS} times ` +
    `${inputs.toLocaleString('en')} a round. **off**: the turns are not noted; there is no such switch, the ` +
    'benchmark takes the tracing out. **on**: as ever, the last 10,000 turns ' +
    "are remembered by name. **traced**: besides, `system.admin.trace('root')` is read to the end, with events " +
    'and changes of every turn. ' +
    'The cost is what throughput loses by it. After every round the states of all three are those of plain ' +
    'XState, and the trace has a record of every turn.',
  sizes: {
    full: { actors: 10_000, outstanding: 4_000, inputs: 25_000 },
    quick: { actors: 200, outstanding: 80, inputs: 500 },
  },
  ratios: [
    {
      name: 'cost of trace on',
      of: ({ on, off }) => 100 * (1 - on.perSecond / off.perSecond),
      atMost: 15,
      aim: 8,
      unit: ' %',
    },
    {
      name: 'cost of trace on, in processor time',
      of: ({ on, off }) => 100 * (on.cpuMicrosPerInput / off.cpuMicrosPerInput - 1),
      unit: ' %',
    },
    {
      name: 'cost of a subscriber to every turn, besides',
      of: ({ on, traced }) => 100 * (1 - traced.perSecond / on.perSecond),
      unit: ' %',
    },
  ],

  async open(size, directory) {
    const off = await withoutTracing(() => side(size, join(directory, 'off')));
    const on = await side(size, join(directory, 'on'));
    const traced = await side(size, join(directory, 'traced'));
    if ((await off.system.admin.recent('root')).length > 0) throw new Error('turns are noted where none should be');
    const reader = readAll(await traced.system.admin.trace('root'));
    const plain = plainWorkers(size.actors);
    const follow = plainLoad(plain, size.inputs);
    const sides = { off, on, traced };
    const leg = inTurn({ off: off.run, on: on.run, traced: traced.run });
    let inputs = 0;
    return {
      subject: on.run,
      async round() {
        const legs = [];
        for (let done = 0; done < LEGS; done++) {
          legs.push(await leg());
          follow();
        }
        for (const { system, addresses } of Object.values(sides)) await assertSameWork(system, addresses, plain);
        inputs += LEGS * size.inputs;
        // The reader lags some microtasks behind the system.
        await afterAllElse();
        if (reader.records + reader.lost < inputs)
          throw new Error(`the trace has ${reader.records} records and lost ${reader.lost}, of ${inputs} turns`);
        const sums = Object.fromEntries(
          Object.keys(sides).map((name) => [name, sumOf(legs.map((each) => each[name]))]),
        );
        return { ...sums, traced: { ...sums.traced, recordsLost: reader.lost } };
      },
      async close() {
        for (const { system } of Object.values(sides)) await system.stop();
      },
    };
  },
};

async function side({ actors, outstanding, inputs }, directory) {
  const { store, seen } = watchedStore(directory);
  const { system, addresses } = await workerSystem(store, actors);
  return { system, addresses, run: durableLoad({ system, addresses, seen, outstanding, count: inputs }) };
}

/** The mean over legs of equal length. */
function sumOf(legs) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    perSecond: 1 / mean(legs.map(({ perSecond }) => 1 / perSecond)),
    cpuMicrosPerInput: mean(legs.map(({ cpuMicrosPerInput }) => cpuMicrosPerInput)),
  };
}

/** Reads a trace until it ends. @returns The counts of records so far, updated as they come. */
function readAll(trace) {
  const seen = { records: 0, lost: 0 };
  void (async () => {
    for await (const record of trace) {
      if (record.kind === 'lost') seen.lost += record.count;
      else seen.records += 1;
    }
  })();
  return seen;
}
