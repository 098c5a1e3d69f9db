/** Snapshots and contexts in the hands of user code: nothing that it writes into them reaches any actor. */
import { assign, enqueueActions, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { agentOf, contextOf, startSubject, tell } from '../../support/actors/subject.ts';
import { crash } from '../../support/actors/started.ts';
import { scribbled } from '../../support/scribbled.ts';

interface Context {
  readonly n: number;
  readonly twice: number;
}

const typed = setup({ types: {} as { context: Context } });

/** Each assignment that changes nothing. */
const SAME = {
  'the same value': assign<Context, never, never, never, never>({ n: ({ context }) => context.n }),
  nothing: assign<Context, never, never, never, never>({}),
  'nothing, by a function': assign<Context, never, never, never, never>(() => ({})),
  'the context itself': assign<Context, never, never, never, never>(({ context }) => context),
  'nothing, enqueued': enqueueActions(({ enqueue }) => enqueue.assign({})),
} as const;

/** Changes a snapshot and all its parts wherever JavaScript lets it. */
function overwritten(snapshot: object): void {
  scribbled({ ...snapshot });
  for (const key of Object.keys(snapshot)) Reflect.set(snapshot, key, 'overwritten');
}

describe.each(['plan', 'xstate'] as const)('a machine on the %s engine', (stepEngine) => {
  describe('a context', () => {
    it.each(Object.keys(SAME) as (keyof typeof SAME)[])('stays closed when a turn assigns %s', async (what) => {
      const machine = typed.createMachine({
        context: { n: 0, twice: 0 },
        on: {
          same: { actions: SAME[what] as never },
          write: { actions: ({ context }) => void scribbled(context) },
          guarded: { guard: ({ context }) => scribbled(context).n > 0 },
          twice: { actions: assign({ twice: ({ context }) => context.n * 2 + 1 }) },
        },
      });
      const test = await startSubject(machine, { events: ['same', 'write', 'guarded', 'twice'], stepEngine });
      await tell(test, 'same');
      for (const type of ['write', 'guarded']) await tell(test, type);
      overwritten((await test.system.actor('subject')).getSnapshot());
      scribbled((await test.system.snapshot('subject'))?.context);
      scribbled((await test.system.admin.getState('subject')).context);
      await tell(test, 'twice');
      expect(contextOf(test)).toEqual({ n: 0, twice: 1 });
      await crash(test);
      expect(contextOf(test)).toEqual({ n: 0, twice: 1 });
    });
  });

  describe('a snapshot', () => {
    const kid = typed.createMachine({ context: { n: 0, twice: 0 } });
    const machine = setup({
      types: {} as { context: { seen: unknown } },
      actors: { kid },
      actions: { write: ({ self }) => void overwritten(self.getSnapshot()) },
    }).createMachine({
      context: { seen: null },
      invoke: { src: 'kid', id: 'kid' },
      type: 'parallel',
      on: {
        write: { actions: 'write' },
        turn: { actions: assign(({ self }) => (overwritten(self.getSnapshot()), {})) },
        spawn: { actions: enqueueActions(({ enqueue }) => enqueue.spawnChild('kid', { id: 'second' })) },
        see: {
          actions: assign({
            seen: ({ self }) => {
              const { value, tags, children } = self.getSnapshot();
              return [value, [...tags], Object.keys(children)];
            },
          }),
        },
      },
      states: {
        work: {
          initial: 'waiting',
          on: { go: '.working' },
          states: { waiting: { tags: ['free'] }, working: { tags: ['busy'] } },
        },
        mode: { initial: 'manual', states: { manual: {} } },
      },
    });
    const twin = agentOf('twin', machine, ['see']);

    async function seen(test: TestSystem, address: string): Promise<unknown> {
      await test.shard.send(address, { type: 'see' });
      await test.settle();
      return (contextOf(test, address) as { seen: unknown }).seen;
    }

    it('changes neither its actor nor another one by what an action or a turn writes into it', async () => {
      const test = await startSubject(machine, {
        events: ['write', 'turn', 'spawn', 'see', 'go'],
        agents: [twin],
        stepEngine,
      });
      await test.system.spawn(twin, 'twin');
      for (const type of ['write', 'turn']) await tell(test, type);
      const first = [{ work: 'waiting', mode: 'manual' }, ['free'], ['kid']];
      expect([await seen(test, 'subject'), await seen(test, 'twin')]).toEqual([first, first]);
      await tell(test, 'spawn');
      await tell(test, 'go');
      for (const type of ['write', 'turn']) await tell(test, type);
      const second = [{ work: 'working', mode: 'manual' }, ['busy'], ['kid', 'second']];
      expect([await seen(test, 'subject'), await seen(test, 'twin')]).toEqual([second, first]);
      expect(await test.system.snapshot('subject')).toMatchObject({ value: second[0], tags: ['busy'] });
      await crash(test);
      expect([await seen(test, 'subject'), await seen(test, 'twin')]).toEqual([second, first]);
    });

    it('is shown to other readers as it was when one has written into it', async () => {
      const test = await startSubject(machine, { events: ['see'], stepEngine });
      const [one, other] = [await test.system.actor('subject'), await test.system.actor('subject')];
      overwritten(one.getSnapshot());
      expect(() => Object.assign(one.getSnapshot(), { status: 'done' })).toThrow(TypeError);
      const { status, value, tags } = other.getSnapshot();
      expect([status, value, tags]).toEqual(['active', { work: 'waiting', mode: 'manual' }, ['free']]);
      expect(other.getSnapshot().hasTag('free')).toBe(true);
    });
  });
});
