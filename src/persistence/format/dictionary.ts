/**
 * The records that recovery depends on, written twice under keys that end in `a` and `b`: the cut, the structures of
 * the codec, the configurations of machines. Either good copy suffices; a bad one is written again with the next epoch.
 */
import { type Configuration, type NewConfiguration, type Store, type StoreWrite } from '../../actors/model/ports.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { type LearnedStructure } from './codec.ts';
import { damaged, seal, unseal } from './envelope.ts';
import { configurationKeys, copiesOf, keysUnder, numberIn, PREFIX, structureKeys } from './keys.ts';
import { FIRST_LEARNED_STRUCTURE, lostNames } from './structures.ts';

function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function decodeJson(key: string, payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString());
  } catch (error) {
    throw damaged(key, 'is malformed', { cause: error });
  }
}

export function structureWrites({ number, keys }: LearnedStructure): StoreWrite[] {
  const payload = encodeJson(keys);
  return structureKeys(number).map((key) => ({ key, value: seal(key, payload) }));
}

export function configurationWrites({ definition, id, nodes, value, invokes }: NewConfiguration): StoreWrite[] {
  const payload = encodeJson({ nodes, value, invokes });
  return configurationKeys(definition, id).map((key) => ({ key, value: seal(key, payload) }));
}

/** A decoded dictionary. A damaged entry is replaced by a name that no other entry has. */
export interface Dictionary {
  /** Key lists of the codec by number, from the first learned one on. */
  readonly structures: readonly (readonly string[])[];
  /** The configurations of each definition, by id. */
  readonly configurations: ReadonlyMap<string, readonly Configuration[]>;
  readonly damage: readonly BosunError[];
}

/**
 * Reads the dictionary. An entry with two bad copies, or one that is missing before others, does not stop the reading:
 * records that refer to it cannot be decoded, all others can.
 */
export async function readDictionary(store: Store, repairs: StoreWrite[]): Promise<Dictionary> {
  const damage: BosunError[] = [];
  const structures: string[][] = [];
  for (const [base, payload] of await readCopies(store, PREFIX.structure, repairs)) {
    const number = numberIn(base.slice(0, -1)) - FIRST_LEARNED_STRUCTURE;
    const keyOf = (id: number) => structureKeys(FIRST_LEARNED_STRUCTURE + id)[0];
    enter(structures, number, payload, { damage, keyOf, lost: lostNames });
  }
  const configurations = new Map<string, Configuration[]>();
  for (const [base, payload] of await readCopies(store, PREFIX.configuration, repairs)) {
    const [, , definition = ''] = base.split('!');
    const table = configurations.get(definition) ?? [];
    configurations.set(definition, table);
    const keyOf = (id: number) => configurationKeys(definition, id)[0];
    const lost = (number: number) => ({ nodes: lostNames(number) });
    enter(table, numberIn(base.slice(0, -1)), payload, { damage, keyOf, lost });
  }
  return { structures, configurations, damage };
}

/** The handling of the entries of one table. */
interface Entries<Entry> {
  readonly damage: BosunError[];
  readonly keyOf: (id: number) => string;
  /** Creates the substitute for a damaged entry. */
  readonly lost: (id: number) => Entry;
}

/** Appends an entry to its table. `id` is at least the table's length, because keys come in order. */
function enter<Entry>(
  table: Entry[],
  id: number,
  payload: Uint8Array | BosunError,
  { damage, keyOf, lost }: Entries<Entry>,
): void {
  const lose = (error: BosunError) => {
    damage.push(error);
    table.push(lost(table.length));
  };
  while (table.length < id) lose(damaged(keyOf(table.length), 'is missing'));
  try {
    if (payload instanceof BosunError) throw payload;
    table.push(decodeJson(keyOf(id), payload) as Entry);
  } catch (error) {
    lose(error as BosunError);
  }
}

/**
 * Reads pairs of copies. Where the copies differ, the first good one counts; where none is good, the damage takes its
 * place.
 *
 * @param repairs Gains a write for every copy that is missing or damaged beside a good one.
 * @returns Payloads by the key without its last letter, in key order.
 */
export async function readCopies(
  store: Store,
  prefix: string,
  repairs: StoreWrite[],
): Promise<Map<string, Uint8Array | BosunError>> {
  const pairs = new Map<string, Map<string, Uint8Array>>();
  for await (const batch of store.scan(keysUnder(prefix))) {
    for (const [key, value] of batch) {
      const base = key.slice(0, -1);
      const pair = pairs.get(base) ?? new Map<string, Uint8Array>();
      pairs.set(base, pair.set(key, value));
    }
  }
  const payloads = new Map<string, Uint8Array | BosunError>();
  for (const [base, pair] of pairs) payloads.set(base, readPair(base, pair, repairs));
  return payloads;
}

function readPair(base: string, pair: ReadonlyMap<string, Uint8Array>, repairs: StoreWrite[]): Uint8Array | BosunError {
  const bad: string[] = [];
  let good: Uint8Array | undefined;
  let problem: BosunError | undefined;
  for (const key of copiesOf(base)) {
    try {
      const value = pair.get(key);
      if (value === undefined) throw damaged(key, 'is missing');
      // Checked also where the first copy is good, to find a bad second one while there is still a good one.
      const payload = unseal(key, value);
      good ??= payload;
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
      bad.push(key);
      problem = error;
    }
  }
  if (good === undefined) return problem as BosunError;
  for (const key of bad) repairs.push({ key, value: seal(key, good) });
  return good;
}
