/** Places that take a hostile value: a context, an event, a result, a name. */
import {
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromEventObservable,
  fromObservable,
  fromTransition,
  log,
  raise,
  sendTo,
  spawnChild,
} from 'xstate';
import { ask } from '../../../../src/actors/model/ask.ts';
import { effectOf } from '../../../../src/actors/model/ref.ts';
import { join, monitor, publish, register, reply } from '../../../../src/actors/model/talk-actions.ts';
import { table } from '../../../../src/table.ts';
import { observable } from '../observable.ts';
import {
  type Args,
  bad,
  callback,
  custom,
  doing,
  invoking,
  type Logic,
  named,
  type Place,
  promise,
  throwing,
} from './place.ts';
import { hostile } from './values.ts';

const event = (args: Args): unknown => ({ type: 'GOT', it: bad(args) });
const toSelf = ({ self }: { self: unknown }): unknown => self;

/** A logic that ignores the content of its events. */
const sink = fromTransition((count: number) => count + 1, 0);

type Enqueuing = Args & { readonly enqueue: (action: unknown) => void };
type Spawning = Args & { readonly spawn: (src: unknown, options: object) => unknown };

/** A snapshot whose property returns the value, or throws it from its third read on. */
function snapshotWith(key: string, { isThrown = false } = {}): object {
  return custom({
    getInitialSnapshot: (_: unknown, input: string) => {
      let reads = 0;
      const read = () => {
        if (!isThrown) return hostile(input);
        if (++reads < 3) return key === 'status' ? 'active' : undefined;
        return throwing(input);
      };
      const begun = { status: 'active', output: undefined, error: undefined, input };
      return Object.defineProperty(begun, key, { get: read, enumerable: true });
    },
    getPersistedSnapshot: () => ({}),
  });
}

/** Hostile values given by a machine. */
export const GIVEN_BY_MACHINES: Readonly<Record<string, Place>> = {
  'assigned to a key': doing(assign({ held: bad as never })),
  'assigned whole': doing(assign(bad as never)),
  'put into a table': doing(assign({ held: ((args: Args) => table([['row', bad(args)]])) as never })),
  'used as key of a table': doing(assign({ held: ((args: Args) => table([[bad(args) as string, 1]])) as never })),
  'in an event that is sent': doing(sendTo(toSelf as never, event as never)),
  'sent as an event': doing(sendTo(toSelf as never, bad as never)),
  'sent to': doing(sendTo(bad as never, { type: 'GOT' } as never)),
  'in an event that is raised later': doing(raise(event as never, { delay: 1 })),
  'raised later as an event': doing(raise(bad as never, { delay: 1 })),
  'raised as an event': doing(raise(bad as never)),
  'used as a delay': doing(raise({ type: 'GOT' } as never, { delay: bad as never })),
  'used as a named delay': { delays: { later: bad }, busy: { after: { later: 'calm' } } },
  'used as the id of a timer': doing(
    enqueueActions((({ context, enqueue }: Enqueuing) =>
      enqueue(raise({ type: 'GOT' } as never, { delay: 1, id: hostile(context.what) as never }))) as never),
  ),
  'used as the id of a cancel': doing(cancel(bad as never)),
  'in an event that is emitted': doing(emit(event as never)),
  'emitted as an event': doing(emit(bad as never)),
  logged: doing(log(bad as never)),
  'logged with a label': doing(
    enqueueActions((({ context, enqueue }: Enqueuing) =>
      enqueue(log('x' as never, hostile(context.what) as never))) as never),
  ),
  'params of an action': doing({ type: 'nothing', params: bad }),
  'params of a durable action': {
    ...doing({ type: 'act', params: bad }),
    agent: { actions: { act: { durable: true } } },
  },
  'returned by a durable action': {
    ...doing({ type: 'give', params: named }),
    agent: { actions: { give: { durable: true, retry: { attempts: 2, backoff: { minMs: 0 } } } } },
  },
  'returned by an action': doing({ type: 'give', params: named }),
  'returned by an inline action': doing(bad),
  'returned by enqueueActions': doing(enqueueActions(bad as never)),
  'enqueued as an assignment': doing(
    enqueueActions((({ enqueue }: Enqueuing & { enqueue: { assign: (by: unknown) => void } }) =>
      enqueue.assign(bad)) as never),
  ),
  'checked by enqueueActions': doing(
    enqueueActions((({ context, check }: Enqueuing & { check: (guard: unknown) => void }) =>
      check(() => hostile(context.what))) as never),
  ),
  'enqueued as an action': doing(
    enqueueActions((({ context, enqueue }: Enqueuing) => enqueue(hostile(context.what))) as never),
  ),
  'returned by a guard': { take: { guard: bad, target: 'busy' }, busy: { always: 'calm' } },
  'input of an invoke': invoking(sink, { input: bad }),
  'input of a spawn': { actors: { child: sink }, ...doing(spawnChild('child' as never, { input: bad } as never)) },
  'id of a spawn': { actors: { child: sink }, ...doing(spawnChild('child' as never, { id: bad } as never)) },
  'system id of a spawn': {
    actors: { child: sink },
    ...doing(
      assign((({ context, spawn }: Spawning) => {
        spawn('child', { id: 'kid', systemId: hostile(context.what) });
        return {};
      }) as never),
    ),
  },
  'logic of a spawn': doing(
    assign((({ context, spawn }: Spawning) => {
      spawn(hostile(context.what), { id: 'kid' });
      return {};
    }) as never),
  ),
  output: { take: 'over', output: bad },
  'output of a child': invoking(
    createMachine({
      context: ({ input }: { input: unknown }) => ({ what: input }) as never,
      initial: 'over',
      states: { over: { type: 'final' } },
      output: bad as never,
    }),
  ),
  'in the context of a child': invoking(
    createMachine({ context: (({ input }: { input: string }) => ({ held: hostile(input) })) as never }),
  ),
  'the context of a child': invoking(
    createMachine({ context: (({ input }: { input: string }) => hostile(input)) as never }),
  ),
};

