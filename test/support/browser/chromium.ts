/** Starts a real browser. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Path of Debian's browser; BOSUN_CHROMIUM overrides it. */
const CHROMIUM = process.env['BOSUN_CHROMIUM'] ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the browser. Rejects if there is none: a test of the page that does not run has not passed. */
export async function launched(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(
      `no browser at ${CHROMIUM}: install Debian's package chromium, or say by BOSUN_CHROMIUM where one is`,
    );
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
