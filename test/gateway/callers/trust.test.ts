/** The limits of an authenticated client: calls that it cannot make, and data that it is not shown (P9). */
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { type TokenOptions } from '../../../src/gateway/callers/callers.ts';
import { systemClock } from '../../../src/clock.ts';
import { METHODS } from '../../../src/gateway/calls/methods.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { EVENT_TYPE_CHARS_MAX } from '../../../src/gateway/limits.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const tokenOf = (id: string) => `token-of-${id}-0123456789`;
const caller = (id: string, more: Partial<TokenOptions> = {}): TokenOptions => ({ id, token: tokenOf(id), ...more });

async function startFor(
  more: Partial<TokenOptions>,
  options: GatewayOptions = {},
): Promise<{ test: GatewayTest; client: MemoryClient }> {
  const test = await startGatewayTest({ tokens: [caller('eve', more)], ...options });
  return { test, client: await test.client({ token: tokenOf('eve') }) };
}

const codeOf = (res: unknown) => (res as { e?: { code?: string } }).e?.code;

describe('an event that clients may not send', () => {
  it.each([
    { type: 'xstate.done.actor.charge', output: 'FORGED' },
    { type: 'xstate.stop' },
    { type: 'xstate.error.actor.zzz' },
    { type: 'xstate.error.actorFOO' },
    { type: 'xstate.after.86400000.m.wait' },
    { type: 'xstate.done.state.m.p' },
    { type: 'xstate.route', to: '#admin' },
    { type: 'xstate.init' },
    { type: 'bosun.shutdown' },
    { type: 'bosun.down' },
    { type: 'child.terminate', id: 'visits' },
    { type: '*' },
    { type: 'add.*' },
    { type: 'constructor' },
    { type: 'hasOwnProperty' },
    { type: 'ADD' },
  ])('$type is refused, and changes nothing', async (event) => {
    const { test, client } = await startFor({});
    const before = test.test.shard.snapshot('visits');
    for (const address of ['visits', 'root']) {
      expect(codeOf(await test.call(client, 'actor.send', { address, event }))).toBe('BOSUN_EVENT_REFUSED');
      expect(codeOf(await test.call(client, 'actor.ask', { address, event }))).toBe('BOSUN_EVENT_REFUSED');
    }
    expect(test.test.shard.snapshot('visits')).toEqual(before);
    expect(test.gateway.counts['refused.BOSUN_EVENT_REFUSED']).toBe(4);
    await test.stop();
  });

  it.each([
    ['text', 'GO'],
    ['nothing', null],
    ['an object without a type', {}],
    ['an object with a number as type', { type: 5 }],
    ['an object with a long type', { type: 'x'.repeat(EVENT_TYPE_CHARS_MAX + 1) }],
    ['a list', [{ type: 'add' }]],
  ])('is refused as a malformed event when it is %s', async (_, event) => {
    const { test, client } = await startFor({});
    expect(codeOf(await test.call(client, 'actor.send', { address: 'visits', event }))).toBe('BOSUN_CALL_INVALID');
    await test.stop();
  });

  it('leaves nothing behind in the counts, however many types are tried', async () => {
    const { test, client } = await startFor({}, { rate: { burst: 1e9, perSecond: 1e9 } });
    for (let n = 0; n < 300; n++) {
      client.send({ t: 'req', id: `${n}`, m: 'actor.send', p: { address: 'visits', event: { type: `new.${n}` } } });
      if (n % 50 === 49) await test.settle();
    }
    expect(
      client
        .of('res')
        .map(codeOf)
        .filter((code) => code !== 'BOSUN_EVENT_REFUSED'),
    ).toEqual([]);
    expect(Object.keys(test.gateway.counts).filter((name) => name.includes('new'))).toEqual([]);
    await test.stop();
  });
});

