/**
 * The behaviour of XState 5.33 beyond its published types on which Bosun relies (XSTATE_INTERNALS): hosting breaks if
 * one of these rules does not hold. If an upgrade of XState fails here, check xstate/definition.ts and
 * xstate/xstate-engine.ts.
 */
import {
  type AnyActorLogic,
  type AnyStateMachine,
  assign,
  cancel,
  createMachine,
  emit,
  type EventObject,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  fromTransition,
  log,
  raise,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import xstatePackage from 'xstate/package.json' with { type: 'json' };
import { Definitions, XSTATE_INTERNALS } from '../../../src/actors/xstate/definition.ts';
import { isMachine } from '../../../src/actors/xstate/machine-facts.ts';
import { observable } from '../../support/actors/observable.ts';

interface Action {
  readonly type: string;
  readonly info: Record<string, unknown>;
  readonly params: Record<string, unknown> | undefined;
  readonly exec?: unknown;
}

interface Snap {
  readonly status: string;
  readonly context: Record<string, unknown>;
  readonly children: Record<string, Child>;
  readonly _nodes: readonly { id: string }[];
  readonly historyValue: Record<string, readonly { id: string }[]>;
  readonly machine: unknown;
  readonly value: unknown;
}

interface Child {
  readonly id: string;
  readonly sessionId: string;
  readonly src: unknown;
  readonly systemId: string | undefined;
  readonly _syncSnapshot: boolean;
  readonly options: { id?: string; input?: unknown };
}

/** The smallest possible host: a scope and a system that record calls, as in xstate/xstate-engine.ts. */
function host() {
  const actions: Action[] = [];
  const taken: string[] = [];
  let booked = 0;
  const system = {
    get: () => undefined,
    getAll: () => ({}),
    getSnapshot: () => ({ _scheduledEvents: {} }),
    _bookId: () => `booked:${++booked}`,
    _register: (id: string) => id,
    _unregister() {},
    _set: (systemId: string) => void taken.push(systemId),
    _relay() {},
    _sendInspectionEvent() {},
    _snapshot: { _scheduledEvents: {} },
    _clock: { setTimeout() {}, clearTimeout() {} },
    _logger() {},
  };
  const self: Record<string, unknown> = { id: 'self', sessionId: 'self', send() {}, system };
  const actionExecutor = (action: Action) => void actions.push(action);
  const scope = {
    self,
    id: 'self',
    sessionId: 'self',
    system,
    logger() {},
    defer() {},
    emit() {},
    stopChild() {},
    actionExecutor,
  };
  const take = <T>(step: () => T): { result: T; actions: Action[] } => {
    actions.length = 0;
    const result = step();
    return { result, actions: [...actions] };
  };
  return {
    taken,
    initial: (machine: AnyStateMachine, input?: unknown) =>
      take(() => machine.getInitialSnapshot(scope as never, input as never) as unknown as Snap),
    step: (machine: AnyStateMachine, snapshot: Snap, event: EventObject) =>
      take(() => machine.transition(snapshot as never, event as never, scope as never) as unknown as Snap),
  };
}

const stub = (): AnyActorLogic =>
  ({
    transition: (snapshot: unknown) => snapshot,
    getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined }),
    getPersistedSnapshot: (snapshot: unknown) => snapshot,
  }) as unknown as AnyActorLogic;

const kinds = (actions: readonly Action[]) => actions.map(({ type }) => type);

it('this contract is written for the installed version of XState', () => {
  expect(xstatePackage.version).toMatch(/^5\.33\./);
});

