/**
 * Orders of people through the gateway: each is carried out, audited under its caller's name, and checked against what
 * the caller may.
 */
import { describe, expect, it } from 'vitest';
import { type AuditRecord } from '../../../src/actors/world/audit-record.ts';
import { type TokenOptions } from '../../../src/gateway/callers/callers.ts';
import { type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { startGatewayTest } from '../../support/gateway/memory-client.ts';

const OPERATOR = 'token-of-the-operator-0123456789';
const tokenOf = (id: string) => `token-of-${id}-0123456789`;
const ada = (more: Partial<TokenOptions> = {}): TokenOptions => ({ id: 'ada', token: tokenOf('ada'), ...more });

async function start(token: string, options: GatewayOptions = {}) {
  const test = await startGatewayTest({ tokens: [ada()], operator: OPERATOR, ...options });
  const client = await test.client({ token });
  const order = async (m: string, p: object = {}) => {
    const res = (await test.call(client, m, p)) as unknown as { ok: boolean; r: unknown; e: { code: string } };
    return res.ok ? res.r : res.e.code;
  };
  const records = async () =>
    ((await order('audit.list')) as { records: AuditRecord[] }).records.map(
      ({ by, order: what, address, reason, outcome }) => [by, what, address, reason, outcome],
    );
  const { shard: system } = test.test;
  const status = (address: string) => system.snapshot(address)!.status;
  return { test, order, records, status, system };
}

const add = (by: number) => ({ address: 'visits', event: { type: 'add', by } });

describe('an order', () => {
  it('suspends, steps and resumes an actor, and is audited under the name of its caller', async () => {
    const { test, order, records, status, system } = await start(tokenOf('ada'));
    expect(await order('actor.suspend', { address: 'visits', reason: 'review' })).toEqual({});
    expect(status('visits')).toBe('suspended');
    for (const by of [1, 2]) await order('actor.send', add(by));
    expect(await order('actor.step', { address: 'visits' })).toEqual({ event: 'add' });
    expect(system.snapshot('visits')!.context).toMatchObject({ count: 1 });
    expect(await order('wait.list')).toMatchObject({ waits: [{ kind: 'suspended', address: 'visits', for: 'ada' }] });
    expect(await order('actor.resume', { address: 'visits' })).toEqual({});
    expect(system.snapshot('visits')!.context).toMatchObject({ count: 3 });
    expect(await order('actor.step', { address: 'visits' })).toBe('BOSUN_ORDER_REFUSED');
    expect(await records()).toEqual([
      ['ada', 'step', 'visits', null, 'BOSUN_ORDER_REFUSED'],
      ['ada', 'resume', 'visits', null, 'done'],
      ['ada', 'step', 'visits', null, 'done'],
      ['ada', 'suspend', 'visits', 'review', 'done'],
    ]);
    await test.stop();
  });

  it('survives the death of the process, together with its audit record', async () => {
    const { test, order } = await start(tokenOf('ada'));
    await order('actor.suspend', { address: 'visits' });
    await test.crash();
    await test.restart();
    expect(test.test.shard.snapshot('visits')!.status).toBe('suspended');
    expect((await test.test.shard.admin.audit()).map(({ by, order: what }) => [by, what])).toEqual([
      ['ada', 'suspend'],
    ]);
    await test.stop();
  });

  it('kills and restarts a child if it comes from the operator', async () => {
    const { test, order, records, system } = await start(OPERATOR);
    await order('actor.send', add(4));
    expect(await order('actor.kill', { address: 'visits', by: 'eve' })).toEqual({});
    await test.advance(1_000);
    expect(system.tree().children.find(({ address }) => address === 'visits')).toMatchObject({
      status: 'active',
      restarts: 1,
      lastError: { code: 'BOSUN_KILLED' },
    });
    expect(await order('actor.restart', { address: 'back/visits' })).toEqual({});
    expect(system.snapshot('back/visits')).toMatchObject({ status: 'active', context: { count: 0 } });
    expect(await order('actor.restart', { address: 'root' })).toBe('BOSUN_ORDER_REFUSED');
    expect(await order('actor.restart', { address: 'nobody' })).toBe('BOSUN_ACTOR_UNKNOWN');
    await order('actor.spawn', { agent: 'counter', id: 'brief', restart: 'temporary' });
    expect(await order('actor.restart', { address: 'brief' })).toBe('BOSUN_ORDER_REFUSED');
    expect(system.snapshot('brief')!.status).toBe('active');
    expect((await records()).map(([by, what, address]) => [by, what, address])).toEqual([
      ['operator', 'restartChild', 'back/visits'],
      ['operator', 'terminateChild', 'back/visits'],
      ['eve', 'kill', 'visits'],
    ]);
    await test.stop();
  });

  it('is refused to all but the operator if it is destructive or in the name of another person', async () => {
    const { test, order, records } = await start(tokenOf('ada'));
    expect(await order('actor.suspend', { address: 'visits', by: 'bob' })).toBe('BOSUN_FORBIDDEN');
    expect(await order('actor.kill', { address: 'visits' })).toBe('BOSUN_FORBIDDEN');
    expect(await order('actor.restart', { address: 'visits' })).toBe('BOSUN_FORBIDDEN');
    expect(await records()).toEqual([]);
    await test.stop();
  });

  it('reaches only addresses that its caller may reach; so do the lists of orders and waits', async () => {
    const { test, order, records } = await start(tokenOf('ada'), {
      tokens: [ada({ addresses: ['back/**'] })],
      destructive: true,
    });
    for (const method of ['actor.suspend', 'actor.resume', 'actor.step', 'actor.kill', 'actor.restart'])
      expect(await order(method, { address: 'visits' })).toBe('BOSUN_FORBIDDEN');
    expect(await order('audit.list', { address: 'visits' })).toBe('BOSUN_FORBIDDEN');
    await test.test.shard.admin.suspend('visits', { by: 'bob' });
    await test.test.shard.admin.suspend('back/visits', { by: 'bob' });
    expect(await records()).toEqual([['bob', 'suspend', 'back/visits', null, 'done']]);
    expect(await order('wait.list')).toMatchObject({ waits: [{ address: 'back/visits' }] });
    await test.stop();
  });

  it('stops a child through its Boss, at any depth', async () => {
    const { test, order, system } = await start(OPERATOR);
    expect(await order('actor.stop', { address: 'back/visits' })).toEqual({});
    expect(
      system
        .boss()
        .whichChildren()
        .find(({ id }) => id === 'back/visits'),
    ).toMatchObject({ status: 'ended' });
    expect(await order('actor.stop', { address: 'root' })).toBe('BOSUN_ORDER_REFUSED');
    expect(await order('actor.restart', { address: 'back/visits' })).toEqual({});
    expect(system.snapshot('back/visits')!.status).toBe('active');
    await test.stop();
  });

  it('shows none of its arguments if its actor has secrets', async () => {
    const { test, order, system } = await start(OPERATOR);
    await system.admin.suspend('till', { by: 'ada' });
    await system.admin.replaceState(
      'till',
      { context: { card: '0815-secret', owner: { name: 'Eve', pin: '1' }, notes: [] } },
      { by: 'ada' },
    );
    expect((await system.admin.audit())[0]!.arguments).toContain('0815-secret');
    expect(JSON.stringify(await order('audit.list'))).not.toContain('0815-secret');
    expect(await order('audit.list', { limit: 1 })).toMatchObject({
      records: [{ order: 'replaceState', address: 'till', by: 'ada' }],
    });
    await test.stop();
  });

  it('is listed a page at a time', async () => {
    const { test, order } = await start(tokenOf('ada'));
    for (let n = 0; n < 3; n++) await order('actor.suspend', { address: 'visits', reason: `${n}` });
    const page = async (p: object) =>
      ((await order('audit.list', p)) as { records: AuditRecord[] }).records.map(({ number, reason }) => [
        number,
        reason,
      ]);
    const [[last]] = (await page({ limit: 1 })) as [[number, string]];
    expect(await page({ before: last, limit: 1 })).toEqual([[last - 1, '1']]);
    await test.stop();
  });
});

describe("the operator's token", () => {
  it('lets local callers in without a token if it is the only token, and refuses a wrong token', async () => {
    const test = await startGatewayTest({ operator: OPERATOR });
    const local = await test.client();
    expect(local.last('welcome')).toMatchObject({ principal: { id: 'local' } });
    expect(await test.client({ token: OPERATOR }).then((client) => client.last('welcome'))).toMatchObject({
      principal: { id: 'operator' },
    });
    expect(await test.client({ token: tokenOf('nobody') }).then((client) => client.closed?.code)).toBe(4401);
    await test.stop();
  });

  it('does not let callers in without a token if there are other tokens', async () => {
    const test = await startGatewayTest({ operator: OPERATOR, tokens: [ada()] });
    expect(await test.client().then((client) => client.closed?.code)).toBe(4401);
    await test.stop();
  });
});
