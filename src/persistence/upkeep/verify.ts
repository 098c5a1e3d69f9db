/**
 * Verification: reads every record of a store that is not in use, checks each checksum, the chain of epochs, the chain
 * of every actor and the consistency of rows, and lists all damage. It changes nothing and runs no code of an agent.
 */
import { type Store, type Keyspace, KEYSPACE, KEYSPACES_READ_LATER } from '../../actors/model/ports.ts';
import { type BosunError, isBosunError } from '../../errors.ts';
import { actorKey } from '../format/actor-record.ts';
import { decodeRecord } from '../format/bring-forward.ts';
import { decodeEpoch, linkTo } from '../journal/epoch-format.ts';
import { damaged, unseal } from '../format/envelope.ts';
import { EVERY_KEY, keysUnder, MANIFEST_KEY, numberIn, PREFIX } from '../format/keys.ts';
import { plainReferences } from '../format/plain-references.ts';
import { type Survey, survey } from '../journal/recovery.ts';
import { refuseForeign } from '../format/upgrade.ts';

/** One damaged place of the store. */
export interface Finding {
  /**
   * The consequence. `stops`: the store does not start. `withholds`: an actor does not run. `reports`: repaired or
   * harmless.
   */
  readonly gravity: 'stops' | 'withholds' | 'reports';
  readonly key: string;
  readonly message: string;
  readonly epoch: number | null;
  readonly life: number | null;
  readonly address: string | null;
  readonly agent: string | null;
  /** Sequence number of the first change that is wrong or cannot be applied; null if none is known. */
  readonly sequence: number | null;
}

/** The result of `verify`. */
export interface Verification {
  readonly sound: boolean;
  /** The last sound epoch; null if the store cannot be read at all. */
  readonly epoch: number | null;
  /** Epochs that recovery may go back to where the journal is damaged; null if it is sound or there are none. */
  readonly recoverable: { readonly from: number; readonly to: number } | null;
  readonly actors: number;
  readonly records: number;
  readonly bytes: number;
  /** Number of records that earlier recoveries set aside. */
  readonly aside: number;
  readonly findings: readonly Finding[];
}

/**
 * Verifies an open store. Rejects with BOSUN_STORE_FAILED if it cannot be read, BOSUN_STORE_FORMAT if another
 * build wrote it.
 */
export async function verify(store: Store): Promise<Verification> {
  await refuseForeign(store);
  const size = await measure(store);
  const problems: BosunError[] = [];
  let found: Survey | null = null;
  try {
    const manifest = await store.get(MANIFEST_KEY);
    if (manifest !== undefined) unseal(MANIFEST_KEY, manifest);
    else if (size.records > 0) throw damaged(MANIFEST_KEY, 'is missing, but the store is not empty');
    found = await survey(store, plainReferences);
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
    problems.push(error);
  }
  const losses = (store.losses?.() ?? []).map((problem) => finding('reports', problem, found));
  const findings = [...problems.map((problem) => finding('stops', problem, null)), ...losses];
  if (found === null) return { ...size, sound: false, epoch: null, recoverable: null, actors: 0, findings };
  const { journalDamage, recovered } = found;
  const epochs = [...(journalDamage === null ? [] : [journalDamage]), ...(await otherEpochs(store, found))];
  findings.push(
    ...epochs.map((problem, index) =>
      finding(index === 0 && journalDamage !== null ? 'stops' : 'reports', problem, found),
    ),
  );
  for (const key of found.badCopies)
    findings.push(finding('reports', damaged(key, 'is missing or damaged; its second copy is sound'), found));
  for (const problem of recovered.damage)
    findings.push(finding(recovered.unreadable.has(lifeOf(problem)) ? 'withholds' : 'reports', problem, found));
  for (const problem of [...found.overcome, ...(await rowsReadLater(store, found))])
    findings.push(finding('reports', problem, found));
  // Rows may disagree where the journal is incomplete.
  if (journalDamage === null)
    findings.push(...disagreements(found).map((problem) => finding('reports', problem, found)));
  const from = journalDamage?.details['firstGoodEpoch'] as number | null | undefined;
  const recoverable = from === null || from === undefined ? null : { from, to: recovered.epoch };
  const actors = recovered.identities.size;
  return { ...size, sound: findings.length === 0, epoch: recovered.epoch, recoverable, actors, findings };
}

async function measure(store: Store): Promise<{ records: number; bytes: number; aside: number }> {
  const size = { records: 0, bytes: 0, aside: 0 };
  const aside = keysUnder(PREFIX.aside);
  for await (const batch of store.scan(EVERY_KEY)) {
    for (const [key, value] of batch) {
      size.records += 1;
      size.bytes += key.length + value.length;
      if (key >= aside.gte && key < aside.lt) size.aside += 1;
    }
  }
  return size;
}

