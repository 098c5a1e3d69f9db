/** Children of machines, born and gone within turns, and the references to them. */
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
  const addresses = (test: TestSystem) => test.system.tree('subject').children.map(({ address }) => address);

  it('without an id are all born, each under an address of its own, with an effect id of its own', async () => {
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
    await test.system.stop();
  });

  it('born under an id in use take the place of the one there', async () => {
    const machine = setup({ actors: { kid } }).createMachine({
      on: { GO: { actions: spawnChild('kid', { id: 'kid' }) }, HIT: { actions: sendTo('kid', { type: 'HIT' }) } },
    });
    const test = await startSubject(machine, { events: ['GO', 'HIT'] });
    await tell(test, 'GO');
    await tell(test, 'HIT');
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 1 });
    await tell(test, 'GO');
    expect([addresses(test), contextOf(test, 'subject/kid')]).toEqual([['subject/kid'], { n: 0 }]);
    await test.system.stop();
  });

  it('spawned in an assign can be used by a custom action of the same step, and later from the context', async () => {
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
    await test.system.stop();
  });

  it('born and stopped in one step were never there', async () => {
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
    expect([addresses(test), test.system.deadLetters.list({ reason: 'quarantined' })]).toEqual([[], []]);
    await test.system.stop();
  });

  it('with a system id give it back when their state is entered again, also with children of theirs', async () => {
    const holder = setup({ actors: { kid } }).createMachine({ invoke: { src: 'kid', id: 'kid', systemId: 'deep' } });
    const machine = setup({ actors: { holder } }).createMachine({
      initial: 'a',
      states: {
        a: { invoke: { src: 'holder', id: 'holder', systemId: 'name' }, on: { AGAIN: { target: 'a', reenter: true } } },
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
    expect(test.system.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await test.system.stop();
  });

  it('with a system id that no key of a store can hold are kept all the same', async () => {
    const machine = setup({ actors: { kid } }).createMachine({
      invoke: { src: 'kid', id: 'kid', systemId: 'the kid, 😀%' },
      on: { HIT: { actions: sendTo(({ system }) => system.get('the kid, 😀%') as AnyActorRef, { type: 'HIT' }) } },
    });
    const test = await startSubject(machine, { events: ['HIT'] });
    await test.crash();
    await test.restart();
    await tell(test, 'HIT');
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 1 });
    await test.system.stop();
  });

  it.each([{}, { id: 'named' }])('for which the machine has no logic are a throw of the turn', async (options) => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          on: {
            GO: { actions: enqueueActions(({ enqueue }) => enqueue.spawnChild('nothing' as never, options as never)) },
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
    expect(test.system.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { code: 'BOSUN_AGENT_INVALID' } },
    ]);
    await test.system.stop();
  });

  it('never push another actor from its address', async () => {
    const machine = setup({ actors: { kid } }).createMachine({
      on: { GO: { actions: spawnChild('kid', { id: 'kid' }) } },
    });
    const test = await startSubject(machine, { events: ['GO'], agents: [agentOf('other', kid, ['HIT'])] });
    const other = test.system.actor('subject/kid');
    await test.system.spawn(agentOf('other', kid, ['HIT']), 'subject/kid');
    await other.send({ type: 'HIT' });
    await tell(test, 'GO');
    expect(contextOf(test, 'subject/kid')).toEqual({ n: 1 });
    expect(test.system.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { error: { code: 'BOSUN_ADDRESS_INVALID' } },
    ]);
    await test.system.stop();
  });
});

describe('references', () => {
  it('to one actor are one object, whichever way they came, also after a restart', async () => {
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
    await test.system.stop();
  });

  it('do not reach a stranger that was born later under the same address', async () => {
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
    await test.system.stop();
  });
});
