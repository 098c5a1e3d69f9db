/** A dynamic Boss with many children that all listen to one herald, and some siblings that do not. */
import { setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent, join, publish } from '../dist/index.js';
import { assertRestarts, awaiter, brittleAgent, ENDURING, NOTE, STRIKE } from './brittle.mjs';

/** Starts in flight at a time: far below the bound of the Boss's mailbox. */
const STARTS_IN_FLIGHT = 1_000;

const CALM = 'calm';

const animal = brittleAgent(
  'animal',
  join(({ context: { name } }) => (name.startsWith(CALM) ? CALM : 'herd')),
);

const herald = defineAgent({
  name: 'herald',
  machine: setup({}).createMachine({ id: 'herald', on: { 'herald.call': { actions: publish('herd', STRIKE) } } }),
  events: { 'herald.call': z.object({}) },
});

/**
 * @returns `avalanche()` makes all children except the siblings fail at once, and resolves when all have restarted
 *   durably; `note(index)` resolves with the acknowledgement of an event to a sibling; `assertRestarts(rounds)`.
 */
export async function herdSystem(store, { children, siblings }) {
  const template = { agent: 'animal', restart: 'permanent', resume: 'initial' };
  const tree = {
    ...ENDURING,
    children: [
      { id: 'field', boss: { ...ENDURING, strategy: 'dynamic', template } },
      { id: 'herald', agent: 'herald' },
    ],
  };
  const system = await createSystem({ agents: [animal, herald], store, log: () => {}, tree }).start();
  const names = Array.from({ length: children }, (_, index) => `herd-${index}`);
  const calm = Array.from({ length: siblings }, (_, index) => `${CALM}-${index}`);
  const all = [...names, ...calm];
  for (let first = 0; first < all.length; first += STARTS_IN_FLIGHT) {
    const some = all.slice(first, first + STARTS_IN_FLIGHT);
    await Promise.all(some.map((name) => system.boss('field').startChild({ id: name, input: { name } })));
  }
  await system.idle();
  const risen = await awaiter(system);
  return {
    system,
    async avalanche() {
      const ready = risen(names);
      await system.send('herald', { type: 'herald.call' });
      await ready;
    },
    note: (index) => system.send(`field/${calm[index]}`, NOTE),
    assertRestarts: (rounds) => assertRestarts(system, ['field'], rounds * children),
  };
}
