/**
 * What recovery cannot do without, written twice under keys that end in `a` and `b`: the cut, the structures of the
 * codec, the configurations of machines. Either good copy is enough; the other is written again with the next epoch.
 */
import { type Configuration, type NewConfiguration, type Store, type StoreWrite } from '../actors/ports.ts';
import { type LearnedStructure } from './codec.ts';
import { damaged, seal, unseal } from './envelope.ts';
import { configurationKeys, keysUnder, structureKeys } from './keys.ts';
import { FIRST_LEARNED_STRUCTURE } from './structures.ts';

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

/** A list of nodes where nothing else is known of it, an object otherwise. */
export function configurationWrites({ definition, id, nodes, value, invokes }: NewConfiguration): StoreWrite[] {
  const payload = encodeJson(value === undefined ? nodes : { nodes, value, invokes });
  return configurationKeys(definition, id).map((key) => ({ key, value: seal(key, payload) }));
}

/**
 * @returns The key lists by number, from the first learned one on.
 * @throws BOSUN_STORE_DAMAGED where one is missing in the middle or both copies are bad.
 */
export async function readStructures(store: Store, repairs: StoreWrite[]): Promise<string[][]> {
  const structures: string[][] = [];
  for (const [base, payload] of await readCopies(store, 'x!s!', repairs)) {
    const [expected] = structureKeys(FIRST_LEARNED_STRUCTURE + structures.length);
    if (`${base}a` !== expected) throw damaged(expected, 'is missing');
    structures.push(decodeJson(expected, payload) as string[]);
  }
  return structures;
}

/** @returns Per definition, the configurations by id. */
export async function readConfigurations(store: Store, repairs: StoreWrite[]): Promise<Map<string, Configuration[]>> {
  const tables = new Map<string, Configuration[]>();
  for (const [base, payload] of await readCopies(store, 'x!c!', repairs)) {
    const [, , definition = ''] = base.split('!');
    const table = tables.get(definition) ?? [];
    tables.set(definition, table);
    const [expected] = configurationKeys(definition, table.length);
    if (`${base}a` !== expected) throw damaged(expected, 'is missing');
    const stored = decodeJson(expected, payload) as Configuration | string[];
    table.push(Array.isArray(stored) ? { nodes: stored } : stored);
  }
  return tables;
}

/**
 * Reads pairs of copies. Where the copies differ, the first good one counts.
 *
 * @param repairs Gains a write for every copy that is missing or damaged.
 * @returns Payloads by the key without its last letter, in key order.
 */
export async function readCopies(store: Store, prefix: string, repairs: StoreWrite[]): Promise<Map<string, Uint8Array>> {
  const pairs = new Map<string, Map<string, Uint8Array>>();
  for await (const batch of store.scan(keysUnder(prefix))) {
    for (const [key, value] of batch) {
      const base = key.slice(0, -1);
      const pair = pairs.get(base) ?? new Map<string, Uint8Array>();
      pairs.set(base, pair.set(key, value));
    }
  }
  const payloads = new Map<string, Uint8Array>();
  for (const [base, pair] of pairs) payloads.set(base, readPair(base, pair, repairs));
  return payloads;
}

function readPair(base: string, pair: ReadonlyMap<string, Uint8Array>, repairs: StoreWrite[]): Uint8Array {
  const bad: string[] = [];
  let good: Uint8Array | undefined;
  let cause: unknown;
  for (const key of [`${base}a`, `${base}b`]) {
    try {
      const value = pair.get(key);
      if (value === undefined) throw damaged(key, 'is missing');
      good ??= unseal(key, value);
    } catch (error) {
      bad.push(key);
      cause = error;
    }
  }
  if (good === undefined) throw cause;
  for (const key of bad) repairs.push({ key, value: seal(key, good) });
  return good;
}
