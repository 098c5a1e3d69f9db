/** The page, the client and the command line through a reverse proxy with TLS and a path prefix. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/client.ts';
import { opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';
import { Proxy } from '../support/proxy/proxy.ts';

let served: Served;
let watched: WatchedPage;
let proxy: Proxy;

const browser = inBrowser(() => ({ watched, served }));

const PAY = JSON.stringify({ amount: 120, by: 'card' });

/** A socket that takes the proxy's own certificate. */
class TrustingSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols, { rejectUnauthorized: false });
  }
}

beforeEach(async () => {
  served = await servedShop();
  proxy = await Proxy.before(served.url, '/team/agents');
  watched = await opened(browser(), `${proxy.url}/#/actor/orders/1001`, { ignoreHTTPSErrors: true });
  await watched.live();
});
afterEach(async () => {
  // The page would complain of a proxy that has gone.
  await watched.page.context().close();
  await proxy[Symbol.asyncDispose]();
});

describe('behind a proxy with TLS and a path prefix', () => {
  it('the page is live, sends events, and names the URL of the proxy in its shell lines', async () => {
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

  it('a client sends and sees states', async () => {
    const client = createClient(proxy.url, { WebSocket: TrustingSocket });
    await client.actor('orders/1001').send({ type: 'pay', amount: 120, by: 'card' });
    await client.actor('orders/1001').waitFor((order) => order.matches('fulfilling'));
    client.close();
  });

  it('the command line reads and sends by --url', async () => {
    const env = { NODE_EXTRA_CA_CERTS: proxy.certificate };
    const shown = await served.work.spawn(['ps', '--url', proxy.url, '--json'], { env }).ended;
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('"orders/1001"') as string });
    const sent = served.work.spawn(['send', 'orders/1001', 'pay', PAY, '--wait', '--url', proxy.url], { env });
    expect(await sent.ended).toMatchObject({ code: 0, err: '' });
  });
});
