/** Older formats are upgraded at open, completely or not at all; newer ones are refused. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Store, type StoreWrite, KEYSPACE } from '../../src/actors/model/ports.ts';
import { FORMAT, seal, stamp, unsealAny } from '../../src/persistence/format/envelope.ts';
import { linkTo, NO_LINK } from '../../src/persistence/journal/epoch-format.ts';
import { createJournal, type JournalOptions } from '../../src/persistence/journal/journal.ts';
import { EVERY_KEY, MANIFEST_KEY, PREFIX } from '../../src/persistence/format/keys.ts';
import { type Upgrade } from '../../src/persistence/format/upgrade.ts';
import { faultyStore, type FaultyStore } from '../../src/testing/faulty-store.ts';
import { expected, type Facts, found, nextEpoch, NOTHING, references } from '../support/persistence/model.ts';

/** A format before the first stable one. */
const UNPUBLISHED = 5;

const LINK_OFFSET = 17;
const HEADER_BYTES = 33;

let store: FaultyStore;
let facts: Facts;

/** All records in a format that differs only in the format byte, with the links between epochs computed again. */
async function inFormat(store: Store, format: number): Promise<StoreWrite[]> {
  const writes: StoreWrite[] = [];
  let link = NO_LINK;
  for await (const batch of store.scan(EVERY_KEY)) {
    for (const [key, value] of batch) {
      if (!key.startsWith(PREFIX.epoch)) {
        writes.push({ key, value: seal(key, unsealAny(key, value).payload, format) });
        continue;
      }
      const epoch = new Uint8Array(value);
      epoch.set(link, LINK_OFFSET);
      stamp(key, epoch.subarray(0, HEADER_BYTES), format);
      link = linkTo(epoch);
      writes.push({ key, value: epoch });
    }
  }
  return writes;
}

const STEP: Upgrade = { from: FORMAT - 1, run: (store) => inFormat(store, FORMAT) };

beforeEach(async () => {
  store = faultyStore();
  facts = NOTHING;
  const journal = createJournal(store);
  await journal.open(references);
  for (let n = 0; n < 5; n++) {
    const { epoch, after } = nextEpoch(
      facts,
      [
        { kind: 'birth', initial: { context: { value: { n } } } },
        { kind: 'arrival', keyspace: KEYSPACE.mailboxes, row: [n] },
      ],
      journal.codec,
    );
    await journal.commit(epoch);
    facts = after;
  }
  await journal.close();
});

async function turnInto(format: number): Promise<void> {
  await store.open();
  await store.write(await inFormat(store, format), { sync: true });
  await store.close();
}

async function open(options: JournalOptions = {}): Promise<unknown> {
  const journal = createJournal(store, options);
  try {
    return found(await journal.open(references));
  } finally {
    await journal.close();
  }
}

describe('a store of an older format', () => {
  it('is upgraded once, by the step for its format', async () => {
    await turnInto(FORMAT - 1);
    expect(await open({ upgrades: [STEP] })).toEqual(expected(facts));
    const { length } = store.log;
    expect(await open()).toEqual(expected(facts));
    expect(store.log).toHaveLength(length);
  });

  it('is at the old format or at the new one, wherever the write fails', async () => {
    await turnInto(FORMAT - 1);
    const before = store.entries();
    for (const applied of [false, true]) {
      store.failWrites(1, { applied });
      await expect(open({ upgrades: [STEP] })).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
      store.crash();
      if (!applied) expect(store.entries()).toEqual(before);
    }
    expect(await open()).toEqual(expected(facts));
  });

  it('is refused and left unchanged without a step for its format', async () => {
    await turnInto(UNPUBLISHED);
    const before = store.entries();
    await expect(open()).rejects.toMatchObject({ code: 'BOSUN_STORE_FORMAT', details: { format: UNPUBLISHED } });
    expect(store.entries()).toEqual(before);
  });

  it('keeps its records as they are if its number is 6, beside those of today', async () => {
    await turnInto(6);
    const before = new Map(store.entries());
    expect(await open()).toEqual(expected(facts));
    const after = new Map(store.entries());
    expect(after.get(MANIFEST_KEY)![0]).toBe(FORMAT);
    const isEpoch = (key: string) => key.startsWith(PREFIX.epoch);
    for (const [key, value] of before) if (isEpoch(key)) expect(after.get(key)).toEqual(value);
    expect(await open()).toEqual(expected(facts));
  });
});

describe('a store of a newer format', () => {
  it('is refused and left unchanged', async () => {
    await turnInto(FORMAT + 1);
    const before = store.entries();
    await expect(open({ upgrades: [STEP] })).rejects.toMatchObject({
      code: 'BOSUN_STORE_FORMAT',
      details: { format: FORMAT + 1 },
    });
    expect(store.entries()).toEqual(before);
  });
});
