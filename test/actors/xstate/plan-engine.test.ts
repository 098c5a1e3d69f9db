/**
 * The plan engine: the data that it keeps and shares, and the steps that it leaves to XState. That its results equal
 * those of XState is shown in test/fuzz and in the other tests of this folder.
 */
import {
  type AnyStateMachine,
  and,
  assign,
  createActor,
  createMachine,
  emit,
  enqueueActions,
  type EventObject,
  raise,
  sendParent,
  sendTo,
  setup,
  stateIn,
} from 'xstate';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failedSnapshot, type Snapshot, type Step } from '../../../src/actors/model/step-engine.ts';
import { PlanEngine } from '../../../src/actors/xstate/plan-engine.ts';
import { Plans } from '../../../src/actors/xstate/plan-table.ts';
import { Ref, type RefHost } from '../../../src/actors/model/ref.ts';
import { Definitions } from '../../../src/actors/xstate/definition.ts';
import { XstateEngine } from '../../../src/actors/xstate/xstate-engine.ts';
import { type MachineSnapshot } from '../../../src/actors/xstate/machine-state.ts';
import { PATTERN_LOOKUPS_MAX, PLANS_MAX } from '../../../src/limits.ts';
import { randomOf } from '../../support/chance.ts';
import { LONG } from '../../support/effort.ts';

const nothing = () => {};
const REF_HOST = { factsOf: () => undefined } as unknown as RefHost;
const HOST = {
  nextLife: () => 2,
  ref: (life: number, address: string) => new Ref(REF_HOST, life, address),
  named: () => undefined,
  allNamed: () => ({}),
  namesUnder: () => [],
  relay: nothing,
  log: nothing,
};

/** An engine with one machine. */
function hosting(machine: AnyStateMachine, Engine: typeof PlanEngine | typeof XstateEngine = PlanEngine) {
  const engine = new Engine(HOST);
  const definition = new Definitions().prepare('m', machine, 1);
  const self = new Ref({ ...REF_HOST, system: engine.system }, 1, 'm');
  return {
    engine,
    definition,
    initial: (input?: unknown) => engine.initial(definition, self, input).snapshot as MachineSnapshot,
    step: (snapshot: Snapshot, event: EventObject): Step => engine.transition(definition, self, snapshot, event),
  };
}

/** Counts the steps that XState takes from now on. */
function countXstate(): () => number {
  const spy = vi.spyOn(XstateEngine.prototype, 'transition');
  return () => spy.mock.calls.length;
}

/** The plans of the next machine that is hosted. */
function watchPlans(): () => Plans {
  const spy = vi.spyOn(Plans.prototype, 'selection');
  return () => spy.mock.contexts.at(-1) as Plans;
}

afterEach(() => void vi.restoreAllMocks());

describe('the plans of a definition', () => {
  const regions = 7;
  const states = 5;
  const ring = () => Object.fromEntries(Array.from({ length: states }, (_, i) => [`s${i}`, { on: {} }]));
  const count = assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 });
  /** A machine with 78,125 configurations. */
  const config = {
    id: 'm',
    type: 'parallel',
    context: { n: 0 },
    states: Object.fromEntries(
      Array.from({ length: regions }, (_, region) => {
        const go = Object.fromEntries(
          Array.from({ length: states }, (_, i) => [`r${region}s${i}`, { target: `.s${i}`, actions: count }]),
        );
        return [`r${region}`, { initial: 's0', states: ring(), on: go }];
      }),
    ),
  };
  const many = createMachine(config as never) as unknown as AnyStateMachine;

  it(`are at most ${PLANS_MAX}; further steps are left to XState, with the same result`, LONG, () => {
    const byXstate = countXstate();
    const plans = watchPlans();
    const { initial, step } = hosting(many);
    const random = randomOf('steps beyond the plans');
    const oracle = createActor(many).start();
    let snapshot: Snapshot = initial();
    for (let i = 0; i < PLANS_MAX; i++) {
      const event = { type: `r${random.integer(regions)}s${random.integer(states)}` };
      snapshot = step(snapshot, event).snapshot;
      oracle.send(event);
    }
    expect((snapshot as MachineSnapshot).value).toEqual(oracle.getSnapshot().value);
    expect(snapshot.context).toEqual({ n: PLANS_MAX });
    expect(plans().size.kept).toBe(PLANS_MAX);
    expect(byXstate()).toBeGreaterThan(0);
  });

  it(`include at most ${PATTERN_LOOKUPS_MAX} lookups of event types by pattern`, () => {
    const byXstate = countXstate();
    const plans = watchPlans();
    const { initial, step } = hosting(
      createMachine({ context: { last: '' }, on: { 'a.*': { actions: assign({ last: ({ event }) => event.type }) } } }),
    );
    let snapshot: Snapshot = initial();
    let most = 0;
    for (let i = 0; i < 2.5 * PATTERN_LOOKUPS_MAX; i++) {
      snapshot = step(snapshot, { type: `a.${i}` }).snapshot;
      most = Math.max(most, plans().size.byPattern);
      expect(snapshot.context).toEqual({ last: `a.${i}` });
    }
    expect([most, byXstate()]).toEqual([PATTERN_LOOKUPS_MAX, 0]);
    expect(plans().size.kept).toBeLessThan(10);
  });

  it('are not kept for event types that the machine does not name', () => {
    const plans = watchPlans();
    const { initial, step } = hosting(createMachine({ on: { KNOWN: {} } }));
    const snapshot = initial();
    step(snapshot, { type: 'x' });
    const { kept } = plans().size;
    for (let i = 0; i < 100; i++) expect(step(snapshot, { type: `x.${i}` }).snapshot).toBe(snapshot);
    expect(plans().size).toEqual({ kept, byPattern: 0 });
  });
});

