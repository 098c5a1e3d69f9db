/** The pages of answers and of agents, as people use them, over a kill of the server. */
import { describe, expect, it } from 'vitest';
import { asks, CURRENCY, LENGTH, servedAgents, servedAnswers } from '../support/browser/answer-system.ts';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

let served: Served;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));

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

async function open(serve: () => Promise<Served>, options = {}): Promise<void> {
  served = await serve();
  watched = await opened(browser(), served.url, options);
  await watched.live();
}

/** Whether the page can be scrolled sideways. */
async function expectNoSidewaysScroll(): Promise<void> {
  const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await watched.page.evaluate(wide)).toBeLessThanOrEqual(0);
}

/** The size of a telephone. */
const PHONE = { viewport: { width: 390, height: 780 } };

describe('the pages of answers', () => {
  it('show an answer with its evidence, and let a person answer a question by a button, over kills', async () => {
    await open(servedAnswers);
    const { page } = watched;
    await at('answers');
    await page.getByText('Nobody has asked anything.').waitFor();
    await expectAccessible(watched);

    expect(await asks(served, 'coder', LENGTH)).toMatchObject({ status: 'answered' });
    await page.getByRole('link', { name: 'Q-1: Is the minimum length' }).click();
    await page.getByRole('heading', { level: 1, name: LENGTH.question }).waitFor();
    await page.locator('.evidence', { hasText: 'docs/limits.md:3' }).getByText('12 characters').waitFor();
    await page.getByText('lead over the next value').waitFor();
    await page.getByRole('row', { name: 'coder TASK-7' }).waitFor();
    await expectAccessible(watched);

    expect(await asks(served, 'coder', CURRENCY)).toMatchObject({ status: 'waiting' });
    await killed();
    await at('answers/Q-2');
    await page.getByText('A person has the question.').waitFor();
    await page.getByRole('link', { name: 'TK-0001' }).click();
    await page.getByRole('button', { name: 'Euro', exact: true }).click();
    await page.getByText(/^Clear \(/).waitFor();
    await page.getByLabel('Your name').fill('ada');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'Answered by ada' }).waitFor();
    await killed();
    await at('answers/Q-2');
    await page.getByRole('heading', { name: 'Answer of ada' }).waitFor();
    await page.locator('.evidence', { hasText: 'TK-0001' }).getByText('Euro').waitFor();
    await expectAccessible(watched);
  });

  it('let a person resolve by hand, search, and correct an answer after seeing who will be told', async () => {
    await open(servedAnswers);
    const { page } = watched;
    await asks(served, 'coder', CURRENCY);
    await at('tickets/TK-0001');
    await page.getByRole('button', { name: 'Resolve by hand…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('answer').fill('Euro only.');
    await dialog.getByLabel('by').fill('ada');
    await dialog.getByLabel('reason').fill('decided in May');
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Resolved by hand: decided in May').waitFor();
    await asks(served, 'reviewer', { ...CURRENCY, current_task_id: null });

    await at('answers');
    await page.getByRole('searchbox', { name: 'Search what people have said' }).fill('currency of customers');
    await page
      .getByRole('row', { name: /Euro only\..*ada/ })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Correct…' }).click();
    const told = dialog.getByRole('region', { name: 'Will be told' });
    await told.getByText('coder, at work on TASK-9').waitFor();
    await told.getByText('reviewer').waitFor();
    await expectAccessible(watched);
    expect(await dialog.getByRole('button', { name: 'Correct' }).isDisabled()).toBe(true);
    await dialog.getByLabel('answer').fill('Euro and franc.');
    await dialog.getByLabel('reason').fill('the shop in Bern');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Euro only.').first().waitFor();

    await killed();
    await page.getByRole('button', { name: 'Correct…' }).click();
    await told.getByText('reviewer').waitFor();
    await dialog.getByLabel('answer').fill('Euro and franc.');
    await dialog.getByLabel('reason').fill('the shop in Bern');
    await dialog.getByRole('button', { name: 'Correct' }).click();
    await page.getByRole('heading', { name: 'Answer of ada' }).waitFor();
    await page.locator('.said', { hasText: 'Euro and franc.' }).waitFor();
    await page.getByRole('heading', { name: 'Said before' }).waitFor();
    expect(await asks(served, 'late', CURRENCY)).toMatchObject({ answer: 'Euro and franc.' });
  });

  it('show the desk at work, its figures, and what came of judged answers', async () => {
    await open(servedAnswers);
    const { page } = watched;
    await asks(served, 'coder', LENGTH);
    await asks(served, 'coder', CURRENCY);
    await at('answers/Q-1');
    await page.getByRole('button', { name: 'Was right…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Was right' }).click();
    await page.getByRole('link', { name: 'Desk', exact: true }).click();
    const load = (words: string) => page.locator('.load > div', { hasText: words }).locator('dd');
    await page.getByRole('row', { name: /Q-2: Which currency.*waits for a person.*TK-0001/ }).waitFor();
    expect(await load('with a person').textContent()).toBe('1');
    expect(await load('at work').textContent()).toBe('0 of 3');
    await page.getByRole('row', { name: /resolution rate 50 % > 0\.8 no 2/ }).waitFor();
    await page.getByRole('row', { name: /satisfaction too few cases/ }).waitFor();
    await page.locator('section', { hasText: 'Said and right' }).getByRole('row', { name: /100 %/ }).waitFor();
    await page.getByText('Nothing is proposed.').waitFor();
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Look for patterns…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Look' }).click();
    await page.getByText('The last day was looked through.').waitFor();
  });

  it('fit on a telephone', async () => {
    await open(servedAnswers, PHONE);
    await asks(served, 'coder', LENGTH);
    for (const [view, text] of [
      ['answers', LENGTH.question],
      ['answers/Q-1', 'lead over the next value'],
      ['desk', 'resolution rate'],
    ] as const) {
      await at(view);
      await watched.page.getByText(text).first().waitFor();
      await expectNoSidewaysScroll();
      await expectAccessible(watched);
    }
  });
});

describe('the page of agents', () => {
  it('recommends agents for a task, says why, and falls back where nothing matches', async () => {
    await open(servedAgents);
    const { page } = watched;
    await at('agents');
    await expectAccessible(watched);
    const task = page.getByLabel('The task, in words');
    await task.fill('Cut a release candidate');
    await page.keyboard.press('Enter');
    const first = page.locator('[data-agent]').first();
    await first.getByRole('link', { name: 'release-manager' }).waitFor();
    await first.getByText('is its example "Cut a release candidate"').waitFor();
    const example = first.getByRole('row', { name: 'is its example Cut a release candidate +600' });
    await example.waitFor();
    const bar = example.locator('rect.for');
    expect(Number(await bar.getAttribute('x'))).toBe(100);
    expect(Number(await bar.getAttribute('width'))).toBeCloseTo(66.7, 1);
    await expectAccessible(watched);

    await task.fill('qwrtz');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('No agent matches').waitFor();
    expect(await page.locator('[data-agent]').count()).toBe(1);
    await page.locator('[data-agent="standard"]').getByText('50 %').waitFor();

    await page.getByRole('searchbox', { name: /^Search agents by id/ }).fill('release');
    await page
      .getByRole('row', { name: /release-manager.*own\.json/ })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { level: 1, name: 'release-manager' }).waitFor();
    await page.locator('#main').getByText('Tag version 2.1 and publish the notes').waitFor();
    await expectAccessible(watched);
  });

  it('fits on a telephone', async () => {
    await open(servedAgents, PHONE);
    const { page } = watched;
    await at('agents');
    await page.getByLabel('The task, in words').fill('Review this pull request');
    await page.keyboard.press('Enter');
    await page.locator('[data-agent="reviewer"]').waitFor();
    await page.getByRole('row', { name: /^architecture Principal/ }).waitFor();
    await page.getByRole('region', { name: 'Capabilities by agents, scrolls' }).waitFor();
    await expectNoSidewaysScroll();
    await expectAccessible(watched);
  });

  it('shows what agents can do by category, and what the guard says', async () => {
    await open(servedAgents);
    const { page } = watched;
    await at('agents');
    const matrix = page.getByRole('region', { name: 'Capabilities by agents, scrolls' });
    await matrix.getByRole('row', { name: /^api-development/ }).waitFor();
    await page.getByLabel('Category', { exact: true }).selectOption('review');
    await matrix.getByRole('row', { name: /^code-review/ }).waitFor();
    expect(await matrix.getByRole('columnheader').allTextContents()).toEqual([
      'Capability',
      'quality',
      'reviewer',
      'security',
    ]);
    expect(
      await matrix
        .getByRole('row', { name: /^code-review/ })
        .getByRole('img')
        .count(),
    ).toBe(1);
    const guard = page.locator('section', { has: page.getByRole('heading', { name: /^Guard/ }) });
    await guard.getByText(/profiles of \d+ without a remark/).waitFor();
    await expectAccessible(watched);
  });
});

describe('a system without answers and agents', () => {
  it.each(['answers', 'desk', 'agents'])('says so on the page %s, and how to have them', async (view) => {
    await open(servedShop);
    await at(view);
    await watched.page.getByText('To have one,').waitFor();
    await expectAccessible(watched);
  });
});
