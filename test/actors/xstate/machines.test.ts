/**
 * Machines and their children behave under Bosun as under createActor, also when the host is killed between the steps.
 * createActor delivers depth-first within `send`; Bosun first in, first out per pair of actors. A scenario that differs
 * in that order only is compared actor by actor.
 */
import { type AnyStateMachine, createMachine, enqueueActions, fromCallback, sendParent, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import {
  climbing,
  climbingCount,
  forwarding,
  pingPong,
  remembering,
  spawning,
  waiting,
  waitingForChild,
} from '../../support/actors/xstate/machines.ts';
import {
  type Outcome,
  perActor,
  type Record,
  type Scenario,
  underBosun,
  underBosunOnLevel,
  underCreateActor,
} from '../../support/actors/xstate/scenario.ts';

interface Case {
  readonly name: string;
  readonly scenario: Scenario;
  /** The outcome on both sides, which shows that the scenario does something at all. */
  readonly shows: Partial<Outcome>;
  /** Compares the lines of each actor: createActor lets a receiver run before the sender goes on. */
  readonly perActor?: true;
}

describe('a machine behaves under Bosun as under createActor', () => {
  for (const { name, scenario, shows, perActor: each } of CASES()) {
    const view = each ? perActor : (outcome: Outcome) => outcome;
    it(name, async () => {
      const expected = await underCreateActor(scenario);
      expect(expected).toMatchObject(shows);
      expect(view(await underBosun(scenario, { kill: false }))).toEqual(view(expected));
    });
    it(`${name}, with a power cut between the steps`, async () => {
      expect(view(await underBosun(scenario, { kill: true }))).toEqual(view(await underCreateActor(scenario)));
    });
    it(`${name}, with a restart on LevelDB between the steps`, async () => {
      expect(view(await underBosunOnLevel(scenario))).toEqual(view(await underCreateActor(scenario)));
    });
  }
});

describe('the end of a child', () => {
  it('comes after the messages that its machine sends to it on leaving the state', async () => {
    const expected = await underCreateActor(PARTING);
    expect(expected.lines).toEqual([
      ['kid', 'told BYE'],
      ['subject', 'answered THANKS'],
    ]);
    expect(await underBosun(PARTING, { kill: false })).toEqual(expected);
  });

  it('comes after the messages that its machine sends to it on reaching its final state', async () => {
    const ending: Scenario = { ...PARTING, script: ({ send }) => send({ type: 'END' }) };
    const expected = await underCreateActor(ending);
    expect(expected).toMatchObject({ status: 'done', lines: [['kid', 'told BYE']] });
    expect(await underBosun(ending, { kill: false })).toEqual(expected);
  });

  it('puts its last answers behind the messages that the machine sent to itself in the same turn', async () => {
    const scenario: Scenario = { ...PARTING, script: ({ send }) => send({ type: 'MURMUR' }) };
    const expected = await underCreateActor(scenario);
    expect(expected.lines).toEqual([
      ['kid', 'told BYE'],
      ['subject', 'murmured'],
      ['subject', 'answered THANKS'],
    ]);
    expect(await underBosun(scenario, { kill: false })).toEqual(expected);
  });

  it('cleans up callbacks in the order of their starts', async () => {
    const scenario: Scenario = {
      machine: threeCallbacks,
      events: ['END'],
      script: ({ send }) => send({ type: 'END' }),
    };
    const expected = await underCreateActor(scenario);
    expect(expected.lines.map(([, line]) => line)).toHaveLength(3);
    expect(await underBosun(scenario, { kill: false })).toEqual(expected);
  });
});

describe('the failure of a grandchild', () => {
  it('reaches the first ancestor that handles it', async () => {
    const scenario: Scenario = {
      machine: climbing,
      events: ['BREAK'],
      script: async ({ send, settle }) => {
        await send({ type: 'BREAK' });
        await settle();
      },
    };
    const expected = await underCreateActor(scenario);
    expect(expected.lines).toEqual([['subject', 'caught broken']]);
    expect(await underBosun(scenario, { kill: false })).toEqual(expected);
  });
});

function CASES(): Case[] {
  return [
    {
      name: 'a child machine: sends to it in entry, answers to its parent, its output',
      scenario: {
        machine: pingPong,
        events: ['GO', 'END'],
        script: async ({ send, cycle }) => {
          await send({ type: 'GO' });
          await cycle();
          await send({ type: 'GO' });
          await cycle();
          await send({ type: 'END' });
        },
      },
      shows: { context: { got: [6, 7, 8] }, value: 'over', lines: [['subject', 'done {"n":8}']] },
    },
    {
      name: 'spawn in assign, references in the context, stopChild, systemId',
      perActor: true,
      scenario: {
        machine: spawning,
        events: ['ADD', 'HIT', 'DROP'],
        script: async ({ send, cycle }) => {
          await send({ type: 'ADD' });
          await send({ type: 'ADD' });
          await cycle();
          await send({ type: 'HIT' });
          await cycle();
          await send({ type: 'DROP' });
          await send({ type: 'HIT' });
        },
      },
      shows: { context: { refs: ['REF k1'] }, children: ['hub', 'k1'] },
    },
    {
      name: 'after, delayed raise, cancel, delayed sendTo',
      scenario: {
        machine: waiting,
        script: async ({ advance, cycle }) => {
          for (let step = 0; step < 6; step++) {
            await advance(4);
            await cycle();
          }
        },
      },
      shows: { value: 'd', lines: [['subject', 'L']], logged: ['["hi"]'] },
    },
    {
      name: 'parallel states, history, done states, output',
      scenario: {
        machine: remembering,
        events: ['N', 'OUT', 'BACK', 'AWAY', 'HOME'],
        script: async ({ send, cycle }) => {
          for (const type of ['N', 'N', 'OUT', 'BACK', 'N', 'AWAY', 'HOME']) {
            await send({ type });
            await cycle();
          }
        },
      },
      shows: { value: { room: 'r' } },
    },
    {
      name: 'always, raise, guards, enqueueActions, emit',
      scenario: {
        machine: climbingCount,
        events: ['UP'],
        script: async ({ send, cycle }) => {
          await send({ type: 'UP' });
          await send({ type: 'UP' });
          await cycle();
          await send({ type: 'UP' });
        },
      },
      shows: { value: 'high', emitted: ['{"type":"RAISED"}', '{"type":"RAISED"}', '{"type":"HIGH","n":3}'] },
    },
    {
      name: 'forwardTo and a reducer as child',
      scenario: {
        machine: forwarding,
        events: ['FORWARD', 'CHECK'],
        script: async ({ send, cycle, settle }) => {
          await send({ type: 'FORWARD' });
          await cycle();
          await send({ type: 'FORWARD' });
          await settle();
          await send({ type: 'CHECK' });
        },
      },
      shows: {
        lines: [
          ['reducer', 'FORWARD'],
          ['reducer', 'FORWARD'],
          ['subject', 'count 2'],
        ],
      },
    },
    {
      name: 'a child with a timer of its own',
      scenario: {
        machine: waitingForChild,
        script: async ({ advance, cycle }) => {
          await advance(8);
          await cycle();
          await advance(8);
          await cycle();
          await advance(8);
        },
      },
      shows: { value: 'over', lines: [['subject', 'output late']] },
    },
  ];
}

const PARTING: Scenario = {
  machine: (record) => {
    const kid = createMachine({
      on: { BYE: { actions: [() => record('kid', 'told BYE'), sendParent({ type: 'THANKS' })] } },
    });
    return setup({ actors: { kid } }).createMachine({
      initial: 'together',
      on: {
        THANKS: { actions: () => record('subject', 'answered THANKS') },
        MURMURED: { actions: () => record('subject', 'murmured') },
      },
      states: {
        together: {
          invoke: { src: 'kid', id: 'kid' },
          exit: [
            enqueueActions(({ event, enqueue, self }) => {
              if (event.type === 'MURMUR') enqueue.sendTo(self, { type: 'MURMURED' });
            }),
            sendTo('kid', { type: 'BYE' }),
          ],
          on: { PART: 'apart', END: 'over', MURMUR: 'murmuring' },
        },
        apart: {},
        murmuring: {},
        over: { type: 'final' },
      },
    });
  },
  events: ['PART', 'END', 'MURMUR'],
  script: ({ send }) => send({ type: 'PART' }),
};

function threeCallbacks(record: Record): AnyStateMachine {
  const lamp = fromCallback<{ type: string }, string>(
    ({ input }) =>
      () =>
        record('lamp', `off ${input}`),
  );
  const lit = (name: string) => ({ invoke: { src: 'lamp' as const, id: name, input: name } });
  return setup({ actors: { lamp } }).createMachine({
    initial: 'lit',
    states: {
      lit: { type: 'parallel', on: { END: 'over' }, states: { b: lit('b'), a: lit('a'), c: lit('c') } },
      over: {},
    },
  });
}