describe('a snapshot of the plan engine', () => {
  const machine = createMachine({
    id: 'm',
    initial: 'a',
    context: { n: 0 },
    states: {
      a: {
        tags: ['first'],
        meta: { of: 'a' },
        on: { GO: 'b', ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
      },
      b: { on: { BACK: 'a' } },
    },
  });

  it('shares nodes, value, tags and history with other snapshots of the same configuration', () => {
    const { initial, step } = hosting(machine);
    const [one, two] = [initial(), step(initial(), { type: 'ADD' }).snapshot as MachineSnapshot];
    expect([one.context, two.context]).toEqual([{ n: 0 }, { n: 1 }]);
    expect([
      one._nodes === two._nodes,
      one.value === two.value,
      one.tags === two.tags,
      one.historyValue === two.historyValue,
    ]).toEqual([true, true, true, true]);
    const back = step(step(one, { type: 'GO' }).snapshot, { type: 'BACK' }).snapshot as MachineSnapshot;
    expect([back === one, back._nodes === one._nodes]).toEqual([false, true]);
  });

  it('has a frozen value, since other snapshots share it', () => {
    const { initial } = hosting(
      createMachine({ type: 'parallel', states: { l: { initial: 'a', states: { a: {} } }, r: {} } }),
    );
    const { value } = initial();
    expect([Object.isFrozen(value), Object.isFrozen((value as { l: unknown }).l)]).toEqual([true, true]);
  });

  it('answers matches, hasTag, can and getMeta like one of XState, also after a failure', () => {
    type Asked = ReturnType<typeof createActor<typeof machine>>['getSnapshot'] extends () => infer S ? S : never;
    const own = hosting(machine).initial() as unknown as Asked;
    const plain = createActor(machine).start().getSnapshot();
    const failed = failedSnapshot(own as unknown as Snapshot, 'it broke') as unknown as Asked;
    for (const snapshot of [own, failed]) {
      expect([
        snapshot.matches('a'),
        snapshot.hasTag('first'),
        snapshot.can({ type: 'GO' }),
        snapshot.can({ type: 'BACK' }),
        snapshot.getMeta(),
      ]).toEqual([
        plain.matches('a'),
        plain.hasTag('first' as never),
        plain.can({ type: 'GO' }),
        plain.can({ type: 'BACK' }),
        plain.getMeta(),
      ]);
    }
    expect(JSON.stringify(own)).toBe(JSON.stringify(plain));
    expect(failed).toMatchObject({ status: 'error', error: 'it broke', value: 'a' });
  });

  it('is the same object after a step that changes nothing', () => {
    const { initial, step } = hosting(createMachine({ on: { NOTE: { actions: emit({ type: 'E' }) } } }));
    const snapshot = initial();
    const { snapshot: after, effects } = step(snapshot, { type: 'NOTE' });
    expect([after === snapshot, effects]).toEqual([true, [{ kind: 'emit', event: { type: 'E' } }]]);
  });
});

describe('a throw in a planned step', () => {
  const broken = () => {
    throw new Error('broken');
  };
  const machine = setup({ guards: { named: broken, fine: () => true }, actions: { noted: nothing } }).createMachine({
    id: 'm',
    initial: 'a',
    context: { n: 0 },
    states: {
      a: {
        on: {
          INLINE: { guard: broken, target: 'b' },
          NAMED: { guard: 'named', target: 'b' },
          PARAMS: { guard: { type: 'fine', params: broken } as never, target: 'b' },
          BOTH: { guard: and(['fine', 'named']), target: 'b' },
          LATE: { actions: ['noted', raise({ type: 'LEFT' }), assign({ n: 1 }), assign(broken)] },
          AFTERWARDS: { actions: ['noted'] },
          MISSING: { guard: 'missing' as never, target: 'b' },
        },
        always: { guard: ({ event }) => event.type === 'EVENTLESS' && broken(), target: 'b' },
      },
      b: {},
    },
    on: { LEFT: { actions: assign({ n: 99 }) } },
  });

  it.each(['INLINE', 'NAMED', 'PARAMS', 'BOTH', 'LATE', 'EVENTLESS', 'MISSING'])(
    'has the message of XState and leaves nothing behind (%s)',
    (type) => {
      const words = (hosted: ReturnType<typeof hosting>) => {
        try {
          return hosted.step(hosted.initial(), { type });
        } catch (error) {
          return (error as Error).message;
        }
      };
      const byXstate = countXstate();
      const plan = hosting(machine);
      const said = words(plan);
      expect([said, byXstate()]).toEqual([words(hosting(machine, XstateEngine)), 0]);
      expect(said).toMatch(/broken|missing/);
      const { snapshot, effects } = plan.step(plan.initial(), { type: 'AFTERWARDS' });
      expect([snapshot.context, effects.map(({ kind }) => kind)]).toEqual([{ n: 0 }, ['call']]);
    },
  );

  it('is left to XState if it comes from an endless loop', () => {
    const endless = createMachine({
      initial: 'a',
      states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: 'b' } },
      options: { maxIterations: 50 },
    } as never);
    const byXstate = countXstate();
    const { initial, step } = hosting(endless);
    expect(() => step(initial(), { type: 'GO' })).toThrow('more than 50 microsteps');
    expect(byXstate()).toBe(1);
  });
});