describe('the listed internals', () => {
  const machine = setup({ actors: { kid: stub() } }).createMachine({ invoke: { src: 'kid', id: 'kid' } });
  it('exist on machines, snapshots and provisional children', () => {
    const { result } = host().initial(machine);
    for (const key of XSTATE_INTERNALS.machine) expect(machine).toHaveProperty(key);
    for (const key of XSTATE_INTERNALS.node) expect(key in machine.root).toBe(true);
    for (const key of XSTATE_INTERNALS.snapshot) expect(result).toHaveProperty(key);
    for (const key of XSTATE_INTERNALS.actor) expect(key in result.children['kid']!).toBe(true);
  });
  it('exist on actions', () => {
    const actions = {
      assign: assign({}),
      raise: raise({ type: 'R' }, { delay: 1, id: 'r' }),
      cancel: cancel('c'),
      sendTo: sendTo('kid', { type: 'S' }),
    };
    for (const [name, keys] of Object.entries(XSTATE_INTERNALS.action)) {
      for (const key of keys) expect(actions[name as keyof typeof actions]).toHaveProperty(key);
    }
  });
  it('the listed internals of a system are all that a step calls', () => {
    // The host above has no other internals, and the steps of this file pass.
    expect([...XSTATE_INTERNALS.system].sort()).toEqual([
      '_bookId',
      '_clock',
      '_logger',
      '_register',
      '_relay',
      '_sendInspectionEvent',
      '_set',
      '_snapshot',
      '_unregister',
    ]);
  });
  it('tell a machine from other logic', () => {
    expect([isMachine(machine), isMachine(fromPromise(async () => {})), isMachine({})]).toEqual([true, false, false]);
  });
});

describe('a step of XState', () => {
  it('describes the actions of XState by type and parameters, and executes none', () => {
    const machine = setup({ actors: { kid: stub() } }).createMachine({
      invoke: { src: 'kid', id: 'kid' },
      on: {
        GO: {
          actions: [
            raise({ type: 'R' }, { delay: 5, id: 'r' }),
            sendTo('kid', { type: 'S' }),
            sendTo('kid', { type: 'D' }, { delay: 7, id: 'd' }),
            cancel('c'),
            emit({ type: 'E' }),
            log('text', 'label'),
          ],
        },
      },
    });
    const { initial, step } = host();
    const { result } = initial(machine);
    const { actions } = step(machine, result, { type: 'GO' });
    expect(actions.map(({ type, params }) => [type, { ...params, to: undefined }])).toEqual([
      ['xstate.raise', { event: { type: 'R' }, delay: 5, id: 'r' }],
      ['xstate.sendTo', { event: { type: 'S' }, delay: undefined, id: undefined, targetId: 'kid' }],
      ['xstate.sendTo', { event: { type: 'D' }, delay: 7, id: 'd', targetId: 'kid' }],
      ['xstate.cancel', { sendId: 'c' }],
      ['xstate.emit', { event: { type: 'E' } }],
      ['xstate.log', { value: 'text', label: 'label' }],
    ]);
    expect(actions[1]!.params!['to']).toBe(result.children['kid']);
  });

  it('describes custom actions with their context, event, parameters and function', () => {
    const act = (): void => {};
    const machine = setup({ actions: { act: (_, _params: { n: number }) => act() } }).createMachine({
      context: { n: 1 },
      on: { GO: { actions: [{ type: 'act', params: { n: 2 } }, assign({ n: 5 }), () => {}] } },
    });
    const { initial, step } = host();
    const { actions } = step(machine, initial(machine).result, { type: 'GO' });
    expect(kinds(actions)).toEqual(['act', '(anonymous)']);
    expect(actions[0]).toMatchObject({ params: { n: 2 }, info: { context: { n: 1 }, event: { type: 'GO' } } });
    expect(actions[1]).toMatchObject({ info: { context: { n: 5 } } });
    expect(actions.every(({ exec }) => typeof exec === 'function')).toBe(true);
  });

  it('consumes a raise without delay itself, and still lists it', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { on: { GO: { actions: raise({ type: 'R' }) }, R: 'b' } }, b: {} },
    });
    const { initial, step } = host();
    const { result, actions } = step(machine, initial(machine).result, { type: 'GO' });
    expect([result.value, kinds(actions), actions[0]!.params!['delay']]).toEqual(['b', ['xstate.raise'], undefined]);
  });

  it('makes `after` a delayed raise whose id is its event type, and cancels it on exit', () => {
    const machine = createMachine({ id: 'm', initial: 'a', states: { a: { after: { 10: 'b' } }, b: {} } });
    const { initial, step } = host();
    const started = initial(machine);
    expect(started.actions).toMatchObject([
      {
        type: 'xstate.raise',
        params: { delay: 10, id: 'xstate.after.10.m.a', event: { type: 'xstate.after.10.m.a' } },
      },
    ]);
    const { actions } = step(machine, started.result, { type: 'xstate.after.10.m.a' });
    expect(actions).toMatchObject([{ type: 'xstate.cancel', params: { sendId: 'xstate.after.10.m.a' } }]);
  });

  it('selects transitions by getTransitionData of the machine, for raised events too', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { initial: 'x', states: { x: { on: { GO: 'y' } }, y: { type: 'final' } } }, b: {} },
    });
    const { initial, step } = host();
    const { result } = initial(machine);
    const asked: string[] = [];
    const { a, b } = machine.states;
    const own = { source: a, target: [b], actions: [], reenter: false, eventType: 'OWN' };
    const select = (_: unknown, { type }: EventObject) => {
      asked.push(type);
      return type === 'OWN' ? [own] : type === 'ANY' ? a!.states['x']!.transitions.get('GO') : [];
    };
    Object.assign(machine, { getTransitionData: select });
    expect(step(machine, result, { type: 'OWN' }).result.value).toBe('b');
    step(machine, result, { type: 'ANY' });
    expect(asked).toEqual(['OWN', 'ANY', 'xstate.done.state.m.a']);
  });

  it('calls the `resolve` of a custom action, with the internal queue', () => {
    const seen: object[] = [];
    const resolve = (
      _: object,
      snapshot: object,
      _args: object,
      _params: unknown,
      _action: object,
      extra: { internalQueue: unknown[] },
    ) => {
      seen.push(extra.internalQueue);
      return [snapshot, undefined, undefined];
    };
    const machine = createMachine({ entry: Object.assign(() => {}, { type: 'own', resolve }), on: { GO: {} } });
    const { result, actions } = host().initial(machine);
    expect([seen, actions, result.status]).toEqual([[[]], [], 'active']);
  });

  it('returns the same snapshot for an event that nothing handles', () => {
    const machine = createMachine({ initial: 'a', states: { a: {} } });
    const { initial, step } = host();
    const { result } = initial(machine);
    expect(step(machine, result, { type: 'UNKNOWN' }).result).toBe(result);
  });

  it('puts a throw of the initial step into the snapshot, and rethrows a throw of a later step', () => {
    const broken = assign(() => {
      throw new Error('broken');
    });
    const { initial, step } = host();
    expect(initial(createMachine({ entry: broken, context: {} })).result).toMatchObject({
      status: 'error',
      error: new Error('broken'),
    });
    const machine = createMachine({ context: {}, on: { GO: { actions: broken } } });
    const { result } = initial(machine);
    expect(() => step(machine, result, { type: 'GO' })).toThrow('broken');
  });

  it('takes the bound on microsteps from the options of the machine', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
    });
    (machine.options as { maxIterations: number }).maxIterations = 50;
    const { initial, step } = host();
    const { result } = initial(machine);
    expect(() => step(machine, result, { type: 'GO' })).toThrow('more than 50 microsteps');
  });

  it('turns an unhandled error of a child into the status of the machine', () => {
    const machine = createMachine({ initial: 'a', states: { a: {} } });
    const { initial, step } = host();
    const { result } = step(machine, initial(machine).result, {
      type: 'xstate.error.actor.kid',
      error: 'no',
    } as EventObject);
    expect(result).toMatchObject({ status: 'error', error: 'no' });
  });
});

