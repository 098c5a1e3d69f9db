/** The example that `npm start` runs, from its first task to its release, as a person follows it and answers. */
import { type Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, opened, WatchedPage } from '../support/browser/browser.ts';
import { DeliveryStory } from '../support/browser/delivery-story.ts';
import { inBrowser } from '../support/browser/in-browser.ts';

/** Milliseconds that each step of the crew takes at least: those that are watched are long enough to be seen. */
const PACE_MS = 150;

const PERSON = 'ada';

let served: DeliveryStory;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));

const row = (name: string | RegExp) => watched.page.getByRole('row', { name });

async function press(link: string | RegExp, within: Locator = watched.page.locator('body')): Promise<void> {
  await within.getByRole('link', { name: link, exact: true }).click();
}

/** Chooses a view of the bar at the top, and one of those below it. */
async function view(name: string, part?: string): Promise<void> {
  await press(name, watched.page.getByRole('banner'));
  if (part !== undefined) await press(part, watched.page.locator('main').getByRole('navigation'));
}

/** Follows the plan to the task that is blocked, and to the chart of its session, which waits. */
async function seeTheCrew(): Promise<void> {
  await view('Tasks');
  await row(/^TASK-001: VAT on orders (in progress|in verification|verified) session-\d/).waitFor();
  await row(/^TASK-003: Vouchers at the checkout pending .*waits for [12] tasks?$/).waitFor();
  await row(/^TASK-002: Shipping costs blocked .*is shipping free\?$/).waitFor();
  await view('Actors');
  await press('TASK-002.1');
  await watched.page.locator('.chart-frame [data-state="session.waiting"].active').waitFor();
}

async function replyToTheQuestion(): Promise<void> {
  const { page } = watched;
  await view('Inbox');
  await press(/^Reply to TK-0001: From which value/);
  await page.getByText('No source says anything about it.').waitFor();
  await page.getByLabel('In your words').fill('50 euro');
  await page.getByLabel('Your name').fill(PERSON);
  await page.getByText(/^Clear \(/).waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('heading', { name: `Answered by ${PERSON}` }).waitFor();
}

/** Waits until the records of coder and reviewer have decided, for the reviewer. */
async function seeTheDebate(): Promise<void> {
  await view('Inbox', 'Debates');
  await press('How src/vat.js rounds');
  await watched.page.getByText('rosa doubts nora').waitFor();
  await watched.page.getByRole('heading', { name: 'Ended: facilitator resolved' }).waitFor();
  await watched.page.getByText('For rosa, the challenger: credibility').waitFor();
  await expectAccessible(watched);
}

async function seeTheRestart(): Promise<void> {
  await view('Actors');
  await row(/^linter idle active 1 .*the cache .* is damaged/).waitFor();
}

/** Waits for the flaw that the check finds, and for its fix. */
async function seeTheFix(): Promise<void> {
  const { page } = watched;
  await view('Tasks');
  await press('TASK-003: Vouchers at the checkout');
  await page.getByText('not met: a total is never negative').waitFor();
  await expectAccessible(watched);
  await press('TASK-004');
  await page.getByRole('heading', { name: 'Fix: a total is never negative' }).waitFor();
  await press('TASK-003', page.locator('main'));
  await page.getByText('1 attempt, 0 questions, 2 checks').waitFor();
  await page.getByText('verified', { exact: true }).waitFor();
  await view('Tasks');
  await row(/^TASK-003: Vouchers at the checkout verified session-\d P2 30 100 % *$/).waitFor();
}

/** Opens the release in a second tab, which shows who has let it go before the example ends. */
async function besides(): Promise<WatchedPage> {
  const second = new WatchedPage(await watched.page.context().newPage());
  await second.page.goto(`${served.url}/#/actor/release`);
  await second.page.locator('.chart-frame [data-state="release.asking.people"].active').waitFor();
  return second;
}

async function letItGo(): Promise<void> {
  const { page } = watched;
  await page.getByText('VAT, shipping and vouchers').waitFor();
  await page.getByText('TASK-004: Fix: a total is never negative').waitFor();
  await page.getByLabel('decision').selectOption('release');
  expect(await page.getByLabel('Your name').inputValue()).toBe(PERSON);
  await expectAccessible(watched);
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByText('Thank you. The answer is recorded.').waitFor();
}

describe('the example of a delivery', () => {
  it('is followed from its first task to its release, and answered, by clicks', async () => {
    served = await DeliveryStory.begin(PACE_MS);
    watched = await opened(browser(), served.url);
    await watched.live();
    await seeTheCrew();
    await replyToTheQuestion();
    await seeTheDebate();
    await seeTheRestart();
    await seeTheFix();
    await view('Inbox');
    await press('Answer Release 1.1.0?');
    const second = await besides();

    // The example ends with the release, and its page with it.
    for (const one of [watched, second]) one.isServerAway = true;
    await Promise.all([second.page.getByText(`"${PERSON}"`).first().waitFor(), letItGo()]);
    const { code, out } = await served.process.ended;
    expect(code).toBe(0);
    for (const { page } of [watched, second]) await page.locator('.badge', { hasText: /reconnecting/ }).waitFor();
    expect(second.faults).toEqual([]);
    expect(out).toContain(`ticket     TK-0001 is resolved by ${PERSON}\n`);
    expect(out).toContain(`gate       Release 1.1.0? answered by ${PERSON}\n`);
    expect(out).not.toContain('stand-in');
    expect(served.report()).toContain(`Released by ${PERSON}. `);
    expect(served.report()).toContain(`free? 50 euro (${PERSON}, `);
  });
});
