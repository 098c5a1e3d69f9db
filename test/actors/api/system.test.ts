/** The API of createSystem, and every code that the kernel throws. */
import { type AnyActorRef, assign, createMachine, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { MAILBOX_MESSAGES_MAX } from '../../../src/limits.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { Shard } from '../../../src/shard.ts';
import { startTestSystem, TestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { account, code, deposit } from '../../support/actors/account.ts';
import { agentOf, contextOf, startSubject, tell } from '../../support/actors/subject.ts';

describe('spawn', () => {
  it('creates the actor, and returns the existing one when it is called again', async () => {
    const test = await startTestSystem({ agents: [account] });
    const created = await test.shard.spawn(account, 'a', { input: { balance: 5 } });
    expect(created.snapshot()).toMatchObject({
      address: 'a',
      agent: 'account',
      status: 'active',
      value: 'open',
      context: { balance: 5 },
    });
    const got = await test.shard.spawn(account, 'a', { input: { balance: 99 } });
    await got.send(deposit(1));
    await test.settle();
    expect(created.snapshot().context).toEqual({ balance: 6 });
    await test.shard.stop();
  });

  it('creates one actor if several calls name it at once', async () => {
    const test = await startTestSystem({ agents: [account] });
    await Promise.all([1, 2, 3].map((balance) => test.shard.spawn(account, 'a', { input: { balance } })));
    expect([test.shard.tree().children.length, contextOf(test, 'a')]).toEqual([1, { balance: 1 }]);
    await test.shard.stop();
  });

  it('resolves while other actors are busy without end', async () => {
    const restless = agentOf(
      'restless',
      createMachine({
        entry: ({ self }) => self.send({ type: 'GO' }),
        on: { GO: { actions: ({ self }) => self.send({ type: 'GO' }) } },
      }),
    );
    const test = new TestSystem({
      agents: [account, restless],
      tree: { children: [{ id: 'restless', agent: 'restless' }] },
    });
    await test.shard.start();
    const actor = await test.shard.spawn(account, 'a');
    expect(actor.snapshot().status).toBe('active');
    await test.shard.stop();
  });

  it('starts a new life of an actor that has ended, if it is told to', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a', { input: { balance: 5 } });
    await actor.send({ type: 'close' });
    await test.settle();
    expect(test.shard.snapshot('a')).toBeUndefined();
    await test.shard.spawn(account, 'a', { input: { balance: 1 } });
    expect(test.shard.snapshot('a')).toBeUndefined();
    await test.shard.spawn(account, 'a', { input: { balance: 1 }, again: true });
    expect(contextOf(test, 'a')).toEqual({ balance: 1 });
    await test.shard.stop();
  });

  it('refuses unknown agents, invalid addresses and specs, unknown Bosses, and a closed system', async () => {
    const other = agentOf('other', createMachine({}));
    const test = await startTestSystem({ agents: [account, other] });
    await test.shard.spawn(account, 'a');
    const { shard: system } = test;
    await expect(system.spawn(agentOf('unknown', createMachine({})), 'x')).rejects.toEqual(code('BOSUN_AGENT_UNKNOWN'));
    await expect(system.spawn(account, 'a b')).rejects.toEqual(code('BOSUN_ADDRESS_INVALID'));
    await expect(system.spawn(account, 'root')).rejects.toEqual(code('BOSUN_ADDRESS_INVALID'));
    await expect(system.spawn(account, 'x', { restart: 'sometimes' as never })).rejects.toEqual(
      code('BOSUN_CHILD_SPEC_INVALID'),
    );
    await expect(system.spawn(account, 'x', { under: 'nobody' })).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await expect(system.spawn(account, 'x', { under: 'a' })).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await expect(system.spawn(other, 'a')).rejects.toEqual(code('BOSUN_CHILD_SPEC_INVALID'));
    await system.stop();
    await expect(system.spawn(account, 'y')).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
  });
});

describe('send', () => {
  it('resolves when the event is durable', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    await actor.send(deposit(3));
    await test.crash();
    await test.restart();
    expect(contextOf(test, 'a')).toEqual({ balance: 3 });
    await test.shard.stop();
  });

  it('refuses an event that the agent does not declare, one that does not match, and an unknown address', async () => {
    const test = await startTestSystem({ agents: [account] });
    await test.shard.spawn(account, 'a');
    const { shard: system } = test;
    for (const type of ['unknown', 'toString', 'xstate.stop', 'xstate.done.actor.x', 'child.start', '']) {
      await expect(system.send('a', { type })).rejects.toEqual(code('BOSUN_EVENT_REFUSED'));
    }
    await expect(system.send('a', undefined as never)).rejects.toEqual(code('BOSUN_EVENT_REFUSED'));
    await expect(system.send('a', { type: 'deposit', amount: -1 })).rejects.toThrow('deposit for account: amount:');
    await expect(system.send('a', { type: 'deposit' })).rejects.toEqual(code('BOSUN_EVENT_INVALID'));
    await expect(system.send('b', deposit(1))).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await expect(system.send('no address', deposit(1))).rejects.toEqual(code('BOSUN_ADDRESS_INVALID'));
    await expect(system.send('root', { type: 'child.start' })).rejects.toEqual(code('BOSUN_EVENT_REFUSED'));
    expect(contextOf(test, 'a')).toEqual({ balance: 0 });
    await system.stop();
    await expect(system.send('a', deposit(1))).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
  });

  it('gives the agent its event as the schema parses it, without unknown fields', async () => {
    const seen = agentOf(
      'seen',
      createMachine({ context: {}, on: { it: { actions: assign(({ event }) => ({ seen: event })) } } }),
    );
    const strict = { ...seen, events: { it: z.object({ n: z.coerce.number().default(7) }) } };
    const test = await startTestSystem({ agents: [strict], tree: { children: [{ id: 's', agent: 'seen' }] } });
    await test.shard.send('s', { type: 'it', extra: 1 });
    await test.settle();
    expect(contextOf(test, 's')).toEqual({ seen: { type: 'it', n: 7 } });
    await test.shard.stop();
  });

  it('refuses values that are not data, at the sender', async () => {
    const any = agentOf('any', createMachine({ on: { it: {} } }), ['it']);
    const test = await startTestSystem({ agents: [any], tree: { children: [{ id: 's', agent: 'any' }] } });
    await expect(test.shard.send('s', { type: 'it', what: () => {} })).rejects.toThrow('event it.what is a function');
    await test.shard.stop();
  });

  it('refuses more events than a mailbox holds, and accepts more once messages were read', async () => {
    const test = await startTestSystem({ agents: [account] });
    await test.shard.spawn(account, 'a');
    const sent = Array.from({ length: MAILBOX_MESSAGES_MAX }, () => test.shard.send('a', deposit(1)));
    await expect(test.shard.send('a', deposit(1))).rejects.toMatchObject({
      code: 'BOSUN_MAILBOX_FULL',
      retryable: true,
    });
    await Promise.all(sent);
    await test.settle();
    await test.shard.send('a', deposit(1));
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ balance: MAILBOX_MESSAGES_MAX + 1 });
    await test.shard.stop();
  });

  it('refuses events at the lower limit that the agent sets itself', async () => {
    const { name, machine, events } = account;
    const modest = defineAgent({ name, machine, events, limits: { mailboxMessages: 2 } });
    const test = await startTestSystem({ agents: [modest], tree: { children: [{ id: 'a', agent: name }] } });
    const sends = [1, 2, 3].map((amount) => test.shard.send('a', deposit(amount)));
    await expect(sends[2]).rejects.toMatchObject({ code: 'BOSUN_MAILBOX_FULL', message: 'a has 2 unread messages' });
    await Promise.all(sends.slice(0, 2));
  });
});

