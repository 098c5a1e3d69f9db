/**
 * Assesses damage outside the journal after its replay: which actors cannot run, which rows are withheld, which can be
 * rebuilt from sound records, and what to write so that the next recovery finds the same. Reads nothing from the store.
 * The rules: docs/store-format.md, "Damage".
 */
import {
  type ActorState,
  type Identity,
  type RowKey,
  type StoreWrite,
  type Keyspace,
  KEYSPACE,
  keyspaceOf,
  KEYSPACES,
  keyWithin,
} from '../../actors/model/ports.ts';
import { UNBORN } from '../../actors/model/state.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { ChangedActor } from '../format/actor-record.ts';
import { type StructuredCodec } from '../format/codec.ts';
import { type Dictionary } from '../format/dictionary.ts';
import { markOf } from '../format/bring-forward.ts';
import { damaged, placed } from '../format/envelope.ts';
import { configurationKeys, hex, numberIn, stateKey, unreadableKey } from '../format/keys.ts';
import { type Replay } from './replay.ts';
import { isLost } from '../format/structures.ts';

/** Everything as of the last epoch replayed, with its damage. */
export interface Assessment {
  /** Identities by life, in order of birth. */
  readonly identities: ReadonlyMap<number, Identity>;
  readonly states: ReadonlyMap<number, ActorState>;
  readonly rows: Map<Keyspace, Map<string, unknown>>;
  readonly unreadable: ReadonlyMap<number, BosunError>;
  readonly damage: readonly BosunError[];
  /** Damage that no longer affects anything. */
  readonly overcome: readonly BosunError[];
  /** Writes for the next batch: marks of actors that have become unreadable, deletion of the marks of dead ones. */
  readonly repairs: readonly StoreWrite[];
}

/**
 * Assesses the damage that a replay has found.
 *
 * @param marks Actors that an earlier recovery found unreadable, by life; null if the mark is damaged too.
 */
export function assess(
  replay: Replay,
  dictionary: Dictionary,
  marks: ReadonlyMap<number, BosunError | null>,
  codec: StructuredCodec,
): Assessment {
  return new Assessor(replay, dictionary, marks, codec).assess();
}

class Assessor {
  readonly #replay: Replay;
  readonly #dictionary: Dictionary;
  readonly #marks: ReadonlyMap<number, BosunError | null>;
  readonly #codec: StructuredCodec;
  readonly #rows = new Map<Keyspace, Map<string, unknown>>();
  readonly #living = new Map<number, ActorState>();
  readonly #unreadable = new Map<number, BosunError>();
  readonly #repairs: StoreWrite[] = [];
  readonly #damage: BosunError[];

  constructor(
    replay: Replay,
    dictionary: Dictionary,
    marks: ReadonlyMap<number, BosunError | null>,
    codec: StructuredCodec,
  ) {
    this.#replay = replay;
    this.#dictionary = dictionary;
    this.#marks = marks;
    this.#codec = codec;
    this.#damage = [...dictionary.damage];
  }

  assess(): Assessment {
    this.#decodeRows();
    const identities = inOrder(this.#replay.identities);
    for (const [life, identity] of identities) this.#judge(life, identity);
    for (const [key, error] of [...this.#replay.badRows].sort()) this.#judgeRow(key, error, identities);
    this.#judgeNameless(identities);
    this.#keepWindow();
    this.#keepMarks(identities);
    this.#damage.push(...this.#unreadable.values());
    const left = [...this.#replay.stranded].flatMap(([life, { error }]) => (this.#unreadable.has(life) ? [] : [error]));
    const overcome = [...this.#replay.overcome, ...left];
    return {
      identities,
      states: this.#living,
      rows: this.#rows,
      unreadable: this.#unreadable,
      damage: this.#damage,
      overcome,
      repairs: this.#repairs,
    };
  }

  #rowsOf(keyspace: Keyspace): Map<string, unknown> {
    return this.#rows.get(keyspace) as Map<string, unknown>;
  }

  #decodeRows(): void {
    const { rows, decoded, badRows } = this.#replay;
    for (const keyspace of KEYSPACES) this.#rows.set(keyspace, decoded.get(keyspace) ?? new Map());
    for (const key of [...rows.keys()].sort()) {
      try {
        this.#rowsOf(keyspaceOf(key)).set(keyWithin(key), this.#replay.decodeRow(key, rows.get(key) as Uint8Array));
      } catch (error) {
        if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
        badRows.set(key, error);
      }
    }
    for (const keyspace of decoded.keys()) this.#rows.set(keyspace, inOrder(this.#rowsOf(keyspace)));
  }

  /** Judges an actor whose identity is sound. */
  #judge(life: number, identity: Identity): void {
    const { states, stranded } = this.#replay;
    const state = states.get(life);
    const problem = stranded.get(life)?.error ?? this.#marks.get(life) ?? this.#lost(life, identity, state);
    if (problem !== null) this.#strand(life, problem, identity.address);
    else this.#living.set(life, state ?? UNBORN);
  }

  #lost(life: number, identity: Identity, state: ActorState | undefined): BosunError | null {
    if (this.#marks.has(life))
      return damaged(unreadableKey(life), 'marks an actor as unreadable and is itself damaged');
    return lostConfiguration(this.#dictionary, identity, state);
  }

  #judgeRow(key: RowKey, error: BosunError, identities: ReadonlyMap<number, Identity>): void {
    const keyspace = keyspaceOf(key);
    const name = keyWithin(key);
    if (keyspace === KEYSPACE.identities) {
      this.#strandNameless(Number.parseInt(name, 16), error);
    } else if (keyspace === KEYSPACE.held) {
      // The row may say that the actor is suspended, and a suspended actor must not run by itself.
      this.#strand(numberIn(key), error, identities.get(numberIn(key))?.address);
    } else if (keyspace === KEYSPACE.children) {
      const [boss = '', childId = ''] = splitOnce(name);
      const parent = Number.parseInt(boss, 16);
      const child = [...identities.values()].find(
        (identity) => identity.parent === parent && identity.childId === childId,
      );
      if (child === undefined) this.#damage.push(error);
      else this.#strand(child.life, error, child.address);
    } else {
      this.#damage.push(error);
      this.#makeAgain(key, identities);
    }
  }

  /**
   * Finds actors whose record is lost together with their identity: an address leads to them, or the journal has
   * changed them.
   */
  #judgeNameless(identities: ReadonlyMap<number, Identity>): void {
    for (const life of this.#rowsOf(KEYSPACE.addresses).values() as MapIterator<number>)
      if (!identities.has(life)) this.#strandNameless(life, damaged(stateKey(life), 'is missing'));
    for (const [life, { error, deltas }] of this.#replay.stranded) {
      // An actor born and removed within an epoch never had a record.
      if (!identities.has(life) && deltas[0]?.seq !== 1) this.#strandNameless(life, error);
    }
  }

  #strandNameless(life: number, error: BosunError): void {
    const [address] = [...this.#rowsOf(KEYSPACE.addresses)].find(([, owner]) => owner === life) ?? [];
    this.#strand(life, this.#replay.stranded.get(life)?.error ?? error, address);
  }

  /** Rebuilds an index row from the identities. */
  #makeAgain(key: RowKey, identities: ReadonlyMap<number, Identity>): void {
    const keyspace = keyspaceOf(key);
    const name = keyWithin(key);
    const isOf = OWNERS.get(keyspace);
    if (isOf === undefined) return;
    const owner = [...identities.values()].find((identity) => isOf(identity, name));
    const row = owner && (keyspace === KEYSPACE.roll ? (owner.bond === 'supervised' ? 0 : 1) : owner.life);
    if (row !== undefined) this.#rowsOf(keyspace).set(name, row);
    this.#replay.window.put(key, row === undefined ? null : this.#codec.encode(row));
  }

  #strand(life: number, error: BosunError, address: string | undefined): void {
    this.#living.delete(life);
    if (this.#unreadable.has(life)) return;
    const seq = this.#replay.stranded.get(life)?.deltas[0]?.seq;
    this.#unreadable.set(
      life,
      placed(error, { life, ...(address !== undefined && { address }), ...(seq !== undefined && { seq }) }),
    );
  }

