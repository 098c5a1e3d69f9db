/**
 * What every test of the page holds against it: no error, no request that leaves this machine, nothing that keeps
 * anybody out.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../effort.ts';

/** A page under watch. */
export class WatchedPage {
  readonly page: Page;
  /** What should not have been: errors of the page, requests to elsewhere. */
  readonly faults: string[] = [];
  /** A server that is gone makes the browser complain; so long that is not the page's fault. */
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

  /** Waits until the page says that what it shows is live. */
  async live(): Promise<void> {
    await this.page.locator('.badge[data-phase="live"]').waitFor();
  }
}

export async function opened(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  // Before the test is given up, so that it says what was waited for.
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

/** Holds the page as it is against axe-core's rules: nothing serious, nothing critical. */
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
