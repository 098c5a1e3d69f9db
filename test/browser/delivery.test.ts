/** The pages of tasks and of the delivery organisation, as people and coding agents fill and use them. */
import { describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { handIn, orders, servedDelivery, servedSilent } from '../support/browser/delivery-system.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

const PHONE = { width: 375, height: 780 };
const DESKTOP = { width: 1280, height: 800 };

let served: Served;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));

const row = (name: string | RegExp) => watched.page.getByRole('row', { name });
const shown = (text: string | RegExp) => watched.page.locator('main').getByText(text).first().waitFor();
const handoff = (text: string | RegExp) => watched.page.locator('details', { hasText: text }).first();

async function at(view: string): Promise<void> {
  await watched.page.goto(`${served.url}/#/${view}`);
  await watched.live();
  await watched.page.locator('main h1').first().waitFor();
}

async function open(serve: () => Promise<Served>): Promise<void> {
  served = await serve();
  watched = await opened(browser(), served.url);
}

/** The page in the size of a phone, which does not scroll to the side. */
async function expectPhone(): Promise<void> {
  const { page } = watched;
  await page.setViewportSize(PHONE);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await page.setViewportSize(DESKTOP);
}

/** Gives the order of a button as ada, with the contents of its fields. */
async function order(button: string, verb: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  const { page } = watched;
  await page.getByRole('button', { name: button, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('by').fill('ada');
  for (const [name, text] of Object.entries(fields)) {
    const field = dialog.getByLabel(name);
    await (name === 'priority' ? field.selectOption(text) : field.fill(text));
  }
  await dialog.getByRole('button', { name: verb, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Gives a task to a coding agent, or says something in its name. */
const coder = (type: string, name: string, more: object = {}) =>
  orders(served, 'orchestrator', { type, coder: name, ...more });

async function filled(): Promise<void> {
  await handIn(served);
  await row(/^TASK-001: Login form ready P1 35/).waitFor();
  await row(/^TASK-006: Add to the basket ready/).waitFor();
}

describe('the pages of tasks', () => {
  it('are filled by a plan, show each task with its criteria and gates, and take the orders of people', async () => {
    await open(servedDelivery);
    const { page } = watched;
    await at('tasks');
    await shown('bosun tasks add plan.json');
    await expectAccessible(watched);
    await filled();
    await row(/^TASK-002: Sessions pending .* waits for 1 task$/).waitFor();
    await row(/^TASK-005: Basket decomposed .* waits for 2 tasks$/).waitFor();
    await coder('tasks.next', 'codex');
    await coder('tasks.report', 'codex', { task: 'TASK-001', percent: 40 });
    await row(/^TASK-001: Login form in progress codex P1 35 40 %/).waitFor();
    await coder('tasks.report', 'codex', { task: 'TASK-001', status: 'blocked', details: 'Which field is first?' });
    await row(/^TASK-001: Login form blocked codex P1 35 40 % Which field is first\?$/).waitFor();
    expect((await page.locator('tbody th').allTextContents())[0]).toBe('TASK-001: Login form');
    await expectPhone();
    await expectAccessible(watched);

    await page.getByRole('link', { name: 'TASK-001: Login form' }).click();
    await shown('a wrong password is refused');
    await shown('With e-mail and password.');
    await page.getByRole('link', { name: 'TK-0001', exact: true }).waitFor();
    await handoff('orchestrator \u2192 coding-ai').locator('summary').click();
    await row('size 35 at most 45 yes').waitFor();
    await row('context 2 at least 1 yes').waitFor();
    await expectPhone();
    await expectAccessible(watched);
    await order('Unblock\u2026', 'Unblock', { note: 'the e-mail comes first' });
    await shown('ready');
    await shown('ada: the e-mail comes first');
    await order('Change\u2026', 'Change', { priority: '3', minutes: '25' });
    await shown('P3, 25 min');
    await order('Give up\u2026', 'Give up', { reason: 'nobody logs in' });
    await shown('given up by ada: nobody logs in');
    await page.getByRole('button', { name: 'Change\u2026' }).waitFor({ state: 'detached' });

    await at('tasks');
    await row(/^TASK-002: Sessions failed/).waitFor();
    await page.getByLabel('status').selectOption('failed');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.getByLabel('status').selectOption('verified');
    await shown('No task has this status.');
    await order('Places\u2026', 'Set', { places: '5' });
    await shown('0 of 5');
    await at('tasks/TASK-999');
    await shown('No task “TASK-999”');
  });
});

describe('the page of a task that was checked', () => {
  it('has what is met and what is not, with links to its fix and its investigation', async () => {
    await open(servedDelivery);
    await at('tasks');
    await filled();
    const id = 'TASK-001';
    await coder('tasks.next', 'codex');
    await coder('tasks.done', 'codex', { task: id, files: ['src/login.tsx'] });
    const checked = { task: id, checker: 'claude', unmet: ['a wrong password is refused'] };
    await orders(served, 'orchestrator', { type: 'tasks.checked', ...checked });
    await at(`tasks/${id}`);
    await shown('not met: a wrong password is refused');
    await shown('met: a user can log in');
    await shown('1 attempt, 0 questions, 1 check');
    await watched.page.getByRole('link', { name: 'TK-0001', exact: true }).waitFor();
    await watched.page.getByRole('link', { name: 'TASK-008', exact: true }).click();
    await shown('Fix: a wrong password is refused');
    await watched.page.getByRole('link', { name: id, exact: true }).waitFor();
    await expectAccessible(watched);
  });
});

describe('the page of the organisation', () => {
  it('has the teams, the matrix and the log, refusals included, and drains teams', async () => {
    await open(servedDelivery);
    const { page } = watched;
    await at('organisation');
    await shown('Nothing was handed over yet.');
    const numbers = page.locator('section', { hasText: 'Load' }).first().locator('tbody tr td:first-child');
    await expect.poll(async () => (await numbers.allTextContents()).slice(0, 9).join()).toBe('0,1,2,3,4,5,6,7,8');
    await row(/^4 the task is pulled from the queue orchestrator coding-ai answers dashboard 0$/).waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).last().click();
    await filled();
    for (const name of ['codex', 'claude', 'aider']) await coder('tasks.next', name);
    await page.getByRole('link', { name: 'Organisation' }).click();
    await row(/^4 the task is pulled from the queue .* 3$/).waitFor();
    const refused = handoff('refused');
    await refused.locator('summary').click();
    await refused.getByText('has no acceptance criteria (context)').waitFor();
    await refused.getByRole('row', { name: 'context 0 at least 1 no' }).waitFor();
    await row(/^Coding AI code generator working 3/).waitFor();
    await order('Drain: Coding AI', 'Drain');
    await row(/^Coding AI code generator drained/).waitFor();
    await expectPhone();
    await expectAccessible(watched);
    await order('Go on: Coding AI', 'Go on');
    await row(/^Coding AI code generator working/).waitFor();
  });
});

describe('a system without a delivery organisation', () => {
  it.each([
    ['has no such actors', servedShop],
    ['does not offer its procedures', servedSilent],
  ])('is told from one with it, with a way out, where it %s', async (_, serve) => {
    await open(serve);
    for (const view of ['tasks', 'organisation']) {
      await at(view);
      await shown('This system has no delivery organisation.');
      await shown('bosun desk .');
    }
  });
});
