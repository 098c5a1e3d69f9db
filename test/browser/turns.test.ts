/**
 * The page's two views of turns: causes and effects, as a sequence diagram; and an actor in the past, by the turns that
 * it keeps.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

let served: Served;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));

beforeEach(async () => {
  served = await servedShop();
});
async function visit(view: string): Promise<void> {
  watched = await opened(browser(), `${served.url}/${view}`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await watched.live();
}

async function send(address: string, event: object): Promise<void> {
  const response = await fetch(`${served.url}/v1/actors/${encodeURIComponent(address)}/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ event }),
  });
  expect(response.status).toBe(200);
}

const pay = (amount: number) => send('orders/1001', { type: 'pay', amount, by: 'card' });

describe('the sequence page', () => {
  const option = (name: RegExp) => watched.page.getByRole('option', { name });

  it('opens from the tree, and shows a turn when it is taken, with the state before and after', async () => {
    await visit('#/');
    const { page } = watched;
    await page.getByRole('link', { name: 'Sequence of all' }).click();
    await option(/orders\/1001 spawn/).waitFor();
    await pay(20);
    await option(/pay from outside to orders\/1001$/).click();
    const changes = page.getByRole('table');
    await changes.getByRole('row', { name: 'paid 0 20' }).waitFor();
    await pay(100);
    // Two regions of one state: the drawing has them both.
    await option(/pay from outside to orders\/1001, now fulfilling\.stock\.reserving/).click();
    await page.locator('.facts', { hasText: 'open \u2192 fulfilling.stock.reserving' }).waitFor();
    await changes.getByRole('row', { name: 'paid 20 120' }).waitFor();
    await expectAccessible(watched);
    await page.getByRole('link', { name: 'The actor as it was then' }).click();
    expect(await page.getByTestId('step').textContent()).toContain('Turn 3 of 3: pay');
  });

  it('marks failed turns, can be walked turn by turn with the keyboard, and can be copied as Mermaid', async () => {
    await visit('#/actor/ledger');
    const { page } = watched;
    await page.getByRole('link', { name: 'Sequence', exact: true }).click();
    await option(/ledger spawn/).waitFor();
    await send('ledger', { type: 'add', by: 2 });
    await send('ledger', { type: 'add', by: -3 });
    await page.locator('.sequence .turn.failed').first().waitFor();
    await page.getByRole('listbox').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.locator('[aria-selected="true"]', { hasText: 'add from outside to ledger' }).waitFor();
    // Its agent keeps none, but the page was there.
    await page.locator('.json', { hasText: 'sum 2' }).waitFor();
    await page.locator('.sequence .turn.failed').first().click();
    await page.locator('.facts', { hasText: 'cannot add -3' }).waitFor();
    await page.getByRole('button', { name: 'Copy as Mermaid' }).click();
    await page.getByText('Copied the sequence as Mermaid.').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toMatch(/^sequenceDiagram\n {2}participant l0 as outside\n {2}participant l1 as ledger\n/);
    expect(copied).toContain('l0-xl1: add');
  });
});

describe('the history page', () => {
  const active = (id: string) => watched.page.locator(`.chart-frame [data-state="order.${id}"].active`).waitFor();
  const step = async () => (await watched.page.getByTestId('step').textContent()) ?? '';

  it('can be walked with the keyboard, and shows chart, edge, context and changes of each turn', async () => {
    for (const amount of [20, 100]) await pay(amount);
    await visit('#/actor/orders/1001');
    const { page } = watched;
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await active('fulfilling.stock.reserving');
    const slider = page.getByRole('slider', { name: 'Turn' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await active('open');
    expect(await step()).toBe('Turn 2 of 3: pay, open');
    expect(await slider.getAttribute('aria-valuetext')).toBe('Turn 2 of 3: pay, open');
    await page.locator('.chart-frame .edge.taken[data-event="pay"]').waitFor();
    await page.getByRole('row', { name: 'paid 0 20' }).waitFor();
    await page.locator('.json .secret').first().waitFor();
    expect(await page.locator('.chart-frame [role="button"]').count()).toBe(0);
    await expectAccessible(watched);
    await page.keyboard.press('Home');
    await page.getByText('Nothing to compare with').waitFor();
    await page.getByRole('link', { name: 'Return to live' }).click();
    await page.getByText('Events that it takes now').waitFor();
    await active('fulfilling.stock.reserving');
  });

  it('stays at the chosen turn while the actor goes on, and follows the newest turn if none is chosen', async () => {
    await pay(20);
    await visit('#/history/orders/1001');
    const { page } = watched;
    await page.getByTestId('step').filter({ hasText: 'Turn 2 of 2: pay, open' }).waitFor();
    await pay(100);
    await page.getByTestId('step').filter({ hasText: 'Turn 3 of 3: pay, fulfilling' }).waitFor();
    await page
      .getByRole('list', { name: 'Kept turns' })
      .getByRole('button', { name: /^1 spawn/ })
      .click();
    await send('orders/1001', { type: 'reserved' });
    await page.getByTestId('step').filter({ hasText: 'Turn 1 of 4: spawn, open' }).waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByTestId('step').filter({ hasText: 'Turn 4 of 4: reserved, fulfilling' }).waitFor();
  });

  it('says how to keep turns, for an agent that keeps none', async () => {
    await visit('#/history/ledger');
    await watched.page.getByText('No turn of this actor is kept').waitFor();
    await watched.page.getByText('trace: { keep: 100 }').waitFor();
    await expectAccessible(watched);
  });
});
