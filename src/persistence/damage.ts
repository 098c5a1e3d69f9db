/**
 * What damage outside the journal means, once the journal has been replayed: who cannot run, what is withheld, what can
 * be made again from sound records, and what has to be written so that the next recovery comes to the same end. Reads
 * nothing. What stops what: docs/store-format.md, "Damage".
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
} from '../actors/model/ports.ts';
import { UNBORN } from '../actors/model/state.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { type StructuredCodec } from './codec.ts';
import { type Dictionary } from './dictionary.ts';
import { markOf } from './bring-forward.ts';
import { damaged, placed } from './envelope.ts';
import { configurationKeys, hex, numberedKey, stateKey, unreadableKey } from './keys.ts';
import { type Replay } from './replay.ts';
import { isLost } from './structures.ts';

/** Everything as of the last epoch replayed, and what is wrong with it. */
export interface Assessment {
  readonly states: ReadonlyMap<number, ActorState>;
  readonly rows: Map<Keyspace, Map<string, unknown>>;
  readonly unreadable: ReadonlyMap<number, BosunError>;
  readonly damage: readonly BosunError[];
  /** Damage that hurts nobody any more. */
  readonly overcome: readonly BosunError[];
  /** For the next batch: marks of actors that have become unreadable, deletion of those that are dead. */
  readonly repairs: readonly StoreWrite[];
}

