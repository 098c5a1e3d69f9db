/**
 * Cases of other runtimes, told here: how a case looks, the systems on which it is told, and how what it shows is
 * looked at. A case that is proved elsewhere in the tests names the file and the title.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levelStore } from '../../../src/persistence/level-store.ts';
import { type FaultyStore } from '../../../src/testing/faulty-store.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { keeper, relay, waker } from './keepers.ts';
import { clerk, member, teller } from './talkers.ts';

/** A test somewhere in `test`, and its title as it stands there. */
export type Proof = readonly [file: string, title: string];

export interface ParityCase {
  readonly number: number;
  readonly name: string;
  readonly source: string;
  /** What the other runtime does. */
  readonly expected?: unknown;
  /** What Bosun does, where that is meant to be something else. */
  readonly instead?: unknown;
  /** Undefined where Bosun offers nothing of the kind, or the proofs are all there is. */
  readonly shows?: (test: TestSystem) => Promise<unknown>;
  /** What it shows is kept over a crash, and so it is told on LevelDB too. */
  readonly isDurable?: true;
  readonly proofs?: readonly Proof[];
  /** Why it is not the same. */
  readonly differs?: string;
  /** Why it says nothing about one host. */
  readonly severalHosts?: string;
  /** What is missing. */
  readonly notYet?: string;
  /** The system that it is told on, where that is not the one below. */
  readonly options?: TestSystemOptions;
}

export const STORES = ['memory', 'leveldb'] as const;
export type StoreKind = (typeof STORES)[number];

const temporary = (id: string) => ({ id, agent: 'member', restart: 'temporary' as const });

/** Who there is unless a case says otherwise. */
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

/** Runs a case that shows something on a system of its own. */
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
    await test.system.stop();
    if (directory !== undefined) rmSync(directory, { recursive: true });
  }
}

/** LevelDB under a process that dies: what it was given is with the operating system, and its lock is free. */
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
  // What else a store that fails can do, LevelDB cannot.
  return store as unknown as FaultyStore;
}

/** The host dies and starts again. */
export async function reboot(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}

export async function tell(test: TestSystem, address: string, type: string, what: unknown = ''): Promise<void> {
  await test.system.send(address, { type, what } as never);
  await test.settle();
}

/** The reply, or the code of the failure. */
export async function asked(test: TestSystem, address: string, type: string, waitMs = 0): Promise<unknown> {
  const outcome = test.system.ask(address, { type }).catch(codeIn);
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
  return test.system.snapshot(address)?.context as Context;
}

/** What is wrong with a proof; undefined where the test is there. */
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

/** How a case came out, as the page says it. */
export function resultOf({ shows, proofs, differs, severalHosts, notYet }: ParityCase): string {
  if (severalHosts !== undefined) return 'n/a: several hosts';
  if (notYet !== undefined) return 'not yet';
  if (shows === undefined && proofs === undefined) return 'not offered';
  return differs === undefined ? 'same' : 'differs';
}

/** Where a case is shown, as the page says it. */
export function placeOf({ shows, isDurable, proofs = [] }: ParityCase): string {
  const files = [...new Set(proofs.map(([file]) => `\`${file}\``))];
  return [...(shows === undefined ? [] : [isDurable === true ? 'here, on both stores' : 'here']), ...files].join(', ');
}