describe('an address', () => {
  it.each([
    '../till',
    '..%2ftill',
    'visits\0',
    'visits\r\nX: y',
    '‮stisiv',
    'vіsits',
    'a'.repeat(3_000),
    '!',
    'ÿ',
    '',
    '/',
    'visits/',
  ])('%j is refused', async (address) => {
    const { test, client } = await startFor({});
    for (const method of ['actor.get', 'actor.wait'] as const)
      expect(codeOf(await test.call(client, method, { address }))).toMatch(
        /^BOSUN_(ADDRESS_INVALID|CALL_INVALID|ACTOR_UNKNOWN)$/,
      );
    client.send({ t: 'sub', id: 's', topic: `actor/${address}` });
    expect(client.last('end', 's')).toBeDefined();
    await test.stop();
  });

  it.each(['constructor', 'hasOwnProperty', '__proto__', 'toString'])(
    '%j is neither an actor nor a method',
    async (address) => {
      const { test, client } = await startFor({});
      expect(codeOf(await test.call(client, 'actor.get', { address }))).toBe('BOSUN_ACTOR_UNKNOWN');
      expect(codeOf(await test.call(client, address))).toBe('BOSUN_CALL_INVALID');
      await test.stop();
    },
  );
});

describe('an address that a caller may not reach', () => {
  const limited = { addresses: ['visits', 'desk/*'] };
  const told = (said: unknown, address: string) => JSON.stringify(said).replaceAll(address, 'ADDRESS');

  it.each(Object.entries(METHODS))('gives the same answer as an unknown address to %s (F11)', async (method, row) => {
    const { test, client } = await startFor(limited, { destructive: true });
    const named = Object.keys(row.params.shape).filter((key) => ['address', 'under', 'name'].includes(key));
    const asked = async (address: string) => {
      const params = { ...row.example.p, ...Object.fromEntries(named.map((key) => [key, address])) };
      const { id: _, ...answer } = await test.call(client, method, params);
      return told(answer, address);
    };
    if (named.length > 0) expect(await asked('back/visits')).toBe(await asked('back/nobody'));
    await test.stop();
  });

  it.each(['actor', 'inspection', 'tree', 'trace', 'events'])(
    'gives the same frames as an unknown address in the topic %s/ (F11)',
    async (kind) => {
      const { test, client } = await startFor(limited);
      const frames = [];
      for (const address of ['back/nobody', 'back/visits']) {
        const mode = kind === 'trace' || kind === 'events' ? 'events' : 'state';
        client.send({ t: 'sub', id: address, topic: `${kind}/${address}`, mode });
        await test.test.shard.send('back/visits', { type: 'add', by: 1 });
        await test.settle();
        const about = client.frames.filter((frame) => frame['id'] === address);
        frames.push(about.map((frame) => told({ ...frame, at: null }, address)));
      }
      expect(frames[1]).toEqual(frames[0]);
      await test.stop();
    },
  );

  it('shows no sign of its dead letters (F11)', async () => {
    const { test, client } = await startFor(limited, { destructive: true });
    await test.test.shard.send('back/visits', { type: 'fail' });
    await test.settle();
    const { number } = test.test.shard.deadLetters.list()[0]!;
    for (const method of ['deadletter.redeliver', 'deadletter.discard']) {
      const asked = async (letter: number) =>
        told((await test.call(client, method, { number: letter }))['e'], String(letter));
      expect(await asked(number)).toBe(await asked(number + 1_000));
    }
    expect(test.test.shard.deadLetters.list().length).toBe(1);
    await test.stop();
  });
});

