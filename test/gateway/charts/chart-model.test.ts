/** A chart has everything about a machine that can be seen without running it, and is the same each time. */
import { type AnyStateMachine, createActor, createMachine, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { activeStates } from '../../../src/gateway/charts/active.ts';
import { chartOf, type ChartTransition, transitionId } from '../../../src/gateway/charts/model.ts';
import { CHART_STATES_MAX, CHART_TRANSITIONS_MAX } from '../../../src/gateway/limits.ts';
import { randomOf } from '../../support/chance.ts';
import { build } from '../../support/fuzz/build.ts';
import { randomMachine } from '../../support/fuzz/generator.ts';
import { Recorder } from '../../support/fuzz/record.ts';
import { LONG } from '../../support/effort.ts';
import { everything } from '../../support/gateway/charted.ts';

const chart = chartOf(everything);
const state = (id: string) => chart.states.find((each) => each.id === `all${id}`)!;
const from = (id: string) => chart.transitions.filter(({ source }) => source === `all${id}`);
const on = (id: string, event: string) => from(id).filter((transition) => transition.event === event);

describe('a chart', () => {
  it('has the states in document order, with types and parents', () => {
    expect(chart.states.map(({ id, type, parent }) => [id, type, parent])).toEqual([
      ['all', 'compound', null],
      ['all.idle', 'atomic', 'all'],
      ['all.running', 'parallel', 'all'],
      ['all.running.left', 'compound', 'all.running'],
      ['all.running.left.one', 'atomic', 'all.running.left'],
      ['all.running.left.two', 'atomic', 'all.running.left'],
      ['all.running.left.past', 'history', 'all.running.left'],
      ['all.running.right', 'compound', 'all.running'],
      ['all.running.right.one', 'atomic', 'all.running.right'],
      ['all.running.right.two', 'atomic', 'all.running.right'],
      ['all.running.right.end', 'final', 'all.running.right'],
      ['all.running.right.last', 'history', 'all.running.right'],
      ['all.stopped', 'final', 'all'],
    ]);
    expect([chart.id, chart.version]).toEqual(['all', '3']);
  });

  it('names what a state does, without the timers that XState adds for `after`', () => {
    expect(state('.idle')).toMatchObject({
      description: 'Waits for work.',
      tags: ['ready', 'calm'],
      entry: ['log', 'assign', 'raise tick', 'emit said'],
      exit: ['cancel later', 'spawnChild plan', '(inline)'],
    });
    expect(state('.running.left.two').entry).toEqual(['sendTo hello to plan']);
    expect(state('.running').invokes).toEqual([{ id: 'plan', src: 'plan' }]);
  });

  it('knows initial states, the actions on entering them, and kinds of history', () => {
    expect([state('').initial, state('.idle').initial, state('.running').initial]).toEqual(['all.idle', null, null]);
    expect(state('.running.right')).toMatchObject({ initial: 'all.running.right.one', initialActions: ['notify'] });
    expect([state('.running.left.past').history, state('.running.right.last').history, state('.idle').history]).toEqual(
      ['deep', 'shallow', null],
    );
  });

  it('has every candidate of an event in its order, and guards by name', () => {
    expect(on('.idle', 'TASK')).toMatchObject([
      { kind: 'event', about: 'TASK', guard: 'isOpen', targets: ['all.running'], actions: ['log'] },
      { guard: null, targets: ['all.stopped'], actions: [] },
    ]);
    expect(['media.*', 'DEEP', 'AGAIN'].map((event) => on('.idle', event)[0]!.guard)).toEqual([
      'isOpen and not isNew',
      'in #all.idle',
      'isAbove(3)',
    ]);
  });

  it('distinguishes transitions that leave their source from those that do not', () => {
    const facts = ({ isInternal, reenter, isForbidden }: ChartTransition) => ({ isInternal, reenter, isForbidden });
    expect(facts(on('.idle', 'PING')[0]!)).toEqual({ isInternal: true, reenter: false, isForbidden: false });
    expect(facts(on('.idle', 'STAY')[0]!)).toEqual({ isInternal: true, reenter: false, isForbidden: false });
    expect(facts(on('.idle', 'AGAIN')[0]!)).toEqual({ isInternal: false, reenter: true, isForbidden: false });
    expect(facts(on('.idle', 'NEVER')[0]!)).toEqual({ isInternal: true, reenter: false, isForbidden: true });
    expect(facts(on('', 'STOP')[0]!)).toEqual({ isInternal: true, reenter: false, isForbidden: false });
    expect(facts(on('.idle', 'TASK')[0]!)).toEqual({ isInternal: false, reenter: false, isForbidden: false });
  });

  it('has transitions for always, after, done, error and snapshot, and several targets', () => {
    expect(from('.idle').filter(({ kind }) => kind === 'after')).toMatchObject([
      { delay: 500, targets: ['all.stopped'] },
      { delay: 'PATIENCE', targets: ['all.running'], actions: ['notify'] },
    ]);
    expect(from('.running.left.one')).toMatchObject([
      { kind: 'always', event: '', guard: 'isNew', targets: ['all.running.left.two'] },
    ]);
    expect(from('.running').map(({ kind, about }) => [kind, about])).toEqual([
      ['event', 'FORK'],
      ['done', ''],
      ['done', 'plan'],
      ['error', 'plan'],
      ['snapshot', 'plan'],
    ]);
    expect(on('.running', 'FORK')[0]!.targets).toEqual(['all.running.left.two', 'all.running.right.two']);
  });

  it('says where a history state leads when there is no history yet', () => {
    expect(from('.running.left.past')).toMatchObject([{ kind: 'default', targets: ['all.running.left.one'] }]);
    expect(from('.running.right.last')).toMatchObject([{ kind: 'default', targets: ['all.running.right.two'] }]);
  });

  it('is plain data', () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
  });

  it('is refused if it has too many states or transitions', LONG, () => {
    const wide = (states: number, events: number) =>
      createMachine({
        initial: 's0',
        states: Object.fromEntries(Array.from({ length: states - 1 }, (_, index) => [`s${index}`, {}])),
        on: Object.fromEntries(Array.from({ length: events }, (_, index) => [`E${index}`, {}])),
      }) as unknown as AnyStateMachine;
    expect(chartOf(wide(CHART_STATES_MAX, CHART_TRANSITIONS_MAX)).states).toHaveLength(CHART_STATES_MAX);
    expect(() => chartOf(wide(CHART_STATES_MAX + 1, 0))).toThrow(
      expect.objectContaining({ code: 'BOSUN_CHART_TOO_LARGE' }),
    );
    expect(() => chartOf(wide(2, CHART_TRANSITIONS_MAX + 1))).toThrow(
      expect.objectContaining({ code: 'BOSUN_CHART_TOO_LARGE' }),
    );
  });
});

