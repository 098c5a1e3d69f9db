/**
 * The step engine alone, without kernel, mailbox or store: Bosun's plan engine, imported from its own file in dist
 * because users of the package do not need it, and its machines. All machines have the same shape under different
 * names, so that no cache of the engine's or of V8's serves one for another.
 */
import { assign, createActor, setup } from 'xstate';
import { Ref } from '../dist/actors/model/ref.js';
import { Definitions } from '../dist/actors/xstate/definition.js';
import { PlanEngine } from '../dist/actors/xstate/plan-engine.js';

/**
 * The features that the four events of a cycle use: guard, assign, entry action, nested states, a transition that
 * stays, `after`.
 */
export const CYCLE = [
  { type: 'item.take' },
  { type: 'item.note', by: 'alice' },
  { type: 'item.send' },
  { type: 'item.return' },
];

export function stepMachine(number) {
  const [count, note] = [`count${number}`, `note${number}`];
  return setup({
    guards: { [`isSound${number}`]: ({ context }) => context[count] >= 0 },
    actions: { [`look${number}`]: () => {} },
  }).createMachine({
    id: `item${number}`,
    context: ({ input }) => ({ id: input.id, [count]: 0, [note]: '' }),
    initial: 'waiting',
    states: {
      waiting: {
        entry: `look${number}`,
        on: {
          'item.take': {
            target: 'taken',
            guard: `isSound${number}`,
            actions: assign({ [count]: ({ context }) => context[count] + 1 }),
          },
        },
      },
      taken: {
        initial: 'blank',
        states: {
          blank: {
            on: {
              'item.note': {
                target: 'noted',
                actions: [assign({ [note]: ({ context, event }) => `${event.by} ${context[count]}` }), `look${number}`],
              },
            },
          },
          noted: {},
        },
        on: { 'item.send': 'sent', 'item.note': { actions: `look${number}` } },
      },
      // Armed at every entry, cancelled at every exit, and never due: the contenders' clock stands still.
      sent: { after: { 1_000: 'waiting' }, on: { 'item.return': 'waiting' } },
    },
  });
}

/**
 * Actors that step by the plan engine, each with one of the machines in turn. The described effects are counted and
 * discarded.
 */
export class Stepped {
  #engine;
  #definitions;
  #refs;
  #snapshots;
  #described = 0;

  constructor(machines, actors) {
    let life = 1;
    const nothing = () => {};
    const host = { factsOf: () => undefined };
    const ref = (number, address) => new Ref(host, number, address);
    this.#engine = new PlanEngine({
      nextLife: () => ++life,
      ref,
      named: nothing,
      allNamed: () => ({}),
      namesUnder: () => [],
      relay: nothing,
      log: nothing,
    });
    host.system = this.#engine.system;
    const definitions = new Definitions();
    const prepared = machines.map((machine) => definitions.prepare(machine.id, machine, 1));
    this.#definitions = Array.from({ length: actors }, (_, index) => prepared[index % prepared.length]);
    this.#refs = Array.from({ length: actors }, (_, index) => ref(++life, `item-${index}`));
    this.#snapshots = this.#refs.map(
      (self, index) => this.#engine.initial(this.#definitions[index], self, { id: `item-${index}` }).snapshot,
    );
  }

  send(index, event) {
    const { snapshot, effects } = this.#engine.transition(
      this.#definitions[index],
      this.#refs[index],
      this.#snapshots[index],
      event,
    );
    this.#snapshots[index] = snapshot;
    this.#described += effects.length;
  }

  snapshot(index) {
    return this.#snapshots[index];
  }

  /** Effects since the start: actions to run, timers to arm and cancel. */
  get described() {
    return this.#described;
  }
}

/** The actors under `createActor`, with a clock that only accepts their timers. */
export function plainSteps(machines, actors) {
  let timers = 0;
  const clock = { setTimeout: () => ++timers, clearTimeout() {} };
  return Array.from({ length: actors }, (_, index) =>
    createActor(machines[index % machines.length], { input: { id: `item-${index}` }, clock }).start(),
  );
}
