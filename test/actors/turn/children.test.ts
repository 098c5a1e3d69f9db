/** Children of machines, spawned and stopped within turns, and the references to them. */
import {
  type AnyActorRef,
  assign,
  createMachine,
  enqueueActions,
  fromCallback,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { describe, expect, it } from 'vitest';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { agentOf, contextOf, startSubject, tell, valueOf } from '../../support/actors/subject.ts';

describe('children', () => {
  const kid = setup({ types: {} as { context: { n: number } } }).createMachine({
    context: { n: 0 },
    on: { HIT: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
  });
  const addresses = (test: TestSystem) => test.shard.tree('subject').children.map(({ address }) => address);

  it('children without an id are all born, each with its own address and effect id', async () => {
    const ids: string[] = [];
    const logic = fromCallback(({ self }) => void ids.push((self as unknown as { effectId: string }).effectId));
    const machine = setup({ actors: { logic } }).createMachine({
      on: { GO: { actions: [spawnChild('logic'), spawnChild('logic')] }, ONE: { actions: spawnChild('logic') } },
    });
    const test = await startSubject(machine, { events: ['GO', 'ONE'] });
    await tell(test, 'GO');
    await tell(test, 'ONE');
    await tell(test, 'ONE');
    expect(addresses(test)).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    await test.shard.stop();
  });

  it('children born under an id in use replace the child that has it', async () => {
    const machine = setup({ actors: { kid } }).createMachine({
      on: { GO: { actions: spawnChild('kid', { id: 'kid' }) }, HIT: { actions: sendTo('kid', { type: 'HIT' }) } },
    });
    const test = await startSubject(machine, { events: ['GO', 'HIT'] });
    await tell(test, 'GO');
    await tell(test, 'HIT');
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 1 });
    await tell(test, 'GO');
    expect([addresses(test), contextOf(test, 'subject/kid')]).toEqual([['subject/kid'], { n: 0 }]);
    await test.shard.stop();
  });

  it('children spawned in an assign can be used by a custom action of the same step, and later', async () => {
    const machine = setup({ types: {} as { context: { ref: AnyActorRef | null } }, actors: { kid } }).createMachine({
      context: { ref: null },
      on: {
        GO: {
          actions: [
            assign({ ref: ({ spawn }) => spawn('kid', { id: 'kid' }) }),
            ({ context }) => context.ref!.send({ type: 'HIT' }),
          ],
        },
        HIT: { actions: sendTo(({ context }) => context.ref!, { type: 'HIT' }) },
      },
    });
    const test = await startSubject(machine, { events: ['GO', 'HIT'] });
    await tell(test, 'GO');
    await test.crash();
    await test.restart();
    await tell(test, 'HIT');
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 2 });
    await test.shard.stop();
  });

  it('children spawned and stopped in one step are never born', async () => {
    const machine = setup({ actors: { kid } }).createMachine({
      on: {
        GO: {
          actions: [
            spawnChild('kid', { id: 'kid', systemId: 'kid' }),
            sendTo('kid', { type: 'HIT' }),
            stopChild('kid'),
          ],
        },
      },
    });
    const test = await startSubject(machine, { events: ['GO'] });
    await tell(test, 'GO');
    await tell(test, 'GO');
    expect([addresses(test), test.shard.deadLetters.list({ reason: 'quarantined' })]).toEqual([[], []]);
    await test.shard.stop();
  });

  it('children with a system id, and grandchildren, free it when their state is entered again', async () => {
    const holder = setup({ actors: { kid } }).createMachine({ invoke: { src: 'kid', id: 'kid', systemId: 'deep' } });
    const machine = setup({ actors: { holder } }).createMachine({
      initial: 'a',
      states: {
        a: {
          invoke: { src: 'holder', id: 'holder', systemId: 'name' },
          on: { AGAIN: { target: 'a', reenter: true } },
        },
      },
      on: { HIT: { actions: sendTo(({ system }) => system.get('deep') as AnyActorRef, { type: 'HIT' }) } },
    });
    const test = await startSubject(machine, { events: ['AGAIN', 'HIT'] });
    await tell(test, 'HIT');
    await tell(test, 'AGAIN');
    expect(contextOf(test, 'subject/holder/kid')).toEqual({ n: 0 });
    await tell(test, 'HIT');
    await test.crash();
    await test.restart();
    await tell(test, 'HIT');
    expect(contextOf(test, 'subject/holder/kid')).toEqual({ n: 2 });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await test.shard.stop();
  });

  it('children may have a system id with characters that keys of the store do not allow', async () => {
    const machine = setup({ actors: { kid } }).createMachine({
      invoke: { src: 'kid', id: 'kid', systemId: 'the kid, 😀%' },
      on: { HIT: { actions: sendTo(({ system }) => system.get('the kid, 😀%') as AnyActorRef, { type: 'HIT' }) } },
    });
    const test = await startSubject(machine, { events: ['HIT'] });
    await test.crash();
    await test.restart();
    await tell(test, 'HIT');
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 1 });
    await test.shard.stop();
  });

  it.each([{}, { id: 'named' }])(
    'children for which the machine has no logic make the turn throw (options %j)',
    async (options) => {
      const machine = createMachine({
        initial: 'a',
        states: {
          a: {
            on: {
              GO: {
                actions: enqueueActions(({ enqueue }) => enqueue.spawnChild('nothing' as never, options as never)),
              },
              OK: 'c',
            },
          },
          c: {},
        },
      });
      const test = await startSubject(machine, { events: ['GO', 'OK'] });
      await tell(test, 'GO');
      await tell(test, 'OK');
      expect(valueOf(test)).toBe('c');
      expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
        { error: { code: 'BOSUN_AGENT_INVALID' } },
      ]);
      await test.shard.stop();
    },
  );

  it('never take the address of another actor', async () => {
    const machine = setup({ actors: { kid } }).createMachine({
      on: { GO: { actions: spawnChild('kid', { id: 'kid' }) } },
    });
    const test = await startSubject(machine, { events: ['GO'], agents: [agentOf('other', kid, ['HIT'])] });
    const other = test.shard.actor('subject/kid');
    await test.shard.spawn(agentOf('other', kid, ['HIT']), 'subject/kid');
    await other.send({ type: 'HIT' });
    await tell(test, 'GO');
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 1 });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { code: 'BOSUN_ADDRESS_INVALID' } },
    ]);
    await test.shard.stop();
  });
});

