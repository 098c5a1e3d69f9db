/** The page as the gateway serves it: its content, its security policy, and no file besides it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createServer, get, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isPage, InspectorPage, PAGE_POLICY } from '../../../src/gateway/network/inspector-page.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { shop } from '../../support/gateway/shop.ts';

const PATHS = ['/', '/inspector/app.js', '/inspector/app.css', '/inspector/icon.svg'];

/**
 * Script and style together, as they travel. The pages of answers, of their desk and of agents are 7.5 KB of it, those
 * of runs and ended actors 2 KB: they are loaded with the others, because a page that loses its server must still show
 * them. A KB and a half is the picture of the desk's calibration, its triggers, taking back, and for whom an answer
 * holds. Then 3.75 KB are the pages of hubs: runs, lineage trees, sessions. They are 4.5 KB; heads of pages that
 * are shared, and checks of the client's options that the page does without, made room for the rest. Half a KB more
 * is the diff of a session, and questions of hubs that are answered where they are shown. Another 3.25 KB are the
 * pages of tasks and of the delivery organisation. The last KB is the client's: all frames in turns, waits of months,
 * and tokens that are renewed over breaks.
 */
const GZIP_BYTES_MAX = 89 * 1_024;
const AS_SERVED = { level: 9 };

let test: TestSystem;
let gateway: Gateway;
/** Serves the built page, as a gateway of the built package does. */
let server: Server;
let url = '';
let gatewayUrl = '';

beforeAll(async () => {
  test = await startTestSystem(shop());
  gateway = createGateway(test.shard, { port: 0, tokens: [{ id: 'ada', token: 'a-token-of-ada-00' }] });
  gatewayUrl = (await gateway.listen()).url;
  const built = new InspectorPage(new URL('../../../dist/inspector/', import.meta.url));
  server = createServer((request, response) => void built.answer(request.url!, request, response)).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await gateway.close();
  await test.shard.stop();
});

describe('the page', () => {
  it.each(PATHS)('%s is served with a policy that allows no foreign content, and with an etag', async (path) => {
    const first = await fetch(url + path);
    expect([first.status, isPage(path)]).toEqual([200, true]);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
    const again = await fetch(url + path, { headers: { 'If-None-Match': first.headers.get('etag')! } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await fetch(url + path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await fetch(url + path, { method: 'POST' })).status).toBe(405);
  });

  it('has a policy that forbids everything by default and allows only its own origin', () => {
    expect(PAGE_POLICY.split('; ')).toEqual([
      "default-src 'none'",
      ...['script-src', 'style-src', 'connect-src', 'img-src'].map((what) => `${what} 'self'`),
      ...['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`),
    ]);
  });

  it('is below 89 KB gzipped, evaluates no text as code, and names no foreign URL', async () => {
    const [html, script, style] = await Promise.all(
      PATHS.slice(0, 3).map(async (path) => (await fetch(url + path)).text()),
    );
    expect(gzipSync(script!, AS_SERVED).length + gzipSync(style!, AS_SERVED).length).toBeLessThan(GZIP_BYTES_MAX);
    expect(html).not.toMatch(/<script(?![^>]*src="inspector\/)|<style|\son\w+=/);
    expect(
      [...`${html}${script}${style}`.matchAll(/https?:\/\/(?!www\.w3\.org\/)[\w.-]+/g)].map(([address]) => address),
    ).toEqual([]);
    expect(script).not.toMatch(/\beval\(|new Function\(/);
  });

  it('tells how to build it if it was not built', async () => {
    const response = await fetch(`${gatewayUrl}/`);
    expect([response.status, response.headers.get('content-security-policy')]).toEqual([200, PAGE_POLICY]);
    expect(await response.text()).toContain('npm run build');
    expect((await fetch(`${gatewayUrl}/inspector/app.js`)).status).toBe(404);
  });

  it('needs no token, while the data that it shows needs one', async () => {
    expect((await fetch(`${gatewayUrl}/`)).status).toBe(200);
    expect((await fetch(`${gatewayUrl}/v1/tree`)).status).toBe(401);
  });

  it.each([
    '/inspector/',
    '/inspector/../page.js',
    '/inspector/app.js.map',
    '/inspector/%2e%2e/page.js',
    '/index.html',
    '/inspector/main.tsx',
  ])('does not include %s', async (path) => {
    expect(isPage(path)).toBe(false);
    expect((await fetch(gatewayUrl + path)).status).toBe(401);
  });

  it('may be opened by a link on another page, but not embedded or read by that page', async () => {
    const visit = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    // fetch has its own say about these headers.
    const status = (headers: Record<string, string>, path = '/') =>
      new Promise<number | undefined>((resolve) =>
        get(gatewayUrl + path, { headers }, (response) => resolve(response.resume().statusCode)),
      );
    expect(await status(visit)).toBe(200);
    expect(await status({ ...visit, 'Sec-Fetch-Dest': 'iframe' })).toBe(403);
    expect(
      await status(
        { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' },
        '/inspector/app.js',
      ),
    ).toBe(403);
    expect(await status({ ...visit, Origin: 'https://evil.example' })).toBe(403);
  });

  it('is not served if some of its files are missing', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-page-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'index.html'), '<p>');
    const half = new InspectorPage(pathToFileURL(`${directory}/`));
    const one = createServer((request, response) => void half.answer('/', request, response)).listen(0, '127.0.0.1');
    onTestFinished(() => void one.close());
    await new Promise((resolve) => one.once('listening', resolve));
    expect(await (await fetch(`http://127.0.0.1:${(one.address() as AddressInfo).port}/`)).text()).toContain(
      'not built',
    );
  });
});