describe('ids of transitions', () => {
  it('consist of source, event and index', () => {
    const ids = chart.transitions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/\|\d+$/.test(id))).toEqual([]);
    expect(ids).toContain('all.idle|xstate.after.500.all.idle|0');
  });

  it('are unique, whatever states and events are called', () => {
    const names = ['a|b', 'a', 'b|c', 'c', '\\', '|'];
    const states = Object.fromEntries(
      names.map((name) => [
        name,
        { id: name, on: Object.fromEntries(names.map((event) => [event, [{ guard: 'g' }, {}]])) },
      ]),
    );
    const { transitions } = chartOf(createMachine({ initial: 'a', states } as never) as unknown as AnyStateMachine);
    expect(new Set(transitions.map(({ id }) => id)).size).toBe(names.length * names.length * 2);
  });

  it('identify the transitions that XState takes, in any copy of the machine', () => {
    const taken: string[] = [];
    const copy = everything.provide({});
    const actor = createActor(copy, {
      inspect: (event) => {
        if (event.type === '@xstate.microstep')
          taken.push(...event._transitions.map((transition) => transitionId(transition)));
      },
    });
    actor.start();
    actor.send({ type: 'TASK' });
    const ids = new Set(chart.transitions.map(({ id }) => id));
    expect(taken.slice(0, 2)).toEqual(['all.idle|TASK|0', 'all.running.left.one||0']);
    expect(taken.every((id) => ids.has(id))).toBe(true);
    actor.stop();
  });
});

describe('active states', () => {
  it('are all states of the state value, regions included', () => {
    expect([...activeStates(chart, { running: { left: 'two', right: 'end' } })]).toEqual([
      'all',
      'all.running',
      'all.running.left',
      'all.running.left.two',
      'all.running.right',
      'all.running.right.end',
    ]);
    expect([...activeStates(chart, 'idle')]).toEqual(['all', 'all.idle']);
  });

  it('leave out states that the machine does not have, such as those of an older version', () => {
    expect([...activeStates(chart, { gone: { deeper: 'still' } })]).toEqual(['all']);
    expect([...activeStates(chart, null)]).toEqual(['all']);
    expect([...activeStates(chart, 7)]).toEqual(['all']);
  });

  it('equal those of XState for any machine', () => {
    for (let n = 1; n <= 40; n++) {
      const machine = build(randomMachine(randomOf('machines of charts', n)), `m${n}`, new Recorder());
      const actor = createActor(machine, { input: { me: 'm', fuel: 3 } } as never);
      const snapshot = actor.getSnapshot() as unknown as {
        status: string;
        value: unknown;
        _nodes: readonly { id: string }[];
      };
      // XState keeps the value of a machine that fails as it starts, and not its nodes.
      if (snapshot.status === 'error') continue;
      expect([...activeStates(chartOf(machine), snapshot.value)].sort(), `machine ${n}`).toEqual(
        snapshot._nodes.map(({ id }) => id).sort(),
      );
    }
  });
});

describe('the hash of a chart', () => {
  const machine = (guard: string) =>
    setup({}).createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { on: { X: { guard, target: 'a' } } } },
    } as never) as unknown as AnyStateMachine;

  it('is the same for charts that look alike, and different for others', () => {
    expect(chartOf(machine('g')).hash).toBe(chartOf(machine('g')).hash);
    expect(chartOf(machine('g')).hash).not.toBe(chartOf(machine('h')).hash);
    expect(chart.hash).toMatch(/^[0-9a-f]{16}$/);
  });
});