describe('references', () => {
  it('references to one actor are one object, wherever they come from, also after a restart', async () => {
    const kid = createMachine({ on: { ASK: { actions: sendParent(({ self }) => ({ type: 'ANSWER', from: self })) } } });
    const machine = setup({
      types: {} as {
        context: { kid: AnyActorRef; same: boolean[] };
        events: { type: 'ASK' } | { type: 'ANSWER'; from: AnyActorRef };
      },
      actors: { kid },
    }).createMachine({
      context: ({ spawn }) => ({ kid: spawn('kid', { id: 'kid' }), same: [] }),
      on: {
        ASK: { actions: sendTo(({ context }) => context.kid, { type: 'ASK' }) },
        ANSWER: {
          actions: assign({
            same: ({ context, event, self }) => {
              const { children } = self.getSnapshot() as unknown as { children: { kid: AnyActorRef } };
              return [...context.same, event.from === context.kid && children.kid === context.kid];
            },
          }),
        },
      },
    });
    const test = await startSubject(machine, { events: ['ASK'] });
    await tell(test, 'ASK');
    await test.crash();
    await test.restart();
    await tell(test, 'ASK');
    expect(contextOf(test)).toMatchObject({ same: [true, true] });
    await test.shard.stop();
  });

  it('do not reach a different actor that was born later under the same address', async () => {
    const kid = createMachine({
      context: { n: 0 },
      on: { HIT: { actions: assign({ n: ({ context }: { context: { n: number } }) => context.n + 1 }) } },
    });
    const machine = setup({ types: {} as { context: { old: AnyActorRef | null } }, actors: { kid } }).createMachine({
      context: { old: null },
      on: {
        GO: { actions: assign({ old: ({ spawn, context }) => context.old ?? spawn('kid', { id: 'kid' }) }) },
        SWAP: {
          actions: enqueueActions(({ enqueue }) => [
            enqueue.stopChild('kid'),
            enqueue.spawnChild('kid', { id: 'kid' }),
          ]),
        },
        HIT: { actions: sendTo(({ context }) => context.old!, { type: 'HIT' }) },
      },
    });
    const test = await startSubject(machine, { events: ['GO', 'SWAP', 'HIT'] });
    for (const type of ['GO', 'SWAP', 'HIT']) await tell(test, type);
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 0 });
    await test.shard.stop();
  });
});
