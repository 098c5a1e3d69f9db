/**
 * Damage of any byte of the files of a system over two workers, followed by a start of the system. The values that it
 * serves are the original ones, or it reports the damage with its place: it refuses the start, with no worker left
 * running, or names what it withholds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Store, KEYSPACE } from '../../src/actors/model/ports.ts';
import { BosunError } from '../../src/errors.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { type FaultyStore } from '../../src/testing/faulty-store.ts';
import { randomOf } from '../support/chance.ts';
import { byEffort, EFFORT, LONG_PATIENCE_MS, SEED } from '../support/effort.ts';
import {
  complaintsOf,
  type Damage,
  type Files,
  filesOf,
  KINDS,
  kindsIn,
  putDamaged,
  type Served,
  start,
  trusting,
} from '../support/crash/damaged-directory.ts';
import { perform, scriptOf, sessionOf, TALKATIVE } from '../support/crash/script.ts';
import { faultyStores, type Stage, stageOf } from '../support/crash/stage.ts';
import { emptyOutside, SPREAD_STAFF, systemIdOf, treeOf, workerAgent } from '../support/crash/workshop.ts';

const SOAK = EFFORT === 'soak';
const FLIPS = byEffort({ quick: 40, ci: 80, soak: 5_000 });

const PARTS = [0, 1];

/** Enough commands to leave actors, timers, effects and a message in quarantine on both workers. */
const COMMANDS = 240;

/** Folds are small and frequent, so that all kinds of records are in tables of LevelDB. */
const JOURNAL = { fold: { windowEpochs: 24, sliceRecords: 40 } };

/** For every timer and every retry. */
const END_MS = 60_000;

const random = randomOf('flips of two workers');
const root = mkdtempSync(join(tmpdir(), 'bosun-flips-workers-'));
const places = PARTS.map((part) => join(root, 'copy', String(part)));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The files of the stores, by worker. */
let files: readonly Files[];
/** The same, but their logs begin where the script has ended: each fits in a block of LevelDB. */
let shortLogs: readonly Files[];
let stored: readonly Served[];
let sound: Ran;

interface Ran {
  /** The error that refused the start, or null. */
  readonly refused: BosunError | null;
  /** The values that all actors serve when nothing is under way any more. */
  readonly served: Served;
  /** Damage by worker that was reported and did not keep the system from starting. */
  readonly reported: readonly (readonly BosunError[])[];
}

const worker = workerAgent(emptyOutside());
const tree = treeOf(SPREAD_STAFF);
const staffOf = (stage: Stage, part: number) => SPREAD_STAFF.filter((address) => stage.partOf(address) === part);

beforeAll(async () => {
  const stores = faultyStores(PARTS.length);
  const stage = stageOf({ agents: [worker], tree, journal: JOURNAL, stores });
  await stage.start();
  for (const [index, command] of scriptOf(COMMANDS, { staff: SPREAD_STAFF, shares: TALKATIVE }).entries())
    await perform(stage, command, index + 1, worker);
  const scripted = stores.map((store) => store.writes);
  await leaveUnderWay(stage);
  const written = (name: string, shareInTables: (store: FaultyStore, part: number) => number) =>
    Promise.all(
      stores.map((store, part) =>
        filesOf(
          join(root, name, String(part)),
          store.log.map(({ writes }) => writes),
          shareInTables(store, part),
        ),
      ),
    );
  files = await written('sound', () => 0.6);
  // The half is against rounding.
  shortLogs = await written('short logs', ({ writes }, part) => (scripted[part]! + 0.5) / writes);
  putFiles(null);
  stored = await Promise.all(places.map(async (place) => (await start(place)).served));
  sound = await run();
}, LONG_PATIENCE_MS);

/**
 * Leaves a message to the other worker, a timer, an effect and a message in quarantine: each worker dies with them
 * while the other worker is down.
 */
