/** `bosun desk` with a plan of tasks, and coding agents that take and report them. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Served } from './served.ts';

/** Serves the delivery organisation, without a plan. */
export async function servedDelivery(): Promise<Served> {
  const served = new Served(['shop'], {}, 'desk');
  mkdirSync(served.work.file('shop'));
  return served.start();
}

/** Serves a delivery organisation whose gateway does not offer its procedures. */
export async function servedSilent(): Promise<Served> {
  const crew = JSON.stringify(fileURLToPath(new URL('../../../dist/crew.js', import.meta.url)));
  const served = new Served([]);
  const config = `import { answerCrew } from ${crew};\nexport default answerCrew({ delivery: {} });\n`;
  served.work.write('bosun.config.mjs', config);
  return served.start();
}

/** A plan with a task that breaks down, one that waits for another, and one without criteria. */
const PLAN = {
  name: 'shop',
  tasks: [
    {
      ...{ title: 'Login form', minutes: 35, concerns: ['frontend'], description: 'With e-mail and password.' },
      ...{ acceptance: ['a user can log in', 'a wrong password is refused'], files: ['src/login.tsx'], priority: 1 },
    },
    { title: 'Sessions', minutes: 30, concerns: ['backend'], acceptance: ['last a day'], dependsOn: ['Login form'] },
    { title: 'Prices', minutes: 20, concerns: ['backend'], acceptance: ['are in cents'] },
    { title: 'Footer', minutes: 10, concerns: ['frontend'] },
    {
      ...{ title: 'Basket', minutes: 90, concerns: ['backend'], acceptance: ['keeps its content'] },
      subtasks: ['Add to the basket', 'Empty the basket'].map((title) => ({
        ...{ title, minutes: 30, concerns: ['backend'], acceptance: [`${title} works`] },
      })),
    },
  ],
};

/** Hands in the plan. */
export function handIn(served: Served): Promise<unknown> {
  return post(served, '/v1/tasks', { plan: PLAN, by: 'ada' });
}

interface Order {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Asks an actor of the organisation, and returns its reply. */
export async function orders(served: Served, actor: string, event: Order): Promise<unknown> {
  const { reply } = await post(served, `/v1/actors/${encodeURIComponent(`delivery/${actor}`)}/ask`, { event });
  return reply;
}

async function post({ url }: Served, path: string, body: object): Promise<{ readonly reply?: unknown }> {
  const response = await fetch(url + path, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { readonly reply?: unknown };
}
