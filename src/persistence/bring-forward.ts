/**
 * How the folded state of one actor is brought forward by the changes that the journal holds of it: one by one, each
 * checked against the chain. A start that reads only some actors leaves the others' changes as they are, {@link
 * Unread}, until somebody asks for the actor or the fold comes to it.
 */
import { type ActorState, type StoreWrite } from '../actors/model/ports.ts';
import { applyChange, Change, type StateChange, UNBORN } from '../actors/model/state.ts';
import { checksum } from '../checksum.ts';
import { type BosunError, messageOf } from '../errors.ts';
import { type StructuredCodec } from './codec.ts';
import { type Delta } from './deltas.ts';
import { damaged, seal, unseal } from './envelope.ts';
import { epochKey, stateKey, unreadableKey } from './keys.ts';

/** A change, and the epoch that holds it. */
export interface PlacedDelta extends Omit<Delta, 'life'> {
  readonly epoch: number;
}

/** What reading one record needs. */
export interface RecordSource {
  readonly codec: StructuredCodec;
  readonly pages: PageReader;
  readonly fetch: (key: string) => Uint8Array | undefined;
}

/** Reads the state that a record holds: see pages.ts. */
export interface PageReader {
  read(life: number, payload: Uint8Array, fetch: (key: string) => Uint8Array | undefined): ActorState;
}

/** An actor that the journal has changed and whose record has not been read. */
export class Unread {
  readonly #life: number;
  readonly #source: RecordSource;
  readonly deltas: PlacedDelta[] = [];

  constructor(life: number, source: RecordSource) {
    this.#life = life;
    this.#source = source;
  }

  /** Its state, as of the last epoch that the start replayed. @throws BOSUN_STORE_DAMAGED, BOSUN_STORE_FAILED. */
  read(): ActorState {
    const { codec, pages, fetch } = this.#source;
    const key = stateKey(this.#life);
    const value = fetch(key);
    let state = value === undefined ? UNBORN : pages.read(this.#life, unseal(key, value), fetch);
    for (const delta of this.deltas) state = broughtForward(codec, this.#life, state, delta);
    return state;
  }

  /** What the fold writes of one that cannot be read: it deletes the epochs that show what is wrong. */
  markedAs(error: BosunError): StoreWrite {
    return markOf(this.#source.codec, this.#life, { error, deltas: this.deltas });
  }
}

/** @returns The state after a change; the same for one that it has already. @throws BOSUN_STORE_DAMAGED. */
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

/** @throws BOSUN_STORE_DAMAGED with details { key }. */
export function decodeRecord(codec: StructuredCodec, key: string, payload: Uint8Array): unknown {
  try {
    return codec.decode(payload);
  } catch (error) {
    throw damaged(key, `cannot be decoded: ${messageOf(error)}`, { cause: error });
  }
}

/** Notes an actor as unreadable, with what the journal says of it. */
export function markOf(
  codec: StructuredCodec,
  life: number,
  found: { readonly error: BosunError; readonly deltas: readonly PlacedDelta[] },
): StoreWrite {
  const key = unreadableKey(life);
  const { code, message, details } = found.error;
  return { key, value: seal(key, codec.encode({ code, message, details, deltas: found.deltas })) };
}
