/**
 * The store of a delivery organisation that an earlier build has written, before a check had states of its own: this
 * build goes on with its tasks. How the store was made is in test/support/fixtures/stores/README.md.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerCrew } from '../src/crew-plan.ts';
import { type OrchestratorContext } from '../src/machines/delivery/tasks/orchestrator-state.ts';
import { levelStore } from '../src/persistence/store/level-store.ts';
import { type TreeNode } from '../src/system-options.ts';
import { createSystem, type System } from '../src/system.ts';
import { VirtualClock } from '../src/testing/virtual-clock.ts';
import { recordsIn } from '../src/machines/rules/records.ts';

let directory: string;
let clock: VirtualClock;
let system: System;
let checked: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'bosun-earlier-delivery-'));
  cpSync(join(import.meta.dirname, 'support/fixtures/stores/155a819'), directory, { recursive: true });
  checked = [];
  const verify = ({ id }: { readonly id: string }) => Promise.resolve((checked.push(id), { failures: [] }));
  // Two minutes after the organisation began.
  clock = new VirtualClock(Date.UTC(2026, 0, 1, 0, 2));
  const crew = answerCrew({ delivery: { ports: { verify }, places: 9 } });
  system = createSystem({ ...crew, store: levelStore(directory), clock, log: () => {} });
  await system.start();
  await system.idle();
});
afterEach(async () => {
  await system.stop();
  rmSync(directory, { recursive: true });
});

const desk = async () => (await system.snapshot('delivery/orchestrator'))!.context as OrchestratorContext;
/** Has so many seconds pass, after each of which what the ports answer is heard. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await clock.advance(1_000, () => system.idle());
}

async function statuses(): Promise<Record<string, string>> {
  return Object.fromEntries(recordsIn(await desk()).map(({ id, status }) => [id, status]));
}

async function order(type: string, more: object): Promise<unknown> {
  const asked = system.ask('delivery/orchestrator', { type, ...more }, { timeoutMs: 60_000 });
  await system.idle();
  return asked;
}

function suspended({ address, status, children }: TreeNode): string[] {
  return [...(status === 'active' ? [] : [`${address} is ${status}`]), ...children.flatMap(suspended)];
}

it('has nobody that cannot be read', async () => {
  expect(suspended(await system.tree())).toEqual([]);
  const { figures, ...held } = await desk();
  expect(recordsIn(held).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `TASK-00${n}`));
  for (const row of recordsIn(held)) expect(row).toMatchObject({ check: null, pause: null, fixes: [], doneAtMs: null });
  expect(figures).toEqual({});
});

it('has a task checked that was done in the earlier build', async () => {
  await pass(65);
  expect(checked).toEqual(['TASK-003']);
  expect(await statuses()).toMatchObject({ 'TASK-001': 'verified', 'TASK-003': 'verified' });
});

it('has a task mended whose fix was under way, and goes on with the others', async () => {
  await order('tasks.done', { coder: 'eve', task: 'TASK-006', files: ['src/a.ts'] });
  await pass(130);
  await order('tasks.done', { coder: 'dot', task: 'TASK-004', files: ['src/a.ts'] });
  await pass(65);
  await order('tasks.next', { coder: 'ann' });
  expect(await statuses()).toEqual({
    ...{ 'TASK-001': 'verified', 'TASK-002': 'verified', 'TASK-003': 'verified', 'TASK-006': 'verified' },
    ...{ 'TASK-004': 'verified', 'TASK-005': 'in_progress' },
  });
});
