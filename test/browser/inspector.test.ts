/** The page of a running plan, as a person sees and uses it. */
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { EQUITY, Served } from '../support/browser/served.ts';

/** How long a stage takes: slow enough to be watched, and to be paused midway. */
const PACE_MS = '1200';

/** A stage that no test sees the end of. */
const SLOW_MS = '3600000';

let served: Served;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));

async function open(paceMs: string): Promise<void> {
  served = await new Served([EQUITY], { BOSUN_PACE_MS: paceMs }).start();
  watched = await opened(browser(), served.url);
  await watched.live();
}

describe('the page of a slow plan', () => {
  beforeEach(() => open(SLOW_MS));

  it('finds AAPL in the tree and opens the chart of its stage', async () => {
    const { page } = watched;
    await page.keyboard.press('/');
    await page.keyboard.type('AAPL');
    await page.locator('tr.hit', { hasText: 'stage:' }).first().getByRole('link').click();
    await page.locator('.chart-frame [data-state="stage.working"].active').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('stages/AAPL/screening/agent');
  });

  it.each(['#/', '#/actor/coordinator', '#/plan', '#/waits', '#/dead-letters', '#/audit'])(
    'is accessible at %s',
    async (view) => {
      await watched.page.goto(`${served.url}/${view}`);
      await watched.page.locator('main h1').waitFor();
      await expectAccessible(watched);
    },
  );
});

describe('the page', () => {
  beforeEach(() => open(PACE_MS));

  it('shows a chart that follows its actor, and the last transition', async () => {
    const { page } = watched;
    await tell('plan.pause', 'AAPL');
    await page.goto(`${served.url}/#/actor/pauses/AAPL`);
    const state = (name: string) => page.locator(`.chart-frame [data-state="pause-manager.${name}"].active`);
    await state('PAUSED').waitFor();
    await tell('plan.resume', 'AAPL');
    await state('RUNNING').waitFor();
    // RUNNING has a short errand of its own, whose end is the last thing that happens.
    await page.locator('.chart-frame .edge.taken[data-event^="xstate.done.actor"]').waitFor();
  });

  it('pauses and resumes an item by clicks', async () => {
    const { page } = watched;
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await page.getByRole('button', { name: 'Pause TSLA' }).click();
    await page.getByLabel('reason').fill('looks odd');
    await page.getByText('The same from a shell').click();
    expect(await page.getByLabel('bosun line', { exact: true }).textContent()).toBe(
      `bosun send coordinator plan.pause '{"item":"TSLA","reason":"looks odd"}'`,
    );
    await page.getByRole('button', { name: 'Send' }).click();
    const row = page.locator('tr[data-item="TSLA"]');
    await row.locator('.standing', { hasText: 'paused' }).waitFor();
    expect(await row.textContent()).toContain('looks odd');
    await page.getByRole('button', { name: 'Resume TSLA' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await row.locator('.standing', { hasText: /running|completed/ }).waitFor();
    await page.locator('[data-testid="plan-state"]', { hasText: 'completed' }).waitFor();
  });

  it('says that the server is gone, reconnects when it is back, and shows the current state', async () => {
    const { page } = watched;
    await page.goto(`${served.url}/#/plan`);
    await page.locator('tr[data-item="AAPL"] .task.done').first().waitFor();
    watched.isServerAway = true;
    await served.kill();
    await page.locator('.badge', { hasText: /reconnecting \(\d+ s\)/ }).waitFor();
    await page.locator('.banner', { hasText: 'Not live' }).waitFor();
    // Meanwhile an item is paused in the stopped store.
    expect((await served.work.bosun(['plan', 'pause', 'TSLA', '--data', 'data'])).code).toBe(0);
    await served.start();
    await watched.live();
    watched.isServerAway = false;
    await page.locator('.badge', { hasText: 'server restarted, gap: reloaded' }).waitFor();
    await page.locator('tr[data-item="TSLA"] .standing', { hasText: 'paused' }).waitFor();
    await page.locator('[data-testid="plan-state"]', { hasText: 'paused' }).waitFor();
    const truth = (await (await fetch(`${served.url}/v1/actors/coordinator`)).json()) as { readonly value: string };
    expect(truth.value).toBe('paused');
  });
});

/** As another client would. */
async function tell(type: string, item: string): Promise<void> {
  const response = await fetch(`${served.url}/v1/actors/coordinator/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ event: { type, item }, until: 'taken' }),
  });
  expect(response.status).toBe(200);
}
