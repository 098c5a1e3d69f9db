/** The pages for the people who answer the desks: the first view, and work by clicks, over a kill of the server. */
import { describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import {
  alertOf,
  CHALLENGE,
  DEFENCE,
  GATE,
  PAUSE,
  servedDesks,
  tell,
  TICKET,
} from '../support/browser/desks-system.ts';
import { overHttp, toldBy } from '../support/gateway/mcp-clients.ts';
import { EQUITY, Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

/** Sizes of a telephone and of a desktop. */
const PHONE = { width: 390, height: 780 };
const DESKTOP = { width: 1280, height: 800 };

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

describe('the pages of the desks', () => {
  async function open(): Promise<void> {
    served = await servedDesks();
    watched = await opened(browser(), served.url);
    await watched.live();
  }

  it('CA-008: let a person find a gate in the inbox, extend it, and answer it by clicks', async () => {
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

  it('let a person answer a ticket of a coding agent, by keyboard and on a telephone, across kills', async () => {
    await open();
    const { page } = watched;
    const { type: _, creator: __, task, isBlocking, ...question } = TICKET;
    const agent = await overHttp('of 2026', `${served.url}/mcp`);
    const opened = toldBy(await agent.call('createTicket', { ...question, task_id: task, is_blocking: isBlocking }));
    expect(opened).toMatchObject({ taken: true, ticket: 'TK-0001' });
    await at('inbox');
    const entry = page.locator('[data-ticket="TK-0001"]');
    await entry.getByText('TASK-003 waits for the answer.').waitFor();
    await expectAccessible(watched);
    await entry.getByRole('link', { name: 'Reply' }).click();
    await page.getByText('"zod": "^4.2.0"').waitFor();
    await page.getByLabel('In your words').fill('whatever you think is best');
    await page.getByText(/^Not clear yet \(/).waitFor();
    await page.getByText('Which is it: Zod or Joi?').waitFor();
    await page.getByLabel('Your name').fill('ada');
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^Not fully clear\. Please clarify/).waitFor();
    await killed();
    await page.setViewportSize(PHONE);
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wide)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Zod', exact: true }).press('Enter');
    await page.getByText(/^Clear \(/).waitFor();
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await page.getByRole('heading', { name: 'Answered by ada' }).waitFor();
    await expectAccessible(watched);
    await page.setViewportSize(DESKTOP);
    await page.getByRole('button', { name: 'Reopen…' }).click();
    await page.getByRole('dialog').getByLabel('by').fill('ada');
    await page.getByRole('dialog').getByLabel('reason').fill('the form is internal now');
    await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Resolve by hand…' }).waitFor();
    await killed();
    await page.getByRole('button', { name: 'Resolve by hand…' }).click();
    await page.getByRole('dialog').getByLabel('answer').fill('Joi');
    await page.getByRole('dialog').getByLabel('reason').fill('no client shares the schemas');
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Resolved by hand: no client shares the schemas').waitFor();
    await at('tickets');
    await page.getByText('TK-0001: Zod or Joi for the registration?').waitFor();
    const ended = toldBy(await agent.call('getTicket', { ticket: 'TK-0001' }));
    expect(ended).toMatchObject({ ticket: { status: 'resolved', resolution: { byHand: true, text: 'Joi' } } });
    await page.getByRole('button', { name: 'Open a ticket…' }).click();
    await page.getByRole('dialog').getByLabel('question').fill('Euro or dollar?');
    await page.getByRole('dialog').getByLabel('options').fill('Euro; dollar');
    await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
    await page.getByRole('link', { name: 'TK-0002: Euro or dollar?' }).click();
    await page.getByRole('button', { name: 'dollar' }).waitFor();
    await expectAccessible(watched);
  });

  it('CA-053, CA-075: let a person acknowledge alerts, and resume a batch a few items at a time', async () => {
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

  it('CA-126, CA-132, CA-133: let a person follow a debate to a provisional decision, and override it', async () => {
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
    await page.getByRole('heading', { name: 'Credibility of each side' }).waitFor();
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
  it('CA-019, CA-023: shows its pauses on a page, where clicks extend and resume them', async () => {
    served = await new Served([EQUITY], { BOSUN_PACE_MS: '1200' }).start();
    watched = await opened(browser(), served.url);
    const { page } = watched;
    await watched.live();
    await tell(served, 'coordinator', { type: 'plan.pause', item: 'TSLA', reason: 'looks odd' });
    await at('pauses');
    const pause = page.locator('[data-pause="TSLA"]');
    await pause.getByText('looks odd').waitFor();
    await pause.getByText('next notice on day 3').waitFor();
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

describe('a plan with more items than a view of a table has', () => {
  it('is shown finished when it is, also where its table is read page by page (B3)', async () => {
    served = new Served(['plan.json']);
    served.work.write('agents.mjs', 'export const draft = async () => ({});');
    // The items that the page shows first are the last ones of the table.
    const items = Array.from({ length: 1_200 }, (_, n) => `k${String(9_999 - n)}`);
    const plan = { version: 1, plan: 'large', agents: './agents.mjs', stages: { draft: { agent: 'draft' } }, items };
    served.work.write('plan.json', JSON.stringify(plan));
    await served.start();
    watched = await opened(browser(), served.url);
    const { page } = watched;
    await watched.live();
    await at('plan');
    await page.getByText('1200 of 1,200 tasks done, 0 under way').waitFor();
    await page.getByTestId('plan-loaded').waitFor({ state: 'detached' });
    expect(await page.locator('[data-item]', { hasText: 'completed' }).count()).toBe(200);
    await page.getByRole('button', { name: '1,000 more items' }).waitFor();
    await expectAccessible(watched);
  });
});

describe('a plan with gates', () => {
  it('links an item that waits for people to its question, and distinguishes questions (N4)', async () => {
    served = new Served(['plan.yaml']);
    served.work.write(
      'agents.mjs',
      'export async function draft(_, { item }) { return { proposal: `print ${item} in red` }; }',
    );
    served.work.write(
      'plan.yaml',
      '{ version: 1, plan: p, agents: ./agents.mjs, capacity: { draft: 1 }, ' +
        'stages: { draft: { agent: draft, gate: { preset: G3 } } }, items: [A, B] }',
    );
    await served.start();
    watched = await opened(browser(), served.url);
    const { page } = watched;
    await watched.live();
    await at('inbox');
    const inbox = page.locator('[data-gate="plan.G3.1"]');
    await inbox.getByRole('link', { name: 'A/draft: Assumptions', exact: true }).waitFor();
    await inbox.getByText('print A in red').waitFor();
    await page.getByRole('link', { name: 'Answer B/draft: Assumptions' }).waitFor();
    await expectAccessible(watched);

    await at('plan');
    const [a, b] = ['A', 'B'].map((item) => page.locator(`[data-item="${item}"]`));
    await a!.getByText('waits for people').waitFor();
    await expectAccessible(watched);
    await b!.getByRole('link', { name: 'plan.G3.2' }).click();
    await page.getByRole('heading', { level: 1, name: 'B/draft: Assumptions' }).waitFor();
    await page.getByText('Proposed: print B in red').waitFor();
    await expectAccessible(watched);
    await page.getByLabel('decision').selectOption('approve');
    await page.getByLabel('Your name').fill('ada');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByRole('heading', { name: 'Answered by ada' }).waitFor();
    await at('plan');
    await b!.getByText('completed').waitFor();
    await a!.getByText('waits for people').waitFor();
  });
});

describe('a system without desks', () => {
  it.each(['inbox', 'gates', 'alerts', 'batches', 'pauses', 'debates'])(
    'says on the page %s that there is no such desk, and how to get one',
    async (view) => {
      served = await servedShop();
      watched = await opened(browser(), served.url);
      await at(view);
      await watched.page.getByText('To have one, give').waitFor();
      await expectAccessible(watched);
    },
  );
});