describe('a caller', () => {
  it('may call a method only with the scope of the method', async () => {
    for (const [method, { scope, example }] of Object.entries(METHODS)) {
      const { test, client } = await startFor(
        {
          scopes: (['actor:read', 'actor:send', 'actor:admin', 'system:read'] as const).filter((one) => one !== scope),
        },
        { destructive: true },
      );
      expect(codeOf(await test.call(client, method, example.p)), method).toBe('BOSUN_FORBIDDEN');
      await test.stop();
    }
  });

  it('may call destructive methods only if the gateway allows them, whatever its scopes', async () => {
    const { test, client } = await startFor({});
    for (const [method, { does, example }] of Object.entries(METHODS)) {
      if (does === 'destroys')
        expect(codeOf(await test.call(client, method, example.p)), method).toBe('BOSUN_FORBIDDEN');
    }
    expect(test.test.shard.snapshot('visits')).toBeDefined();
    await test.stop();
  });

  it('reaches only its own addresses by any method or topic', async () => {
    const { test, client } = await startFor({ addresses: ['back/*'] }, { destructive: true });
    const calls: [string, object][] = [
      ['actor.get', { address: 'visits' }],
      ['actor.get', { address: 'nobody-there' }],
      ['actor.send', { address: 'visits', event: { type: 'add', by: 1 } }],
      ['actor.ask', { address: 'visits', event: { type: 'count' } }],
      ['actor.wait', { address: 'visits' }],
      ['actor.resume', { address: 'visits' }],
      ['actor.erase', { address: 'visits' }],
      ['actor.spawn', { agent: 'counter', id: 'mine' }],
      ['actor.tree', { address: 'visits' }],
      ['boss.terminateChild', { id: 'visits' }],
    ];
    for (const [method, params] of calls)
      expect(codeOf(await test.call(client, method, params)), method).toBe('BOSUN_FORBIDDEN');
    client.send({ t: 'sub', id: 'a', topic: 'actor/visits' });
    client.send({ t: 'sub', id: 'b', topic: 'actor/visits', mode: 'events' });
    client.send({ t: 'sub', id: 'c', topic: 'events/**', mode: 'events' });
    for (const address of ['visits', 'back/visits']) await test.test.shard.send(address, { type: 'add', by: 1 });
    await test.settle();
    expect([codeOf(client.last('end', 'a')), codeOf(client.last('end', 'b'))]).toEqual([
      'BOSUN_FORBIDDEN',
      'BOSUN_FORBIDDEN',
    ]);
    expect(client.of('evt').map(({ address }) => address)).toEqual(['back/visits']);
    const tree = await test.call(client, 'actor.tree');
    expect(JSON.stringify(tree)).not.toContain('till');
    expect(tree['r']).toEqual({
      address: 'root',
      hidden: true,
      children: [expect.objectContaining({ address: 'back/visits', agent: 'counter' })],
    });
    expect((await test.call(client, 'actor.list'))['r']).toMatchObject({
      actors: [{ address: 'back/visits' }],
      next: null,
    });
    expect((await test.call(client, 'boss.children'))['r']).toMatchObject({ children: [{ id: 'back/visits' }] });
    await test.stop();
  });

  it('cannot forge a sequence number or a reply address', async () => {
    const { test, client } = await startFor({});
    const forged = { type: 'add', by: 1, replyTo: { life: 1, address: 'till' } };
    await test.call(client, 'actor.send', { address: 'visits', event: forged });
    expect(test.test.shard.snapshot('visits')?.context).toEqual({ count: 1, seen: [] });
    for (const seq of [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1])
      expect(
        codeOf(await test.call(client, 'actor.send', { address: 'visits', event: { type: 'add', by: 1 } }, { seq })),
        `${seq}`,
      ).toBe('BOSUN_CALL_INVALID');
    await test.stop();
  });

  it('may fill a mailbox up to its bound, and is refused beyond it', async () => {
    const { test, client } = await startFor({}, { rate: { burst: 1e9, perSecond: 1e9 } });
    const { limits } = (await import('../../support/gateway/shop.ts')).counter;
    expect(limits.mailboxMessages).toBeGreaterThan(1);
    const held = test.test.store.hold('before');
    client.send({ t: 'req', id: 'first', m: 'actor.send', p: { address: 'visits', event: { type: 'add', by: 1 } } });
    await held.reached;
    for (let n = 0; n < 200; n++)
      client.send({ t: 'req', id: `${n}`, m: 'actor.send', p: { address: 'visits', event: { type: 'add', by: 1 } } });
    await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    expect(
      client
        .of('res')
        .map(codeOf)
        .every((code) => code === 'BOSUN_GATEWAY_FULL'),
    ).toBe(true);
    held.release();
    await test.settle();
    expect(client.of('res').length).toBe(201);
    await test.stop();
  });
});

