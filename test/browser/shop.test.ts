/** The page of a system of agents: events, orders, dead letters, secrets, tokens, the keyboard, a small screen. */
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

let served: Served;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));

const visit = (view: string) => watched.page.goto(`${served.url}/${view}`);
const state = (id: string) => watched.page.locator(`.chart-frame [data-state="order.${id}"].active`).waitFor();
const get = async (path: string) => (await (await fetch(served.url + path)).json()) as Record<string, unknown>;

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(served.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

describe('an actor', () => {
  beforeEach(async () => {
    served = await servedShop();
    watched = await opened(browser(), `${served.url}/#/actor/orders/1001`);
    await watched.live();
  });

  it('gets an event by a click on an edge, with a form made from the schema', async () => {
    const { page } = watched;
    await state('open');
    await page.getByRole('button', { name: 'Send pay [isPaid]' }).click();
    const send = page.getByRole('button', { name: 'Send', exact: true });
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('amount').fill('120');
    await page.locator('[name="by"]').selectOption('card');
    await expectAccessible(watched);
    await send.click();
    await state('fulfilling.stock.reserving');
    expect(await page.locator('.chart-frame .edge.taken').getAttribute('data-event')).toBe('pay');
    // Only edges of states that are active can be pressed.
    const pressable = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.chart-frame [role="button"]')].map((edge) => edge.dataset.event)`,
    );
    expect(pressable.sort()).toEqual(['cancel', 'printed', 'reserved']);
    for (const event of ['reserved', 'printed']) {
      await page.getByRole('group', { name: 'Events' }).getByRole('button', { name: event }).click();
      await send.click();
    }
    await state('shipped');
    expect((await get('/v1/actors/orders%2F1001'))['value']).toBe('shipped');
  });

  it('shows its records live, newest first, without secrets', async () => {
    const { page } = watched;
    await post('/v1/actors/ledger/send', { event: { type: 'add', by: 2 } });
    await visit('#/actor/ledger');
    const records = page.locator('section[aria-labelledby="records-title"]');
    const shown = (text: string) => records.locator('.preview', { hasText: text });
    await shown('{"by":2,"sum":2,"pin":"[secret]"}').waitFor();
    await post('/v1/actors/ledger/send', { event: { type: 'add', by: 5 } });
    await shown('{"by":5,"sum":7,"pin":"[secret]"}').waitFor();
    expect(await records.locator('.key').allTextContents()).toEqual([
      'newest first',
      expect.stringMatching(/^2, /) as string,
      expect.stringMatching(/^1, /) as string,
    ]);
    await expectAccessible(watched);
  });

  it('shows the reason for a refused event, and keeps the input', async () => {
    const { page } = watched;
    await page.getByRole('group', { name: 'Events' }).getByRole('button', { name: 'pay' }).click();
    await page.getByLabel('amount').fill('5000');
    await page.locator('[name="by"]').selectOption('cash');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'amount' }).waitFor();
    expect(await page.getByLabel('amount').inputValue()).toBe('5000');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  it('is suspended, stepped, resumed and killed by orders that are audited with their reasons', async () => {
    const { page } = watched;
    const order = async (verb: string, reason: string) => {
      await page.getByRole('group', { name: 'Orders' }).getByRole('button', { name: verb }).click();
      await page.getByLabel('Reason').fill(reason);
      await page.locator('dialog').getByRole('button', { name: verb, exact: true }).click();
      await page.locator('dialog').waitFor({ state: 'detached' });
    };
    await order('Suspend', 'figures under review');
    await page.locator('.note', { hasText: 'Suspended by local: figures under review' }).waitFor();
    await post('/v1/actors/orders%2F1001/send', { event: { type: 'pay', amount: 20, by: 'cash' } });
    await page.locator('section', { hasText: 'Mailbox' }).getByText('pay').first().waitFor();
    await order('Step', 'one look');
    await page.locator('.json', { hasText: 'paid 20' }).waitFor();
    await order('Resume', '');
    await page.locator('.tagline', { hasText: 'active' }).waitFor();
    await order('Kill', 'fire drill');
    await page.locator('.facts', { hasText: 'restarts1' }).waitFor();
    await visit('#/audit');
    await page.locator('tbody tr').nth(3).waitFor();
    const rows = await page.evaluate<string[]>(
      `[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].slice(1).map((cell) => ` +
        `cell.textContent).join('|'))`,
    );
    expect(rows).toEqual([
      'local|kill|orders/1001|fire drill|done',
      'local|resume|orders/1001||done',
      'local|step|orders/1001|one look|done',
      'local|suspend|orders/1001|figures under review|done',
    ]);
  });

  it('shows a lock in the place of a secret, and the value nowhere', async () => {
    const { page } = watched;
    await page.locator('.json .secret').waitFor();
    expect(await page.content()).not.toContain('4111-1111');
  });

  it('shows the time that its timers have left', async () => {
    await watched.page.getByText('after PATIENCE in order.open').waitFor();
    await watched.page
      .locator('section', { hasText: 'Timers' })
      .getByText(/^in 59 min/)
      .waitFor();
  });
});

