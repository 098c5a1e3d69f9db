/** The checks in every test of the page: no error, no request that leaves this machine, no barrier to accessibility. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../effort.ts';

/** A page under watch. */
export class WatchedPage {
  readonly page: Page;
  /** Faults: errors of the page, requests to elsewhere. */
  readonly faults: string[] = [];
  /** Set while the server is away: the browser's complaints are no faults of the page then. */
  isServerAway = false;

  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.faults.push(`page: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      const isAboutNetwork = /WebSocket connection|ERR_CONNECTION_REFUSED/.test(message.text());
      if ((message.type() === 'error' || message.type() === 'warning') && !(this.isServerAway && isAboutNetwork))
        this.faults.push(`console: ${message.text()}`);
    });
    const look = (url: string) => {
      if (!/^(https?|wss?):\/\/127\.0\.0\.1:/.test(url)) this.faults.push(`request: ${url}`);
    };
    page.on('request', (request) => look(request.url()));
    page.on('websocket', (socket) => look(socket.url()));
  }

  /** Waits until the page shows live data. */
  async live(): Promise<void> {
    await this.page.locator('.badge[data-phase="live"]').waitFor();
  }
}

export async function opened(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  // Shorter than the test's own time-out, so that the error names the awaited element.
  context.setDefaultTimeout(PATIENCE_MS / 2);
  const watched = new WatchedPage(await context.newPage());
  await watched.page.goto(url);
  return watched;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Checks the page against axe-core's rules: no serious and no critical violation. */
export async function expectAccessible({ page }: WatchedPage): Promise<void> {
  await page.evaluate(`${AXE}; undefined`);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResult;
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    grave.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html, failureSummary }) => `${html} (${failureSummary})`)
          .slice(0, 3)
          .join('; ')}`,
    ),
  ).toEqual([]);
}