describe('a session', () => {
  it('accepts each sequence number once, over a restart too', async () => {
    const test = await startTestSystem({ agents: [account] });
    await test.shard.spawn(account, 'a');
    const session = (sequence: number) => ({ session: { id: 'client 😀', sequence } });
    await test.shard.send('a', deposit(1), session(1));
    await test.shard.send('a', deposit(10), session(2));
    await test.shard.send('a', deposit(10), session(2));
    await test.crash();
    await test.restart();
    await test.shard.send('a', deposit(10), session(2));
    await test.shard.send('a', deposit(1), session(1));
    await test.shard.send('a', deposit(100), session(3));
    await test.settle();
    expect([contextOf(test, 'a'), test.shard.lastSequence('client 😀'), test.shard.lastSequence('none')]).toEqual([
      { balance: 111 },
      3,
      0,
    ]);
    await test.shard.stop();
  });

  it('does not use up a sequence number for an event that it refuses', async () => {
    const test = await startTestSystem({ agents: [account] });
    await test.shard.spawn(account, 'a');
    await expect(test.shard.send('a', { type: 'deposit' }, { session: { id: 'c', sequence: 1 } })).rejects.toThrow();
    await test.shard.send('a', deposit(1), { session: { id: 'c', sequence: 1 } });
    await expect(test.shard.send('a', deposit(1), { session: { id: 'c', sequence: NaN } })).rejects.toEqual(
      code('BOSUN_VALUE_REFUSED'),
    );
    await expect(test.shard.send('a', deposit(1), { session: { id: 'x\ud83d', sequence: 1 } })).rejects.toEqual(
      code('BOSUN_VALUE_REFUSED'),
    );
    await test.settle();
    expect(contextOf(test, 'a')).toEqual({ balance: 1 });
    await test.shard.stop();
  });
});

