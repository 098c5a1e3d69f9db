/**
 * Cases from other runtimes: the form of a case, the systems on which it runs, and the reading of its result. A case
 * that another test proves names that test's file and title.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levelStore } from '../../../src/persistence/store/level-store.ts';
import { type FaultyStore } from '../../../src/testing/faulty-store.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { keeper, relay, waker } from './keepers.ts';
import { clerk, member, teller } from './talkers.ts';

/** A test in `test`, and its title as written there. */
export type Proof = readonly [file: string, title: string];

export interface ParityCase {
  readonly number: number;
  readonly name: string;
  readonly source: string;
  /** The result in the other runtime. */
  readonly expected?: unknown;
  /** Bosun's result, if it differs on purpose. */
  readonly instead?: unknown;
  /** Runs the case. Undefined if Bosun has no such feature, or the proofs are sufficient. */
  readonly shows?: (test: TestSystem) => Promise<unknown>;
  /** Set if the result survives a crash; such a case runs on LevelDB too. */
  readonly isDurable?: true;
  readonly proofs?: readonly Proof[];
  /** Why the results differ. */
  readonly differs?: string;
  /** Why the case does not apply to a single host. */
  readonly severalHosts?: string;
  /** The missing feature. */
  readonly notYet?: string;
  /** The system on which the case runs. Default: `TALKERS`. */
  readonly options?: TestSystemOptions;
}

export const STORES = ['memory', 'leveldb'] as const;
export type StoreKind = (typeof STORES)[number];

const temporary = (id: string) => ({ id, agent: 'member', restart: 'temporary' as const });

/** The agents of a system on which cases run by default. */
export const TALKERS: TestSystemOptions = {
  agents: [teller, clerk, member, keeper, waker, relay],
  tree: {
    intensity: 100,
    children: [
      { id: 't', agent: 'teller', restart: 'transient' as const },
      { id: 'a', agent: 'member' },
      temporary('b'),
      { id: 'c', agent: 'clerk' },
    ],
  },
};

/** Runs a case on a system of its own. */
export async function show(
  { shows, options = TALKERS }: Pick<ParityCase, 'shows' | 'options'>,
  kind: StoreKind = 'memory',
): Promise<unknown> {
  const directory = kind === 'leveldb' ? mkdtempSync(join(tmpdir(), 'bosun-parity-')) : undefined;
  const test = await startTestSystem({
    ...options,
    ...(directory !== undefined && { durability: 'process', store: mortalLevel(directory) }),
  });
  try {
    return await shows!(test);
  } finally {
    await test.shard.stop();
    if (directory !== undefined) rmSync(directory, { recursive: true });
  }
}

/** LevelDB under a process that dies: data given to it is with the operating system, and its lock is free. */
function mortalLevel(directory: string): FaultyStore {
  let level = levelStore(directory);
  let closed = Promise.resolve();
  const store = {
    name: level.name,
    get notes() {
      return level.notes;
    },
    open: async () => {
      await closed;
      level = levelStore(directory);
      await level.open();
    },
    close: () => level.close(),
    get: (key: string) => level.get(key),
    scan: (range: { gte: string; lt: string; limit?: number }) => level.scan(range),
    write: (writes: Parameters<typeof level.write>[0], how: { sync: boolean }) => level.write(writes, how),
    crash: () => void (closed = level.close()),
  };
  // LevelDB has none of the other faults that a faulty store can simulate.
  return store as unknown as FaultyStore;
}

/** Kills the host and starts it again. */
export async function reboot(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}

export async function tell(test: TestSystem, address: string, type: string, what: unknown = ''): Promise<void> {
  await test.shard.send(address, { type, what } as never);
  await test.settle();
}

/** The reply to a question, or the code of its failure. */
export async function asked(test: TestSystem, address: string, type: string, waitMs = 0): Promise<unknown> {
  const outcome = test.shard.ask(address, { type }).catch(codeIn);
  await test.settle();
  if (waitMs > 0) await test.advance(waitMs);
  return outcome;
}

/** `done`, or the code of the failure. */
export function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(() => 'done', codeIn);
}

function codeIn(error: unknown): unknown {
  return (error as { code?: string }).code;
}

export function contextOf<Context>(test: TestSystem, address: string): Context {
  return test.shard.snapshot(address)?.context as Context;
}

/** Why a proof is invalid; undefined if its test exists. */
export function flawOf([file, title]: Proof): string | undefined {
  const text = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');
  // A title may stand on a line of its own, or be split over several.
  const joined = text.replace(/(['`])\s*\+\s*\1/g, '').replace(/\s+/g, ' ');
  const isTitle = joined.split(/\b(?:it|rule|describe)\b(?=[.(])/).some((part, index) => {
    const until = part.indexOf('=>');
    return index > 0 && part.slice(0, until === -1 ? undefined : until).includes(title.replaceAll("'", "\\'"));
  });
  return isTitle ? undefined : `${file} has no test "${title}"`;
}

/** The result of a case as the page shows it. */
export function resultOf({ shows, proofs, differs, severalHosts, notYet }: ParityCase): string {
  if (severalHosts !== undefined) return 'n/a: several hosts';
  if (notYet !== undefined) return 'not yet';
  if (shows === undefined && proofs === undefined) return 'not offered';
  return differs === undefined ? 'same' : 'differs';
}

/** The tests of a case as the page shows them. */
export function placeOf({ shows, isDurable, proofs = [] }: ParityCase): string {
  const files = [...new Set(proofs.map(([file]) => `\`${file}\``))];
  return [...(shows === undefined ? [] : [isDurable === true ? 'here, on both stores' : 'here']), ...files].join(', ');
}
