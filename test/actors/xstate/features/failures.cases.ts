/** Failures of child machines: handled by the parent or passed on, and the effects of a turn that fails. */
import { assign, createMachine, sendTo, setup } from 'xstate';
import { type Feature } from '../../../support/actors/xstate/feature.ts';

function breaks(): never {
  throw new Error('broken');
}

export const FAILURES: readonly Feature[] = [
  {
    feature: '`onError` of a machine that throws',
    machine: () => {
      const kid = createMachine({ on: { BREAK: { actions: breaks } } });
      return setup({ actors: { kid } }).createMachine({
        context: { seen: [] as unknown[] },
        initial: 'a',
        states: {
          a: {
            invoke: {
              src: 'kid',
              id: 'kid',
              onError: { target: 'b', actions: assign({ seen: ({ event }) => [(event.error as Error).message] }) },
            },
            on: { BREAK: { actions: sendTo('kid', { type: 'BREAK' }) } },
          },
          b: {},
        },
      });
    },
    steps: ['BREAK'],
    shows: { value: 'b', context: { seen: ['broken'] } },
  },
  {
    feature: 'an unhandled failure of a child is the failure of the machine',
    machine: () => {
      const kid = createMachine({ on: { BREAK: { actions: breaks } } });
      return setup({ actors: { kid } }).createMachine({
        invoke: { src: 'kid', id: 'kid' },
        on: { BREAK: { actions: sendTo('kid', { type: 'BREAK' }) } },
      });
    },
    steps: ['BREAK'],
    shows: { status: 'error', error: 'broken' },
  },
  {
    feature: 'a throw in `assign` after other actions',
    machine: () => {
      const kid = createMachine({ on: { BREAK: { actions: assign(breaks) } } });
      return setup({ actors: { kid } }).createMachine({
        initial: 'a',
        states: {
          a: {
            invoke: { src: 'kid', id: 'kid', onError: 'b' },
            on: { BREAK: { actions: sendTo('kid', { type: 'BREAK' }) } },
          },
          b: {},
        },
      });
    },
    steps: ['BREAK'],
    shows: {
      value: 'b',
      lines: [
        ['kid', '+'],
        ['subject', '+'],
        ['subject', '+a'],
        ['subject', 'a/BREAK'],
        ['kid', '/BREAK'],
        ['subject', '-a'],
        ['subject', 'a/xstate.error.actor.kid'],
        ['subject', '+b'],
      ],
    },
    differs: {
      how: 'the turn has not happened at all; under `createActor` the actions in front of the throw have run',
      shows: {
        value: 'b',
        lines: [
          ['subject', '+'],
          ['subject', '+a'],
          ['kid', '+'],
          ['subject', 'a/BREAK'],
          ['subject', '-a'],
          ['subject', 'a/xstate.error.actor.kid'],
          ['subject', '+b'],
        ],
      },
    },
  },
];
