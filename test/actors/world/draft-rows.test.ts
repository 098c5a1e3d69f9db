/** Messages and timers in an epoch: none that came and went within it are written, and no secret is written as text. */
import { type AnyActorRef, assign, cancel, createMachine, raise, sendTo } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { crash, started } from '../../support/actors/started.ts';
import { agentOf, contextOf, startSubject, tell } from '../../support/actors/subject.ts';
import { drawnBytes } from '../../support/chance.ts';

const as = { by: 'ada' };

describe('an epoch', () => {
  const machine = createMachine({
    types: {} as { context: { heard: number } },
    context: { heard: 0 },
    on: {
      TALK: { actions: sendTo(({ self }) => self, { type: 'NOTHING' }) },
      ARM: { actions: raise({ type: 'HEAR' }, { delay: 1_000, id: 'later' }) },
      REGRET: { actions: [raise({ type: 'HEAR' }, { delay: 1_000, id: 'later' }), cancel('later')] },
      HEAR: { actions: assign({ heard: ({ context }) => context.heard + 1 }) },
      NOTHING: {},
    },
  });
  const events = ['TALK', 'ARM', 'REGRET', 'HEAR'];
  const start = () => startSubject(machine, { events, agents: [agentOf('other', machine, events)] });

  it('is not written if every message in it was read and every timer in it cancelled', async () => {
    const test = await start();
    const { writes } = test.store;
    for (const type of ['TALK', 'REGRET']) await tell(test, type);
    expect(test.store.writes).toBe(writes);
    await tell(test, 'ARM');
    expect(test.store.writes).toBeGreaterThan(writes);
    await test.shard.stop();
  });

  it('is written if only one message of many is left unread', async () => {
    const test = await start();
    await test.shard.spawn(agentOf('other', machine, events), 'other');
    await test.shard.admin.suspend('other', as);
    await Promise.all([
      test.shard.send('subject', { type: 'TALK' }),
      test.shard.send('other', { type: 'HEAR' }),
      test.shard.send('subject', { type: 'TALK' }),
    ]);
    await test.advance(5_000);
    await crash(test);
    expect(test.shard.tree('other')).toMatchObject({ mailbox: 1, oldestMessageMs: 5_000 });
    await test.shard.admin.resume('other', as);
    await test.settle();
    expect(contextOf(test, 'other')).toEqual({ heard: 1 });
    await test.shard.stop();
  });

  it('keeps a due timer of a suspended actor as one message, over several power cuts', async () => {
    const test = await start();
    await tell(test, 'ARM');
    await test.shard.admin.suspend('subject', as);
    await test.advance(1_000);
    for (let time = 0; time < 2; time++) await crash(test);
    await test.shard.admin.resume('subject', as);
    await test.settle();
    await test.advance(10_000);
    expect(contextOf(test)).toEqual({ heard: 1 });
    await test.shard.stop();
  });
});

describe('an order to a Boss that has just ended', () => {
  it('is refused with BOSUN_ACTOR_UNKNOWN', async () => {
    const team = { id: 'team', boss: { children: [{ id: 'subject', agent: 'subject' }] } };
    const subject = agentOf('subject', createMachine({}));
    const test = await started({ agents: [subject], tree: { children: [team] } });
    const [ended, ...late] = await Promise.allSettled([
      test.shard.boss().terminateChild('team'),
      test.shard.boss('team').terminateChild('subject'),
      test.shard.boss('team').startChild({ id: 'another', agent: 'subject' }),
    ]);
    expect(ended.status).toBe('fulfilled');
    expect(late).toMatchObject(Array(2).fill({ status: 'rejected', reason: { code: 'BOSUN_ACTOR_UNKNOWN' } }));
    expect([test.shard.snapshot('team'), test.shard.snapshot('team/subject')]).toEqual([undefined, undefined]);
  });
});

describe('a secret', () => {
  const SECRET = 'correct-horse-battery-staple-4712';
  const hears = { hear: z.object({ pin: secret(z.string()) }), pass: z.object({ pin: z.string() }) };
  const machine = (to: string) =>
    createMachine({
      types: {} as { context: { pins: readonly string[] }; events: { type: 'hear' | 'pass'; pin: string } },
      context: { pins: [] },
      on: {
        hear: { actions: assign({ pins: ({ context, event }) => [...context.pins, event.pin] }) },
        pass: {
          actions: sendTo(
            ({ system }) => system.get(to) as AnyActorRef,
            ({ event }) => ({ type: 'hear', pin: event.pin }),
            { delay: 1_000 },
          ),
        },
      },
    });
  const vault = defineAgent({ name: 'vault', machine: machine('open'), events: hears });
  const open = defineAgent({
    name: 'open',
    machine: machine('vault'),
    events: { hear: z.object({ pin: z.string() }), pass: z.object({ pin: z.string() }) },
  });
  const children = ['vault', 'open'].map((id) => ({ id, agent: id, systemId: id }));
  const start = () =>
    started({
      agents: [vault, open],
      secretKey: drawnBytes(32, 'the key of drafts').toString('base64'),
      tree: { children },
    });
  const written = (test: TestSystem) =>
    test.store.log.flatMap(({ writes }) => writes.map(({ value }) => Buffer.from(value ?? []).toString('latin1')));
  const pinsOf = (test: TestSystem, address: string) => (contextOf(test, address) as { pins: string[] }).pins;

  it('is legible in no record of a waiting message, and present when the message is read', async () => {
    const test = await start();
    await test.shard.admin.suspend('vault', as);
    await test.shard.send('vault', { type: 'hear', pin: SECRET });
    await crash(test);
    await test.shard.admin.resume('vault', as);
    await test.settle();
    expect(written(test).filter((text) => text.includes(SECRET))).toEqual([]);
    expect(pinsOf(test, 'vault')).toEqual([SECRET]);
  });

  it.each([
    ['vault', 'open'],
    ['open', 'vault'],
  ])('is legible in no record of a timer from %s to %s, and present when the timer fires', async (from, to) => {
    const test = await start();
    await test.shard.admin.suspend(to, as);
    await test.shard.send(from, { type: 'pass', pin: SECRET });
    await crash(test);
    expect(written(test).filter((text) => text.includes(SECRET))).toEqual([]);
    await test.shard.admin.resume(to, as);
    await test.advance(1_000);
    expect(pinsOf(test, to)).toEqual([SECRET]);
  });

  it('is found by the same search if its agent does not mark it as secret', async () => {
    const test = await start();
    await test.shard.send('open', { type: 'hear', pin: SECRET });
    await test.settle();
    expect(written(test).filter((text) => text.includes(SECRET))).not.toEqual([]);
  });
});
