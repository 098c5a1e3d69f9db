/**
 * Brings the folded state of one actor forward by its changes in the journal: one by one, each checked against the
 * chain. A start that reads only some actors leaves the changes of the others as they are ({@link Unread}) until an
 * actor is needed or the fold reaches it.
 */
import { type ActorState, type StoreWrite } from '../../actors/model/ports.ts';
import { applyChange, Change, type StateChange, UNBORN } from '../../actors/model/state.ts';
import { checksum } from '../../checksum.ts';
import { BosunError, messageOf } from '../../errors.ts';
import { ChangedActor, findActor, identityFrom, openActor } from './actor-record.ts';
import { type StructuredCodec } from './codec.ts';
import { type Delta } from './deltas.ts';
import { damaged, seal } from './envelope.ts';
import { epochKey, stateKey, unreadableKey } from './keys.ts';

/** A change with the epoch that holds it. */
export interface PlacedDelta extends Omit<Delta, 'life'> {
  readonly epoch: number;
}

/** The dependencies of reading one record. */
export interface RecordSource {
  readonly codec: StructuredCodec;
  readonly pages: PageReader;
  readonly fetch: (key: string) => Uint8Array | undefined;
}

/** Reads the state in a record; see pages.ts. */
export interface PageReader {
  read(key: string, bytes: Uint8Array, fetch: (key: string) => Uint8Array | undefined): ActorState;
}

/** An actor with changes in the journal whose record has not been read. */
export class Unread {
  readonly #life: number;
  readonly #source: RecordSource;
  readonly deltas: PlacedDelta[] = [];

  constructor(life: number, source: RecordSource) {
    this.#life = life;
    this.#source = source;
  }

  /**
   * Reads the actor as of the last epoch that the start replayed.
   *
   * @throws BOSUN_STORE_DAMAGED, BOSUN_STORE_FAILED.
   */
  read(): ChangedActor {
    const { codec, pages, fetch } = this.#source;
    const found = findActor(this.#life, fetch);
    if (found === undefined) throw damaged(stateKey(this.#life), 'is missing');
    const [key, record] = found;
    const parts = openActor(key, record);
    if (parts.state instanceof BosunError) throw parts.state;
    const identity = identityFrom(this.#life, decodeRecord(codec, key, parts.identity));
    let state = parts.state === null ? UNBORN : pages.read(key, parts.state, fetch);
    for (const delta of this.deltas) state = broughtForward(codec, this.#life, state, delta);
    return new ChangedActor({ identity, state }, parts.identity);
  }

  /**
   * The mark that the fold writes for an actor that cannot be read, because it deletes the epochs that prove the
   * damage.
   */
  markedAs(error: BosunError): StoreWrite {
    return markOf(this.#source.codec, this.#life, { error, deltas: this.deltas });
  }
}

/**
 * Applies a change to a state.
 *
 * @returns The state after the change; the given one where it includes the change already.
 * @throws BOSUN_STORE_DAMAGED.
 */
export function broughtForward(
  codec: StructuredCodec,
  life: number,
  state: ActorState,
  { epoch, seq, hash, body }: PlacedDelta,
): ActorState {
  const key = epochKey(epoch);
  const place = { epoch, life, seq };
  if (seq < state.seq) return state;
  if (seq === state.seq) {
    if (hash !== state.hash) throw damaged(key, `disagrees with the folded state of life ${life}`, place);
    return state;
  }
  if (seq !== state.seq + 1)
    throw damaged(key, `has change ${seq} of life ${life}, whose state is at ${state.seq}`, place);
  const next = applyChange(state, Change.of(decodeRecord(codec, key, body) as StateChange), checksum(body, state.hash));
  if (next.hash !== hash) throw damaged(key, `breaks the chain of life ${life} at change ${seq}`, place);
  return next;
}

/**
 * Decodes a record.
 *
 * @param isOpen Whether its objects and arrays are left open to changes.
 * @throws BOSUN_STORE_DAMAGED with details { key }.
 */
export function decodeRecord(codec: StructuredCodec, key: string, payload: Uint8Array, isOpen = false): unknown {
  try {
    return isOpen ? codec.decodeOpen(payload) : codec.decode(payload);
  } catch (error) {
    throw damaged(key, `cannot be decoded: ${messageOf(error)}`, { cause: error });
  }
}

/** The mark of an unreadable actor, with its changes from the journal. */
export function markOf(
  codec: StructuredCodec,
  life: number,
  found: { readonly error: BosunError; readonly deltas: readonly PlacedDelta[] },
): StoreWrite {
  const key = unreadableKey(life);
  const { code, message, details } = found.error;
  return { key, value: seal(key, codec.encode({ code, message, details, deltas: found.deltas })) };
}