describe('a token', () => {
  const key = new TextEncoder().encode('a-key-of-32-bytes-for-hs256-0123');
  const jwt = { key, audience: 'bosun', issuer: 'https://issuer.example' };
  const signed = async (
    test: GatewayTest,
    claims: object,
    { audience = 'bosun', issuer = 'https://issuer.example', leftMs = 600_000, secret = key } = {},
  ) => {
    const now = Math.floor(test.test.clock.wallMs() / 1_000);
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('ada')
      .setAudience(audience)
      .setIssuer(issuer)
      .setIssuedAt(now)
      .setExpirationTime(now + leftMs / 1_000)
      .sign(secret);
  };

  it('a JWT carries scopes and addresses, and closes its connection when it expires', async () => {
    const test = await startGatewayTest({ jwt });
    const client = await test.client({
      token: await signed(test, { scope: 'actor:read unheard-of', bosun_addresses: ['till'] }),
    });
    expect(client.last('welcome')).toMatchObject({
      principal: { id: 'jwt:ada', scopes: ['actor:read'], addresses: ['till'] },
    });
    expect(codeOf(await test.call(client, 'actor.get', { address: 'visits' }))).toBe('BOSUN_FORBIDDEN');
    expect(await test.call(client, 'actor.get', { address: 'till' })).toMatchObject({ ok: true });
    for (let n = 0; n < 27; n++) {
      await test.advance(20_000);
      client.send({ t: 'pong' });
    }
    expect(client.last('note')).toMatchObject({ code: 'token_expiring', inMs: 60_000 });
    await test.advance(20_000);
    client.send({ t: 'pong' });
    await test.advance(20_000);
    client.send({ t: 'pong' });
    await test.advance(20_000);
    expect(client.closed?.code).toBe(4502);
    await test.stop();
  });

  it.each([
    ['a different audience', { audience: 'others' }],
    ['a different issuer', { issuer: 'https://evil.example' }],
    ['a different key', { secret: new TextEncoder().encode('another-key-of-32-bytes-01234567') }],
    ['an expiry in the past', { leftMs: -1_000 }],
  ])('a JWT with %s is refused', async (_, changes) => {
    const test = await startGatewayTest({ jwt });
    const client = await test.client({ token: await signed(test, { scope: 'actor:read' }, changes) });
    expect(client.closed?.code).toBe(4401);
    expect(client.last('err')).toMatchObject({
      e: { code: 'BOSUN_UNAUTHENTICATED', message: 'the token is not valid' },
    });
    expect(test.gateway.counts['refused.BOSUN_UNAUTHENTICATED']).toBe(1);
    await test.stop();
  });

  it.each([
    ['without an expiry', (token: SignJWT) => token.setSubject('ada')],
    ['without a subject', (token: SignJWT) => token.setExpirationTime('10m')],
    ['with an empty subject', (token: SignJWT) => token.setSubject('').setExpirationTime('10m')],
    ['with a blank subject', (token: SignJWT) => token.setSubject(' ').setExpirationTime('10m')],
  ])('a JWT %s is refused (F10)', async (_, changed) => {
    const test = await startGatewayTest({ jwt, clock: systemClock });
    const token = new SignJWT({ scope: 'actor:read' }).setProtectedHeader({ alg: 'HS256' });
    const client = await test.client({
      token: await changed(token.setAudience('bosun').setIssuer(jwt.issuer)).sign(key),
    });
    expect(client.closed?.code).toBe(4401);
    await test.stop();
  });

  it('is required if the gateway listens on an address that other machines can reach', async () => {
    const test = await startGatewayTest();
    for (const host of ['0.0.0.0', '::', '192.168.1.4', 'example.com'])
      expect(() => createGateway(test.test.shard, { host })).toThrow(
        expect.objectContaining({ code: 'BOSUN_CONFIG_INVALID' }),
      );
    expect(() => createGateway(test.test.shard, { host: '0.0.0.0', tokens: [caller('ada')] })).not.toThrow();
    await test.stop();
  });

  it.each<[string, TokenOptions]>([
    ['is short', caller('ada', { token: 'short' })],
    ['has an unknown scope', caller('ada', { scopes: ['everything' as never] })],
    ['has an empty id', caller('', { token: tokenOf('nobody') })],
    ['has an invalid pattern', caller('ada', { addresses: ['a b'] })],
  ])('is refused as configuration if it %s', async (_, token) => {
    const test = await startGatewayTest();
    expect(() => createGateway(test.test.shard, { tokens: [token] })).toThrow(
      expect.objectContaining({ code: 'BOSUN_CONFIG_INVALID' }),
    );
    expect(() =>
      createGateway(test.test.shard, { tokens: [caller('a'), { ...caller('b'), token: tokenOf('a') }] }),
    ).toThrow(expect.objectContaining({ code: 'BOSUN_CONFIG_INVALID' }));
    await test.stop();
  });
});