async function leaveUnderWay(stage: Stage): Promise<void> {
  for (const part of PARTS) {
    await stage.crash();
    await stage.restart(part);
    const [one] = staffOf(stage, part) as [string];
    const [other] = staffOf(stage, 1 - part) as [string];
    // A message in quarantine is judged, for the audit, and two of them in a row would suspend the worker.
    for (const type of ['add', 'poison', 'add']) await stage.send(one, { type, n: 2_000 } as never);
    await perform(stage, { kind: 'judge' }, 0, worker);
    for (const type of ['poison', 'arm', 'ask']) await stage.send(one, { type, n: 2_000 } as never);
    await stage.settle();
    await stage.send(one, { type: 'arm', n: 2_002 } as never);
    for (const n of [2_004, 2_006]) await stage.send(one, { type: 'pass', n, to: systemIdOf(other) } as never);
    await stage.send(one, { type: 'consult', n: 2_008, to: other } as never);
    await stage.settle();
  }
  await stage.crash();
}

/** A flipped byte in the files of one worker. */
interface Flip extends Damage {
  readonly part: number;
}

function putFiles(flip: Flip | null, from = files): void {
  for (const part of PARTS) putDamaged(places[part]!, from[part]!, flip?.part === part ? flip : null);
}

/** Starts the whole system and lets everything come to its end. */
async function run(storeOf: (directory: string) => Store = (directory) => levelStore(directory)): Promise<Ran> {
  // Their power is not cut: no more is asked of them than of any store.
  const stores = places.map(storeOf) as readonly Store[] as readonly FaultyStore[];
  const stage = stageOf({ agents: [worker], tree, journal: JOURNAL, stores });
  try {
    await stage.start();
    await stage.advance(END_MS);
    const reported = stage.parts().map((part) => part.damage());
    // An actor that is withheld has been reported, and cannot be read.
    return { refused: null, served: reported.flat().length > 0 ? new Map() : servedBy(stage), reported };
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return { refused: error, served: new Map(), reported: [] };
  } finally {
    await stage.stop();
  }
}

/** Which worker was first in its disk's time may change the order in books, and nothing else. */
function servedBy(stage: Stage): Served {
  const served = new Map<string, string>();
  for (const [index, part] of stage.parts().entries()) {
    const inOrder = (_: string, value: unknown) =>
      Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value;
    for (const { address, children } of part.tree().children.flatMap((node) => [node, ...node.children])) {
      const { value, context, status } = part.snapshot(address)!;
      served.set(`${index} ${address}`, JSON.stringify({ value, context, status, children: children.length }, inOrder));
    }
    served.set(`${index} session`, String(part.lastSequence(sessionOf(index))));
    for (const name of SPREAD_STAFF.map(systemIdOf))
      served.set(`${index} name ${name}`, String(part.lookup(name)?.address));
    served.set(
      `${index} letters`,
      JSON.stringify(part.deadLetters.list().map(({ address, event, reason }) => ({ address, event, reason }))),
    );
  }
  return served;
}

type Outcome =
  /** All is served, and nothing was said. */
  | 'harmless'
  /** The start was refused with the place, and no worker went on. */
  | 'refused'
  /** The start said what is damaged. */
  | 'reported'
  /** Only `verify` says it. */
  | 'verified'
  /** The start was refused, and the other worker went on all the same. */
  | 'went on'
  | 'not seen';

async function outcomeOf(flip: Flip): Promise<Outcome> {
  putFiles(flip);
  const { refused, reported, served } = await run();
  const other = 1 - flip.part;
  if (refused !== null) {
    expect(refused, JSON.stringify(flip)).toMatchObject({
      code: 'BOSUN_STORE_DAMAGED',
      details: { worker: flip.part, ...somewhere(refused, flip.part) },
    });
    return isAs((await start(places[other]!)).served, stored[other]!) ? 'refused' : 'went on';
  }
  if (reported.flat().length > 0) {
    for (const damage of reported[flip.part]!)
      expect(damage, JSON.stringify(flip)).toMatchObject({
        code: 'BOSUN_STORE_DAMAGED',
        details: somewhere(damage, flip.part),
      });
    expect(reported[other], JSON.stringify(flip)).toEqual([]);
    return 'reported';
  }
  if (isAs(served, sound.served)) return 'harmless';
  putFiles(flip);
  return (await complaintsOf(places[flip.part]!)).length > 0 ? 'verified' : 'not seen';
}

