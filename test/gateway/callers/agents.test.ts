/** Coding agents as callers: by which name they are known, and that they stay agents at every door. */
import { SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { speaker } from '../../../src/actors/model/person.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { createMachine } from 'xstate';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { createSystem, type System } from '../../../src/system.ts';
import { overHttp, toldBy } from '../../support/gateway/mcp-clients.ts';

const ballot = defineAgent({
  name: 'ballot',
  machine: createMachine({ on: { vote: {} } }),
  events: { vote: z.object({ by: speaker(z.string()) }) },
});

/** Answers who calls, to people alone. */
const procedures = {
  'desk.whoami': procedure({
    means: 'Who calls.',
    params: z.object({}),
    result: z.object({ id: z.string() }),
    example: { p: {}, r: { id: 'ada' } },
    does: 'changes',
    mcp: { tool: 'who_am_i', profiles: ['coder'] },
    port: (_, { id }) => ({ id }),
  }),
  'desk.forPeople': procedure({
    means: 'Something that people do.',
    params: z.object({}),
    result: z.object({}),
    example: { p: {}, r: {} },
    does: 'changes',
    mcp: { tool: 'for_people', profiles: ['coder'], isForPeople: true },
    port: () => ({}),
  }),
};

const BOT = 'token-of-the-bot-0123456789';
const SHOP = 'token-of-the-shop-0123456789';
const ADA = 'token-of-ada-0123456789';
const KEY = new TextEncoder().encode('a key of at least 32 characters....');
const tokens = [
  { id: 'bot', token: BOT, isAgent: true },
  { id: 'shop', token: SHOP },
  { id: 'phone', token: ADA, person: 'ada' },
];

let system: System;
let gateway: Gateway;
let url: string;

async function opened(options: GatewayOptions = { tokens, jwt: { key: KEY, audience: 'bosun' } }): Promise<void> {
  const tree = { children: [{ id: 'b', agent: 'ballot' }] };
  system = await createSystem({ agents: [ballot], store: memoryStore(), tree }).start();
  gateway = createGateway(system, { port: 0, procedures, ...options });
  ({ url } = await gateway.listen());
}
afterEach(async () => {
  await gateway.close();
  await system.stop();
});

/** The answer to a POST as JSON. */
async function post(path: string, body: object, token?: string, as?: string): Promise<Record<string, unknown>> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(as !== undefined && { 'Bosun-As': as }),
  };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

const FORBIDDEN = { error: { code: 'BOSUN_FORBIDDEN' } };
const vote = (token?: string, as?: string) =>
  post('/v1/actors/b/send', { event: { type: 'vote', by: 'ada' } }, token, as);
const ask = (name: string, token?: string, as?: string) => post(`/v1/procedures/${name}`, {}, token, as);

describe('the name of a coding agent', () => {
  it('is that of its token after mcp:, at /mcp and where it says that it is one', async () => {
    await opened();
    const shop = await overHttp('of 2026', `${url}/mcp`, SHOP);
    expect(toldBy(await shop.call('who_am_i'))).toEqual({ id: 'mcp:shop' });
    expect(await ask('desk.whoami', SHOP, 'mcp:helper')).toEqual({ id: 'mcp:shop' });
    expect(await ask('desk.whoami', SHOP)).toEqual({ id: 'shop' });
    const ada = await overHttp('of 2026', `${url}/mcp`, ADA);
    expect(toldBy(await ada.call('who_am_i'))).toEqual({ id: 'phone' });
  });

  it('is mcp:local without a token', async () => {
    await opened({});
    const agent = await overHttp('of 2026', `${url}/mcp`);
    expect(toldBy(await agent.call('who_am_i'))).toEqual({ id: 'mcp:local' });
  });

  it.each(['operator', 'local', 'mcp:shop', 'jwt:ada'])(
    'cannot be the id of a token, nor can that of other callers be: %s',
    async (id) => {
      await opened();
      expect(() => createGateway(system, { tokens: [{ id, token: SHOP }] })).toThrow(
        'the id is that of another caller',
      );
    },
  );
});

describe('a token of a coding agent', () => {
  it('says nothing that people say, at any door', async () => {
    await opened();
    const client = await overHttp('of 2026', `${url}/mcp`, BOT);
    const event = { type: 'vote', by: 'ada' };
    expect(toldBy(await client.call('send_event', { address: 'b', event }))).toMatchObject({
      error: { bosun_code: 'BOSUN_FORBIDDEN' },
    });
    expect(await vote(BOT)).toMatchObject(FORBIDDEN);
    expect(await vote(BOT, 'mcp:other')).toMatchObject(FORBIDDEN);
    expect(await ask('desk.forPeople', BOT)).toMatchObject(FORBIDDEN);
    expect(await ask('desk.whoami', BOT)).toEqual({ id: 'mcp:bot' });
    expect(await vote(SHOP)).toEqual({ taken: null });
  });

  it('may be a JSON Web Token', async () => {
    await opened();
    const jwtOf = (claims: object) =>
      new SignJWT({ scope: 'actor:send actor:read system:read', ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('bot')
        .setAudience('bosun')
        .setExpirationTime('10 minutes')
        .sign(KEY);
    expect(await vote(await jwtOf({ bosun_agent: true }))).toMatchObject(FORBIDDEN);
    expect(await vote(await jwtOf({ bosun_agent: false }))).toEqual({ taken: null });
    for (const claims of [{ bosun_agent: 'yes' }, { bosun_agent: true, bosun_person: 'ada' }])
      expect(await vote(await jwtOf(claims))).toMatchObject({ error: { code: 'BOSUN_UNAUTHENTICATED' } });
  });

  it('cannot be that of a person too', async () => {
    await opened();
    const both = { id: 'bot', token: BOT, isAgent: true, person: 'ada' };
    expect(() => createGateway(system, { tokens: [both] })).toThrow('its holder is a person or an agent, not both');
  });
});

describe('a procedure for people', () => {
  it('is refused to a program, however it is called', async () => {
    await opened();
    expect(await ask('desk.forPeople', SHOP, 'mcp:helper')).toMatchObject(FORBIDDEN);
    const shop = await overHttp('of 2026', `${url}/mcp`, SHOP);
    expect(toldBy(await shop.call('for_people'))).toMatchObject({ error: { bosun_code: 'BOSUN_FORBIDDEN' } });
    expect(await ask('desk.forPeople', ADA)).toEqual({});
    const ada = await overHttp('of 2026', `${url}/mcp`, ADA);
    expect(toldBy(await ada.call('for_people'))).toEqual({});
  });
});
