/**
 * The agent that the supervision rows kill: its `assign` throws, as a user's may by mistake, and it starts from its
 * initial state when its Boss restarts it. The fault is transient: the event is delivered again after the restart and
 * then succeeds, so every event is one failure and one restart. (An event that fails every time causes two more
 * restarts and is then quarantined.)
 */
import { assign, createActor, emit, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent } from '../dist/index.js';

/** Names of the children that fail at the next `brittle.strike`. */
const faults = new Set();

/** @param onEntry Further actions at every start. */
function brittleMachine(...onEntry) {
  return setup({}).createMachine({
    id: 'brittle',
    context: ({ input }) => ({ name: input.name, strikes: 0, notes: 0 }),
    // At every start from the initial state: the report that its init has returned.
    entry: [...onEntry, emit(({ context }) => ({ type: 'brittle.ready', name: context.name }))],
    on: {
      'brittle.strike': { actions: assign({ strikes: ({ context }) => context.strikes + withstood(context.name) }) },
      'brittle.note': { actions: assign({ notes: ({ context }) => context.notes + 1 }) },
    },
  });
}

function withstood(name) {
  if (faults.delete(name)) throw new Error(`${name} was struck`);
  return 1;
}

export function brittleAgent(name, ...onEntry) {
  return defineAgent({
    name,
    machine: brittleMachine(...onEntry),
    events: { 'brittle.strike': z.object({}), 'brittle.note': z.object({}) },
  });
}

/** More restarts than any round has, so that no Boss gives up. */
export const ENDURING = { intensity: 1_000_000, periodMs: 1_000 };

export const STRIKE = { type: 'brittle.strike' };
export const NOTE = { type: 'brittle.note' };

/**
 * A system of Bosses of the strategy one_for_one, `boss-0` and so on, each with so many static children.
 *
 * @returns `strike(boss, indexes)` makes children fail at once and resolves when all have restarted durably;
 *   `note(boss, index)` resolves with the acknowledgement of a harmless event; `assertRestarts(total)` throws if the
 *   Bosses have counted another number.
 */
export async function brittleSystem(store, { bosses, children }) {
  const agent = brittleAgent('brittle');
  const ids = Array.from({ length: bosses }, (_, boss) => `boss-${boss}`);
  const boss = (id) => ({
    id,
    boss: { ...ENDURING, children: Array.from({ length: children }, (_, index) => childOf(`${id}-${index}`)) },
  });
  const system = await createSystem({
    agents: [agent],
    store,
    log: () => {},
    tree: { ...ENDURING, children: ids.map(boss) },
  }).start();
  await system.idle();
  const risen = await awaiter(system);
  return {
    system,
    async strike(number, indexes) {
      const names = indexes.map((index) => `${ids[number]}-${index}`);
      const ready = risen(names);
      await Promise.all(names.map((name) => system.send(`${ids[number]}/${name}`, STRIKE)));
      await ready;
    },
    note: (number, index) => system.send(`${ids[number]}/${ids[number]}-${index}`, NOTE),
    assertRestarts: (total) => assertRestarts(system, ids, total),
  };
}

function childOf(id) {
  return { id, agent: 'brittle', input: { name: id }, resume: 'initial' };
}

/** @returns A function that makes children fail at their next strike, and resolves when all have restarted durably. */
export async function awaiter(system) {
  const waiting = new Map();
  await system.onEmitted((_, event) => {
    if (event.type !== 'brittle.ready') return;
    const tell = waiting.get(event.name);
    waiting.delete(event.name);
    tell?.();
  });
  return (names) =>
    new Promise((resolve) => {
      let left = names.length;
      const tell = () => {
        left -= 1;
        if (left === 0) resolve();
      };
      for (const name of names) {
        faults.add(name);
        waiting.set(name, tell);
      }
    });
}

/** Checks the number of restarts: what a benchmark does not check, it does not measure. */
export async function assertRestarts(system, bosses, total) {
  let seen = 0;
  for (const boss of bosses) for (const { restarts } of await system.boss(boss).whichChildren()) seen += restarts;
  if (seen !== total) throw new Error(`${seen} restarts were counted, ${total} children failed`);
}

/**
 * The simplest possible supervisor, in memory: a failed actor is replaced by a new one. It counts nothing and
 * redelivers nothing.
 */
export function plainSupervisor(children) {
  const machine = brittleMachine();
  const names = Array.from({ length: children }, (_, index) => `plain-${index}`);
  const actors = [];
  const start = (index) => {
    const actor = createActor(machine, { input: { name: names[index] } });
    actor.subscribe({ error: () => start(index) });
    actors[index] = actor.start();
  };
  names.forEach((_, index) => start(index));
  return {
    strike(indexes) {
      for (const index of indexes) {
        const before = actors[index];
        faults.add(names[index]);
        before.send(STRIKE);
        if (actors[index] === before) throw new Error(`${names[index]} was not replaced`);
      }
    },
  };
}