describe('children in XState', () => {
  const machine = setup({ actors: { kid: stub() } }).createMachine({
    context: {},
    initial: 'a',
    states: {
      a: {
        invoke: { src: 'kid', id: 'inv', input: { n: 1 }, systemId: 'name', onSnapshot: {} },
        on: { AGAIN: { target: 'a', reenter: true } },
      },
    },
    on: {
      SPAWN: { actions: assign(({ spawn }) => ({ ref: spawn('kid', { id: 'ass', input: 7 }) })) },
      TWO: { actions: [spawnChild('kid'), spawnChild('kid')] },
      STOP: { actions: stopChild('inv') },
    },
  });

  it('are provisional actors with id, src, input and the session id that the system assigned', () => {
    const { initial, taken } = host();
    const { result, actions } = initial(machine);
    const child = result.children['inv']!;
    expect(child).toMatchObject({
      id: 'inv',
      src: 'kid',
      systemId: 'name',
      _syncSnapshot: true,
      sessionId: 'booked:1',
    });
    expect([child.options.input, taken]).toEqual([{ n: 1 }, ['name']]);
    expect(actions.find(({ type }) => type === 'xstate.spawnChild')!.params!['actorRef']).toBe(child);
  });

  it('are in the children but in no action if they are spawned in an assign', () => {
    const { initial, step } = host();
    const { result, actions } = step(machine, initial(machine).result, { type: 'SPAWN' });
    expect(result.children['ass']).toBe(result.context['ref']);
    expect([result.children['ass']!.options.input, kinds(actions)]).toEqual([7, []]);
  });

  it('hide each other under the key "undefined" if they have no id', () => {
    const { initial, step } = host();
    const { result, actions } = step(machine, initial(machine).result, { type: 'TWO' });
    const [first, second] = actions.map(({ params }) => params!['actorRef'] as Child);
    expect(result.children['undefined']).toBe(second);
    expect([first!.id === first!.sessionId, first!.options.id, first === second]).toEqual([true, undefined, false]);
  });

  it('are stopped by an action whose parameters are the child itself', () => {
    const { initial, step } = host();
    const { result: before } = initial(machine);
    const { result, actions } = step(machine, before, { type: 'STOP' });
    expect(actions).toMatchObject([{ type: 'xstate.stopChild' }]);
    expect(actions[0]!.params).toBe(before.children['inv']);
    expect(result.children).toEqual({});
  });

  it('are stopped and spawned under the same key if their state is entered again', () => {
    const { initial, step } = host();
    const { result: before } = initial(machine);
    const { result, actions } = step(machine, before, { type: 'AGAIN' });
    expect(kinds(actions)).toEqual(['xstate.stopChild', 'xstate.spawnChild']);
    expect(result.children['inv']).not.toBe(before.children['inv']);
  });

  it('stay among the children when they are done', () => {
    const { initial, step } = host();
    const { result: before } = initial(machine);
    const { result } = step(machine, before, { type: 'xstate.done.actor.inv', actorId: 'inv' } as EventObject);
    expect(result.children['inv']).toBe(before.children['inv']);
  });

  it('may get a message from an entry action listed before their spawn', () => {
    const early = setup({ actors: { kid: stub() } }).createMachine({
      entry: sendTo('kid', { type: 'HELLO' }),
      invoke: { src: 'kid', id: 'kid' },
    });
    const { result, actions } = host().initial(early);
    expect(kinds(actions)).toEqual(['xstate.sendTo', 'xstate.spawnChild']);
    expect(actions[0]!.params!['to']).toBe(result.children['kid']);
  });

  it('are keys with the value undefined if their logic is missing', () => {
    const { result } = host().initial(createMachine({ invoke: { src: 'nothing' as never, id: 'kid' } }));
    expect(Object.entries(result.children)).toEqual([['kid', undefined]]);
  });

  it('are stopped by actions and stay among the children when their machine ends', () => {
    const ending = setup({ actors: { kid: stub() } }).createMachine({
      invoke: { src: 'kid', id: 'kid' },
      initial: 'a',
      states: { a: { on: { END: 'b' } }, b: { type: 'final' } },
    });
    const { initial, step } = host();
    const { result, actions } = step(ending, initial(ending).result, { type: 'END' });
    expect([result.status, kinds(actions), Object.keys(result.children)]).toEqual([
      'done',
      ['xstate.stopChild'],
      ['kid'],
    ]);
  });
});

