/** The pages of hubs: runs, the lineage tree, sessions, orders, over a kill of their host. */
import { describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { tell } from '../support/browser/desks-system.ts';
import { ASKS, ESCALATES, MARKUP, MEND, PAUSES, servedHubs } from '../support/browser/hub-system.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';
import { CHAIN, HANDOFFS, handoffsIn, script, writeHub } from '../support/cli/hub-files.ts';
import { type Process, Workspace } from '../support/cli/workspace.ts';

const PHONE = { width: 375, height: 780 };
const DESKTOP = { width: 1280, height: 800 };

let watched: WatchedPage;
let system: AsyncDisposable;

const browser = inBrowser(() => ({ watched, served: system }));

const card = (session: string) => watched.page.locator(`[data-session="${session}"]`);
const shown = (text: string | RegExp) => watched.page.locator('main').getByText(text).first().waitFor();
/** Waits until the tree has these sessions, from top to bottom. */
const expectCards = (...numbers: readonly number[]) =>
  expect
    .poll(() =>
      watched.page.evaluate(`[...document.querySelectorAll('[data-session]')].map((one) => one.dataset.session)`),
    )
    .toEqual(numbers.map((number) => `R-1-${number}`));
const left = async (place: string) => (await watched.page.locator(place).boundingBox())!.x;

const motion = () =>
  watched.page.evaluate(`getComputedStyle(document.querySelector('[data-session="R-1-5"] .dot')).animationName`);

async function at(served: Served, view: string): Promise<void> {
  await watched.page.goto(`${served.url}/#/${view}`);
  await watched.live();
  await watched.page.locator('main h1').waitFor();
}

/** The page in the size of a phone, which does not scroll to the side. */
async function expectPhone(): Promise<void> {
  const { page } = watched;
  await page.setViewportSize(PHONE);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
}

async function order(button: string, verb = button): Promise<void> {
  const { page } = watched;
  await page.getByRole('button', { name: `${button}…`, exact: true }).click();
  await page.getByRole('dialog').getByLabel('by').fill('ada');
  await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
}

async function serve(served: Served): Promise<Served> {
  system = served;
  watched = await opened(browser(), served.url);
  return served;
}

/** A session as a person sees it: what was said beside what was verified, what was refused, texts as texts. */
async function expectSessions(served: Served): Promise<void> {
  const { page } = watched;
  await at(served, 'hubs/R-1/R-1-1');
  await shown(`RFC 8259 allows a number to end the text ${MARKUP}`);
  await shown('expects a comma');
  await shown('nobody looked');
  await shown('There is none.');
  await at(served, 'hubs/R-1/R-1-3');
  await shown('hand off and recommend Tester, and the hub decides');
  await page.locator('section', { hasText: 'As verified' }).getByText('unexpected-files').waitFor();
  await shown('test/parser.test.ts changed, and was not said');
  const changes = page.locator('section', { has: page.getByRole('heading', { name: 'Changes 2' }) });
  await changes.getByText('test/parser.test.ts (new, no text)').waitFor();
  await changes.getByText('The rest of the diff is not shown.').waitFor();
  expect(await changes.locator('.bad').allTextContents()).toEqual(["-  expect(',');\n"]);
  expect((await changes.locator('.good').allTextContents()).join('')).toContain(`+// ${MARKUP}`);
  await expectPhone();
  await page.setViewportSize(DESKTOP);
  await shown('src/**');
  await page.getByLabel('Prompt').getByText('Let a number end the text.').waitFor();
  await expectAccessible(watched);
  await at(served, 'hubs/R-1/R-1-9');
  await shown('No session “R-1-9”');
  await at(served, 'hubs/R-1/R-1-5');
  await page.getByLabel('stdout').getByText(`parser: 211 pass\n${MARKUP}`).waitFor();
  await shown('It has not handed off.');
  expect(await page.title()).toBe('R-1/R-1-5 · Bosun');
}

/** A question of scope, answered where the run is shown, by one press once the name is known. */
async function expectScopeAnswered(served: Served): Promise<void> {
  const { page } = watched;
  await tell(served, 'hubs', ESCALATES);
  await at(served, 'hubs/R-4');
  const questions = page.locator('section', { hasText: 'The run waits for people' });
  await questions.getByText('package.json', { exact: true }).waitFor();
  await questions.getByRole('link', { name: 'R-4-1' }).waitFor();
  await expectPhone();
  await expectAccessible(watched);
  await page.setViewportSize(DESKTOP);
  await page.getByRole('button', { name: 'Allow this file and go on' }).click();
  await card('R-4-2').getByText('hands off to Coordinator').waitFor();
  await questions.getByText('Reviewer is next, and no agent is given for it.').waitFor();
  await at(served, 'hubs/R-4/R-4-2');
  await shown('src/parser.ts changed, and was not said');
  await shown('src/**, package.json');
  await questions.getByRole('button', { name: 'Stop' }).click();
  await questions.waitFor({ state: 'detached' });
}

describe('runs of hubs', () => {
  it('are trees of sessions, whose pages have texts as texts, live and over a kill, also on a phone', async () => {
    const served = await serve(await servedHubs(MEND));
    const { page } = watched;
    await at(served, 'hubs');
    await page.getByText('5 of 12').waitFor();
    await page.getByRole('link', { name: 'R-1' }).click();
    await card('R-1-5').getByText('at work').waitFor();
    await card('R-1-3').getByText('hands off to Analyst, recommends Revisionist').waitFor();
    await card('R-1-4').getByText('spawned by Analyst').waitFor();
    await expectPhone();
    await page.setViewportSize(DESKTOP);
    const places = ['.hub', '[data-session="R-1-2"] .card', '[data-session="R-1-3"] .card'];
    const [hub, spoke, nested] = await Promise.all(places.map(left));
    expect([hub! < spoke!, spoke! < nested!]).toEqual([true, true]);
    expect(await motion()).toBe('pulse');
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
    expect(await motion()).toBe('none');
    await expectAccessible(watched);
    await expectSessions(served);
    watched.isServerAway = true;
    await served.kill();
    await page.locator('.badge', { hasText: /reconnecting/ }).waitFor();
    await served.start();
    await watched.live();
    served.work.write('go-Tester', '');
    await shown('212 tests pass');
    await page.locator('.crumbs').getByRole('link', { name: 'R-1' }).click();
    await shown('completed');
    await expectCards(1, 2, 3, 4, 5);
  });

  it('come into an empty list, lead to their questions, and are stopped and resumed by people', async () => {
    const served = await serve(await servedHubs());
    const { page } = watched;
    await at(served, 'hubs');
    await shown('No run yet.');
    await expectAccessible(watched);
    for (const start of [ASKS, PAUSES, MEND]) await tell(served, 'hubs', start);
    await page.getByRole('link', { name: 'R-3' }).waitFor();
    await expectPhone();
    await expectAccessible(watched);
    await page.setViewportSize(DESKTOP);
    await page.getByRole('link', { name: 'R-1' }).click();
    await page.getByRole('link', { name: /^WP-1\/R-1: Executor has failed: no key/ }).waitFor();
    await expectAccessible(watched);
    await order('Stop now');
    await shown('stopped by ada');
    await expectScopeAnswered(served);
    await at(served, 'hubs/R-2');
    await order('Resume');
    await page.getByText('R-2 goes on.').waitFor();
    await at(served, 'hubs/R-3');
    await order('Stop');
    await shown('stopping');
    await order('Kill');
    await card('R-3-5').getByText('interrupted').waitFor();
    await at(served, 'hubs');
    expect(await page.locator('tbody th').allTextContents()).toEqual(['R-2', 'R-4', 'R-3', 'R-1']);
  });

  it('are missing with a way out where there is no desk', async () => {
    await at(await serve(await servedShop()), 'hubs');
    await shown('bosun hub run hub.yaml --serve');
    await expectAccessible(watched);
  });
});

describe('bosun hub run --serve', () => {
  it('is followed live by the page, which goes on where the command does after a kill', async () => {
    const work = new Workspace();
    system = work;
    const waits = { run: 'while [ ! -e go-Archivist ]; do sleep 0.02; done' };
    const said = { outcome: 'approved', recommended: 'Tester', build: { command: 'make', exitCode: 0 } };
    writeHub(work, { ...CHAIN, Reviewer: script('Reviewer', said, { waits: true }), Archivist: waits });
    const start = async (port: string): Promise<{ running: Process; url: URL }> => {
      const running = work.spawn(['hub', 'run', 'hub.json', '--serve', '--port', port, '--json']);
      await running.says('#token=');
      return { running, url: new URL(/http\S+#token=\S+/.exec(running.err)![0]) };
    };
    const first = await start('0');
    watched = await opened(browser(), first.url.href);
    const { page } = watched;
    await page.getByRole('link', { name: 'Hubs', exact: true }).click();
    await page.locator('a[href="#/hubs/R-1"]').click();
    await card('R-1-1').getByText('Executor says so').waitFor();
    await card('R-1-2').getByText('at work').waitFor();
    watched.isServerAway = true;
    await first.running.end('SIGKILL');
    await page.locator('.badge', { hasText: /reconnecting/ }).waitFor();
    const second = await start(first.url.port);
    expect(second.url.hash).toBe(first.url.hash);
    work.write('go-Reviewer', '');
    await card('R-1-3').getByText('Tester says so').waitFor();
    await card('R-1-4').getByText('at work').waitFor();
    await expectCards(1, 2, 3, 4);
    expect(await page.locator('.arrow.back').count()).toBe(HANDOFFS.length);
    work.write('go-Archivist', '');
    const { code, out } = await second.running.ended;
    expect([code, handoffsIn(out)]).toEqual([0, HANDOFFS]);
    await shown('completed');
    await expectCards(1, 2, 3, 4);
  });
});
