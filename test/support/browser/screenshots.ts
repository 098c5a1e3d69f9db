/**
 * `npm run screenshots`: pictures of the main views for the documentation, into docs/images; with `-- story`, those of
 * this subject alone. No test.
 */
import { join } from 'node:path';
import { type Browser, type Page } from 'playwright-core';
import { asks, CURRENCY, LENGTH, servedAgents, servedAnswers } from './answer-system.ts';
import { launched } from './chromium.ts';
import { DeliveryStory } from './delivery-story.ts';
import { alertOf, CHALLENGE, DEFENCE, GATE, PAUSE, servedDesks, tell } from './desks-system.ts';
import { HeldTeam } from './held-team.ts';
import { MEND, servedHubs } from './hub-system.ts';
import { EQUITY, Served } from './served.ts';
import { servedShop } from './shop.ts';

const IMAGES = join(import.meta.dirname, '../../../docs/images');

/** Size of the window: wide enough for two columns, and small enough for a README. */
const SIZE = { width: 1180, height: 860 };

/** Height of the window in which the whole chart of a session has room. */
const CHART_HEIGHT = 1270;

/** Milliseconds of each step of the story: the page is opened meanwhile. */
const STORY_PACE_MS = 1_500;

/** Wait after a step: half a second longer than a topic's next frame takes. */
const REST_MS = 900;

const SUBJECTS: Readonly<Record<string, (browser: Browser) => Promise<void>>> = {
  shop: shopPictures,
  plan: planPictures,
  desks: deskPictures,
  answers: answerPictures,
  'busy-desk': busyDeskPicture,
  agents: agentPictures,
  hubs: hubPictures,
  story: storyPicture,
};

async function main(wanted: readonly string[]): Promise<void> {
  const browser = await launched();
  try {
    for (const [subject, take] of Object.entries(SUBJECTS))
      if (wanted.length === 0 || wanted.includes(subject)) await take(browser);
  } finally {
    await browser.close();
  }
}

async function shopPictures(browser: Browser): Promise<void> {
  await using shop = await servedShop();
  const page = await pageAt(browser, shop.url, 'light');
  await page.goto(`${shop.url}/#/actor/orders/1001`);
  await page.locator('.chart-frame .active').first().waitFor();
  for (const amount of [20, 100])
    await post(shop.url, '/v1/actors/orders%2F1001/send', {
      event: { type: 'pay', amount, by: 'card' },
      until: 'taken',
    });
  await picture(page, 'inspector-actor');
  await post(shop.url, '/v1/actors/orders%2F1002/suspend', { reason: 'address is wrong' });
  await post(shop.url, '/v1/actors/orders%2F1002/send', { event: { type: 'pay', amount: 20, by: 'cash' } });
  await post(shop.url, '/v1/actors/ledger/send', { event: { type: 'add', by: -3 } });
  await page.goto(`${shop.url}/#/`);
  await picture(page, 'inspector-tree');
  await page.goto(`${shop.url}/#/dead-letters`);
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByLabel('Event').fill('{\n  "by": 3,\n  "type": "add"\n}');
  await page.getByLabel('Reason').fill('the sign was wrong');
  await page.getByText('The same from a shell').click();
  await picture(page, 'inspector-dead-letter');
  await page.keyboard.press('Escape');
  await turnPictures(page, shop.url);
  await runsPicture(page, shop.url);
}

async function turnPictures(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/#/history/orders/1001?turn=2`);
  await page.locator('.chart-frame .edge.taken').first().waitFor();
  await picture(page, 'inspector-history');
  await page.goto(`${url}/#/sequence/root`);
  await page.getByRole('option', { name: /orders\/1003 spawn/ }).waitFor();
  for (const by of [20, -5]) await post(url, '/v1/actors/ledger/send', { event: { type: 'add', by } });
  await page.locator('.sequence .failed').last().click();
  await picture(page, 'inspector-sequence');
}

async function runsPicture(page: Page, url: string): Promise<void> {
  await post(url, '/v1/actors', { agent: 'ledger', id: 'till', restart: 'temporary' });
  for (const by of [4, -3]) await post(url, '/v1/actors/till/send', { event: { type: 'add', by } });
  await post(url, '/v1/actors/orders%2F1003/send', { event: { type: 'pay', amount: 20, by: 'card' } });
  await post(url, '/v1/actors/orders%2F1003/send', { event: { type: 'cancel' } });
  await page.goto(`${url}/#/runs`);
  await page.getByText('cannot add -3').waitFor();
  await picture(page, 'inspector-runs');
}

async function planPictures(browser: Browser): Promise<void> {
  await using served = await new Served([EQUITY], { BOSUN_PACE_MS: '2000' }).start();
  const page = await pageAt(browser, served.url, 'dark');
  await page.goto(`${served.url}/#/plan`);
  await post(served.url, '/v1/actors/coordinator/send', {
    event: { type: 'plan.pause', item: 'TSLA', reason: 'figures under review' },
  });
  await page.locator('tr[data-item="TSLA"] .standing', { hasText: 'paused' }).waitFor();
  await page.locator('tr[data-item="AAPL"] .task.done').nth(1).waitFor();
  await picture(page, 'inspector-plan');
}