  /** Prepares the window of the next fold. The records of unreadable actors are not in it. */
  #keepWindow(): void {
    const { changed, unread, window } = this.#replay;
    for (const life of changed) {
      if (this.#unreadable.has(life)) continue;
      // After a partial read, actors that were not read have not been checked: their entries in the window stay.
      window.actors.set(life, unread.get(life) ?? this.#livingActor(life) ?? this.#replay.keyOf(life));
    }
  }

  #livingActor(life: number): ChangedActor | undefined {
    const state = this.#living.get(life);
    if (state === undefined) return undefined;
    const { identities, packed } = this.#replay;
    return new ChangedActor({ identity: identities.get(life)!, state }, packed.get(life));
  }

  /**
   * Records each finding with the actor's changes in the journal. The fold deletes the epochs that prove the damage,
   * after which the record would look sound, only old.
   */
  #keepMarks(identities: ReadonlyMap<number, Identity>): void {
    for (const [life, error] of this.#unreadable) {
      if (this.#marks.has(life)) continue;
      this.#repairs.push(markOf(this.#codec, life, { error, deltas: this.#replay.stranded.get(life)?.deltas ?? [] }));
    }
    for (const life of this.#marks.keys()) {
      if (!identities.has(life) && !this.#unreadable.has(life))
        this.#repairs.push({ key: unreadableKey(life), value: null });
    }
  }
}

/** Finds the actor of an index row, by the row's key within its keyspace. */
const OWNERS = new Map<Keyspace, (identity: Identity, name: string) => boolean>([
  [KEYSPACE.addresses, ({ address }, name) => address === name],
  [KEYSPACE.roll, ({ life }, name) => hex(life) === name],
  [KEYSPACE.systemIds, ({ systemId }, name) => systemId !== null && systemId === decodeURIComponent(name)],
]);

/** The reason why an actor's configuration is not known; null if it is. */
export function lostConfiguration(
  { configurations }: Pick<Dictionary, 'configurations'>,
  { definition }: Identity,
  state: ActorState | undefined,
): BosunError | null {
  const id = state?.configuration ?? null;
  if (id === null || !isLost(configurations.get(definition)?.[id]?.nodes ?? [])) return null;
  return damaged(configurationKeys(definition, id)[0], 'holds the configuration that the actor is in');
}

/**
 * Decodes a mark.
 *
 * @throws BOSUN_STORE_DAMAGED.
 */
export function markFrom(replay: Replay, key: string, payload: Uint8Array): BosunError {
  const { code, message, details } = replay.decode(key, payload) as Pick<BosunError, 'code' | 'message'> & {
    details: Record<string, unknown>;
  };
  return new BosunError(code, message, { details });
}

/** The entries in order of their keys; the given map where they are already. */
function inOrder<K extends string | number, V>(map: Map<K, V>): Map<K, V> {
  let last: K | undefined;
  for (const key of map.keys()) {
    if (last !== undefined && key < last) return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
    last = key;
  }
  return map;
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('!');
  return [text.slice(0, at), text.slice(at + 1)];
}
