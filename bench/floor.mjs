/**
 * G3's load without a system: the cost of sends that have an address, a session and a promise each and are acknowledged
 * from disk, whatever carries them out. A function in place of a machine takes the events; nothing supervises,
 * recovers, watches or reads. The result is the lowest possible figure of a system, and shows which part of the rest is
 * the checks that Bosun promises.
 */
import { admit } from '../dist/actors/model/value-check.js';
import { createCodec } from '../dist/persistence/format/codec.js';
import { PackedDeltas } from '../dist/persistence/format/deltas.js';
import { plainReferences } from '../dist/persistence/format/plain-references.js';
import { durableLoad } from './load.mjs';
import { workerId } from './population.mjs';
import { epochLikeKey, rawLevel } from './stores.mjs';

/** Events per write: as many as Bosun puts into an epoch for which hosts wait. */
const EVENTS_PER_WRITE = 500;

/** The next state of a worker by event. The load has no event that the worker would ignore. */
const NEXT = { 'work.start': 'working', 'work.progress': 'working', 'work.finish': 'review', 'work.accept': 'idle' };

/** The change of a worker's context by an event. */
function changeOf({ count, total }, event) {
  if (event.type === 'work.start') return { count: count + 1 };
  if (event.type === 'work.progress') return { total: total + event.n };
  return event.type === 'work.finish' ? { last: event.by } : {};
}

/**
 * @param options.isChecked Whether events and changes are walked, frozen, packed one by one and chained, as in Bosun.
 * @returns A contender, the states of its workers, and a function that closes it.
 */
export async function floor(directory, { actors, outstanding, count, isChecked }) {
  const database = await rawLevel(directory);
  const cells = new Map(Array.from({ length: actors }, (_, index) => [workerId(index), cellOf(index)]));
  const system = isChecked ? new Checked(database, cells) : new Bare(database, cells);
  const addresses = [...cells.keys()];
  const run = durableLoad({ system, addresses, seen: system.seen, outstanding, count });
  return {
    run,
    states: () => [...cells.values()].map(({ value, context }) => ({ value, context })),
    close: () => database.close(),
  };
}

function cellOf(index) {
  return {
    life: index + 1,
    seq: 0,
    hash: 0,
    value: 'idle',
    context: { id: workerId(index), count: 0, last: '', total: 0 },
  };
}

/** Takes the next events while the last ones are written, as the next epoch fills while one is being written. */
class Bare {
  codec = createCodec(plainReferences);
  /** Counters as of a watched store. */
  seen = { writes: 0, journalBytes: 0, bytes: 0 };
  #database;
  #cells;
  #sessions = new Map();
  #waiting = [];
  #epoch = 0;
  #isRunning = false;

  constructor(database, cells) {
    this.#database = database;
    this.#cells = cells;
  }

  send(address, event, { session }) {
    const cell = this.#cells.get(address);
    return new Promise((resolve) => {
      this.#waiting.push({ cell, event: this.admitted(event), session, resolve });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => this.#run());
    });
  }

  /** Every acknowledged event has been carried out. */
  async idle() {}

  async #run() {
    let written = Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, EVENTS_PER_WRITE);
      const value = this.codec.encode([
        this.take(batch.filter((one) => this.#isNew(one.session))),
        [...this.#sessions],
      ]);
      this.#count(value);
      await written;
      written = this.#database
        .put(epochLikeKey(++this.#epoch), value, { sync: true })
        .then(() => batch.forEach(({ resolve }) => resolve()));
      if (this.#waiting.length === 0) await written;
    }
    await written;
    this.#isRunning = false;
  }

  #count({ length }) {
    this.seen.writes += 1;
    this.seen.journalBytes += length;
    this.seen.bytes += length;
  }

  #isNew({ id, sequence }) {
    if (sequence <= (this.#sessions.get(id) ?? 0)) return false;
    this.#sessions.set(id, sequence);
    return true;
  }

  admitted(event) {
    return event;
  }

  /** Carries the events out. @returns The data to be written. */
  take(batch) {
    return batch.map(({ cell, event }) => {
      const change = changeOf(cell.context, event);
      cell.value = NEXT[event.type];
      cell.context = { ...cell.context, ...change };
      cell.seq += 1;
      return [cell.life, cell.seq, cell.value, change];
    });
  }
}

class Checked extends Bare {
  #deltas = new PackedDeltas((change) => this.codec.encodeShared(change));

  admitted(event) {
    // In V8 a frozen copy made by spreading has a shape of its own.
    return admit(Object.assign({}, event), 'event');
  }

  take(batch) {
    for (const { cell, event } of batch) {
      const change = { configuration: NEXT[event.type], set: admit(changeOf(cell.context, event), 'context') };
      cell.hash = this.#deltas.add(cell.life, cell, change);
      cell.value = change.configuration;
      cell.context = Object.freeze({ ...cell.context, ...change.set });
      cell.seq += 1;
    }
    return this.#deltas.take();
  }
}
