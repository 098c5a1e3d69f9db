/** Runs in the page: what is at work, what has ended and how, filters, and the page of an ended actor. */
import { describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

let served: Served;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(served.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}
const send = (address: string, event: object) => post(`/v1/actors/${encodeURIComponent(address)}/send`, { event });
const row = (address: string) => watched.page.locator('tbody tr', { hasText: address });
const choose = (filter: string, what: string) => watched.page.getByLabel(filter, { exact: true }).selectOption(what);
const outcome = () => watched.page.locator('section[aria-labelledby="outcome-title"]');
const isAsWideAs = async (width: number) =>
  expect(await watched.page.evaluate('document.documentElement.scrollWidth')).toBe(width);

/** Ends one order with a result, and a till by an error. */
async function servedRuns(): Promise<Served> {
  served = await servedShop();
  await post('/v1/actors', { agent: 'ledger', id: 'till', restart: 'temporary' });
  for (const by of [4, 3, -1]) await send('till', { type: 'add', by });
  await send('orders/1001', { type: 'pay', amount: 20, by: 'card' });
  await send('orders/1001', { type: 'cancel' });
  return served;
}

/** Goes by the keyboard from the failed runs to the page of one, with its error and its records. */
async function expectFailedTill(): Promise<void> {
  const { page } = watched;
  await row('till').getByText('cannot add -1').waitFor();
  await isAsWideAs(390);
  await expectAccessible(watched);
  await row('till').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await outcome().locator('summary', { hasText: 'cannot add -1' }).waitFor();
  await page.locator('.preview', { hasText: '{"by":3,"sum":7,"pin":"[secret]"}' }).waitFor();
  await isAsWideAs(390);
  await expectAccessible(watched);
}

describe('runs', () => {
  it('are listed with results, live, by filters, and lead to what became of them, also on a phone', async () => {
    served = await servedRuns();
    watched = await opened(browser(), `${served.url}/#/runs`);
    const { page } = watched;
    await row('orders/1001').getByText('{"paid":20,').waitFor();
    await row('till').getByText('cannot add -1').waitFor();
    await row('orders/1002').getByText('running').waitFor();
    await post('/v1/actors/orders%2F1003/stop', {});
    await row('orders/1003').getByText('stopped').waitFor();
    const addresses = await page.locator('tbody th').allTextContents();
    expect(addresses).toEqual(['orders/1002', 'ledger', 'orders/1003', 'orders/1001', 'till']);
    await choose('agent', 'order');
    await row('till').waitFor({ state: 'detached' });
    await choose('state', 'gave up');
    await page.getByText('No run matches.').waitFor();
    await choose('state', 'done');
    await choose('time', 'hour');
    await row('orders/1001').waitFor();
    expect(page.url()).toContain('agent=order&state=done&time=hour');
    await page.getByRole('link', { name: 'orders/1001' }).click();
    await outcome().getByText('paid 20').waitFor();
    await outcome()
      .getByText(/^done, /)
      .waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Turn 3 of 3: cancel').waitFor();
    await page.locator('.chart-frame [data-state="order.cancelled"].active').waitFor();
    await page.getByRole('link', { name: 'What became of it' }).click();
    await outcome().waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${served.url}/#/runs?state=failed`);
    await expectFailedTill();
  });
});
