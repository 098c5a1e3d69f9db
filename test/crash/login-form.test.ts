/**
 * The story of the login form (MX-E16) in a real repository, under kill -9 of the host: a coding agent works there by
 * MCP, the tests of the repository check what it has done, and a person answers what no file says.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type WrittenTask } from '../../src/machines/delivery/plans/plan-document.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';
import { END, type Served, type TaskAudit, TaskRun } from '../support/crash/tasks-run.ts';
import { errorOf, type McpClient, overHttp, toldBy } from '../support/gateway/mcp-clients.ts';
import { showsBy } from '../support/shown-by.ts';

const KILLS = byEffort({ quick: 1, ci: 3, soak: 20 });
/** How much faster than the machine's the clock of hosts runs. */
const SPEED = 60;
/** Moments of the story, as {@link TaskRun} counts them, without kills. */
const MOMENTS = 60;

const PARTS = { markup: 30, masking: 40, submit: 20 } as const;
type Part = keyof typeof PARTS;
const names = Object.keys(PARTS) as Part[];
const LOGIN: WrittenTask = {
  ...{ title: 'Add login form', minutes: 100, concerns: ['frontend'], acceptance: ['a user can log in'] },
  subtasks: names.map((name, at) => ({
    ...{ title: `Login ${name}`, minutes: PARTS[name], dependsOn: at === 0 ? [] : [`Login ${names[at - 1]}`] },
    acceptance: [{ criterion: `the ${name} works`, test: `has ${name}` }],
  })),
};

/** A repository with a test for each part, which tests that are not begun are skipped. */
function repository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-login-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "dependencies": { "zod": "^4.0.0" } }\n');
  const tests = names.map(
    (name) => `
test('has ${name}', { skip: !existsSync(file('${name}')) }, async () => {
  assert.equal((await import(file('${name}'))).works, true);
});`,
  );
  const head = `import { existsSync } from 'node:fs';
import assert from 'node:assert/strict';
import test from 'node:test';

const file = (name) => new URL(\`./\${name}.js\`, import.meta.url).pathname;`;
  writeFileSync(join(folder, 'login.test.js'), `${head}\n${tests.join('\n')}\n`);
  return folder;
}

interface Directive {
  readonly taskId: string;
  readonly title: string;
}

/** The one coding agent, and the person. They repeat each call until a host answers. */
class Crew {
  readonly #run: TaskRun;
  readonly #folder: string;
  #client: { readonly host: Served; readonly mcp: McpClient } | undefined;
  #calls = 0;
  /** Titles in the order in which they were given first. */
  readonly given: string[] = [];
  /** Whether the person has answered what no file says. */
  isAnswered = false;

  constructor(run: TaskRun, folder: string) {
    this.#run = run;
    this.#folder = folder;
  }

  async work(): Promise<void> {
    await this.#order('/v1/tasks', { plan: { name: 'shop', owner: 'ada', tasks: [LOGIN] }, by: 'ada' });
    while (!this.#run.isOver) {
      const seen = this.#run.news;
      const { task } = (await this.#call('getNextTask')) as { readonly task: Directive | null };
      if (task !== null) await this.#do(task);
      else if (!this.#run.isOver) await this.#run.newsAfter(seen);
    }
    await this.#client?.mcp.close().catch(() => {});
  }

  async #do({ taskId: task_id, title }: Directive): Promise<void> {
    if (!this.given.includes(title)) this.given.push(title);
    const name = names.find((one) => title.includes(one))!;
    if (title === 'Login submit' && !this.isAnswered) return this.#ask(task_id);
    // The first masking is wrong, which only its test finds.
    const works = title !== 'Login masking';
    writeFileSync(join(this.#folder, `${name}.js`), `export const works = ${works};\n`);
    await this.#call('reportTaskStatus', { task_id, progress_percent: 50 });
    await this.#call('reportTaskDone', { task_id, files: [`${name}.js`], testing: 'it looks right' }, true);
  }

  /** Asks what only a person knows, who answers before the task goes on. */
  async #ask(task_id: string): Promise<void> {
    const question = 'Which mail address gets the reports of the login form?';
    const order = { question, task_id, priority_level: 1, confidence_level: 50, max_wait_seconds: 20 };
    const asked = await this.#call('askQuestion', order);
    const { ticket_id: ticket } = asked as { readonly ticket_id: string | null };
    if (ticket === null) return;
    const said = { ticket, by: 'ada', text: 'The reports of the login form go to the mail address ada@example.org.' };
    await this.#order('/v1/procedures/tickets.resolve', { ...said, reason: 'I know it' });
    this.isAnswered = true;
  }

  /** Calls a tool until a host answers. What has ended already cannot end again. */
  async #call(tool: string, args: object = {}, mayHaveEnded = false): Promise<Record<string, unknown>> {
    const idempotencyKey = `login-${++this.#calls}`;
    return this.#until(async (host) => {
      if (this.#client?.host !== host)
        this.#client = { host, mcp: await overHttp('of 2026', `${host.url}/mcp`, 'a-long-random-secret-of-coder-1') };
      const told = await this.#client.mcp.call(tool, { ...args, idempotencyKey });
      if (told.isError !== true || mayHaveEnded) return toldBy(told);
      // The clock of hosts is fast: their calls may take too long, and are made again with the same key.
      if (errorOf(told).retryable) return null;
      throw new Error(`${tool}: ${JSON.stringify(told)}`);
    });
  }

