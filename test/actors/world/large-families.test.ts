/** A machine with very many children: Bosun avoids the copies that XState makes, and behaves alike otherwise. */
import { assign, createActor, enqueueActions, sendTo, setup, spawnChild, stopChild } from 'xstate';
import { describe, expect, it } from 'vitest';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { LONG } from '../../support/effort.ts';
import { ratioOf } from '../../support/processor-time.ts';
import { startSubject, tell } from '../../support/actors/subject.ts';

const kid = setup({}).createMachine({
  context: { told: 0 },
  on: { TOLD: { actions: assign({ told: ({ context }) => (context as { told: number }).told + 1 }) } },
});

const parent = setup({ actors: { kid }, types: {} as { context: { next: number; last: unknown } } }).createMachine({
  context: { next: 0, last: null },
  initial: 'calm',
  on: {
    ASSIGN: {
      actions: assign({
        next: ({ context }) => context.next + 1,
        last: ({ context, spawn }) => spawn('kid', { id: `kid-${context.next}` }),
      }),
    },
    SPAWN: {
      actions: [
        spawnChild('kid', { id: ({ context }) => `kid-${context.next}` }),
        assign({ next: ({ context }) => context.next + 1 }),
      ],
    },
    QUEUE: {
      actions: enqueueActions(({ enqueue, context }) => {
        for (const n of [0, 1, 2]) enqueue.spawnChild('kid', { id: `kid-${context.next + n}` });
        enqueue.assign({ next: context.next + 3 });
      }),
    },
    UNNAMED: { actions: spawnChild('kid') },
    AGAIN: { actions: assign({ last: ({ spawn }) => spawn('kid', { id: 'kid-0' }) }) },
    STOP: { actions: stopChild('kid-1') },
    BOTH: {
      actions: [
        assign({ last: ({ spawn }) => spawn('kid', { id: 'extra' }) }),
        stopChild('kid-2'),
        sendTo('kid-3', { type: 'TOLD' }),
        sendTo('extra', { type: 'TOLD' }),
      ],
    },
    ENTER: '.busy',
    LEAVE: '.calm',
  },
  states: {
    calm: {},
    busy: {
      entry: assign({ last: ({ spawn }) => spawn('kid', { id: 'entered' }) }),
      invoke: { src: 'kid', id: 'invoked' },
    },
  },
});

const MANY = 100;
const STORY = [
  ...Array.from({ length: MANY }, (_, n) => (n % 2 === 0 ? 'ASSIGN' : 'SPAWN')),
  'QUEUE',
  'AGAIN',
  'STOP',
  'BOTH',
  'ENTER',
  'LEAVE',
  'ASSIGN',
  'ENTER',
];
const EVENTS = ['ASSIGN', 'SPAWN', 'QUEUE', 'UNNAMED', 'AGAIN', 'STOP', 'BOTH', 'ENTER', 'LEAVE'];

describe('a machine with many children', () => {
  it('has the same children as under createActor after every step and every crash', async () => {
    const plain = createActor(parent).start();
    const test = await startSubject(parent, { events: EVENTS });
    const ours = () =>
      test.shard
        .tree('subject')
        .children.map(({ address }) => address.slice('subject/'.length))
        .sort();
    for (const [index, type] of STORY.entries()) {
      plain.send({ type } as never);
      await tell(test, type);
      if (index > MANY - 5) {
        expect(ours(), `step ${index}, ${type}`).toEqual(Object.keys(plain.getSnapshot().children).sort());
        await test.crash();
        await test.restart();
      }
    }
    expect(ours()).toEqual(Object.keys(plain.getSnapshot().children).sort());
    for (const id of ['kid-3', 'extra']) expect(test.shard.snapshot(`subject/${id}`)?.context).toEqual({ told: 1 });
    await test.shard.stop();
  });

  it('keeps children without an id', async () => {
    const test = await startSubject(parent, { events: EVENTS });
    for (let n = 0; n < MANY; n++) await tell(test, 'ASSIGN');
    for (let n = 0; n < 3; n++) await tell(test, 'UNNAMED');
    expect(test.shard.tree('subject').children).toHaveLength(MANY + 3);
    await test.shard.stop();
  });

  it('spawns a late child at about the cost of an early one', LONG, async () => {
    const [small, large] = [
      await startSubject(parent, { events: EVENTS }),
      await startSubject(parent, { events: EVENTS }),
    ];
    const spawns = async ({ shard }: TestSystem) => {
      await Promise.all(Array.from({ length: 100 }, () => shard.send('subject', { type: 'ASSIGN' })));
      await shard.idle();
    };
    for (let batch = 0; batch < 90; batch++) await spawns(large);
    const ratio = await ratioOf(
      () => spawns(large),
      () => spawns(small),
      { rounds: 10 },
    );
    // XState's copy would make the cost ten times as high.
    expect(ratio).toBeLessThan(4);
    for (const { shard } of [small, large]) await shard.stop();
  });
});