describe('a snapshot of XState', () => {
  const machine = createMachine({
    id: 'm',
    type: 'parallel',
    states: {
      y: { initial: 'p', states: { p: { on: { GO: 'q' } }, q: {} } },
      x: { initial: 'a', states: { a: { on: { GO: 'b' } }, b: { on: { GO: 'a' } }, last: { type: 'history' } } },
    },
  });

  it('lists its active nodes; a step keeps the order of the nodes that stay active', () => {
    const { initial, step } = host();
    const { result } = initial(machine);
    const ids = (snapshot: Snap) => snapshot._nodes.map(({ id }) => id);
    expect(ids(result)).toEqual(['m', 'm.y', 'm.y.p', 'm.x', 'm.x.a']);
    const { result: next } = step(machine, result, { type: 'GO' });
    expect(ids(next)).toEqual(['m', 'm.y', 'm.x', 'm.y.q', 'm.x.b']);
  });

  it('has every state node of the machine by id', () => {
    const { idMap } = machine as unknown as { idMap: Map<string, unknown> };
    expect([...idMap.keys()]).toEqual(['m', 'm.y', 'm.y.p', 'm.y.q', 'm.x', 'm.x.a', 'm.x.b', 'm.x.last']);
  });

  it('remembers nodes by the id of the history state', () => {
    const remembering = createMachine({
      id: 'r',
      initial: 'in',
      states: {
        in: { initial: 'a', states: { a: { on: { N: 'b' } }, b: {}, last: { type: 'history' } }, on: { OUT: 'out' } },
        out: {},
      },
    });
    const { initial, step } = host();
    const inside = step(remembering, initial(remembering).result, { type: 'N' }).result;
    const { result } = step(remembering, inside, { type: 'OUT' });
    expect(
      Object.fromEntries(Object.entries(result.historyValue).map(([id, nodes]) => [id, nodes.map((node) => node.id)])),
    ).toEqual({ 'r.in.last': ['r.in.b'] });
  });

  it('is complete if it is made by resolveState, with nodes in any order', () => {
    const made = machine.resolveState({ value: { y: 'q', x: 'b' }, context: {} } as never) as unknown as Snap;
    expect(made._nodes.map(({ id }) => id).sort()).toEqual(['m', 'm.x', 'm.x.b', 'm.y', 'm.y.q']);
    expect(made).toMatchObject({ status: 'active', children: {}, historyValue: {} });
  });
});