/**
 * Checks epochs that recovery does not read: those before the cut that wait for their deletion, and those after damage.
 */
async function otherEpochs(store: Store, { cut, end }: Survey): Promise<BosunError[]> {
  const problems: BosunError[] = [];
  let before: { number: number; link: Uint8Array } | null = null;
  for await (const batch of store.scan(keysUnder(PREFIX.epoch))) {
    for (const [key, value] of batch) {
      const number = numberIn(key);
      const isReplayed = number >= cut.from && number <= end.epoch + 1;
      try {
        const { link } = decodeEpoch(number, value);
        const isLinked = before?.number !== number - 1 || Buffer.compare(before.link, link) === 0;
        if (!isReplayed && !isLinked) throw damaged(key, 'is not linked to the epoch before it', { epoch: number });
      } catch (error) {
        if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
        if (!isReplayed) problems.push(error);
        // The next epoch cannot be linked to a damaged one.
        before = null;
        continue;
      }
      before = { number, link: linkTo(value) };
    }
  }
  return problems;
}

/** Finds damage of rows that no start reads. */
async function rowsReadLater(store: Store, { codec }: Survey): Promise<BosunError[]> {
  const problems: BosunError[] = [];
  for (const keyspace of KEYSPACES_READ_LATER) {
    for await (const batch of store.scan(keysUnder(`${keyspace}!`))) {
      for (const [key, value] of batch) {
        try {
          decodeRecord(codec, key, unseal(key, value));
        } catch (error) {
          if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
          problems.push(error);
        }
      }
    }
  }
  return problems;
}

/** Finds rows about actors that do not exist, and indexes that contradict the identities. */
function disagreements({ recovered: { identities, rows, unreadable } }: Survey): BosunError[] {
  const problems: BosunError[] = [];
  const rowsOf = (keyspace: Keyspace) => rows.get(keyspace) ?? new Map<string, unknown>();
  const isKnown = (life: number) => identities.has(life) || unreadable.has(life);
  const blame = (key: string, what: string, place = {}) => problems.push(damaged(key, what, place));
  for (const identity of identities.values()) {
    const { life, address, parent, bond } = identity;
    const place = { life, address };
    if (parent !== 0 && !isKnown(parent))
      blame(actorKey(identity), `belongs to life ${parent}, which is not there`, place);
    // Children of machines are found through their parents.
    if (bond === 'invoked') continue;
    if (rowsOf(KEYSPACE.addresses).get(address) !== life && !unreadable.has(life))
      blame(`${KEYSPACE.addresses}!${address}`, `does not lead to life ${life}, which lives there`, place);
  }
  for (const index of [KEYSPACE.addresses, KEYSPACE.systemIds]) {
    for (const [name, life] of rowsOf(index) as ReadonlyMap<string, number>) {
      if (!isKnown(life)) blame(`${index}!${name}`, `leads to life ${life}, which is not there`);
    }
  }
  for (const keyspace of [KEYSPACE.roll, KEYSPACE.children]) {
    for (const text of rowsOf(keyspace).keys())
      if (!isKnown(Number.parseInt(text, 16))) blame(`${keyspace}!${text}`, 'belongs to an actor that is not there');
  }
  for (const keyspace of [KEYSPACE.mailboxes, KEYSPACE.timers]) {
    for (const [text, row] of rowsOf(keyspace)) {
      // The life of the owner comes first in both kinds of row.
      const [owner] = row as readonly [number];
      if (!isKnown(owner))
        blame(`${keyspace}!${text}`, `belongs to life ${owner}, which is not there`, { life: owner });
    }
  }
  return problems;
}

function lifeOf({ details }: BosunError): number {
  return (details['life'] as number | undefined) ?? 0;
}

function finding(gravity: Finding['gravity'], { message, details }: BosunError, found: Survey | null): Finding {
  // Where LevelDB itself cannot read a block, the key is unknown.
  const {
    key = '',
    epoch = null,
    life = null,
    seq,
  } = details as { key?: string; epoch?: number; life?: number; seq?: number };
  const identity = found?.recovered.identities.get(life ?? 0);
  return {
    // Nothing runs without the root Boss.
    gravity: gravity === 'withholds' && (identity?.parent === 0 || details['address'] === 'root') ? 'stops' : gravity,
    key,
    message,
    epoch,
    life,
    address: identity?.address ?? (details['address'] as string | undefined) ?? null,
    agent: identity?.agent ?? null,
    sequence: seq ?? null,
  };
}
