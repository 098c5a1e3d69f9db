/**
 * Refused features, and when they are refused: when the agent is defined, when an event is sent from outside, or in the
 * turn that uses them.
 */
import {
  type AnyStateMachine,
  assign,
  createMachine,
  enqueueActions,
  fromPromise,
  raise,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { MICROSTEPS_MAX } from '../../../src/limits.ts';
import { startSubject } from '../../support/actors/subject.ts';

export interface Refusal {
  readonly feature: string;
  readonly when: 'the agent is defined' | 'it is sent' | 'the turn runs';
  readonly code: string;
  /** Part of the message. */
  readonly says: string;
  readonly attempt: () => Promise<unknown>;
}

const inline = fromPromise(async () => 1);

function define(machine: unknown, events: readonly string[] = [], more: object = {}): () => Promise<unknown> {
  const schemas = Object.fromEntries(events.map((type) => [type, z.object({})]));
  return async () => defineAgent({ name: 'subject', machine: machine as AnyStateMachine, events: schemas, ...more });
}

/** The error caused by an event: that of the `send`, or that of the message in quarantine. */
function tell(machine: unknown, event: string, events: readonly string[] = [event]): () => Promise<unknown> {
  return async () => {
    const test = await startSubject(machine as AnyStateMachine, { events });
    try {
      await test.shard.send('subject', { type: event });
      await test.settle();
      const [record] = test.shard.deadLetters.list({ reason: 'quarantined' });
      if (record !== undefined) throw (record as { error: unknown }).error;
    } finally {
      await test.shard.stop();
    }
  };
}

const outOfRegion = createMachine({
  id: 'm',
  initial: 'p',
  states: {
    p: {
      type: 'parallel',
      states: {
        a: { initial: 'x', states: { x: { on: { BACK: '#h' } } } },
        b: {},
        h: { id: 'h', type: 'history', history: 'deep' },
      },
    },
  },
});

export const REFUSALS: readonly Refusal[] = [
  {
    feature: 'inline logic in `spawnChild`',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'state m.a spawns inline logic; name it in setup({ actors })',
    attempt: define(createMachine({ id: 'm', initial: 'a', states: { a: { entry: spawnChild(inline) } } })),
  },
  {
    feature: 'inline logic in `spawnChild` of a child machine',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'in kid: state k spawns inline logic',
    attempt: define(
      setup({ actors: { kid: createMachine({ id: 'k', entry: spawnChild(inline) }) } }).createMachine({
        invoke: { src: 'kid' },
      }),
    ),
  },
  {
    feature: 'inline logic in a named `spawnChild`',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'the action born spawns inline logic',
    attempt: define(
      setup({ actions: { born: spawnChild(inline as never) } }).createMachine({ on: { GO: { actions: 'born' } } }),
    ),
  },
  {
    feature: 'inline logic in `spawn` within `assign`, which no definition shows',
    when: 'the turn runs',
    code: 'BOSUN_AGENT_INVALID',
    says: 'spawns inline logic',
    attempt: tell(
      createMachine({ context: {}, on: { GO: { actions: assign({ kid: ({ spawn }) => spawn(inline) }) } } }),
      'GO',
    ),
  },
  {
    feature: 'inline logic in `enqueue.spawnChild`, which no definition shows',
    when: 'the turn runs',
    code: 'BOSUN_AGENT_INVALID',
    says: 'spawns inline logic',
    attempt: tell(
      createMachine({ on: { GO: { actions: enqueueActions(({ enqueue }) => enqueue.spawnChild(inline)) } } }),
      'GO',
    ),
  },
  {
    feature: 'an invoke or `spawnChild` of a name that `actors` lacks',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'spawns "nobody", which is not in setup({ actors })',
    attempt: define(createMachine({ entry: spawnChild('nobody' as never) })),
  },
  {
    feature: 'an action, guard or delay that is named and has no implementation',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'names the action "nothing", which its machine lacks',
    attempt: define(createMachine({ entry: 'nothing' })),
  },
  {
    feature: 'history directly below a parallel state, targeted from inside that state',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'state m.p.a.x goes to h, the history of the parallel state that it is in',
    attempt: define(outOfRegion),
  },
  {
    feature: 'a schema for an event that no state handles',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'no state handles "order.place"; did you mean "order.palce"?',
    attempt: define(createMachine({ on: { 'order.palce': {} } }), ['order.place']),
  },
  {
    feature: 'a key in `on` that is a misspelling of an event with a schema',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'state m.b handles "order.palce", for which there is no schema; did you mean "order.place"?',
    attempt: define(
      createMachine({
        id: 'm',
        initial: 'a',
        states: { a: { on: { 'order.place': 'b' } }, b: { on: { 'order.palce': 'a' } } },
      }),
      ['order.place'],
    ),
  },
  {
    feature: 'a schema for an event named `xstate.*`, `bosun.*` or `child.*`',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: '"xstate.done.actor.kid" is a reserved event type',
    attempt: define(createMachine({ on: { '*': {} } }), ['xstate.done.actor.kid']),
  },
  {
    feature: 'an event named `xstate.*` from outside',
    when: 'it is sent',
    code: 'BOSUN_EVENT_REFUSED',
    says: 'does not accept "xstate.done.actor.kid"',
    attempt: tell(createMachine({ on: { '*': {}, GO: {} } }), 'xstate.done.actor.kid', ['GO']),
  },
  {
    feature: '`xstate.stop` or `bosun.*` from another agent',
    when: 'the turn runs',
    code: 'BOSUN_VALUE_REFUSED',
    says: 'sends xstate.stop, a type reserved for the runtime',
    attempt: tell(
      createMachine({ on: { GO: { actions: sendTo(({ self }) => self, { type: 'xstate.stop' }) } } }),
      'GO',
    ),
  },
  {
    feature: 'actions and actors with reserved names',
    when: 'the agent is defined',
    code: 'BOSUN_AGENT_INVALID',
    says: 'the action name "bosun.child.start" is reserved',
    attempt: define(setup({ actions: { 'bosun.child.start': () => {} } }).createMachine({})),
  },
  {
    feature: 'an endless loop of `always`',
    when: 'the turn runs',
    code: '',
    says: `more than ${MICROSTEPS_MAX} microsteps`,
    attempt: tell(
      createMachine({
        initial: 'still',
        states: { still: { on: { GO: 'a' } }, a: { always: 'b' }, b: { always: 'a' } },
      }),
      'GO',
    ),
  },
  {
    feature: 'an endless loop of `raise`, also if `maxIterations` of the machine is higher',
    when: 'the turn runs',
    code: '',
    says: `more than ${MICROSTEPS_MAX} microsteps`,
    attempt: tell(
      createMachine({
        options: { maxIterations: 1_000_000_000 },
        on: { GO: { actions: raise({ type: 'GO' }) } },
      } as never),
      'GO',
    ),
  },
  {
    feature: 'a context, event or output that is not data: functions, symbols, classes',
    when: 'the turn runs',
    code: 'BOSUN_VALUE_REFUSED',
    says: 'context.f is a function; only data can be stored',
    attempt: tell(createMachine({ context: {}, on: { GO: { actions: assign({ f: () => () => 1 }) } } }), 'GO'),
  },
];