describe('secret data', () => {
  it('appears in no answer, frame, dead letter or error', async () => {
    const { test, client } = await startFor({});
    client.send({ t: 'sub', id: 's', topic: 'actor/till' });
    client.send({ t: 'sub', id: 'e', topic: 'events/**', mode: 'events' });
    client.send({ t: 'sub', id: 't', topic: 'tree' });
    const CARD = '4000-0000-0000-0002';
    await test.call(client, 'actor.send', { address: 'till', event: { type: 'pay', card: CARD, amount: 5 } });
    await test.call(client, 'actor.send', { address: 'till', event: { type: 'pay', card: 7, amount: CARD } });
    expect((await test.call(client, 'actor.get', { address: 'till' }))['r']).toMatchObject({
      context: { card: '[secret]', owner: { name: 'Ada', pin: '[secret]' }, notes: [] },
    });
    await test.test.shard.boss('root').terminateChild('till');
    await test.test.shard.boss('root').deleteChild('till');
    await test.settle();
    await test.call(client, 'deadletter.list');
    const told = JSON.stringify(client.frames);
    expect(told).not.toContain(CARD);
    expect(told).not.toContain('"4711"');
    expect(client.of('evt')).toMatchObject([{ e: { type: 'pay', card: '[secret]', amount: 5 } }]);
    expect(test.test.shard.snapshot('visits')).toBeDefined();
    await test.stop();
  });

  it('includes the internals of the gateway: an internal error shows only a reference', async () => {
    const { test, client } = await startFor({});
    test.test.shard.lookup = () => {
      throw new TypeError('at /home/ada/secret/place.ts');
    };
    const res = await test.call(client, 'name.find', { name: 'x' });
    expect(res).toMatchObject({ e: { code: 'BOSUN_INTERNAL', details: { reference: expect.any(String) as string } } });
    // The reference is drawn: three letters may be in it.
    expect(JSON.stringify(res)).not.toContain('/home/ada');
    expect(String(test.logged[0]![0])).toContain((res['e'] as { details: { reference: string } }).details.reference);
    await test.stop();
  });

  it('does not include the words of a caller, which are quoted without control characters', async () => {
    const { test, client } = await startFor({});
    const res = await test.call(client, 'fly\u001b[2J\r\nLevel: fatal\u202e');
    expect(codeOf(res)).toBe('BOSUN_CALL_INVALID');
    expect((res['e'] as { message: string }).message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
    await test.stop();
  });
});
