/**
 * Bosun behind nginx with TLS and a path prefix, as docs/serve.md says: page, client, command line and MCP. The proxy's
 * certificate is verified by everything but the browser (test/support/proxy/certificate.ts).
 */
import { createClient } from 'bosun/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FRAME_BYTES_MAX } from '../../src/gateway/limits.ts';
import { opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';
import { Repository } from '../support/cli/mcp-process.ts';
import { writeShop } from '../support/cli/shop-config.ts';
import { type Process } from '../support/cli/workspace.ts';
import { type Era, ERAS, type McpClient, overHttp, toldBy } from '../support/gateway/mcp-clients.ts';
import { Proxy } from '../support/proxy/proxy.ts';

const TOKEN = 'token-of-ada-0123456789';
const WITH_TOKENS = `{ tokens: [{ id: 'ada', token: '${TOKEN}' }] }`;

/** An address with a slash, which a proxy must pass on as it is sent. */
const VISITS = 'desk/visits';

/** Calls during a wait, so that the proxy holds it open beside them; more than a gateway takes within a second. */
const CALLS_DURING_A_WAIT = 20;
const FOR_MANY_CALLS = '{ mcpRate: { perSecond: 1_000 } }';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

interface Behind {
  readonly url: string;
  /** Starts a verb with `--url`, in a process of its own. */
  readonly bosun: (args: readonly string[], env?: Readonly<Record<string, string>>) => Process;
}

/** Serves a counter behind a proxy. */
async function behindProxy(gateway?: string): Promise<Behind> {
  const served = new Served([]);
  open.push(served);
  writeShop(served.work, gateway);
  await served.start();
  const proxy = await Proxy.before(served.url);
  open.push(proxy);
  const { url } = proxy;
  return { url, bosun: (args, env = {}) => served.work.spawn([...args, '--url', url], { env }) };
}

/** Starts `bosun mcp` in a folder of its own. */
function beside(era: Era, ...args: readonly string[]): Promise<McpClient> {
  const folder = new Repository();
  open.push(folder);
  return folder.mcp(era, args);
}

/** Lists tools, sends an event, reads the actor, and waits for a state that it reaches only after further calls. */
async function works(agent: McpClient): Promise<void> {
  const tools = (await agent.tools()).map(({ name }) => name);
  expect(tools).toEqual(expect.arrayContaining(['inspect_actor', 'send_event', 'wait_for_actor']));
  const send = (event: object) => agent.call('send_event', { address: VISITS, event, until: 'taken' });
  expect((await send({ type: 'add', by: 2 })).isError ?? false).toBe(false);
  let isAnswered = false;
  const waiting = agent.call('wait_for_actor', { address: VISITS, value: 'closed' }).then((told) => {
    isAnswered = true;
    return toldBy(told);
  });
  for (let call = 0; call < CALLS_DURING_A_WAIT; call++) {
    const seen = toldBy(await agent.call('inspect_actor', { address: VISITS }));
    expect(seen).toMatchObject({ value: 'open', context: { count: 2 } });
  }
  expect(isAnswered).toBe(false);
  await send({ type: 'close' });
  expect(await waiting).toMatchObject({ value: 'closed', context: { count: 2 } });
}

describe('the page behind a proxy with TLS and a path prefix', () => {
  let served: Served;
  let watched: WatchedPage;
  let proxy: Proxy;

  const browser = inBrowser(() => ({ watched, served }));

  beforeEach(async () => {
    served = await servedShop();
    proxy = await Proxy.before(served.url);
    watched = await opened(browser(), `${proxy.url}/#/actor/orders/1001`, { ignoreHTTPSErrors: true });
    await watched.live();
  });
  afterEach(async () => {
    // The page would complain of a proxy that has gone.
    await watched.page.context().close();
    await proxy[Symbol.asyncDispose]();
  });

  it('is live, sends events, and names the URL of the proxy in its shell lines', async () => {
    const { page } = watched;
    await page.getByRole('group', { name: 'Events' }).getByRole('button', { name: 'pay' }).click();
    await page.getByLabel('amount').fill('120');
    await page.locator('[name="by"]').selectOption('card');
    await page.getByText('The same from a shell').click();
    const curl = await page.locator('.twin pre').last().textContent();
    expect(curl).toContain(`${proxy.url}/v1/actors/orders%2F1001/send`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('.chart-frame [data-state="order.fulfilling.stock.reserving"].active').waitFor();
  });
});

describe('a client behind a proxy with TLS and a path prefix', () => {
  it('sends and sees states', async () => {
    const { url } = await behindProxy();
    const client = createClient(url, { WebSocket });
    await client.actor(VISITS).send({ type: 'close' });
    await client.actor(VISITS).waitFor((visits) => visits.matches('closed'));
    client.close();
  });

  it('sends over HTTP as much as the gateway takes', async () => {
    const { url } = await behindProxy();
    const body = JSON.stringify({ event: { type: 'add', by: 1 } }).padEnd(FRAME_BYTES_MAX);
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/v1/actors/desk%2Fvisits/send`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  });
});

describe('the command line behind a proxy with TLS and a path prefix', () => {
  it('reads, sends and asks by --url', async () => {
    const { bosun } = await behindProxy();
    const sent = await bosun(['send', VISITS, 'add', '{"by": 2}', '--wait']).ended;
    expect(sent).toEqual({ code: 0, out: `add was taken by ${VISITS}\n`, err: '' });
    const shown = await bosun(['ps', '--json']).ended;
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining(`"${VISITS}"`) as string, err: '' });
    const asked = await bosun(['ask', VISITS, 'count', '--json']).ended;
    expect(asked).toEqual({ code: 0, out: `{"type":"reply","address":"${VISITS}","reply":2}\n`, err: '' });
  });

  it('prints events by --url when they happen', async () => {
    const { bosun, url } = await behindProxy();
    const tail = bosun(['tail', VISITS]);
    await tail.says(`${url}: listening`);
    for (const count of [1, 2]) {
      expect(await bosun(['send', VISITS, 'add', '{"by": 1}']).ended).toMatchObject({ code: 0 });
      await tail.says(`${VISITS}  counted  {"count":${count}}`);
    }
    expect(await tail.end('SIGINT')).toMatchObject({ code: 130 });
  });

  it('refuses a certificate that it has no reason to trust', async () => {
    const { bosun, url } = await behindProxy();
    expect(await bosun(['ps'], { NODE_EXTRA_CA_CERTS: '' }).ended).toEqual({
      code: 7,
      out: '',
      err: `the gateway at ${url} does not answer: DEPTH_ZERO_SELF_SIGNED_CERT\n`,
    });
  });
});

describe.each(ERAS)('a client %s of MCP behind a proxy with TLS and a path prefix', (era) => {
  it('lists tools, sends, reads, and waits for a state at /mcp', async () => {
    const { url } = await behindProxy(FOR_MANY_CALLS);
    await works(await overHttp(era, `${url}/mcp`));
  });

  it('lists tools, sends, reads, and waits for a state through bosun mcp --url', async () => {
    const { url } = await behindProxy(FOR_MANY_CALLS);
    await works(await beside(era, '--url', url));
  });
});

describe('a gateway with tokens behind a proxy', () => {
  it('refuses callers without a token, though all come from the address of the proxy', async () => {
    const { bosun, url } = await behindProxy(WITH_TOKENS);
    expect((await fetch(`${url}/v1/tree`)).status).toBe(401);
    const { code, err } = await bosun(['ps', '--json']).ended;
    expect([code, JSON.parse(err)]).toEqual([5, expect.objectContaining({ code: 'BOSUN_UNAUTHENTICATED' })]);
    for (const era of ERAS) await expect(overHttp(era, `${url}/mcp`), era).rejects.toThrow(/401|BOSUN_UNAUTHENTICATED/);
    const agent = await beside('of 2026', '--url', url);
    expect(toldBy(await agent.call('list_actors'))).toMatchObject({ error: { bosun_code: 'BOSUN_UNAUTHENTICATED' } });
  });

  it('takes calls with a token', async () => {
    const { bosun, url } = await behindProxy(WITH_TOKENS);
    const sent = bosun(['send', VISITS, 'close', '--wait'], { BOSUN_TOKEN: TOKEN });
    expect(await sent.ended).toMatchObject({ code: 0, err: '' });
    const client = createClient(url, { WebSocket, token: TOKEN });
    await client.actor(VISITS).waitFor((visits) => visits.matches('closed'));
    client.close();
    const seen = async (agent: McpClient) => toldBy(await agent.call('inspect_actor', { address: VISITS }));
    for (const era of ERAS) {
      expect(await seen(await overHttp(era, `${url}/mcp`, TOKEN)), era).toMatchObject({ value: 'closed' });
      expect(await seen(await beside(era, '--url', url, '--token', TOKEN)), era).toMatchObject({ value: 'closed' });
    }
  });
});
