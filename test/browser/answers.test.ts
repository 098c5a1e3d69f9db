/** The pages of answers and of agents, as people use them, over a kill of the server. */
import { describe, expect, it } from 'vitest';
import { asks, CURRENCY, LENGTH, servedAgents, servedAnswers } from '../support/browser/answer-system.ts';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { alertOf, tell } from '../support/browser/desks-system.ts';
import { HeldTeam } from '../support/browser/held-team.ts';
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

/** A trigger that a user defines. */
const COVERAGE = { name: 'coverage', measure: 'test coverage', below: 0.8, question: 'Which tests are missing?' };

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
    await page.getByRole('link', { name: 'TK-0001', exact: true }).click();
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
    expect(await told.getByRole('listitem').allTextContents()).toEqual(['coder, at work on TASK-9', 'reviewer']);
    await dialog.getByLabel('answer').fill('Euro and franc.');
    await dialog.getByLabel('reason').fill('the shop in Bern');
    await dialog.getByRole('button', { name: 'Correct' }).click();
    await page.getByRole('heading', { name: 'Answer of ada' }).waitFor();
    await page.locator('.said', { hasText: 'Euro and franc.' }).waitFor();
    await page.getByRole('heading', { name: 'Said before' }).waitFor();
    for (const asker of ['coder', 'reviewer'])
      expect(await asks(served, asker, CURRENCY)).toMatchObject({ changed_answers: [{ answer: 'Euro and franc.' }] });
    expect(await asks(served, 'late', CURRENCY)).toMatchObject({ answer: 'Euro and franc.', changed_answers: [] });

    await page.getByRole('button', { name: 'Holds for…' }).click();
    await dialog.getByLabel('scope').fill('shop in Bern');
    await dialog.getByLabel('plan').selectOption('this version alone');
    await dialog.getByRole('button', { name: 'Holds for' }).click();
    await page.getByText('kept for shop in Bern, this version of the plan alone').waitFor();
    await expectAccessible(watched);
    await at('answers');
    await page.getByRole('searchbox', { name: 'Search what people have said' }).fill('currency of customers');
    await page.getByRole('row', { name: /Euro and franc\..*ada.*for shop in Bern, this version/ }).waitFor();
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
    const picture = page.getByRole('img', { name: '90 to 100 % sure: 1 of 1 right' });
    await picture.locator('rect.weak').waitFor();
    expect([await picture.locator('rect').count(), await picture.locator('.used').textContent()]).toEqual([1, '1']);
    await page.getByText('from 50 judged answers on: there are 1').waitFor();
    await page.getByText('Nothing is proposed.').waitFor();
    await page.getByText('No trigger asks by itself.').waitFor();
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Look for patterns…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Look' }).click();
    await page.getByText('The last day was looked through.').waitFor();
  });

  it('apply a proposal by a person, and take it back, beside the triggers that ask by themselves', async () => {
    await open(servedAnswers);
    const { page } = watched;
    for (let one = 1; one <= 10; one++)
      await asks(served, 'coder', { question: `Which colour has the label of parcel ${one}?` }, 0);
    await tell(served, 'answers', { type: 'answers.trigger', ...COVERAGE });
    await page.goto(`${served.url}/#/desk`);
    await page.getByRole('row', { name: /coverage.*Which tests are missing\?.*test coverage < 0\.8/ }).waitFor();
    const proposal = page.locator('[data-proposal]', { hasText: 'Ask people below 65 % instead of 70 %.' });
    const dialog = page.getByRole('dialog');
    const decide = async (verb: string) => {
      await proposal.getByRole('button', { name: verb }).click();
      await dialog.getByLabel('by').fill('ada');
      await dialog.getByLabel('reason').fill('a trial');
      await dialog.getByRole('button', { name: verb }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await page.locator('.load > div', { hasText: 'with a person' }).getByText('10', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Look for patterns…' }).click();
    await dialog.getByRole('button', { name: 'Look' }).click();
    await decide('Approve');
    await proposal.getByText('applied by ada').waitFor();
    await proposal.getByText('is taken back by itself below 0.2 on average').waitFor();
    await expectAccessible(watched);
    await decide('Take back');
    await proposal.getByText('taken back by ada').waitFor();
    expect(await proposal.getByRole('button').count()).toBe(0);
  });

  it('fit on a telephone', async () => {
    await open(servedAnswers, PHONE);
    await asks(served, 'coder', LENGTH);
    await tell(served, 'answers', { type: 'answers.judge', question: 'Q-1', wasRight: true });
    for (const [view, text] of [
      ['answers', LENGTH.question],
      ['answers/Q-1', 'lead over the next value'],
      ['desk', 'Bar: the share that proved right'],
    ] as const) {
      await at(view);
      await watched.page.getByText(text).first().waitFor();
      await expectNoSidewaysScroll();
      await expectAccessible(watched);
    }
  });
});

describe('a question that a person asks on the page', () => {
  let team: HeldTeam;

  async function openHeld(options = {}): Promise<void> {
    await open(async () => (team = await HeldTeam.serve()), options);
    await at('answers');
    await watched.page.getByLabel('Your name').fill('ada');
  }

  /** Fills in the form and sends it. */
  async function ask(question: string, { options = '', urgency = '2' } = {}): Promise<void> {
    const { page } = watched;
    await page.getByLabel('Your question').fill(question);
    await page.getByLabel('Possible answers').fill(options);
    await page.getByLabel('Urgency').selectOption(urgency);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
  }

  const reply = () => watched.page.getByRole('status').locator('.card');
  const progress = () => watched.page.getByRole('status').getByText('Processing query...');

  it('AT-033: is said to be processed until its answer comes, over a kill of the server and a reload', async () => {
    await openHeld();
    const { page } = watched;
    expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);
    await ask('Is the port 80 or 8080?', { options: '80\n8080', urgency: '3' });
    await progress().waitFor();
    await team.atWork();
    await page.getByRole('row', { name: /Q-1: Is the port 80 or 8080\?.*is worked on/ }).waitFor();
    await killed();
    await team.atWork();
    expect(await progress().isVisible()).toBe(true);
    team.letGoOn();
    await reply().getByText('8080', { exact: true }).waitFor();
    await reply().getByText('answered').waitFor();
    await reply().getByText('90 % sure').waitFor();
    await reply().getByText('server.json:4').waitFor();
    expect(await progress().count()).toBe(0);

    team.hold();
    await ask('Is the port of the mail server 80 or 8080?', { urgency: '3' });
    await team.atWork();
    await expectAccessible(watched);
    await page.reload();
    const row = page.getByRole('row', { name: /Q-2: Is the port of the mail server/ });
    await row.getByText('is worked on').waitFor();
    team.letGoOn();
    await row.getByText('answered').waitFor();
    await at('answers/Q-1');
    await page.getByText('asked by ada').waitFor();
    await page.getByText('Possible answers: 80, 8080').waitFor();
    await page.getByText('P3', { exact: true }).waitFor();
  });

  it('is provisional, waits for a person or is refused, with what there is to do and what was found', async () => {
    await openHeld();
    const { page } = watched;
    team.letGoOn();
    await ask('How often does the shop retry an order?');
    await reply().getByText('Go on with it.').waitFor();
    await reply().getByRole('link', { name: 'TK-0001' }).waitFor();
    await ask('Which currency do customers pay in?', { options: 'Euro, Franc' });
    await reply().getByText('A person is asked, and Q-2 will have the answer.').waitFor();
    await expectAccessible(watched);
    await killed();
    await reply().getByRole('link', { name: 'Q-2: Which currency' }).click();
    await page.getByText('A person has the question.').waitFor();
    await page.getByText('An answer is given from 40 % on, and without asking a person from 70 % on.').waitFor();
    await page.getByText('nothing declares, decides or uses the value').waitFor();
    await page.locator('.evidence', { hasText: 'docs/shop.md:7' }).getByText('The currency of customers.').waitFor();
    await page.getByText('Too weak for an answer.').waitFor();
    await expectAccessible(watched);
    await page.getByRole('link', { name: 'TK-0002 shows what was found' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which currency' }).waitFor();

    await at('answers');
    team.hold();
    await ask('Is the port of the proxy 80 or 8080?');
    await team.atWork();
    await tellToStop('open-questions/Q-3');
    await reply().getByText('Q-3 is failed: ask again, or a person').waitFor();
    expect(await page.getByLabel('Your question').inputValue()).toBe('Is the port of the proxy 80 or 8080?');
  });

  /** Has an actor stopped by an operator. */
  async function tellToStop(address: string): Promise<void> {
    const response = await fetch(`${served.url}/v1/actors/${encodeURIComponent(address)}/stop`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"reason":"a test"}',
    });
    expect(response.status).toBe(200);
  }

  it('has its place in the queue, by urgency, and fits on a telephone', async () => {
    await openHeld(PHONE);
    const { page } = watched;
    const ports = ['mail', 'news', 'time', 'name', 'file'].map((what) => `Is the port of the ${what} server 80 or 25?`);
    for (const [index, question] of ports.entries()) await askFor(question, index < 3 ? 2 : 3);
    await askFor('Is the port of the chat server 80 or 25?', 1);
    await at('desk');
    const states = page.locator('section', { hasText: 'at work' }).getByRole('row', { name: /^P\d/ });
    await states.nth(5).waitFor();
    expect(await states.allTextContents()).toEqual([
      expect.stringMatching(/^P1Q-6.*place 1 in the queue/),
      ...[1, 2, 3].map((number) => expect.stringMatching(new RegExp(`^P2Q-${number}:.*is worked on`)) as unknown),
      expect.stringMatching(/^P3Q-4.*place 2 in the queue/),
      expect.stringMatching(/^P3Q-5.*place 3 in the queue/),
    ]);
    await expectNoSidewaysScroll();
    await expectAccessible(watched);
  });

  /** Asks without waiting for the answer. */
  async function askFor(question: string, priority: number): Promise<void> {
    const bundle = { question, priority_level: priority, confidence_level: 0 };
    expect(await asks(served, 'coder', bundle, 0)).toMatchObject({ status: 'waiting' });
  }
});