describe('logic of XState', () => {
  const logics = {
    promise: fromPromise(async () => {}),
    callback: fromCallback(() => {}),
    observable: fromObservable(() => observable(() => {})),
    'event observable': fromEventObservable(() => observable<EventObject>(() => {})),
    transition: fromTransition((n: number) => n, 0),
  };

  it('is recognised by the source text of its transition', () => {
    const kindOf = (logic: AnyActorLogic) => new Definitions().prepare('x', logic, 1).kind;
    expect(Object.values(logics).map(kindOf)).toEqual([
      'promise',
      'callback',
      'observable',
      'observable',
      'transition',
    ]);
    expect(kindOf(stub())).toBe('custom');
    expect(kindOf(createMachine({}))).toBe('machine');
  });

  it('has a start function only if it runs something', () => {
    expect(Object.entries(logics).map(([name, logic]) => [name, (logic as AnyActorLogic).start !== undefined])).toEqual(
      [
        ['promise', true],
        ['callback', true],
        ['observable', true],
        ['event observable', true],
        ['transition', false],
      ],
    );
  });

  it('ends on the events that isEndOfEffect names', () => {
    const scope = { self: {} } as never;
    const initial = (logic: AnyActorLogic) => logic.getInitialSnapshot(scope, undefined as never) as { status: string };
    const after = (logic: AnyActorLogic, type: string) =>
      (logic.transition(initial(logic) as never, { type } as never, scope) as { status: string }).status;
    expect(['xstate.promise.resolve', 'xstate.promise.reject'].map((type) => after(logics.promise, type))).toEqual([
      'done',
      'error',
    ]);
    for (const logic of [logics.observable, logics['event observable']] as AnyActorLogic[]) {
      expect(
        ['xstate.observable.next', 'xstate.observable.complete', 'xstate.observable.error'].map((type) =>
          after(logic, type),
        ),
      ).toEqual(['active', 'done', 'error']);
    }
  });

  it('holds the subscription of an observable in the snapshot that it was started with', () => {
    const snapshot = { status: 'active' } as { _subscription?: unknown };
    logics.observable.start?.(snapshot as never, { self: {}, system: {}, emit() {} } as never);
    expect(snapshot._subscription).toHaveProperty('unsubscribe');
  });

  it('names the source of an inline invoke by its place in the config', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { invoke: [{ src: logics.promise }, { src: logics.callback }] } },
    });
    const { result } = host().initial(machine);
    expect(Object.values(result.children).map(({ src }) => src)).toEqual([
      'xstate.invoke.0.m.a',
      'xstate.invoke.1.m.a',
    ]);
    const definition = new Definitions().prepare('x', machine, 1);
    expect(
      ['xstate.invoke.0.m.a', 'xstate.invoke.1.m.a', 'xstate.invoke.2.m.a'].map((src) => definition.child(src)?.kind),
    ).toEqual(['promise', 'callback', undefined]);
  });
});
