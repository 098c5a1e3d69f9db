/** Tasks that coding agents pull by MCP, under kill -9 of the host at random moments: none is lost or done twice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS } from '../support/effort.ts';
import { checkGiven, checkHandoffs, checkTasks } from '../support/crash/tasks-audit.ts';
import { Assignments, TaskCoder } from '../support/crash/tasks-coder.ts';
import { givenByTitle, PLANS, tasksOf } from '../support/crash/tasks-plan.ts';
import { END, type TaskAudit, TaskRun } from '../support/crash/tasks-run.ts';

const TASKS = byEffort({ quick: 40, ci: 100, soak: 200 });
const KILLS = byEffort({ quick: 3, ci: 3, soak: 50 });

/** How much faster than the machine's the clock of hosts runs: the files of a task have to be quiet for a minute. */
const SPEED = 60;
/**
 * The most moments of a host before it is killed: its lines, and calls and replies of its clients. A task takes about
 * twelve, so that the work lasts longer than the kills.
 */
const MOMENTS_MAX = Math.floor((20 * TASKS) / KILLS);

/** Hands in the plans, in the name of a person, until a host has taken each. */
async function handIn(run: TaskRun): Promise<void> {
  const headers = { Authorization: 'Bearer a-long-random-secret-of-the-phone', 'Content-Type': 'application/json' };
  for (const name of PLANS) {
    const tasks = tasksOf(name, TASKS / PLANS.length, randomOf('tasks under kills', name));
    const body = JSON.stringify({ plan: { name, tasks }, by: 'ada' });
    for (let isTaken = false; !isTaken; ) {
      const host = await run.served();
      if (host === undefined) throw new Error('the work is over before it was handed in');
      const init = { method: 'POST', headers: { ...headers, 'Idempotency-Key': name }, body };
      const reply = fetch(`${host.url}/v1/tasks`, init).then((response) => response.json());
      const told = (await reply.catch((error: unknown) => {
        if (!host.isKilled()) throw error;
      })) as { readonly taken?: boolean } | undefined;
      if (told !== undefined) expect(told).toMatchObject({ taken: true, problems: [] });
      isTaken = told !== undefined;
    }
  }
}

/** Kills host after host, and lets the last one finish and audit. */
async function killed(run: TaskRun): Promise<TaskAudit> {
  const random = randomOf('kills of hosts of tasks');
  for (let kill = 1; kill <= KILLS; kill++) await run.host(String(kill), 1 + random.integer(MOMENTS_MAX));
  return (await run.host(END))!;
}

describe('the queue of tasks', () => {
  const title = `gives ${TASKS} tasks to two MCP clients over ${KILLS} kill -9 of the host: no task twice, none lost`;
  it(title, { timeout: LONG_PATIENCE_MS }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-tasks-'));
    const given = givenByTitle(TASKS / PLANS.length);
    const run = new TaskRun(directory, { speed: SPEED, tasks: given.size });
    const assignments = new Assignments();
    const coders = (['of 2026', '1.32'] as const).map((era, at) => {
      const name = `coder-${at + 1}`;
      return new TaskCoder({ name, era, random: randomOf('tasks under kills', name) }, run, assignments);
    });
    try {
      const work = coders.map((coder) => coder.work());
      const [audit] = await Promise.all([killed(run), handIn(run), ...work]);
      checkTasks(audit, given);
      checkGiven(audit, assignments.given);
      checkHandoffs(audit);
      // The proof is worth something only if there was something to lose.
      expect(run.killsUnderWay()).toBeGreaterThan(KILLS / 2);
      expect(coders.reduce((sum, { repeats }) => sum + repeats, 0)).toBeGreaterThan(0);
      for (const name of ['coder-1', 'coder-2']) expect(assignments.given.map(({ coder }) => coder)).toContain(name);
    } finally {
      await run.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
