/** Places where a hostile value is thrown. */
import {
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromObservable,
  fromTransition,
  log,
  raise,
  sendTo,
  spawnChild,
} from 'xstate';
import { z } from 'zod';
import { observable } from '../observable.ts';
import {
  type Args,
  callback,
  custom,
  doing,
  fail,
  invoking,
  type Logic,
  named,
  type Place,
  promise,
  throwing,
} from './place.ts';
import { hostile } from './values.ts';

const toSelf = ({ self }: { self: unknown }): unknown => self;

/** A logic that ignores the content of its events. */
const sink = fromTransition((count: number) => count + 1, 0);

const ONCE_MORE = { attempts: 2, backoff: { minMs: 0 } };

/** Throws within a turn: the turn has no effect, and after the third one its message is put aside. */
export const THROWN_IN_TURNS: Readonly<Record<string, Place>> = {
  'thrown by an assign': doing(assign(fail as never)),
  'thrown by an assign of a key': doing(assign({ held: fail as never })),
  'thrown by a guard': { take: { guard: fail, target: 'busy' }, busy: {} },
  'thrown by an eventless guard': { busy: { always: { guard: fail, target: 'calm' } } },
  'thrown by an entry action': { busy: { entry: assign(fail as never) } },
  'thrown by an exit action': { take: 'busy', busy: { exit: assign(fail as never), always: 'calm' } },
  'thrown by params': doing({ type: 'nothing', params: fail }),
  'thrown by enqueueActions': doing(enqueueActions(fail as never)),
  'thrown by an event of sendTo': doing(sendTo(toSelf as never, fail as never)),
  'thrown by a target of sendTo': doing(sendTo(fail as never, { type: 'GOT' } as never)),
  'thrown by an emit': doing(emit(fail as never)),
  'thrown by a raise': doing(raise(fail as never)),
  'thrown by a delay': doing(raise({ type: 'GOT' } as never, { delay: fail as never })),
  'thrown by a named delay': { delays: { later: fail }, busy: { after: { later: 'calm' } } },
  'thrown by a log': doing(log(fail as never)),
  'thrown by a cancel': doing(cancel(fail as never)),
  'thrown by the input of an invoke': invoking(sink, { input: fail }),
  'thrown by the input of a spawn': {
    actors: { child: sink },
    ...doing(spawnChild('child' as never, { input: fail } as never)),
  },
  'thrown by an output': { take: 'over', output: fail },
};

/** Throws elsewhere: by effects, actions, reducers, schemas. */
export const THROWN_ELSEWHERE: Readonly<Record<string, Place>> = {
  'thrown by an action': doing(fail),
  'thrown by the context of a child': invoking(
    createMachine({ context: (({ input }: { input: string }) => throwing(input)) as never }),
  ),
  'thrown by a promise': invoking(promise(async ({ input }) => throwing(input))),
  'thrown by a promise that is tried again': invoking(
    promise(async ({ input }) => throwing(input)),
    {
      policy: { retry: ONCE_MORE },
    },
  ),
  'thrown by a retryIf': invoking(
    promise(async ({ input }) => throwing(input)),
    {
      policy: {
        retry: {
          ...ONCE_MORE,
          retryIf: (error: unknown) => {
            throw error;
          },
        },
      },
    },
  ),
  'thrown by the start of a promise': invoking(promise(({ input }) => throwing(input))),
  'thrown by a callback': invoking(callback(({ input }) => throwing(input))),
  'thrown by a receiver of a callback': {
    ...invoking(callback(({ input, receive }) => void receive(() => throwing(input)))),
    take: { target: 'busy', actions: raise({ type: 'PASS' } as never, { delay: 0 }) },
  },
  'thrown by the cleanup of a callback': {
    ...invoking(
      callback(
        ({ input }) =>
          () =>
            throwing(input),
      ),
    ),
    take: { target: 'busy', actions: raise({ type: 'BACK' } as never, { delay: 0 }) },
  },
  'thrown by an observable': invoking(fromObservable((({ input }: Logic) => throwing(input)) as never)),
  'thrown by a subscribe': invoking(
    fromObservable((({ input }: Logic) => ({ subscribe: () => throwing(input) })) as never),
  ),
  'an error of an observable': invoking(
    fromObservable((({ input }: Logic) => observable((observer) => observer.error(hostile(input)))) as never),
  ),
  'thrown by an unsubscribe': {
    ...invoking(fromObservable((({ input }: Logic) => observable(() => () => throwing(input))) as never)),
    take: { target: 'busy', actions: raise({ type: 'BACK' } as never, { delay: 0 }) },
  },
  'thrown by a reducer': {
    ...invoking(fromTransition(((_: unknown, { it }: { it: string }) => throwing(it)) as never, 0)),
    take: {
      target: 'busy',
      actions: sendTo('child', (({ context }: Args) => ({ type: 'GOT', it: context.what })) as never),
    },
  },
  'thrown by the beginning of a reducer': invoking(
    fromTransition(((state: unknown) => state) as never, (({ input }: Logic) => throwing(input)) as never),
  ),
  'thrown by custom logic': invoking(custom({ transition: (_: unknown, { it }: { it: string }) => throwing(it) })),
  'thrown by the beginning of custom logic': invoking(
    custom({ getInitialSnapshot: (_: unknown, input: string) => throwing(input) }),
  ),
  'thrown by the start of custom logic': invoking(custom({ start: ({ input }: { input: string }) => throwing(input) })),
  'thrown by what custom logic keeps': invoking(
    custom({ getPersistedSnapshot: ({ input }: { input: string }) => throwing(input) }),
  ),
  'thrown when custom logic comes back': invoking(
    custom({ restoreSnapshot: ({ input }: { input: string }) => throwing(input) }),
  ),
  'thrown by a durable action': {
    ...doing({ type: 'act', params: named }),
    agent: { actions: { act: { durable: true, retry: ONCE_MORE } } },
  },
  'thrown by a schema': {
    agent: { events: { TAKE: z.looseObject({}).refine((it) => throwing(it['what'] as string)) } },
  },
  'thrown by a transform of a schema': {
    agent: { events: { TAKE: z.looseObject({ what: z.string().transform(throwing) }) } },
  },
};
