/** Turns with several effects at once: each happens once, and a turn that is refused leaves none of them. */
import { assign, cancel, emit, enqueueActions, raise, setup, spawnChild } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent, record } from '../../../src/index.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { contextOf, startSubject } from '../../support/actors/subject.ts';

const scribe = defineAgent({
  name: 'scribe',
  machine: setup({ types: { context: {} as { heard: string[] } } }).createMachine({
    context: { heard: [] },
    on: {
      all: {
        actions: enqueueActions(({ enqueue }) => {
          enqueue(emit({ type: 'begun' }));
          enqueue(record('notes', { what: 'first' }));
          enqueue.raise({ type: 'later' }, { delay: 1_000 });
          enqueue.sendTo(({ self }) => self, { type: 'own' });
          enqueue(record('notes', { what: 'second' }));
          enqueue(emit({ type: 'done' }));
        }),
      },
      '*': { actions: assign({ heard: ({ context, event }) => [...context.heard, event.type] }) },
    },
  }),
  events: { all: z.object({}) },
  records: { notes: { keep: { count: 100 } } },
});

describe('a turn that keeps records, sends, arms a timer and emits', () => {
  it('performs each of these once, in order', async () => {
    const test = await startTestSystem({ agents: [scribe], tree: { children: [{ id: 's', agent: 'scribe' }] } });
    const emitted: string[] = [];
    test.shard.onEmitted((_, { type }) => emitted.push(type));
    await test.shard.send('s', { type: 'all' });
    await test.advance(1_000);
    const { records } = await test.shard.records.list('s', 'notes');
    expect(records.map(({ number, value }) => [number, value])).toEqual([
      [1, { what: 'first' }],
      [2, { what: 'second' }],
    ]);
    expect(contextOf(test, 's')).toEqual({ heard: ['own', 'later'] });
    expect(emitted).toEqual(['begun', 'done']);
    await test.shard.stop();
  });
});

describe('a turn that is refused', () => {
  const nobody = setup({}).createMachine({});
  const machine = setup({
    types: { context: {} as { n: number } },
    actors: { nobody },
    actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
  }).createMachine({
    context: { n: 0 },
    on: {
      ARM: { actions: ['count', raise({ type: 'LATER' }, { delay: 1_000, id: 7 as never })] },
      KERNEL: { actions: ['count', raise({ type: 'LATER' }, { delay: 1_000, id: 'bosun.mine' })] },
      CANCEL: { actions: ['count', cancel('bosun.mine')] },
      NAME: { actions: ['count', spawnChild('nobody', { id: 'named', systemId: 7 as never })] },
    },
  });

  const errorOf = (test: TestSystem) => (test.shard.deadLetters.list()[0]!.error as Error).message;

  it.each([
    ['ARM', 'subject names a timer with a value that is not a string'],
    ['KERNEL', 'subject names a timer bosun.mine, a name reserved for the runtime'],
    ['CANCEL', 'subject names a timer bosun.mine, a name reserved for the runtime'],
    ['NAME', 'subject gives its child subject/named a system id that is not a string'],
  ])('leaves none of its other effects: %s', async (type, message) => {
    const test = await startSubject(machine, { events: ['ARM', 'KERNEL', 'CANCEL', 'NAME'] });
    await test.shard.send('subject', { type });
    await test.settle();
    expect(errorOf(test)).toBe(message);
    expect([contextOf(test), test.shard.tree('subject').children]).toEqual([{ n: 0 }, []]);
    await test.shard.stop();
  });
});
