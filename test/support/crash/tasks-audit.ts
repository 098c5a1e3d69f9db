/** Checks of what is left of tasks after many kills: each is verified once, and was given to one session at a time. */
import { expect } from 'vitest';
import { type HandoffEntry } from '../../../src/machines/delivery/organisation/handoff-messages.ts';
import { type Given } from './tasks-coder.ts';
import { type TaskAudit } from './tasks-run.ts';

/** Checks that there is each task once, verified, and nothing else. */
export function checkTasks({ tasks, counts, left }: TaskAudit, given: ReadonlyMap<string, number>): void {
  const titles = tasks.map(({ title }) => title);
  expect(titles.toSorted()).toEqual([...given.keys()].toSorted());
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
  for (const { id, title, status, attempts } of tasks)
    expect({ id, status, attempts }).toEqual({ id, status: 'verified', attempts: given.get(title) });
  const others = Object.entries(counts).filter(([, count]) => count !== 0);
  expect(others).toEqual([['verified', tasks.length]]);
  expect(left).toEqual(Object.fromEntries(Object.keys(left).map((what) => [what, 0])));
}

/** Checks that each attempt was given to one session, and the last one to the one on record. */
export function checkGiven({ tasks }: TaskAudit, given: readonly Given[]): void {
  for (const { id, attempts, coder } of tasks) {
    const its = given.filter(({ task }) => task === id);
    const numbers = [...new Set(its.map(({ attempt }) => attempt))];
    expect(numbers, id).toEqual(Array.from({ length: attempts }, (_, at) => at + 1));
    for (const number of numbers)
      expect(new Set(its.filter(({ attempt }) => attempt === number).map((one) => one.coder)).size, id).toBe(1);
    expect(coder, id).toBe(attempts === 0 ? null : `mcp:${its.at(-1)!.coder}`);
  }
}

/** Checks the log of hand-offs: none is refused, twice there or lost, and none takes place before it may. */
export function checkHandoffs({ tasks, handoffs, dashboard }: TaskAudit): void {
  expect(handoffs.map(({ number }) => number)).toEqual(handoffs.map((_, at) => at + 1));
  expect(handoffs.filter(({ isAccepted }) => !isAccepted)).toEqual([]);
  const byTask = new Map<string, HandoffEntry[]>();
  for (const one of handoffs) byTask.set(one.item, [...(byTask.get(one.item) ?? []), one]);
  expect([...byTask.keys()].toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
  const doneAt = (id: string) => byTask.get(id)!.find(({ row }) => row === 7)?.number ?? 0;
  for (const { id, attempts, dependencies } of tasks) {
    const its = byTask.get(id)!;
    // Planned and broken down; or planned, given as often as there were attempts, and handed to the check once.
    const rows = attempts === 0 ? [1, 2] : [3, ...Array.from({ length: attempts }, () => 4), 7];
    expect(
      its.map(({ row }) => row),
      id,
    ).toEqual(rows);
    const first = its.find(({ row }) => row === 4)?.number ?? Infinity;
    for (const other of dependencies) expect(first, `${id} after ${other}`).toBeGreaterThan(doneAt(other));
  }
  // The dashboard is informed of these rows, once of each hand-off.
  const count = (row: number) => handoffs.filter((one) => one.row === row).length;
  expect(dashboard).toEqual({ 3: count(3), 4: count(4), 7: count(7) });
}