describe('the tree', () => {
  it('shows Bosses and agents, children of machines among them', async () => {
    const kid = setup({}).createMachine({});
    const parent = agentOf(
      'parent',
      setup({ actors: { kid } }).createMachine({ initial: 'a', states: { a: { invoke: { src: 'kid', id: 'kid' } } } }),
    );
    const test = await startTestSystem({
      agents: [account, parent],
      tree: {
        children: [
          { id: 'p', agent: 'parent' },
          { id: 'desk', boss: { children: [{ id: 'a', agent: 'account' }] } },
        ],
      },
    });
    const shown = ({ address, agent, status, restarts, children }: ReturnType<typeof test.shard.tree>): unknown => [
      address,
      agent,
      status,
      restarts,
      children.map(shown),
    ];
    expect(shown(test.shard.tree())).toEqual([
      'root',
      'boss',
      'active',
      null,
      [
        ['p', 'parent', 'active', 0, [['p/kid', 'kid', 'active', null, []]]],
        ['desk', 'boss', 'active', 0, [['desk/a', 'account', 'active', 0, []]]],
      ],
    ]);
    expect(test.shard.tree('desk/a')).toMatchObject({ state: 'open', mailbox: 0 });
    await test.shard.stop();
  });
});

describe('a system', () => {
  it('can run beside other systems in one process', async () => {
    const systems = await Promise.all([1, 2].map(() => startTestSystem({ agents: [account] })));
    for (const [index, { shard: system }] of systems.entries()) {
      const actor = await system.spawn(account, 'a');
      await actor.send(deposit(index + 1));
    }
    await Promise.all(systems.map((test) => test.settle()));
    expect(systems.map((test) => contextOf(test, 'a'))).toEqual([{ balance: 1 }, { balance: 2 }]);
    await Promise.all(systems.map(({ shard: system }) => system.stop()));
  });

  it('refuses references of another system, whose numbers mean other actors here', async () => {
    const kid = createMachine({});
    const parent = setup({
      types: {} as { context: { kid: AnyActorRef | null; told: boolean } },
      actors: { kid },
    }).createMachine({
      context: ({ spawn }) => ({ kid: spawn('kid', { id: 'kid' }), told: false }),
      on: { TELL: { actions: assign({ kid: ({ event }) => (event as unknown as { kid: AnyActorRef }).kid }) } },
    });
    const [first, second] = [await startSubject(parent), await startSubject(parent, { events: ['TELL'] })];
    const { kid: ref } = contextOf(first) as { kid: AnyActorRef };
    await expect(second.shard.send('subject', { type: 'TELL', kid: ref })).rejects.toThrow(
      'event TELL.kid is a reference of another system',
    );
    const own = contextOf(second) as { kid: AnyActorRef };
    await tell(second, 'TELL', { kid: own.kid });
    expect(contextOf(second)).toEqual(own);
    await Promise.all([first.shard.stop(), second.shard.stop()]);
  });

  it('stops at the end of the block that owns it', async () => {
    const store = memoryStore();
    let closed: Promise<void>;
    {
      await using system = await new Shard({ agents: [account], store, log: () => {} }).start();
      closed = system.closed;
      await system.spawn(account, 'a');
    }
    await closed;
    await store.open();
    await store.close();
  });

  it('makes all accepted events durable before it stops', async () => {
    const test = await startTestSystem({ agents: [account] });
    await test.shard.spawn(account, 'a');
    const sent = Array.from({ length: 50 }, () => test.shard.send('a', deposit(1)));
    await Promise.all([test.shard.stop(), test.shard.stop(), ...sent]);
    await test.shard.closed;
    await test.restart();
    expect(contextOf(test, 'a')).toEqual({ balance: 50 });
    await test.shard.stop();
  });

  it('may be stopped before it was started, and while it starts', async () => {
    const before = new Shard({ agents: [account], store: memoryStore(), log: () => {} });
    await before.stop();
    await before.closed;
    const store = memoryStore();
    const starting = new Shard({ agents: [account], store, log: () => {} });
    const started = starting.start();
    await starting.stop();
    await expect(started).rejects.toEqual(code('BOSUN_SYSTEM_CLOSED'));
    await store.open();
  });

  it('answers no calls before it is started', async () => {
    const system = new Shard({ agents: [account], store: memoryStore(), log: () => {} });
    expect(system.snapshot('a')).toBeUndefined();
    expect(() => system.tree()).toThrow('no actor at root');
    await expect(system.send('a', deposit(1))).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    system.onEmitted(() => {}).unsubscribe();
    await system.idle();
  });

  it('continues from its last state over several crashes and stops', async () => {
    const test = await startTestSystem({ agents: [account] });
    const actor = await test.shard.spawn(account, 'a');
    await actor.send(deposit(1));
    for (let start = 0; start < 5; start++) {
      await (start % 2 === 0 ? test.crash() : test.shard.stop());
      await test.restart();
      await test.shard.send('a', deposit(1));
      await test.settle();
    }
    expect(contextOf(test, 'a')).toEqual({ balance: 6 });
    await test.shard.stop();
  });
});