/** Hostile values given by effects, reducers, custom logic and Bosun's actions. */
export const GIVEN_ELSEWHERE: Readonly<Record<string, Place>> = {
  'the state of a reducer': invoking(
    fromTransition(((state: unknown) => state) as never, (({ input }: Logic) => hostile(input)) as never),
  ),
  'the snapshot of custom logic': invoking(
    custom({ getInitialSnapshot: (_: unknown, input: string) => hostile(input) }),
  ),
  'the next snapshot of custom logic': {
    ...invoking(custom({ transition: ({ input }: { input: string }) => hostile(input) })),
    take: { target: 'busy', actions: sendTo('child', { type: 'GOT' } as never) },
  },
  'the status of custom logic': invoking(snapshotWith('status')),
  'the context of custom logic': invoking(snapshotWith('context')),
  'the output of custom logic': invoking(snapshotWith('output')),
  'the error of custom logic': invoking(snapshotWith('error')),
  'the context of custom logic that is watched': invoking(snapshotWith('context', { isThrown: true }), {
    onSnapshot: {},
  } as never),
  'the output of custom logic that is watched': invoking(snapshotWith('output', { isThrown: true }), {
    onSnapshot: {},
  } as never),
  'the status of custom logic that is watched': invoking(snapshotWith('status', { isThrown: true }), {
    onSnapshot: {},
  } as never),
  'the snapshot of an effect of custom logic': invoking(
    custom({
      getInitialSnapshot: (_: unknown, input: string) => hostile(input),
      start: () => {},
    }),
  ),
  'the context of an effect of custom logic': invoking(
    Object.assign(snapshotWith('context', { isThrown: true }), {
      start: (_: unknown, { self }: { self: { send: (event: object) => void } }) => self.send({ type: 'GOT' }),
    }),
    { onSnapshot: {} } as never,
  ),
  'what custom logic keeps': invoking(
    custom({ getPersistedSnapshot: ({ input }: { input: string }) => hostile(input) }),
  ),
  'what custom logic comes back as': invoking(
    custom({ restoreSnapshot: ({ input }: { input: string }) => hostile(input) }),
  ),
  'resolved by a promise': invoking(promise(async ({ input }) => hostile(input))),
  'returned by a promise': invoking(promise(({ input }) => hostile(input))),
  'emitted by a promise': invoking(promise(async ({ input, emit }) => emit(hostile(input) as never))),
  'in an event that is emitted by a promise': invoking(
    promise(async ({ input, emit }) => emit({ type: 'GOT', it: hostile(input) } as never)),
  ),
  'kept by a promise': invoking(promise(async ({ input, self }) => effectOf(self).checkpoint(hostile(input)))),
  'the result of a memo': invoking(promise(async ({ input, self }) => effectOf(self).memo('it', () => hostile(input)))),
  'the name of a memo': invoking(
    promise(async ({ input, self }) => effectOf(self).memo(hostile(input) as string, () => 1)),
  ),
  'thrown by a memo': invoking(promise(async ({ input, self }) => effectOf(self).memo('it', () => throwing(input)))),
  'told to a parent': invoking(promise(async ({ input, self }) => effectOf(self).tellParent(hostile(input) as never))),
  'sent by a promise to itself': invoking(
    promise(async ({ input, self }) => (self as { send: (event: unknown) => void }).send(hostile(input))),
  ),
  'the one who is asked': {
    actors: { child: ask },
    busy: {
      invoke: {
        src: 'child',
        input: (args: Args) => ({ to: bad(args), event: { type: 'GOT' } }),
        onDone: 'calm',
        onError: 'calm',
      },
    },
  },
  'the event of an ask': {
    actors: { child: ask },
    busy: {
      invoke: {
        src: 'child',
        input: (args: Args & { self: object }) => ({ to: args.self, event: bad(args), timeoutMs: 1 }),
        onDone: 'calm',
        onError: 'calm',
      },
    },
  },
  'told to a parent, without waiting for it': invoking(
    callback(({ input, self }) => void effectOf(self).tellParent(hostile(input) as never)),
  ),
  'returned by a receiver of a callback': {
    ...invoking(callback(({ input, receive }) => void receive(() => hostile(input)))),
    take: { target: 'busy', actions: raise({ type: 'PASS' } as never, { delay: 0 }) },
  },
  'returned by the cleanup of a callback': {
    ...invoking(
      callback(
        ({ input }) =>
          () =>
            hostile(input),
      ),
    ),
    take: { target: 'busy', actions: raise({ type: 'BACK' } as never, { delay: 0 }) },
  },
  'returned by an unsubscribe': {
    ...invoking(
      fromObservable((({ input }: Logic) => ({ subscribe: () => ({ unsubscribe: () => hostile(input) }) })) as never),
    ),
    take: { target: 'busy', actions: raise({ type: 'BACK' } as never, { delay: 0 }) },
  },
  'returned by the start of custom logic': invoking(
    custom({ start: ({ input }: { input: string }) => hostile(input) }),
  ),
  'returned by a retryIf': invoking(
    promise(async ({ input }) => throwing(input)),
    { policy: { retry: { attempts: 2, backoff: { minMs: 0 }, retryIf: () => hostile('a promise that rejects') } } },
  ),
  'sent back by a callback': invoking(callback(({ input, sendBack }) => sendBack(hostile(input) as never))),
  'sent back in an event by a callback': invoking(
    callback(({ input, sendBack }) => sendBack({ type: 'GOT', it: hostile(input) } as never)),
  ),
  'emitted by a callback': invoking(callback(({ input, emit }) => emit(hostile(input) as never))),
  'returned by a callback': invoking(callback(({ input }) => hostile(input))),
  'the next of an observable': invoking(
    fromObservable((({ input }: Logic) => observable((observer) => observer.next(hostile(input)))) as never),
  ),
  'the next of an event observable': invoking(
    fromEventObservable((({ input }: Logic) => observable((observer) => observer.next(hostile(input)))) as never),
  ),
  'the observable': invoking(fromObservable((({ input }: Logic) => hostile(input)) as never)),
  'the subscription of an observable': invoking(
    fromObservable((({ input }: Logic) => ({ subscribe: () => hostile(input) })) as never),
  ),
  replied: doing(reply(bad as never)),
  'replied to': doing(reply(1 as never, { to: bad as never })),
  published: doing(join('group' as never), publish('group' as never, event as never)),
  'published as an event': doing(join('group' as never), publish('group' as never, bad as never)),
  'published to': doing(publish(bad as never, { type: 'GOT' } as never)),
  registered: doing(register((({ context }: Args) => `name of ${context.what}`) as never, bad as never)),
  'registered as a name': doing(register(bad as never, 1 as never)),
  monitored: doing(monitor(bad as never)),
};
