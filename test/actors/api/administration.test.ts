/** Orders of administrators to one actor: suspend, resume, step, getState, kill; each over a crash. */
import { setup } from 'xstate';
import { beforeEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { DELIVERIES_MAX } from '../../../src/limits.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';
import { clerk, deeds, note } from '../../support/actors/clerk.ts';
import { started } from '../../support/actors/started.ts';

const as = { by: 'ada', reason: 'month end' };
const tree = {
  intensity: 5,
  children: [
    { id: 'c', agent: 'clerk' },
    { id: 'd', agent: 'clerk' },
  ],
};

let test: TestSystem;
beforeEach(() => void deeds.splice(0));

async function start(changes: Partial<TestSystemOptions> = {}): Promise<TestSystem> {
  return (test = await started({ agents: [clerk], tree, ...changes }));
}

async function crashed(): Promise<void> {
  await test.crash();
  await test.restart();
}

const notes = (address = 'c') => (test.shard.snapshot(address)!.context as { notes: string[] }).notes;
const status = (address = 'c') => test.shard.snapshot(address)?.status;

async function send(...events: Parameters<typeof test.shard.send>[1][]): Promise<void> {
  for (const event of events) await test.shard.send('c', event);
  await test.settle();
}

describe('a suspended actor', () => {
  it('takes no turns, even over a crash, and takes its messages in order when it is resumed', async () => {
    await start();
    await send(note('a'));
    await test.shard.admin.suspend('c', as);
    await send(note('b'), note('c'));
    await test.shard.send('d', note('x'));
    for (const after of [async () => {}, crashed]) {
      await after();
      await test.settle();
      expect([status(), notes(), notes('d')]).toEqual(['suspended', ['a'], ['x']]);
      expect(test.shard.snapshot('c')!.error).toMatchObject({
        code: 'BOSUN_ACTOR_SUSPENDED',
        message: 'c: suspended by ada: month end',
      });
      expect(test.shard.tree().children[0]).toMatchObject({
        address: 'c',
        status: 'suspended',
        mailbox: 2,
        lastError: code('BOSUN_ACTOR_SUSPENDED'),
      });
    }
    await test.shard.admin.resume('c', { by: 'bob' });
    await test.settle();
    expect([status(), notes()]).toEqual(['active', ['a', 'b', 'c']]);
    await crashed();
    expect([status(), notes()]).toEqual(['active', ['a', 'b', 'c']]);
  });

  it('delays its timers, leaves its effects running, and has asks to it refused at once (N7)', async () => {
    await start();
    await test.shard.admin.suspend('c', as);
    await expect(test.shard.ask('c', { type: 'read' })).rejects.toEqual(code('BOSUN_ACTOR_SUSPENDED'));
    await test.advance(61_000);
    await crashed();
    const rings = () => (test.shard.snapshot('c')!.context as { rings: number }).rings;
    expect([rings(), test.shard.admin.getState('c').timers]).toMatchObject([
      0,
      [{ dueInMs: 0, event: 'xstate.after.patience.(machine).desk.idle' }],
    ]);
    await test.shard.resume('c');
    await test.settle();
    expect(rings()).toBe(1);
    expect(deeds.filter((deed) => deed === 'end lamp')).toEqual([]);
  });

  it('stays suspended when its Boss restarts it; resume releases a suspect actor too', async () => {
    await start();
    await send({ type: 'choke' }, { type: 'choke' });
    expect(status()).toBe('suspended');
    expect(test.shard.snapshot('c')!.error).toMatchObject({ code: 'BOSUN_STATE_SUSPECT' });
    await test.shard.admin.resume('c', as);
    expect(status()).toBe('active');
    await test.shard.admin.suspend('c', as);
    const before = test.shard.tree().children[0]!.restarts!;
    await test.shard.admin.kill('c', as);
    await test.settle();
    expect([status(), test.shard.tree().children[0]!.restarts]).toEqual(['suspended', before + 1]);
    await send(note('waits'));
    expect(notes()).toEqual([]);
  });

  it('keeps the name of the first administrator when a second one suspends it again', async () => {
    await start();
    await test.shard.admin.suspend('c', as);
    await test.shard.admin.suspend('c', { by: 'eve' });
    expect(test.shard.admin.getState('c').suspended).toMatchObject({ by: 'ada' });
  });

  it('is never the root; a suspended Boss refuses orders, and decides about children once it is resumed', async () => {
    await start({ tree: { children: [{ id: 'b', boss: { children: [{ id: 'w', agent: 'clerk' }] } }] } });
    for (const order of ['suspend', 'kill'] as const)
      await expect(test.shard.admin[order]('root', as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await test.shard.admin.suspend('b', as);
    await expect(test.shard.boss('b').terminateChild('w')).rejects.toEqual(code('BOSUN_ACTOR_SUSPENDED'));
    await test.shard.admin.kill('b/w', as);
    await crashed();
    expect(status('b/w')).toBe('error');
    await test.shard.admin.resume('b', as);
    await test.settle();
    expect(status('b/w')).toBe('active');
  });

  it('may be an effect, whose output waits', async () => {
    const once = defineAgent({
      name: 'once',
      machine: setup({ actors: { clerk: clerk.machine } }).createMachine({
        invoke: { src: 'clerk', id: 'k', input: undefined },
      }),
      events: {},
    });
    await start({ agents: [once], tree: { children: [{ id: 'o', agent: 'once' }] } });
    await test.shard.admin.suspend('o/k/lamp', as);
    expect(test.shard.admin.getState('o/k/lamp')).toMatchObject({
      kind: 'callback',
      status: 'suspended',
      parent: 'o/k',
      attempt: 1,
    });
    await crashed();
    expect(test.shard.admin.getState('o/k/lamp')).toMatchObject({ status: 'suspended', attempt: 2 });
  });
});

describe('damage in the records of administration', () => {
  it('damage in a suspension record stops that actor; damage in an audit record drops that record', async () => {
    await start({ journal: { fold: { windowEpochs: 2 } } });
    await test.shard.admin.suspend('c', as);
    for (let n = 0; n < 8; n++) await test.shard.send('d', note('x'));
    await test.shard.stop();
    const keys = test.store.entries().flatMap(([key]) => (/^[Ru]!/.test(key) ? [key] : []));
    expect(keys.map(([table]) => table)).toEqual(['R', 'u']);
    for (const key of keys) test.store.flip(key, 8);
    await test.restart();
    expect(() => test.shard.snapshot('c')).toThrow(expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED' }));
    expect([await test.shard.admin.audit(), notes('d').length]).toEqual([[], 8]);
    const damaged = test.shard.damage().map(({ details }) => details['key']);
    expect(damaged.sort()).toEqual(keys);
  });
});

describe('a step', () => {
  it('takes exactly one message, and leaves the actor suspended, over crashes', async () => {
    await start();
    await test.shard.admin.suspend('c', as);
    await send(note('a'), note('b'));
    expect(await test.shard.admin.step('c', as)).toMatchObject({ type: 'note', text: 'a' });
    expect([notes(), status()]).toEqual([['a'], 'suspended']);
    await crashed();
    expect([notes(), status()]).toEqual([['a'], 'suspended']);
    expect(await test.shard.admin.step('c', as)).toMatchObject({ text: 'b' });
    expect(await test.shard.admin.step('c', as)).toBe(null);
    expect([notes(), status()]).toEqual([['a', 'b'], 'suspended']);
  });

  it('steps ordered at once are taken in order, one message each', async () => {
    await start();
    await test.shard.admin.suspend('c', as);
    await send(note('a'), note('b'), note('c'));
    const steps = await Promise.all([1, 2].map(() => test.shard.admin.step('c', as)));
    expect([steps.map((event) => (event as unknown as { text: string }).text), notes()]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('a successful step of a suspect actor leaves it suspended', async () => {
    await start();
    const events = [{ type: 'choke' }, { type: 'choke' }, note('a'), note('b')];
    await Promise.all(events.map((event) => test.shard.send('c', event)));
    await test.settle();
    await test.shard.admin.step('c', as);
    expect([notes(), status()]).toEqual([['a'], 'suspended']);
    await crashed();
    expect([notes(), status()]).toEqual([['a'], 'suspended']);
    await test.shard.resume('c');
    await test.settle();
    expect(notes()).toEqual(['a', 'b']);
  });

  it('a step that throws is a crash: the message is delivered again, and the actor stays suspended', async () => {
    await start();
    await test.shard.admin.suspend('c', as);
    await send({ type: 'choke' });
    for (let n = 0; n < 3; n++) {
      expect(await test.shard.admin.step('c', as)).toEqual({ type: 'choke' });
      await test.settle();
      expect(status()).toBe('suspended');
    }
    expect(test.shard.deadLetters.list()).toMatchObject([{ reason: 'quarantined', event: { type: 'choke' } }]);
  });

  it('a successful step clears the count of messages that crashed the actor, which stays suspended', async () => {
    await start();
    await send({ type: 'choke' });
    await test.shard.admin.suspend('c', as);
    await send(note('a'), { type: 'choke' });
    for (let n = 0; n < 1 + DELIVERIES_MAX; n++) {
      await test.shard.admin.step('c', as);
      await test.settle();
    }
    for (const after of [async () => {}, crashed]) {
      await after();
      expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(2);
      expect(test.shard.snapshot('c')).toMatchObject({
        status: 'suspended',
        error: code('BOSUN_ACTOR_SUSPENDED'),
        context: { notes: ['a'] },
      });
    }
  });

  it('is refused for an actor that is not suspended, and in a system on hold', async () => {
    await start();
    await expect(test.shard.admin.step('c', as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await test.shard.admin.suspend('c', as);
    await test.crash();
    await test.restart({ hold: true });
    await expect(test.shard.admin.step('c', as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
  });

  it('is refused without a turn if the actor is resumed at the same time', async () => {
    await start();
    await test.shard.admin.suspend('c', as);
    const refused = expect(test.shard.admin.step('c', as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await Promise.all([refused, test.shard.admin.resume('c', as)]);
  });
});

describe('getState', () => {
  it('shows the identity, the state, the mailbox, the timers and the children of an actor', async () => {
    await start();
    await send({ type: 'open' });
    await test.shard.admin.suspend('c', as);
    await send(note('a'));
    await test.advance(500);
    expect(test.shard.admin.getState('c')).toMatchObject({
      address: 'c',
      agent: 'clerk',
      kind: 'machine',
      status: 'suspended',
      value: { desk: 'busy', lamp: 'lit' },
      context: { notes: ['entered'] },
      incarnation: 0,
      parent: 'root',
      suspended: { code: 'BOSUN_ACTOR_SUSPENDED', by: 'ada', reason: 'month end', atMs: test.clock.wallMs() - 500 },
      mailbox: 1,
      oldestMessageMs: 500,
      timers: [],
      children: ['c/lamp', 'c/busy'],
    });
    expect(test.shard.admin.getState('d')).toMatchObject({ suspended: null, timers: [{ dueInMs: 59_500 }] });
    expect(() => test.shard.admin.getState('nobody')).toThrow(expect.objectContaining({ code: 'BOSUN_ACTOR_UNKNOWN' }));
  });
});

describe('kill', () => {
  it('is an abnormal end: a permanent child is restarted and counted, over a crash', async () => {
    await start();
    await send(note('kept'));
    await test.shard.admin.kill('c', as);
    await crashed();
    expect([status(), notes()]).toEqual(['active', ['kept']]);
    expect(test.shard.tree().children[0]).toMatchObject({
      restarts: 1,
      lastError: { code: 'BOSUN_KILLED', message: 'c: killed by ada: month end' },
    });
  });

  it('ends a temporary child, and a Boss with all its children', async () => {
    await start({
      tree: {
        children: [
          { id: 't', agent: 'clerk', restart: 'temporary' },
          { id: 'b', restart: 'temporary', boss: { children: [{ id: 'w', agent: 'clerk' }] } },
        ],
      },
    });
    await test.shard.admin.kill('t', as);
    await test.shard.admin.kill('b', as);
    await test.settle();
    expect([status('t'), status('b'), status('b/w')]).toEqual([undefined, undefined, undefined]);
    expect(deeds.filter((deed) => deed === 'end lamp')).toHaveLength(2);
  });

  it('counts against the intensity of the Boss', async () => {
    await start({ tree: { intensity: 1, children: [{ id: 'c', agent: 'clerk' }] } });
    await test.shard.admin.kill('c', as);
    await test.settle();
    const closed = expect(test.shard.closed).rejects.toEqual(code('BOSUN_INTENSITY_EXCEEDED'));
    await test.shard.admin.kill('c', as).catch(() => {});
    await closed;
  });

  it('kill of an effect stops its work and makes it fail for its machine', async () => {
    await start();
    await test.shard.admin.kill('c/lamp', as);
    await test.settle();
    expect(deeds).toContain('end lamp');
    // The clerk handles no failure of its lamp, so it fails itself, and is restarted with its lamp.
    expect([test.shard.tree().children[0]!.restarts, status('c/lamp')]).toEqual([1, 'active']);
  });

  it('is refused if no such actor is running', async () => {
    await start({ tree: { children: [{ id: 'c', agent: 'clerk', backoff: { minMs: 10_000 } }] } });
    await test.shard.admin.kill('c', as);
    await test.settle();
    await expect(test.shard.admin.kill('c', as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await test.shard.admin.suspend('c', as);
    await expect(test.shard.admin.replaceState('c', { context: {} }, as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await expect(test.shard.admin.kill('nobody', as)).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
  });
});