describe('a dead letter', () => {
  it('is shown with its error, corrected, and redelivered', async () => {
    served = await servedShop();
    await post('/v1/actors/ledger/send', { event: { type: 'add', by: -3 } });
    watched = await opened(browser(), `${served.url}/#/dead-letters`);
    const { page } = watched;
    await page.locator('.error-box', { hasText: 'cannot add -3' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByLabel('Event').fill('{"type": "add", "by": ');
    expect(await page.locator('dialog').getByRole('button', { name: 'Redeliver' }).isDisabled()).toBe(true);
    await page.getByLabel('Event').fill('{"type": "add", "by": 3}');
    await page.getByLabel('Reason').fill('sign was wrong');
    await page.locator('dialog').getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('None. Every event has reached').waitFor();
    expect((await get('/v1/actors/ledger'))['context']).toEqual({ sum: 3 });
  });
});

describe('a destructive order', () => {
  it('is not offered if the gateway does not allow it', async () => {
    served = await servedShop('{}');
    watched = await opened(browser(), `${served.url}/#/actor/orders/1002`);
    await watched.page.getByText('Restart, stop and kill are disabled').waitFor();
    expect(await watched.page.getByRole('group', { name: 'Orders' }).getByRole('button').allTextContents()).toEqual([
      'Suspend',
    ]);
  });
});

describe('a token', () => {
  it('is asked for, kept in the tab and never shown; without the right to send it offers no orders', async () => {
    served = await servedShop(
      "{ tokens: [{ id: 'eve', token: 'a-token-that-only-reads', scopes: ['actor:read', 'system:read'] }] }",
    );
    watched = await opened(browser(), served.url);
    const { page } = watched;
    await page.getByRole('heading', { name: 'A token, please' }).waitFor();
    await expectAccessible(watched);
    await page.getByLabel('Token').fill('a-token-that-is-wrong');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'A token, please' }).waitFor();
    await page.goto(`${served.url}/#token=a-token-that-only-reads`);
    await page.reload();
    await watched.live();
    expect(page.url()).toBe(`${served.url}/#/`);
    await page.reload();
    await watched.live();
    await visit('#/actor/orders/1003');
    await page.getByText('You cannot give orders').waitFor();
    await state('open');
    expect(await page.locator('.chart-frame [role="button"]').count()).toBe(0);
  });
});

describe('the keyboard', () => {
  it('suffices to find an actor, send it an event, and return to the tree', async () => {
    served = await servedShop();
    watched = await opened(browser(), served.url);
    await watched.live();
    const { page } = watched;
    const { keyboard } = page;
    await page.locator('tbody tr').first().waitFor();
    await keyboard.press('/');
    await keyboard.type('1002');
    await page.locator('tr.hit').waitFor();
    await keyboard.press('Enter');
    await state('open');
    const focused = () =>
      page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');
    for (let presses = 0; !(await focused()).startsWith('Send cancel') && presses < 40; presses++)
      await keyboard.press('Tab');
    expect(await focused()).toContain('Send cancel, from order.open to order.cancelled');
    await keyboard.press('Enter');
    await page.locator('dialog').waitFor();
    await keyboard.press('Enter');
    // It has ended, and its Boss forgets it.
    await page.getByText('No actor is here now').waitFor();
    // The same as Alt and the left arrow, which a headless browser does not support.
    await page.goBack();
    await page.locator('.empty', { hasText: 'No actor matches' }).waitFor();
    await keyboard.press('/');
    await keyboard.press('Control+A');
    await keyboard.press('Delete');
    await page.locator('tr[data-address="orders/1001"]').waitFor();
    for (let presses = 0; (await focused()) !== 'root' && presses < 20; presses++) await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    expect(await focused()).toBe('orders');
    await keyboard.press('ArrowLeft');
    await page.locator('tr[data-address="orders/1001"]').waitFor({ state: 'detached' });
    await keyboard.press('ArrowRight');
    await page.locator('tr[data-address="orders/1001"]').waitFor();
  });
});

describe('a screen of 360 pixels, in the dark', () => {
  it.each(['#/', '#/actor/orders/1001', '#/dead-letters', '#/waits', '#/audit', '#/plan'])(
    'shows %s without overflow, and is accessible',
    async (view) => {
      served = await servedShop();
      await post('/v1/actors/ledger/send', { event: { type: 'add', by: -3 } });
      await post('/v1/actors/orders%2F1002/suspend', {
        reason: 'a rather long reason, so that there is something to be broken into lines',
      });
      watched = await opened(browser(), `${served.url}/${view}`, {
        viewport: { width: 360, height: 760 },
        colorScheme: 'dark',
      });
      await watched.live();
      await watched.page.locator('main h1').waitFor();
      await expectAccessible(watched);
      expect(await watched.page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    },
  );
});
