/**
 * What the supervision rows kill: an agent whose `assign` throws, as a user's does by mistake, and that begins anew
 * when its Boss restarts it. The fault passes: the event is delivered once more after the restart and then succeeds, so
 * that every event is one failure and one restart. (One that fails every time is restarted twice more and then
 * quarantined.)
 */
import { assign, createActor, emit, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent } from '../dist/index.js';

/** Who fails at the next `brittle.strike`, by name. */
const faults = new Set();

/** @param onEntry Further actions of every start. */
function brittleMachine(...onEntry) {
  return setup({}).createMachine({
    id: 'brittle',
    context: ({ input }) => ({ name: input.name, strikes: 0, notes: 0 }),
    // With every start from initial: the word that its init has returned.
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
 * A system of Bosses of the strategy one_for_one, `boss-0` and so on, with so many static children each.
 *
 * @returns `strike(boss, indexes)` has children fail at once and resolves when all have begun anew and that is
 *   durable; `note(boss, index)` resolves with the acknowledgement of an event that does no harm;
 *   `assertRestarts(total)` throws where the Bosses have counted another number.
 */
export async function brittleSystem(store, { bosses, children }) {
  const agent = brittleAgent('brittle');
  const ids = Array.from({ length: bosses }, (_, boss) => `boss-${boss}`);
  const boss = (id) => ({
    id,
    boss: { ...ENDURING, children: Array.from({ length: children }, (_, index) => childOf(`${id}-${index}`)) },
  });
  const system = await createSystem({ agents: [agent], store, tree: { ...ENDURING, children: ids.map(boss) } }).start();
  await system.idle();
  const risen = awaiter(system);
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

/**
 * @returns A function that makes children fail at their next strike, and resolves when all of them have begun anew,
 *   durably.
 */
export function awaiter(system) {
  const waiting = new Map();
  system.onEmitted((_, event) => {
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

/** What a benchmark does not check, it does not measure. */
export function assertRestarts(system, bosses, total) {
  let seen = 0;
  for (const boss of bosses) for (const { restarts } of system.boss(boss).whichChildren()) seen += restarts;
  if (seen !== total) throw new Error(`${seen} restarts were counted, ${total} children failed`);
}

/**
 * The least that a supervisor can be in memory: a failed actor is replaced by a new one. Counts nothing, delivers
 * nothing again.
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