/**
 * @param marks By life: actors that an earlier recovery found unreadable. null: the mark is
 *   damaged too.
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
    const identities = this.#rowsOf(KEYSPACE.identities) as Map<string, Identity>;
    for (const [text, identity] of identities) this.#judge(Number.parseInt(text, 16), identity);
    for (const [key, error] of [...this.#replay.badRows].sort()) this.#judgeRow(key, error, identities);
    this.#keepWindow();
    this.#keepMarks(identities);
    this.#damage.push(...this.#unreadable.values());
    const left = [...this.#replay.stranded].flatMap(([life, { error }]) => (this.#unreadable.has(life) ? [] : [error]));
    const overcome = [...this.#replay.overcome, ...left];
    return {
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
    const { rows, badRows } = this.#replay;
    for (const keyspace of KEYSPACES) this.#rows.set(keyspace, new Map());
    for (const key of [...rows.keys()].sort()) {
      try {
        this.#rowsOf(keyspaceOf(key)).set(keyWithin(key), this.#replay.decode(key, rows.get(key) as Uint8Array));
      } catch (error) {
        if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
        badRows.set(key, error);
      }
    }
  }

  /** One whose identity is sound. */
  #judge(life: number, identity: Identity): void {
    const { states, stranded, identified } = this.#replay;
    const state = states.get(life);
    const problem = stranded.get(life)?.error ?? this.#marks.get(life) ?? this.#lost(life, identity, state);
    if (problem !== null) this.#strand(life, problem, identity.address);
    else if (state === undefined && !identified.has(life))
      this.#strand(life, damaged(stateKey(life), 'is missing'), identity.address);
    else this.#living.set(life, state ?? UNBORN);
  }

  #lost(life: number, identity: Identity, state: ActorState | undefined): BosunError | null {
    if (this.#marks.has(life))
      return damaged(unreadableKey(life), 'marks an actor as unreadable and is itself damaged');
    return lostConfiguration(this.#dictionary, identity, state);
  }

  #judgeRow(key: RowKey, error: BosunError, identities: ReadonlyMap<string, Identity>): void {
    const keyspace = keyspaceOf(key);
    const name = keyWithin(key);
    if (keyspace === KEYSPACE.identities) {
      const life = Number.parseInt(name, 16);
      const [address] = [...this.#rowsOf(KEYSPACE.addresses)].find(([, owner]) => owner === life) ?? [];
      this.#strand(life, error, address);
    } else if (keyspace === KEYSPACE.held) {
      // It may say that somebody suspended the actor, which must not go on by itself then.
      this.#strand(Number.parseInt(name, 16), error, identities.get(name)?.address);
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

  /** Index rows say nothing that identities do not say. */
  #makeAgain(key: RowKey, identities: ReadonlyMap<string, Identity>): void {
    const keyspace = keyspaceOf(key);
    const name = keyWithin(key);
    const isOf = OWNERS.get(keyspace);
    if (isOf === undefined) return;
    const owner = [...identities.values()].find((identity) => isOf(identity, name));
    const row = owner && (keyspace === KEYSPACE.roll ? (owner.bond === 'supervised' ? 0 : 1) : owner.life);
    if (row !== undefined) this.#rowsOf(keyspace).set(name, row);
    this.#replay.window.rows.set(key, row === undefined ? null : this.#codec.encode(row));
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

  /** What the next fold writes. The records of unreadable actors are none of it. */
  #keepWindow(): void {
    const { changed, died, states, unread, window, isPart } = this.#replay;
    if (isPart) {
      // Who is not there has not been looked at: what the epochs made of it stands, unless they say that it died.
      for (const life of changed)
        if (!this.#unreadable.has(life))
          window.states.set(life, died.has(life) ? null : (states.get(life) ?? unread.get(life) ?? UNBORN));
      return;
    }
    for (const life of changed)
      if (!this.#unreadable.has(life)) window.states.set(life, this.#living.get(life) ?? null);
    // Left behind by a fold that was cut short after its cut, or born and gone within one epoch. Not found out while
    // replaying: a fold that was cut short before its cut has deleted identities of actors that are still to die.
    const isLeft = (life: number) => !this.#living.has(life) && !this.#unreadable.has(life);
    for (const life of [...states.keys(), ...this.#replay.stranded.keys()])
      if (isLeft(life)) window.states.set(life, null);
  }

  /**
   * The fold deletes the epochs that show what is missing in an actor's record, and the record would look sound again,
   * only old. So the finding is written down, together with what those epochs say of the actor.
   */
  #keepMarks(identities: ReadonlyMap<string, Identity>): void {
    for (const [life, error] of this.#unreadable) {
      if (this.#marks.has(life)) continue;
      this.#repairs.push(markOf(this.#codec, life, { error, deltas: this.#replay.stranded.get(life)?.deltas ?? [] }));
    }
    for (const life of this.#marks.keys()) {
      const isDead = !identities.has(hex(life)) && !this.#replay.badRows.has(numberedKey(KEYSPACE.identities, life));
      if (isDead) this.#repairs.push({ key: unreadableKey(life), value: null });
    }
  }
}

/** Of index rows: whose one is, by its key within the keyspace. */
const OWNERS = new Map<Keyspace, (identity: Identity, name: string) => boolean>([
  [KEYSPACE.addresses, ({ address }, name) => address === name],
  [KEYSPACE.roll, ({ life }, name) => hex(life) === name],
  [KEYSPACE.systemIds, ({ systemId }, name) => systemId !== null && systemId === decodeURIComponent(name)],
]);

/** Why the configuration that an actor is in is not known; null where it is. */
export function lostConfiguration(
  { configurations }: Pick<Dictionary, 'configurations'>,
  { definition }: Identity,
  state: ActorState | undefined,
): BosunError | null {
  const id = state?.configuration ?? null;
  if (id === null || !isLost(configurations.get(definition)?.[id]?.nodes ?? [])) return null;
  return damaged(configurationKeys(definition, id)[0], 'holds the configuration that the actor is in');
}

/** What a mark says. @throws BOSUN_STORE_DAMAGED. */
export function markFrom(replay: Replay, key: string, payload: Uint8Array): BosunError {
  const { code, message, details } = replay.decode(key, payload) as Pick<BosunError, 'code' | 'message'> & {
    details: Record<string, unknown>;
  };
  return new BosunError(code, message, { details });
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('!');
  return [text.slice(0, at), text.slice(at + 1)];
}
