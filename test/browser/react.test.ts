/**
 * A remote actor in a React page of another origin, by stock @xstate/react: it renders the current state, and continues
 * after a kill of the server.
 */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { opened } from '../support/browser/browser.ts';
import { launched } from '../support/browser/chromium.ts';
import { type Served } from '../support/browser/served.ts';
import { servedShop } from '../support/browser/shop.ts';

let browser: Browser;
let pages: Server;
let origin = '';
let served: Served;

beforeAll(async () => {
  browser = await launched();
  const build = await rolldown({
    input: join(import.meta.dirname, '../support/browser/react-app.ts'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  pages = createServer((request, response) => {
    const isScript = request.url === '/app.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(
      isScript
        ? output[0].code
        : '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" ' +
            'src="/app.js"></script>',
    );
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  served = await servedShop(`{ origins: ['${origin}'] }`);
});
afterAll(async () => {
  await browser.close();
  pages.close();
  await served[Symbol.asyncDispose]();
});

it('a React page renders the state of the actor, sends an event, and renders the result', async () => {
  const watched = await opened(browser, `${origin}/?gateway=${encodeURIComponent(served.url)}`);
  const { page } = watched;
  await page.getByText('0 paid, open').waitFor();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('7 paid, open').waitFor();
  watched.isServerAway = true;
  await served.kill();
  await page.getByRole('button', { name: 'Pay' }).click();
  await served.start();
  await page.getByText('14 paid, open').waitFor();
  expect(watched.faults).toEqual([]);
});