describe('the next start', () => {
  const counting = (states: object) =>
    createMachine({ id: 'm', context: { n: 0 }, initial: 'a', states: { a: {}, ...states } } as never);

  it('suspends an actor whose agent is missing or has another structure, and leaves its record unchanged', async () => {
    const subject = agentOf('subject', counting({}));
    const test = await startTestSystem({ agents: [subject] });
    await test.shard.spawn(subject, 'subject');
    for (const [agents, reason] of [
      [[], 'BOSUN_AGENT_UNKNOWN'],
      [[agentOf('subject', counting({ b: {} }))], 'BOSUN_AGENT_UNREADABLE'],
    ] as const) {
      await test.crash();
      await test.restart({ agents });
      expect(test.shard.snapshot('subject')).toMatchObject({
        status: 'suspended',
        error: { code: reason },
        context: { n: 0 },
      });
    }
    await test.crash();
    await test.restart();
    expect(test.shard.snapshot('subject')).toMatchObject({ status: 'active', context: { n: 0 } });
    await test.shard.stop();
  });

  it('begins with a fresh restart window after the root gave up', async () => {
    const fragile = createMachine({
      initial: 'a',
      states: {
        a: {
          on: {
            BREAK: {
              actions: () => {
                throw new Error('broken');
              },
            },
          },
        },
      },
    });
    const test = await startSubject(fragile, { events: ['BREAK'], intensity: 1 });
    for (let start = 0; start < 3; start++) {
      await tell(test, 'BREAK');
      expect(test.shard.snapshot('subject')?.status).toBe('active');
      await test.shard.send('subject', { type: 'BREAK' });
      await expect(test.shard.closed).rejects.toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
      await test.restart();
      expect(test.shard.snapshot('subject')?.status).toBe('active');
      await test.advance(5_001);
    }
    await test.shard.stop();
  });
});

describe('the kernel', () => {
  it('closes with BOSUN_INTERNAL if a part of it breaks, and the next start goes on', async () => {
    class BrokenClock extends VirtualClock {
      isBroken = false;
      override monotonicMs(): number {
        if (this.isBroken) throw new Error('no time');
        return super.monotonicMs();
      }
    }
    const clock = new BrokenClock();
    const test = await startSubject(createMachine({ context: { n: 0 }, on: { GO: { actions: assign({ n: 1 }) } } }), {
      events: ['GO'],
      clock,
    });
    clock.isBroken = true;
    await expect(test.shard.send('subject', { type: 'GO' })).rejects.toEqual(code('BOSUN_INTERNAL'));
    await expect(test.shard.closed).rejects.toEqual(code('BOSUN_INTERNAL'));
    clock.isBroken = false;
    await test.restart();
    await tell(test, 'GO');
    expect(contextOf(test)).toEqual({ n: 1 });
    await test.shard.stop();
  });

  it('refuses a store that is already open', async () => {
    const test = await startTestSystem({ agents: [] });
    await expect(new Shard({ agents: [], store: test.store, log: () => {} }).start()).rejects.toEqual(
      code('BOSUN_STORE_LOCKED'),
    );
    await test.shard.stop();
  });

  it('distinguishes effects from other objects', () => {
    expect(() => effectOf({})).toThrow(TypeError);
  });
});

describe('createSystem', () => {
  it('refuses two agents with one name, and a tree that is not valid', () => {
    expect(() => new Shard({ agents: [account, account], store: memoryStore() })).toThrow(
      'two agents are named "account"',
    );
    expect(() => new Shard({ agents: [], store: memoryStore(), tree: { intensity: -1 } })).toThrow(
      code('BOSUN_CHILD_SPEC_INVALID') as never,
    );
  });
});