  async #order(path: string, body: object): Promise<void> {
    const headers = { Authorization: 'Bearer a-long-random-secret-of-the-phone', 'Content-Type': 'application/json' };
    const key = { 'Idempotency-Key': `order-${++this.#calls}` };
    await this.#until(async ({ url }) => {
      const init = { method: 'POST', headers: { ...headers, ...key }, body: JSON.stringify(body) };
      return (await (await fetch(`${url}${path}`, init)).json()) as Record<string, unknown>;
    });
  }

  async #until(act: (host: Served) => Promise<Record<string, unknown> | null>): Promise<Record<string, unknown>> {
    for (;;) {
      const host = await this.#run.served();
      if (host === undefined) return { task: null };
      try {
        const died = host.closed.then(() => Promise.reject(new Error('the host has died')));
        const told = act(host);
        this.#run.moment();
        const done = await Promise.race([told, died]);
        this.#run.moment();
        if (done !== null) return done;
      } catch (error) {
        if (!host.isKilled() && !this.#run.isOver) throw error;
      }
    }
  }
}

async function killed(run: TaskRun): Promise<TaskAudit> {
  const random = randomOf('kills of hosts of the login form');
  const most = Math.max(2, Math.floor((2 * MOMENTS) / KILLS));
  for (let kill = 1; kill <= KILLS; kill++) await run.host(String(kill), 1 + random.integer(most));
  return (await run.host(END))!;
}

it('MX-E16: is verified by real tests, while its host gets kill -9 again and again', {
  timeout: LONG_PATIENCE_MS,
}, async () => {
  showsBy('gateway');
  const [directory, folder] = [mkdtempSync(join(tmpdir(), 'bosun-login-')), repository()];
  // The issue, its three parts, and the fix of one of them.
  const run = new TaskRun(directory, { speed: SPEED, tasks: 5, folder });
  const crew = new Crew(run, folder);
  try {
    const [audit] = await Promise.all([killed(run), crew.work()]);
    expect(crew.given).toEqual(['Login markup', 'Login masking', 'Fix: has masking', 'Login submit']);
    expect(audit.tasks.map(({ title, status }) => [title, status])).toEqual(
      ['Add login form', 'Login markup', 'Login masking', 'Login submit', 'Fix: has masking'].map((title) => [
        title,
        'verified',
      ]),
    );
    expect(audit.left).toEqual(Object.fromEntries(Object.keys(audit.left).map((what) => [what, 0])));
    const rows = (id: string) => audit.handoffs.filter(({ item }) => item === id).map(({ row }) => row);
    expect(rows('TASK-003')).toEqual([3, 4, 7, 8, 7]);
    expect(rows('TASK-004')).toEqual([3, 4, 5, 6, 4, 7]);
  } finally {
    await run.stop();
    rmSync(directory, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
});
