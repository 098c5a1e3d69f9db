/**
 * The audit: every order leaves its administrator, time, reason and outcome in the epoch of its effect; the audit is
 * bounded and survives crashes.
 */
import { describe, expect, it } from 'vitest';
import { AUDIT_ARGUMENTS_CHARS_MAX, AUDIT_NAME_CHARS_MAX, AUDIT_REASON_CHARS_MAX } from '../../../src/limits.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';
import { clerk, note } from '../../support/actors/clerk.ts';
import { started } from '../../support/actors/started.ts';

const as = { by: 'ada', reason: 'because' };
const tree = {
  intensity: 100,
  children: [
    { id: 'c', agent: 'clerk' },
    { id: 'b', boss: { strategy: 'dynamic' as const, template: { agent: 'clerk' } } },
  ],
};

let test: TestSystem;
const start = async () => (test = await started({ agents: [clerk], tree }));

const records = (address?: string) => test.shard.admin.audit(address === undefined ? {} : { address });
const short = async () =>
  (await records()).map(({ order, address, by, outcome }) => `${by} ${order} ${address} ${outcome}`).reverse();

describe('the audit', () => {
  it('lists every order of administrators, newest first, and is the same after a crash', async () => {
    await start();
    const { admin } = test.shard;
    await admin.suspend('c', as);
    await test.shard.send('c', note('a'));
    await test.advance(1_000);
    await admin.step('c', as);
    await admin.replaceState('c', { context: { notes: ['x'], rings: 0 } }, { by: 'bob' });
    await admin.resume('c', as);
    await admin.kill('c', as);
    await test.settle();
    await test.shard.resume('c');
    const told = [
      'ada suspend c done',
      'ada step c done',
      'bob replaceState c done',
      'ada resume c done',
      'ada kill c done',
      'host resume c done',
    ];
    expect(await short()).toEqual(told);
    const life = admin.getState('c').life;
    const atMs = test.clock.wallMs();
    expect((await records())[3]).toEqual({
      number: expect.any(Number) as number,
      atMs,
      by: 'bob',
      reason: null,
      order: 'replaceState',
      address: 'c',
      life,
      arguments: '{"context":{"notes":["x"],"rings":0}}',
      outcome: 'done',
    });
    expect((await records()).at(-1)).toMatchObject({ atMs: atMs - 1_000, reason: 'because', arguments: null });
    const before = await records();
    await test.crash();
    await test.restart();
    expect(await records()).toEqual(before);
    expect(await test.shard.admin.audit({ limit: 2 })).toEqual(before.slice(0, 2));
  });

  it('lists refused orders with their codes', async () => {
    await start();
    const { admin } = test.shard;
    for (const order of [
      () => admin.step('c', as),
      () => admin.replaceState('c', { context: {} }, as),
      () => admin.kill('root', as),
      () => admin.suspend('nobody', as),
      () => admin.suspend('not an address', as),
    ]) {
      await expect(order()).rejects.toThrow();
    }
    expect(await short()).toEqual([
      'ada step c BOSUN_ORDER_REFUSED',
      'ada replaceState c BOSUN_ORDER_REFUSED',
      'ada kill root BOSUN_ORDER_REFUSED',
      'ada suspend nobody BOSUN_ACTOR_UNKNOWN',
      'ada suspend not an address BOSUN_ADDRESS_INVALID',
    ]);
  });

  it("lists orders to Bosses with the child's address; without an administrator it names the host", async () => {
    await start();
    const boss = test.shard.boss('root', as);
    await boss.startChild({ id: 'new', agent: 'clerk' });
    await expect(boss.deleteChild('new')).rejects.toEqual(code('BOSUN_CHILD_RUNNING'));
    await boss.terminateChild('new');
    await boss.restartChild('new');
    const given = await test.shard.boss('b').startChild({ input: { secret: 's' } });
    await expect(test.shard.boss('c').terminateChild('x')).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    const told = [
      'ada startChild new done',
      'ada deleteChild new BOSUN_CHILD_RUNNING',
      'ada terminateChild new done',
      'ada restartChild new done',
      `host startChild ${given} done`,
      'host terminateChild c/x BOSUN_ACTOR_UNKNOWN',
    ];
    expect(await short()).toEqual(told);
    expect(await records(given)).toMatchObject([
      { life: test.shard.admin.getState(given).life, arguments: '{"spec":{"input":{"secret":"s"}},"isNew":true}' },
    ]);
    await test.crash();
    await test.restart();
    expect(await short()).toEqual(told);
  });

  it('lists orders about dead letters', async () => {
    await start();
    await test.shard.send('c', { type: 'choke' });
    await test.settle();
    const { number } = test.shard.deadLetters.list()[0]!;
    await test.shard.deadLetters.edit(number, note('instead'), as);
    await expect(test.shard.deadLetters.discard(number, as)).rejects.toEqual(code('BOSUN_MESSAGE_UNKNOWN'));
    await expect(test.shard.deadLetters.redeliver(number)).rejects.toEqual(code('BOSUN_MESSAGE_UNKNOWN'));
    expect(await short()).toEqual([
      'ada edit c done',
      'ada discard  BOSUN_MESSAGE_UNKNOWN',
      'host redeliver  BOSUN_MESSAGE_UNKNOWN',
    ]);
    expect((await records('c'))[0]!.arguments).toBe(`{"number":${number},"event":{"type":"note","text":"instead"}}`);
  });

  it('lists an erasure, and forgets names, reasons and arguments of earlier orders to the erased actor', async () => {
    await start();
    const address = await test.shard
      .boss('b', { by: 'ada', reason: 'for Jane' })
      .startChild({ input: { secret: 'Jane' } });
    const { life } = test.shard.admin.getState(address);
    await test.shard.admin.suspend(address, { by: 'ada', reason: 'Jane asked' });
    await test.shard.erase(address, { by: 'dpo', reason: 'article 17' });
    expect(
      (await records()).map(({ order, by, address: at, life: whose, reason, arguments: args, outcome }) => [
        order,
        by,
        at,
        whose,
        reason,
        args,
        outcome,
      ]),
    ).toEqual([
      ['erase', 'dpo', '', life, 'article 17', null, 'done'],
      ['suspend', 'ada', '', life, null, null, 'done'],
      ['startChild', 'ada', '', life, null, null, 'done'],
    ]);
    await expect(test.shard.erase('nobody', as)).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    expect((await records())[0]).toMatchObject({ order: 'erase', outcome: 'BOSUN_ACTOR_UNKNOWN' });
  });

  it('has a record on disk exactly if the effect of its order is on disk, wherever the power is cut', async () => {
    await start();
    const steps = [
      () => test.shard.admin.suspend('c', as),
      () => test.shard.admin.kill('c', as),
      () => test.shard.boss('root', as).terminateChild('c'),
    ];
    const effects = [
      () => test.shard.snapshot('c')?.status === 'suspended',
      () => test.shard.tree().children.some(({ restarts }) => (restarts ?? 0) > 0),
      () => test.shard.snapshot('c') === undefined,
    ];
    for (const [index, step] of steps.entries()) {
      // Cut off before it is written: neither of them is there.
      void step().catch(() => {});
      await test.crash();
      await test.restart();
      expect([(await records()).length, effects[index]!()]).toEqual([index, false]);
      await step();
      await test.crash();
      await test.restart();
      expect([(await records()).length, effects[index]!(), (await records())[0]!.outcome]).toEqual([
        index + 1,
        true,
        'done',
      ]);
    }
  });

  it('lists an order given on hold as open until the next start carries it out', async () => {
    await start();
    await test.shard.stop();
    await test.restart({ hold: true });
    await test.shard.boss('root', as).terminateChild('c');
    await test.shard.admin.suspend('b', as);
    await test.shard.stop();
    await test.restart();
    expect([await short(), test.shard.snapshot('c'), test.shard.snapshot('b')!.status]).toEqual([
      ['ada terminateChild c open', 'ada suspend b done'],
      undefined,
      'suspended',
    ]);
  });

  it('refuses an order without a valid name of its administrator, and records nothing', async () => {
    await start();
    const most = { by: 'x'.repeat(AUDIT_NAME_CHARS_MAX), reason: 'y'.repeat(AUDIT_REASON_CHARS_MAX) };
    for (const bad of [
      {},
      { by: '' },
      { by: 7 },
      { by: `${most.by}x` },
      { by: '\ud800' },
      { by: 'a', reason: `${most.reason}y` },
      undefined,
    ]) {
      await expect(test.shard.admin.suspend('c', bad as never)).rejects.toEqual(code('BOSUN_VALUE_REFUSED'));
      await expect(test.shard.admin.step('c', bad as never)).rejects.toEqual(code('BOSUN_VALUE_REFUSED'));
    }
    expect(await records()).toEqual([]);
    await test.shard.admin.suspend('c', most);
    expect(await records()).toMatchObject([most]);
  });

  it(`keeps at most ${AUDIT_ARGUMENTS_CHARS_MAX} characters of arguments of any kind`, async () => {
    await start();
    await test.shard.admin.suspend('c', as);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const contexts = [{ notes: ['x'.repeat(5_000)], rings: 0 }, { notes: new Map([[1, 2n]]) }, circle];
    for (const context of contexts) await test.shard.admin.replaceState('c', { context }, as).catch(() => {});
    const [third, second, first] = (await records()).map(({ arguments: args }) => args!);
    expect([first!.length, first!.endsWith('...')]).toEqual([AUDIT_ARGUMENTS_CHARS_MAX, true]);
    expect([second, third]).toEqual(['{"context":{"notes":[[1,"2n"]]}}', '"not to be written as JSON"']);
  });
});
