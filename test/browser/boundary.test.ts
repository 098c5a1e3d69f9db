/** A view that fails on its data: the message for the person, and the other views, which go on. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectAccessible, opened, type WatchedPage } from '../support/browser/browser.ts';
import { inBrowser } from '../support/browser/in-browser.ts';
import { tell } from '../support/browser/desks-system.ts';
import { Served } from '../support/browser/served.ts';

const BOSUN = JSON.stringify(fileURLToPath(new URL('../../dist/index.js', import.meta.url)));

/** An agent with the name of the Lead Coordinator, whose plan is invalid until it is corrected. */
const CONFIG = `
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from ${BOSUN};

const task = { id: 'A', item: 'A', stage: 's', agent: 'a', duration: 1, after: [], barrier: false };
const foreign = defineAgent({
  name: 'lead-coordinator',
  machine: setup({}).createMachine({
    id: 'foreign',
    initial: 'working',
    context: { plan: { name: 'odd', unit: 'minutes', capacity: {}, tasks: [null] } },
    states: { working: {} },
    on: { mend: { actions: assign({ plan: ({ context }) => ({ ...context.plan, tasks: [task] }) }) } },
  }),
  events: { mend: z.object({}) },
});

export default { agents: [foreign], tree: { children: [{ id: 'coordinator', agent: 'lead-coordinator' }] } };
`;

let served: Served;
let watched: WatchedPage;

const browser = inBrowser(() => ({ watched, served }));
describe('a view that throws', () => {
  it('shows the error, can be tried again, and leaves other views alone (N3)', async () => {
    served = new Served([]);
    served.work.write('bosun.config.mjs', CONFIG);
    await served.start();
    watched = await opened(browser(), served.url);
    const { page } = watched;
    await watched.live();
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    const said = page.getByRole('alert');
    await said.locator('summary', { hasText: "Cannot read properties of null (reading 'item')" }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Plan cannot be shown');
    await expectAccessible(watched);

    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await page.getByRole('link', { name: 'Plan', exact: true }).click();
    await said.waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await said.waitFor();

    await tell(served, 'coordinator', { type: 'mend' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-item="A"]').waitFor();
    expect(await said.count()).toBe(0);
  });
});
