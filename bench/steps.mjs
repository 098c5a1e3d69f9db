/**
 * The step engine by itself, without kernel, mailbox or store: Bosun's plan engine, reached by its own file in dist
 * because no user of the package has any business with it, and the machines it is given. All of them have the same
 * shape under names of their own, so that no cache of the engine's or of V8's can serve one for the other.
 */
import { assign, createActor, setup } from 'xstate';
import { Ref } from '../dist/actors/model/ref.js';
import { Definitions } from '../dist/actors/xstate/definition.js';
import { PlanEngine } from '../dist/actors/xstate/plan-engine.js';

/**
 * Guard, assign, entry action, nested states, a transition that stays, `after`: what the four events of a cycle go
 * through.
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
      // Armed with every entry, cancelled with every exit, and never due: the clock of the contenders stands still.
      sent: { after: { 1_000: 'waiting' }, on: { 'item.return': 'waiting' } },
    },
  });
}

/**
 * Actors that step by the plan engine, each of one of the machines in turn. What their steps describe is counted and
 * let go.
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

  /** Effects since the start: actions to be run, timers to be armed and cancelled. */
  get described() {
    return this.#described;
  }
}

/** The same actors under `createActor`, whose timers go to a clock that only takes them. */
export function plainSteps(machines, actors) {
  let timers = 0;
  const clock = { setTimeout: () => ++timers, clearTimeout() {} };
  return Array.from({ length: actors }, (_, index) =>
    createActor(machines[index % machines.length], { input: { id: `item-${index}` }, clock }).start(),
  );
}
