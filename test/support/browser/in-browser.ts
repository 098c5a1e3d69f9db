/**
 * One browser for the tests of a file. After each test the page and the server are closed, and the page must have no
 * fault.
 */
import { type Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type WatchedPage } from './browser.ts';
import { launched } from './chromium.ts';

/** @returns A function for the browser, once the tests run. */
export function inBrowser(
  used: () => { readonly watched: WatchedPage; readonly served: AsyncDisposable },
): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launched();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const { watched, served } = used();
    await watched.page.context().close();
    await served[Symbol.asyncDispose]();
    expect(watched.faults).toEqual([]);
  });
  return () => browser;
}
