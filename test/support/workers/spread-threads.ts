/**
 * Systems over real threads for tests, each on directories of its own, with the module
 * test/fixtures/workers/counters.mjs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { type Log } from '../../../src/log.ts';
import { System } from '../../../src/system.ts';
import { type SpreadOptions } from '../../../src/workers/options.ts';
import { spreadOverThreads } from '../../../src/workers/spread.ts';

/** The built file, because threads of Node 20 do not read TypeScript. */
const ENTRY = new URL('../../../dist/workers/thread.js', import.meta.url);

const WORKER_GATEWAY = new URL('../../../dist/gateway/workers/worker-gateway.js', import.meta.url);

const MODULE = new URL('../fixtures/workers/counters.mjs', import.meta.url);

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

export interface Context {
  readonly counted: readonly number[];
  readonly sum: number;
}

/** A directory that is removed after the test, and after the systems over it. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bosun-workers-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A system that is stopped after the test. */
export function spread(
  directory: string,
  options: Partial<SpreadOptions['workers']> = {},
  log: Log = () => {},
): System {
  const workers = { count: 2, module: MODULE, directory, execArgv: [], intensity: 100, ...options };
  const parts = { clock: systemClock, log, workerGateway: WORKER_GATEWAY, entry: ENTRY };
  const system = new System(spreadOverThreads({ workers }, parts), parts);
  onTestFinished(() => system.stop());
  return system;
}

/** Two names on different workers; the first passes on to the second. */
export async function friends(system: System): Promise<[one: string, other: string]> {
  const one = 'a';
  const other = NAMES.find((name) => system.workerOf(name) !== system.workerOf(one))!;
  if ((await system.snapshot(one))?.value === 'alone') await system.send(one, { type: 'befriend', address: other });
  await (await system.actor(one)).waitFor(({ value }) => value === 'friends');
  return [one, other];
}

export async function contextOf(system: System, address: string): Promise<Context> {
  return (await system.snapshot(address))!.context as Context;
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

/** Sends in a session of its own: a command left open by a death is sent again, and counts once. */
export async function insist(system: System, address: string, event: { type: string; number: number }): Promise<void> {
  await system.send(address, event, { session: { id: `number ${event.number}`, sequence: 1 } });
}
