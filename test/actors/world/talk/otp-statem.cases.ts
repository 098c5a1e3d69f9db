/**
 * Cases of gen_statem (OTP's gen_statem_SUITE) and of stashes, as scenarios in Bosun: postponing, timeouts, priorities
 * and its other features.
 */
import { type AnyStateMachine, assign, cancel, createMachine, raise, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { defer, eventTimeout } from '../../../../src/actors/model/talk-actions.ts';
import { DEFERRED_MESSAGES_MAX } from '../../../../src/limits.ts';
import { type TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';
import { type ParityCase } from '../../../support/actors/parity.ts';

type Event = { type: string; n?: number };

const event = z.object({ n: z.number().optional() });
const note = assign({
  notes: ({ context, event }: { context: { notes: string[] }; event: Event }) => [
    ...context.notes,
    `${event.type}${event.n ?? ''}`,
  ],
});
const log = (what: string) =>
  assign({ notes: ({ context }: { context: { notes: string[] } }) => [...context.notes, what] });
const timer = (id: string, delay: number, type = id) => raise({ type }, { id, delay });
const fail = assign(() => {
  throw new Error('failed');
});
const noting = (...types: string[]) => Object.fromEntries(types.map((type) => [type, { actions: note }]));
const done = (...actions: unknown[]) => ({ actions });

/** Defers `p` in `off`, takes everything in `on`, and notes the events that it takes. */
const machine = createMachine({
  context: { notes: [] },
  initial: 'off',
  on: {
    ...noting('x', 't1', 't2', 'idle', 'low', 'inserted'),
    data: done(assign({ notes: ({ context }) => context.notes })),
    zero: done(eventTimeout(0, { type: 'idle' })),
    zeros: done(timer('t1', 0), timer('t2', 0), raise({ type: 'inserted' })),
    both: done(timer('t1', 200), timer('t2', 100)),
    again: done(timer('t1', 300, 't2')),
    unset: done(cancel('t1')),
    fail: done(fail),
  },
  states: {
    off: {
      on: {
        p: done(defer()),
        go: { target: 'on', actions: [raise({ type: 'inserted' })] },
        move: { target: 'on', actions: defer() },
        timed: 'timed',
        entered: 'entered',
        half: 'half',
      },
    },
    on: { on: noting('p', 'move') },
    half: { on: { p: done(note, defer()), on: 'on' } },
    timed: {
      on: { re: { target: 'timed', reenter: true }, leave: 'on' },
      after: { 100: { target: 'on', actions: log('after') } },
    },
    entered: {
      entry: log('entry'),
      on: {
        p: done(defer()),
        inner: done(note),
        re: { target: 'entered', reenter: true, actions: note },
        change: 'off',
      },
    },
  },
} as never) as AnyStateMachine;
const types = [
  'x',
  'data',
  'zero',
  'zeros',
  'both',
  'again',
  'unset',
  'fail',
  'p',
  'go',
  'move',
  'timed',
  'entered',
  're',
  'leave',
  'inner',
  'change',
  'half',
  'on',
  'low',
];
const facts = { name: 'statem', events: Object.fromEntries(types.map((type) => [type, event])) };
const statem = defineAgent({ ...facts, machine, priorities: { x: 'high', low: 'low' } });
const plain = defineAgent({ ...facts, machine });
const suspending = defineAgent({ ...facts, machine, poison: 'suspend' });
const migrated = defineAgent({
  ...facts,
  version: 2,
  machine,
  migrate: {
    2: ({ context }) => ({ value: 'on', context: { notes: [...(context as { notes: string[] }).notes, 'migrated'] } }),
  },
});
const starting = defineAgent({
  name: 'starting',
  events: {},
  machine: setup({ types: {} as { input: { fails: boolean }; context: object } }).createMachine({
    context: ({ input }) => {
      if (input.fails) throw new Error('cannot start');
      return {};
    },
  }),
});

const on = (agent: TestSystemOptions['agents'][number]): TestSystemOptions => ({
  agents: [agent, starting],
  tree: { intensity: 100, children: [{ id: 's', agent: 'statem' }] },
});
const options = on(plain);

/** Sends events together: all arrive before the first is taken. */
async function send(test: TestSystem, ...types: string[]): Promise<void> {
  const events = types.map((text) => ({
    type: text.replace(/\d$/, ''),
    ...(/\d$/.test(text) && { n: Number(text.at(-1)) }),
  }));
  await Promise.all(events.map((event) => test.shard.send('s', event)));
  await test.settle();
}

/** Runs the steps in order, and returns the notes. */
async function told(test: TestSystem, ...steps: (string | number)[]): Promise<string[]> {
  for (const step of steps) await (typeof step === 'number' ? test.advance(step) : send(test, ...step.split(' ')));
  return notes(test);
}

const notes = (test: TestSystem) => (test.shard.snapshot('s')!.context as { notes: string[] }).notes;

/** The author of admin orders. */
const AS = { by: 'case 88' };

const statemCase = (
  number: number,
  source: string,
  name: string,
  expected: unknown,
  ...steps: (string | number)[]
): ParityCase => ({
  number,
  source: `gen_statem ${source}`,
  name,
  expected,
  options,
  shows: (test) => told(test, ...steps),
});
const notOffered = (number: number, source: string, name: string, differs: string): ParityCase => ({
  number,
  source,
  name,
  expected: 'offered',
  differs,
});

export const STATEM_CASES: readonly ParityCase[] = [
  statemCase(
    79,
    'event_order',
    'inserted events come first, then postponed ones, oldest first, then those from outside',
    ['inserted', 'p1', 'p2', 'x'],
    'p1',
    'p2',
    'go x',
  ),
  statemCase(
    79,
    'event_order',
    'an event timeout of 0 is cancelled by an event in the mailbox',
    ['x'],
    'zero x',
    1_000,
  ),
  statemCase(79, 'event_order', 'an event timeout of 0 comes if the mailbox is empty', ['idle'], 'zero'),
  statemCase(
    79,
    'event_order',
    'an event timeout of 0 is cancelled by postponed ones',
    ['inserted', 'p1'],
    'p1',
    'zero go',
    1_000,
  ),
  statemCase(
    79,
    'postpone',
    'a re-entry of the same state is no change of state',
    ['entry', 'inner', 're', 'entry'],
    'entered',
    'p1',
    'inner',
    're',
  ),
  statemCase(79, 'postpone', 'a change of data does not bring postponed events back', [], 'p1', 'data', 'data'),
  statemCase(
    79,
    'postpone',
    'an event postponed in the turn that changes the state comes at once in the new state',
    ['move1'],
    'move1',
  ),
  {
    number: 79,
    source: 'OTP 28, EEP 76',
    name: 'a priority message overtakes waiting messages',
    expected: ['x', 'p1', 'low'],
    options: on(statem),
    shows: async (test) => (await told(test, 'go', 'low p1 x')).slice(1),
  },
  statemCase(80, 'state_timeout', 'a change of state cancels its timeout', [], 'timed', 50, 'leave', 1_000),
  statemCase(
    80,
    'state_timeout',
    'two timeouts of 0 keep their order, behind inserted events',
    ['inserted', 't1', 't2'],
    'zeros',
  ),
  statemCase(
    80,
    'state_timeout',
    'a re-entry of the state starts its timeout again',
    ['after'],
    'timed',
    60,
    're',
    60,
    're',
    99,
    're',
    100,
  ),
  {
    ...statemCase(
      80,
      'state_timeout',
      'a timeout of 0 comes before events from outside that were not received yet',
      ['inserted', 't1', 't2', 'x'],
      'zeros x',
    ),
    instead: ['inserted', 'x', 't1', 't2'],
    differs: 'it comes after the messages in the mailbox',
  },
  statemCase(81, 'timeout_cancel_and_update', 'a cancelled timer does not fire', ['t2'], 'both', 'unset', 1_000),
  statemCase(
    81,
    'timeout_cancel_and_update',
    'a timer set again under its name has the new event and the new time',
    ['t2', 't2'],
    'both',
    'again',
    300,
  ),
  notOffered(
    81,
    'gen_statem timeout_cancel_and_update',
    'an update of a timer that does not run fires at once',
    'a timer that is set again begins again; there is no update',
  ),
  {
    number: 81,
    source: 'gen_statem timeout_cancel_and_update',
    name: 'the status lists the running timers',
    expected: [
      ['t1', 200],
      ['t2', 100],
    ],
    options,
    shows: async (test) => {
      await told(test, 'both');
      const { timers } = test.shard.admin.getState('s');
      return timers.map(({ id, dueInMs }) => [id, dueInMs]);
    },
  },
  statemCase(
    82,
    'generic_timers',
    'named timers run side by side, over changes of state',
    ['inserted', 't2', 't1'],
    'both',
    'go',
    99,
    1,
    100,
  ),
  notOffered(
    82,
    'gen_statem generic_timers',
    'an absolute deadline',
    'delays only; a function may work one out from a deadline',
  ),
  statemCase(
    83,
    'state_enter',
    'entry runs on a change and on an explicit re-entry of a state, and not on an internal transition',
    ['entry', 'inner', 're', 'entry', 'entry'],
    'entered',
    'inner',
    're',
    'change',
    'entered',
  ),
  {
    number: 87,
    source: 'gen_statem loop_start_fail',
    name: 'a start that throws reports its error, and the name is free then',
    expected: ['cannot start', 'x'],
    options,
    shows: async (test) => {
      const failure = await test.shard
        .spawn(starting, 'x', { input: { fails: true } })
        .catch((error: Error) => error.message);
      return [failure, (await test.shard.spawn(starting, 'x', { input: { fails: false } })).address];
    },
  },
  {
    number: 88,
    source: 'gen_statem sys1, get_state',
    name: 'the state of a suspended actor can be read, and its messages wait',
    expected: ['suspended', ['x1'], ['x1', 'x2']],
    options: on(suspending),
    shows: async (test) => {
      await told(test, 'x1', 'fail x2');
      const { status } = test.shard.snapshot('s')!;
      const before = notes(test);
      await test.shard.resume('s');
      await test.settle();
      return [status, before, notes(test)];
    },
  },
  {
    number: 88,
    source: 'gen_statem sys1',
    name: 'messages to an actor suspended by hand wait until it is resumed',
    expected: [[], ['x1', 'x2']],
    options,
    shows: async (test) => {
      await test.shard.admin.suspend('s', AS);
      const before = await told(test, 'x1', 'x2');
      await test.shard.admin.resume('s', AS);
      await test.settle();
      return [before, notes(test)];
    },
  },
  {
    number: 88,
    source: 'gen_statem replace_state',
    name: 'a replacer that throws changes nothing; one that returns changes the state',
    expected: ['the state of s was not replaced: not today', ['x1'], ['new']],
    options,
    shows: async (test) => {
      await told(test, 'x1');
      await test.shard.admin.suspend('s', AS);
      const failure = await test.shard.admin
        .replaceState(
          's',
          () => {
            throw new Error('not today');
          },
          AS,
        )
        .catch((error: Error) => error.message);
      const after = notes(test);
      await test.shard.admin.replaceState('s', () => ({ context: { notes: ['new'] } }), AS);
      return [failure, after, notes(test)];
    },
  },
  {
    number: 89,
    source: 'gen_statem code_change',
    name: 'the state of the old version is handed to its migration, and postponed events come up',
    expected: ['x', 'migrated', 'p1'],
    options,
    shows: async (test) => {
      await told(test, 'x', 'p1');
      await test.crash();
      await test.restart({ agents: [migrated, starting] });
      return notes(test);
    },
  },
  notOffered(90, 'gen_statem hibernate', 'at rest for long enough, it leaves memory', 'actors at rest stay in memory'),
  statemCase(
    97,
    'stash (Pekko StashBuffer)',
    'a message stashed again while the stash is emptied does not run in the same pass',
    ['p1', 'p2', 'p1', 'p2'],
    'p1',
    'p2',
    'half',
    'on',
  ),
  {
    number: 97,
    source: 'Pekko StashBuffer',
    name: 'the stash keeps to its capacity; a further message is dropped or fails',
    expected: [['overflowed'], DEFERRED_MESSAGES_MAX],
    options,
    shows: async (test) => {
      await Promise.all(
        Array.from({ length: DEFERRED_MESSAGES_MAX + 1 }, (_, n) => test.shard.send('s', { type: 'p', n })),
      );
      await test.settle();
      return [test.shard.deadLetters.list().map(({ reason }) => reason), test.shard.tree('s').mailbox];
    },
  },
  {
    number: 97,
    source: 'Pekko EventSourced stash',
    name: 'a thrown exception discards the stash',
    expected: ['inserted'],
    instead: ['inserted', 'p1'],
    options,
    shows: (test) => told(test, 'p1', 'fail', 'go'),
    differs: 'deferred messages survive a restart, like the mailbox',
  },
];
