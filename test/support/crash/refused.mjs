/** A user's program whose copies of XState and zod are too old: prints the answer of defineAgent to each. */
import { defineAgent } from 'bosun';
import { createMachine } from 'xstate';
import { z } from 'zod';

const machine = createMachine({ on: { go: {} } });
const said = (options) => {
  try {
    return defineAgent({ name: 'a', ...options }).name;
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
};
console.log(said({ machine, events: {} }));
// From Bosun's own copy, which is installed beside it.
const { createMachine: createOwn } = await import(
  new URL('../node_modules/xstate/dist/xstate.esm.js', import.meta.url)
);
console.log(said({ machine: createOwn({ on: { go: {} } }), events: { go: z.object({}) } }));