describe('the `enqueue` of `enqueueActions`', () => {
  /** The keys of `enqueue` that a machine is given. */
  function keysBy(Engine: typeof PlanEngine | typeof XstateEngine): string[] {
    let keys: string[] = [];
    const machine = createMachine({
      entry: enqueueActions(({ enqueue }) => {
        keys = Object.keys(enqueue).sort();
      }),
    });
    hosting(machine, Engine).initial();
    return keys;
  }

  it('has every method that it has in XState', () => {
    expect(keysBy(PlanEngine)).toEqual(keysBy(XstateEngine));
  });

  it('enqueues nothing once the function has returned, not even in the step of another machine', () => {
    let kept: ((action: unknown) => void) | undefined;
    const keeping = createMachine({
      entry: enqueueActions(({ enqueue }) => {
        kept = enqueue as never;
      }),
    });
    const other = createMachine({ context: { n: 0 }, entry: assign(() => (kept?.(emit({ type: 'LATE' })), { n: 1 })) });
    hosting(keeping).initial();
    const { engine, definition } = hosting(other);
    expect(engine.initial(definition, new Ref(REF_HOST, 1, 'm'), undefined).effects).toEqual([]);
  });

  it.each([PlanEngine, XstateEngine])('enqueues nothing into another function that runs later: %o', (Engine) => {
    let kept: ((action: unknown) => void) | undefined;
    const keeping = createMachine({
      entry: enqueueActions(({ enqueue }) => {
        kept = enqueue as never;
      }),
    });
    const other = createMachine({
      entry: enqueueActions(({ enqueue }) => {
        kept?.(emit({ type: 'LATE' }));
        enqueue.emit({ type: 'OWN' });
      }),
    });
    hosting(keeping, Engine).initial();
    const { engine, definition } = hosting(other, Engine);
    const { effects } = engine.initial(definition, new Ref(REF_HOST, 1, 'm'), undefined);
    expect(effects).toMatchObject([{ kind: 'emit', event: { type: 'OWN' } }]);
  });

  it('checks guards against the context that the function was given', () => {
    const machine = setup({
      types: { context: {} as { n: number; said: string } },
      guards: { isOne: ({ context }) => context.n === 1 },
    }).createMachine({
      context: { n: 1, said: '' },
      entry: enqueueActions(({ enqueue, check }) => {
        enqueue.assign({ n: 2 });
        enqueue.assign({ said: check('isOne') ? 'one' : 'other' });
      }),
    });
    expect(hosting(machine as never).initial().context).toEqual({ n: 2, said: 'one' });
  });
});