describe('a critical alert', () => {
  it('MX-120: is a banner on the page of the desk until it is acknowledged, over a reload and a kill', async () => {
    await open(() => HeldTeam.serve());
    const { page } = watched;
    await tell(served, 'coordinator', alertOf('BOLT', 'CRITICAL', 'BOLT: the store is full'));
    await tell(served, 'coordinator', alertOf('CRUX', 'HIGH', 'CRUX: a figure is a year old'));
    await at('desk');
    const banner = page.getByRole('alert');
    await banner.getByText('Critical: BOLT: the store is full').waitFor();
    await banner.getByText('The source answers 429; three attempts were made.').waitFor();
    await banner.getByText(/^since \d\d:\d\d:\d\d$/).waitFor();
    expect(await banner.count()).toBe(1);
    await expectAccessible(watched);
    const other = await opened(browser(), `${served.url}/#/desk`);
    const seen = other.page.getByRole('alert');
    await seen.waitFor();
    await page.reload();
    await banner.waitFor();
    other.isServerAway = true;
    await killed();
    await banner.getByText('Critical: BOLT').waitFor();
    await banner.getByRole('button', { name: 'Acknowledge BOLT' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('by').fill('ada');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await banner.waitFor({ state: 'detached' });
    await seen.waitFor({ state: 'detached' });
    expect(other.faults).toEqual([]);
    await other.page.context().close();
    await at('alerts');
    await page.getByText('1 acknowledged alert').click();
    await page.getByText('ada,').waitFor();
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
