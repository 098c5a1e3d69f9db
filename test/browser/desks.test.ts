/**
 * The pages for the people who answer the desks: what they see first, and what they do by clicks, over a kill of the
 * server.
 */
import { type Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { launched } from '../support/browser/chromium.ts';
import { alertOf, CHALLENGE, DEFENCE, GATE, PAUSE, servedDesks, tell } from '../support/browser/desks-system.ts';
import { EQUITY, Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

let browser: Browser;
let served: Served;
let watched: WatchedPage;

beforeAll(async () => {
  browser = await launched();
});
afterAll(() => browser.close());
afterEach(async () => {
  await watched.page.context().close();
  await served[Symbol.asyncDispose]();
  expect(watched.faults).toEqual([]);
});

async function killed(): Promise<void> {
  watched.isServerAway = true;
  await served.kill();
  await watched.page.locator('.badge', { hasText: /reconnecting/ }).waitFor();
  await served.start();
  await watched.live();
  watched.isServerAway = false;
}

async function at(view: string): Promise<void> {
  await watched.page.goto(`${served.url}/#/${view}`);
  await watched.live();
  await watched.page.locator('main h1').waitFor();
}

describe('the desks', () => {
  async function open(): Promise<void> {
    served = await servedDesks();
    watched = await opened(browser, served.url);
    await watched.live();
  }

  it('let a gate be found in the inbox and answered by clicks, after more time was given', async () => {
    await open();
    const { page } = watched;
    await tell(served, 'gates', GATE);
    await at('inbox');
    const entry = page.locator('[data-gate="G3-ACME"]');
    await entry.getByText('Without an answer: conservative assumptions.').waitFor();
    await expectAccessible(watched);
    await entry.getByRole('link', { name: 'Answer' }).click();
    await page.getByText('Two of three sources agree').waitFor();
    await page.getByRole('button', { name: 'Extend…' }).click();
    await page.getByRole('dialog').getByLabel('by').fill('ada');
    await page.getByRole('dialog').getByLabel('reason').fill('figures are late');
    await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click();
    await page.getByText(/Extended by ada, .*: figures are late/).waitFor();
    await page.getByLabel('decision').selectOption('approve');
    await page.getByLabel('Your name').fill('mallory');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByRole('alert').getByText('by: mallory is not among those asked').waitFor();
    await killed();
    await page.getByLabel('Your name').fill('ada');
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByRole('heading', { name: 'Answered by ada' }).waitFor();
    await at('gates');
    await page.getByText('answered by ada').waitFor();
    await expectAccessible(watched);
  });

  it('let alerts be acknowledged and a batch be resumed, a few at a time', async () => {
    await open();
    const { page } = watched;
    for (const [item, priority] of [
      ['ACME', 'CRITICAL'],
      ['BOLT', 'HIGH'],
      ['CRUX', 'LOW'],
      ['DYNE', 'AGENT_FAILURE'],
    ] as const)
      await tell(served, 'coordinator', alertOf(item, priority, `${item} cannot be read`));
    await tell(served, 'batches', PAUSE);
    await at('inbox');
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await expectAccessible(watched);
    await at('alerts');
    await page.getByText('4 alerts: 1 AGENT_FAILURE, 1 CRITICAL, 1 HIGH, 1 LOW').waitFor();
    const card = page.locator('.card', { hasText: 'ACME cannot be read' });
    await card.getByText('three attempts were made').waitFor();
    await expectAccessible(watched);
    await card.getByRole('button', { name: 'Acknowledge…' }).click();
    await page.getByRole('dialog').getByLabel('by').fill('eve');
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('1 acknowledged alert').waitFor();
    await at('batches');
    const batch = page.locator('[data-batch="batch-1"]');
    await batch.getByText('6 items: 6 paused').waitFor();
    await expectAccessible(watched);
    await killed();
    await batch.getByRole('button', { name: 'Resume all of batch-1' }).click();
    await page.getByLabel('at a time').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume all' }).click();
    await batch.getByText('6 items: 0 paused, 6 resumed').waitFor();
    await batch.getByText('2 at a time').waitFor();
  });

  it('let a debate be followed from its challenge to a provisional decision, and be overridden', async () => {
    await open();
    const { page } = watched;
    await tell(served, 'debates', CHALLENGE);
    await at('debates');
    await expectAccessible(watched);
    await page.getByRole('link', { name: 'Margin of ACME' }).click();
    const here = page.locator('.stepper [aria-current="step"]');
    await tell(served, 'debates', DEFENCE);
    await page.getByText('By the plan of sales').waitFor();
    await here.getByText('an expert').waitFor();
    await page.getByRole('heading', { name: 'How far each is believed' }).waitFor();
    await page.getByRole('link', { name: 'Decide as the expert' }).waitFor();
    await killed();
    await page.getByText('the expert’s time is up in').waitFor();
    await at('debates');
    await page.getByText('1 of 3 debates').waitFor();
    await page.getByRole('button', { name: 'Is away…' }).click();
    await page.getByRole('button', { name: 'Take out' }).click();
    await page.getByRole('heading', { name: '1 provisional decision' }).waitFor();
    await at('debates/margin');
    await here.getByText('provisional').waitFor();
    await page.getByText('Work goes on with “25 %”').waitFor();
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Review now…' }).click();
    await page.getByRole('button', { name: 'Open the reviews' }).click();
    await page.getByRole('link', { name: 'Confirm, override or debate again' }).click();
    await page.getByLabel('Override').check();
    await page.getByLabel('side').selectOption('challenged');
    await page.getByLabel('note').fill('I know the plant');
    await page.getByLabel('Your name').fill('ada');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByRole('heading', { name: 'Answered by ada' }).waitFor();
    await at('debates/margin');
    await page.getByRole('heading', { name: 'Ended: overridden' }).waitFor();
  });
});

describe('a plan', () => {
  it('has its pauses on a page, extended and resumed by clicks', async () => {
    served = await new Served([EQUITY], { BOSUN_PACE_MS: '1200' }).start();
    watched = await opened(browser, served.url);
    const { page } = watched;
    await watched.live();
    await tell(served, 'coordinator', { type: 'plan.pause', item: 'TSLA', reason: 'looks odd' });
    await at('pauses');
    const pause = page.locator('[data-pause="TSLA"]');
    await pause.getByText('looks odd').waitFor();
    await pause.getByText('next word on day 3').waitFor();
    await pause.getByRole('button', { name: 'Extend…' }).click();
    await page.getByLabel('reason').fill('holidays');
    await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click();
    await pause.getByText('holidays').waitFor();
    await expectAccessible(watched);
    await pause.getByRole('button', { name: 'Resume…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await pause.waitFor({ state: 'detached' });
  });
});

describe('a system without desks', () => {
  it.each(['inbox', 'gates', 'alerts', 'batches', 'pauses', 'debates'])(
    'says on %s that they are not there, and how to have them',
    async (view) => {
      served = await servedShop();
      watched = await opened(browser, served.url);
      await at(view);
      await watched.page.getByText('To have one, give').waitFor();
      await expectAccessible(watched);
    },
  );
});