/** A place in the stores: a key, or a directory with the files in it. */
function somewhere({ details }: BosunError, part: number): object {
  return 'key' in details ? { key: expect.any(String) as string } : { directory: places[part] };
}

function isAs(served: Served, before: Served): boolean {
  return served.size === before.size && [...served].every(([key, value]) => before.get(key) === value);
}

/** A fifth in the small files that lead to the others, the rest in tables and log. */
function someFlip(number: number): Flip {
  const part = number % PARTS.length;
  const { names, contents } = files[part]!;
  const isLarge = random.integer(5) > 0;
  const kind = names.filter((name) => /\.(ldb|log)$/.test(name) === isLarge);
  const name = kind[random.integer(kind.length)]!;
  return { part, name, offset: random.integer(contents.get(name)!.length), bit: random.integer(9) };
}

describe('two workers with one damaged byte in their files', () => {
  it('are sound before the damage, with all kinds of records, even of messages between them', async () => {
    expect(sound).toMatchObject({ refused: null, reported: [[], []] });
    for (const part of PARTS) {
      const keys = [...stored[part]!.keys()];
      expect(kindsIn(stored[part]!)).toEqual(expect.arrayContaining([...KINDS, 'asks', 'shard', 'frames']));
      for (const row of ['shard', 'in!'])
        expect(
          keys.some((key) => key.startsWith(`${KEYSPACE.shard}!${row}`)),
          `worker ${part}: ${row}`,
        ).toBe(true);
      expect(files[part]!.names.map((name) => name.replace(/\d{6}/, 'n'))).toEqual(
        expect.arrayContaining(['n.ldb', 'n.log', 'CURRENT', 'MANIFEST-n']),
      );
    }
    putFiles(null);
    expect(isAs((await run()).served, sound.served)).toBe(true);
  });

  it(
    `serve no wrong value without a report, at ${FLIPS} places`,
    async () => {
      const tally: Partial<Record<Outcome, number>> = {};
      const unseen: Flip[] = [];
      for (let number = 0; number < FLIPS; number++) {
        const flip = someFlip(number);
        const outcome = await outcomeOf(flip);
        tally[outcome] = (tally[outcome] ?? 0) + 1;
        if (outcome === 'not seen' || outcome === 'went on') unseen.push(flip);
        if (SOAK && number % 500 === 499)
          process.stderr.write(`flips of two workers: ${number + 1} of ${FLIPS}, ${unseen.length} not seen\n`);
      }
      console.log(`flips of two workers: seed ${SEED}, ${FLIPS} flips, ${JSON.stringify(tally)}`);
      expect(unseen).toEqual([]);
    },
    LONG_PATIENCE_MS,
  );

  it('serve wrong values if only LevelDB itself checks its log', async () => {
    const ran = (flip: Flip | null, storeOf?: (directory: string) => Store) => {
      putFiles(flip, shortLogs);
      return run(storeOf);
    };
    expect(isAs((await ran(null, trusting)).served, sound.served)).toBe(true);
    for (const part of PARTS) {
      const name = shortLogs[part]!.names.find((file) => file.endsWith('.log'))!;
      // LevelDB drops the rest of the block, which is the whole log: with another block behind it the journal would see
      // the gap. Commands of clients are lost with it, which no worker makes again, unlike what ends a log.
      const flip = { part, name, offset: 0, bit: 0 };
      const { refused, reported, served } = await ran(flip, trusting);
      expect({ refused, reported }, `worker ${part}`).toEqual({ refused: null, reported: [[], []] });
      expect(isAs(served, sound.served), `worker ${part}`).toBe(false);
      expect((await ran(flip)).refused, `worker ${part}`).toMatchObject({ details: { worker: part, file: name } });
    }
  });
});