describe('a send that a plan refuses', () => {
  const refused = {
    'an event that is a string, by sendTo': sendTo('x', 'TEXT' as never),
    'an event that is a string, by raise': raise('TEXT' as never),
    'to a missing child': sendTo('nobody', { type: 'E' }),
    'to a missing parent': sendParent({ type: 'E' }),
    'to a missing child by its SCXML name': sendTo('#_nobody', { type: 'E' }),
    'to a missing child, enqueued': enqueueActions(({ enqueue }) => enqueue.sendTo('nobody', { type: 'E' })),
  };

  it.each(Object.entries(refused))('throws with the message of XState: %s', (_, action) => {
    const machine = createMachine({ on: { GO: { actions: action as never } } });
    const [plans, xstate] = [hosting(machine), hosting(machine, XstateEngine)].map(({ initial, step }) => {
      const before = initial();
      return () => step(before, { type: 'GO' });
    });
    let words = '';
    try {
      xstate!();
    } catch (error) {
      words = (error as Error).message;
    }
    expect(words).not.toBe('');
    expect(plans!).toThrow(words);
  });
});

describe('steps that plans take without XState', () => {
  const kid = createMachine({ initial: 'a', states: { a: { on: { END: 'z' } }, z: { type: 'final' } } });
  const cases: Record<string, { machine: AnyStateMachine; events: readonly EventObject[] }> = {
    'parallel regions, done, output': {
      machine: createMachine({
        type: 'parallel',
        output: 7,
        states: {
          l: { initial: 'a', states: { a: { on: { GO: 'z' } }, z: { type: 'final' } } },
          r: { initial: 'a', states: { a: { on: { GO: 'z' } }, z: { type: 'final' } } },
        },
      }),
      events: [{ type: 'GO' }],
    },
    history: {
      machine: createMachine({
        initial: 'in',
        states: {
          in: { initial: 'a', states: { a: { on: { N: 'b' } }, b: {}, past: { type: 'history' } }, on: { OUT: 'out' } },
          out: { on: { BACK: 'in.past' } },
        },
      }),
      events: [{ type: 'N' }, { type: 'OUT' }, { type: 'BACK' }, { type: 'OUT' }, { type: 'BACK' }],
    },
    'always with stateIn, raise, after': {
      machine: createMachine({
        id: 'm',
        initial: 'a',
        states: {
          a: { after: { 5: 'b' }, on: { R: 'b' }, entry: raise({ type: 'R' }) },
          b: { always: { guard: stateIn('#m.b'), target: 'c' } },
          c: { on: { AGAIN: 'a' } },
        },
      }),
      events: [{ type: 'AGAIN' }, { type: 'AGAIN' }],
    },
    'invoke, its end and its handled failure': {
      machine: setup({ actors: { kid } }).createMachine({
        initial: 'a',
        states: { a: { invoke: { src: 'kid', id: 'k', onDone: 'b', onError: 'c' } }, b: { on: { BACK: 'a' } }, c: {} },
      }),
      events: [{ type: 'xstate.done.actor.k' }, { type: 'BACK' }, { type: 'xstate.error.actor.k' }],
    },
    'spawn in assign': {
      machine: setup({ types: {} as { context: { k?: unknown } }, actors: { kid } }).createMachine({
        context: {},
        on: { GO: { actions: assign({ k: ({ spawn }) => spawn('kid', { id: 'k' }) }) } },
      }),
      events: [{ type: 'GO' }],
    },
  };

  it.each(Object.entries(cases))('%s', (_, { machine, events }) => {
    const byXstate = countXstate();
    const { initial, step } = hosting(machine);
    const xstate = hosting(machine, XstateEngine);
    let [snapshot, expected] = [initial() as Snapshot, xstate.initial() as Snapshot];
    for (const event of events) {
      snapshot = step(snapshot, event).snapshot;
      expect(byXstate()).toBe(0);
    }
    for (const event of events) expected = xstate.step(expected, event).snapshot;
    const shown = ({ status, output, value, _nodes }: MachineSnapshot) => [
      status,
      output,
      value,
      _nodes.map(({ id }) => id),
    ];
    expect(shown(snapshot as MachineSnapshot)).toEqual(shown(expected as MachineSnapshot));
  });
});
