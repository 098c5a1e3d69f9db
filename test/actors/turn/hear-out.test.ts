/**
 * The messages that children still take when their machine stops them or ends: all that were sent to them until then,
 * as under `createActor`, where a send is taken at once. Each machine is run by Bosun and by `createActor`.
 */
import {
  type AnyStateMachine,
  assign,
  createActor,
  enqueueActions,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { beforeEach, describe, expect, it } from 'vitest';
import { defer } from '../../../src/index.ts';
import { MESSAGES_PER_VISIT } from '../../../src/limits.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { agentOf, startSubject } from '../../support/actors/subject.ts';

/** The messages taken, in order. */
let heard: string[] = [];
beforeEach(() => {
  heard = [];
});

const note = ({ event, self }: { event: { type: string; n?: number }; self: { id: string } }) =>
  void heard.push(`${self.id} ${event.type} ${event.n ?? ''}`.trim());

const grandchild = setup({ actions: { note } }).createMachine({ on: { SAY: { actions: 'note' } } });

const child = setup({ actions: { note }, actors: { grandchild } }).createMachine({
  invoke: { src: 'grandchild', id: 'grandchild' },
  on: {
    SAY: { actions: 'note' },
    PASS: { actions: ['note', sendTo('grandchild', { type: 'SAY' })] },
    ASK: { actions: ['note', sendParent({ type: 'ANSWER' })] },
  },
});

const says = (...ns: number[]) => ns.map((n) => sendTo('child', { type: 'SAY', n }));

const parent = setup({ actions: { note }, actors: { child } }).createMachine({
  entry: spawnChild('child', { id: 'child' }),
  initial: 'working',
  states: {
    working: {
      on: {
        MANY: {
          actions: enqueueActions(({ enqueue }) => {
            for (let n = 1; n <= 40; n++) enqueue.sendTo('child', { type: 'SAY', n });
          }),
        },
        STOP: { actions: [...says(1, 2), stopChild('child')] },
        PASS: { actions: [...says(1), sendTo('child', { type: 'PASS' }), stopChild('child')] },
        ASK: {
          actions: [sendTo(({ self }) => self, { type: 'OWN' }), sendTo('child', { type: 'ASK' }), stopChild('child')],
        },
        END: { target: 'ended', actions: [...says(1), sendTo('child', { type: 'PASS' })] },
        OWN: { actions: 'note' },
        ANSWER: { actions: 'note' },
      },
    },
    ended: { type: 'final' },
  },
});

/** The events come together, so that none of them finds the child at rest. */
async function byBosun(machine: AnyStateMachine, events: readonly string[]): Promise<TestSystem> {
  const test = await startSubject(machine, { events: [...new Set(events)], restart: 'temporary' });
  await Promise.all(events.map((type) => test.shard.send('subject', { type })));
  await test.settle();
  return test;
}

function byXstate(machine: AnyStateMachine, events: readonly string[]): string[] {
  const actor = createActor(machine, { id: 'subject' }).start();
  for (const type of events) actor.send({ type } as never);
  return heard.splice(0);
}

describe('a message to a child that is stopped', () => {
  it.each([
    ['sent in the turn that stops it', ['STOP'], 2],
    ['sent in that turn and before it, more than one visit of its mailbox takes', ['MANY', 'STOP'], 42],
    ['passed on to the grandchild', ['PASS'], 3],
    ['sent as a question, whose answer comes after the messages of the machine to itself', ['ASK'], 3],
    ['sent in the turn with which its machine ends, and before it', ['MANY', 'END'], 43],
  ])('is still taken: %s', async (_, events, count) => {
    const wanted = byXstate(parent, events);
    expect(wanted).toHaveLength(count);
    const test = await byBosun(parent, events);
    expect(heard).toEqual(wanted);
    await test.crash();
    await test.restart();
    await test.settle();
    expect(heard).toEqual(wanted);
    await test.shard.stop();
  });
});

describe('a message that a stopped child has deferred', () => {
  const shy = setup({ actions: { note } }).createMachine({
    initial: 'shut',
    states: {
      shut: { on: { SAY: { actions: defer() }, OPEN: 'open' } },
      open: { on: { SAY: { actions: 'note' } } },
    },
  });
  const host = setup({ actors: { child: shy } }).createMachine({
    invoke: { src: 'child', id: 'child' },
    on: {
      SHUT: { actions: [...says(1, 2), stopChild('child')] },
      OPEN: { actions: [...says(1, 2), sendTo('child', { type: 'OPEN' }), ...says(3), stopChild('child')] },
    },
  });

  it('is not taken if the child never enters the state that takes it', async () => {
    const test = await byBosun(host, ['SHUT']);
    expect([heard, test.shard.tree('subject').children]).toEqual([[], []]);
    await test.shard.stop();
  });

  it('is taken first if another pending message brings the child into that state', async () => {
    const test = await byBosun(host, ['OPEN']);
    expect(heard).toEqual(['child SAY 1', 'child SAY 2', 'child SAY 3']);
    await test.shard.stop();
  });
});

describe('a child that is stopped while it sends messages to itself', () => {
  const talker = setup({ actions: { note } }).createMachine({
    on: { SAY: { actions: ['note', sendTo(({ self }) => self, { type: 'SAY' })] } },
  });
  const host = setup({ actors: { child: talker } }).createMachine({
    invoke: { src: 'child', id: 'child' },
    on: { SHUT: { actions: [...says(1), stopChild('child')] } },
  });

  it('takes the messages sent until then, and its stop does not wait for later ones', async () => {
    const test = await byBosun(host, ['SHUT']);
    expect(heard[0]).toBe('child SAY 1');
    expect(heard.length).toBeLessThanOrEqual(2);
    expect(test.shard.tree('subject').children).toEqual([]);
    await test.shard.stop();
  });
});

describe('a message to a child of a Boss that ends', () => {
  const worker = agentOf(
    'worker',
    setup({ actions: { note } }).createMachine({
      on: {
        SAY: { actions: 'note' },
        FAIL: {
          actions: assign(() => {
            throw new Error('as told');
          }),
        },
      },
    }),
    ['SAY', 'FAIL'],
  );
  const COUNT = 3 * MESSAGES_PER_VISIT;

  it('is not taken any more: it becomes a dead letter', async () => {
    const children = ['busy', 'weak'].map((id) => ({ id, agent: 'worker' }));
    const team = { id: 'team', restart: 'temporary' as const, boss: { intensity: 0, children } };
    const test = await startTestSystem({ agents: [worker], tree: { children: [team] } });
    const failing = test.shard.send('team/weak', { type: 'FAIL' });
    const says = Array.from({ length: COUNT }, (_, n) => test.shard.send('team/busy', { type: 'SAY', n }));
    await Promise.all([failing, ...says]);
    await test.settle();
    const unheard = test.shard.deadLetters.list().filter(({ address }) => address === 'team/busy');
    expect(test.shard.tree().children).toEqual([]);
    expect([heard.length < COUNT, heard.length + unheard.length]).toEqual([true, COUNT]);
    await test.shard.stop();
  });
});

describe('the end of a child that a new child has replaced under its id', () => {
  const short = setup({}).createMachine({
    initial: 'working',
    states: { working: { on: { FINISH: 'done' } }, done: { type: 'final' } },
  });
  const host = setup({ types: { context: {} as { ends: number } }, actors: { short } }).createMachine({
    context: { ends: 0 },
    entry: spawnChild('short', { id: 'child' }),
    on: {
      FINISH: { actions: sendTo('child', { type: 'FINISH' }) },
      SWAP: { actions: [stopChild('child'), spawnChild('short', { id: 'child' })] },
      'xstate.done.actor.child': { actions: assign({ ends: ({ context }) => context.ends + 1 }) },
    },
  });
  const contextOf = (test: TestSystem) => test.shard.snapshot('subject')!.context;

  it('is not reported to the machine, which would take it for the end of the new child', async () => {
    const test = await byBosun(host, ['FINISH', 'SWAP']);
    expect([contextOf(test), test.shard.snapshot('subject/child')!.value]).toEqual([{ ends: 0 }, 'working']);
    await test.shard.send('subject', { type: 'FINISH' });
    await test.settle();
    expect(contextOf(test)).toEqual({ ends: 1 });
    await test.shard.stop();
  });
});