async function deskPictures(browser: Browser): Promise<void> {
  await using served = await servedDesks();
  const page = await pageAt(browser, served.url, 'light');
  await tell(served, 'gates', GATE);
  await tell(served, 'coordinator', alertOf('BOLT', 'CRITICAL', 'BOLT: the news source cannot be reached'));
  await tell(served, 'coordinator', alertOf('CRUX', 'LOW', 'CRUX: a figure is a year old'));
  await tell(served, 'batches', PAUSE);
  await tell(served, 'debates', CHALLENGE);
  await tell(served, 'debates', DEFENCE);
  await page.goto(`${served.url}/#/debates/margin`);
  await page.locator('.stepper .here', { hasText: 'an expert' }).waitFor();
  await tell(served, 'debates', { type: 'expert.unavailable', expert: 'eve' });
  await page.getByText('Work goes on with').waitFor();
  await picture(page, 'inspector-debate');
  await page.goto(`${served.url}/#/inbox`);
  await page.getByText('Without an answer: conservative').waitFor();
  await picture(page, 'inspector-inbox');
  await page.goto(`${served.url}/#/gates/G3-ACME`);
  await page.getByLabel('decision').selectOption('approve');
  await page.getByLabel('note').fill('The plant is still theirs; see the notice of May.');
  await page.getByLabel('Your name').fill('ada');
  await picture(page, 'inspector-gate');
}

async function answerPictures(browser: Browser): Promise<void> {
  await using served = await servedAnswers();
  const page = await pageAt(browser, served.url, 'light');
  for (const asker of ['coder', 'reviewer']) await asks(served, asker, LENGTH);
  await asks(served, 'coder', CURRENCY);
  await page.goto(`${served.url}/#/tickets/TK-0001`);
  await page.getByRole('button', { name: 'Euro', exact: true }).click();
  await page.getByLabel('Your name').fill('ada');
  await page.getByText(/^Clear \(/).waitFor();
  await picture(page, 'inspector-ticket');
  await page.goto(`${served.url}/#/answers/Q-1`);
  await page.getByText('lead over the next value').waitFor();
  await picture(page, 'inspector-answer');
  await page.goto(`${served.url}/#/answers`);
  await page.getByLabel('Your question').fill('Is the minimum length of a password 8 or 12?');
  await page.getByLabel('Possible answers').fill('8, 12');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('status').locator('.card').waitFor();
  await picture(page, 'inspector-ask');
}

/** The desk with more questions than places, and a critical alert. */
async function busyDeskPicture(browser: Browser): Promise<void> {
  await using team = await HeldTeam.serve();
  const page = await pageAt(browser, team.url, 'light');
  team.letGoOn();
  await asks(team, 'coder', { question: 'How often does the shop retry an order?' });
  await asks(team, 'coder', { question: 'Is the port of the server 80 or 8080?', possible_options: ['80', '8080'] });
  for (const [question, outcomes] of [
    ['Q-1', 9],
    ['Q-2', 26],
  ] as const)
    for (let one = 1; one <= outcomes; one++)
      await tell(team, 'answers', { type: 'answers.judge', question, wasRight: one % 3 !== 0 });
  team.hold();
  for (const [server, priority_level, asker] of [
    ['mail', 2, 'coder'],
    ['news', 2, 'reviewer'],
    ['time', 3, 'coder'],
    ['file', 3, 'tester'],
    ['chat', 1, 'reviewer'],
  ] as const) {
    const bundle = { question: `Is the port of the ${server} server 25 or 80?`, priority_level, confidence_level: 40 };
    await asks(team, asker, bundle, 0);
  }
  const alert = alertOf('store', 'CRITICAL', 'The backup of the store has failed');
  const detail = 'The disk of the backups has no space left. The store itself is written.';
  await tell(team, 'coordinator', { ...alert, event: { ...alert.event, detail } });
  await page.goto(`${team.url}/#/desk`);
  await page.getByRole('alert').waitFor();
  await page.getByText('resolution rate').waitFor();
  await picture(page, 'inspector-desk');
  const calibration = page.getByRole('heading', { name: 'Calibration' }).locator('..');
  await calibration.screenshot({ path: join(IMAGES, 'inspector-calibration.png') });
}

async function agentPictures(browser: Browser): Promise<void> {
  await using served = await servedAgents();
  const page = await pageAt(browser, served.url, 'light');
  await page.goto(`${served.url}/#/agents`);
  await page.getByLabel('The task, in words').fill('Publish the notes of version 2.1');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await picture(page, 'inspector-agents');
}

async function hubPictures(browser: Browser): Promise<void> {
  await using served = await servedHubs(MEND);
  const page = await pageAt(browser, served.url, 'light');
  await page.goto(`${served.url}/#/hubs/R-1`);
  await page.locator('[data-session="R-1-5"]', { hasText: /[2-9] s/ }).waitFor();
  await picture(page, 'inspector-hub');
  await page.goto(`${served.url}/#/hubs/R-1/R-1-3`);
  await page.getByText('unexpected-files').waitFor();
  await picture(page, 'inspector-session');
}

/** A session of the crew in `examples/delivery`, while its reviewer and its coder debate. */
async function storyPicture(browser: Browser): Promise<void> {
  await using story = await DeliveryStory.begin(STORY_PACE_MS);
  const page = await pageAt(browser, story.url, 'light');
  await page.setViewportSize({ ...SIZE, height: CHART_HEIGHT });
  await page.goto(`${story.url}/#/actor/sessions/TASK-001.1`);
  await page.locator('.chart-frame [data-state="session.debating"].active').waitFor();
  await picture(page, 'inspector-delivery-story');
}

async function pageAt(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await (await browser.newContext({ viewport: SIZE, colorScheme })).newPage();
  await page.goto(url);
  await page.locator('.badge[data-phase="live"]').waitFor();
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(REST_MS);
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
}

async function post(url: string, path: string, body: object): Promise<void> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

await main(process.argv.slice(2));
