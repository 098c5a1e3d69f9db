/**
 * The record of an actor: its identity and its state, in one value under one key. An actor that has not begun has no
 * state. The identity has a checksum of its own, so that it can be read although the state is damaged.
 *
 *     [length of the identity varint][identity][CRC-32 of key and identity u32][state]
 */
import { type ActorState, type Identity } from '../../actors/model/ports.ts';
import { identityOf, isEnrolled } from '../../actors/model/state.ts';
import { checksum, checksumOfPart } from '../../checksum.ts';
import { type BosunError, isBosunError } from '../../errors.ts';
import { ByteReader, type ByteWriter } from './bytes.ts';
import { type Span } from './codec.ts';
import { damaged, ENVELOPE_BYTES, stamp, unseal } from './envelope.ts';
import { enrolledKey, stateKey } from './keys.ts';

export interface StoredActor {
  readonly identity: Identity;
  readonly state: ActorState;
}

/** An actor changed by epochs, as the fold has to write it. */
export class ChangedActor implements StoredActor {
  identity: Identity;
  state: ActorState;
  /** The encoded identity from the journal, where one of the epochs has it. */
  packed: Uint8Array | undefined;

  constructor({ identity, state }: StoredActor, packed?: Uint8Array) {
    this.identity = identity;
    this.state = state;
    this.packed = packed;
  }
}

/** The two parts of a record, encoded. */
interface ActorParts {
  readonly identity: Uint8Array;
  /** The encoded state; null for an actor that has not begun. */
  readonly state: Uint8Array | null | BosunError;
}

/** The key of an actor's record. Actors that every start reads stand together. */
export function actorKey(identity: Identity): string {
  return isEnrolled(identity) ? enrolledKey(identity.life) : stateKey(identity.life);
}

/** Finds the record of a life, under whichever key it is. */
export function findActor(
  life: number,
  fetch: (key: string) => Uint8Array | undefined,
): readonly [key: string, record: Uint8Array] | undefined {
  for (const key of [stateKey(life), enrolledKey(life)]) {
    const record = fetch(key);
    if (record !== undefined) return [key, record];
  }
  return undefined;
}

/**
 * Seals a record. The parts are requested one after the other; each is valid until the next is requested.
 *
 * @param writer Scratch space. The result does not share it.
 */
export function sealActor(
  key: string,
  { identity, state }: { readonly identity: () => Readonly<Span>; readonly state: (() => Readonly<Span>) | null },
  writer: ByteWriter,
): Uint8Array {
  writer.reset();
  writer.skip(ENVELOPE_BYTES);
  const { bytes, start, end } = identity();
  writer.varint(end - start);
  writer.part(bytes, start, end);
  writer.u32(checksumOfPart(bytes, start, end, checksum(key)));
  if (state !== null) {
    const span = state();
    writer.part(span.bytes, span.start, span.end);
  }
  const record = writer.copy();
  stamp(key, record);
  return record;
}

/**
 * Reads the parts of a record, as views into it. Where only the state is damaged, the damage stands in its place.
 *
 * @throws BOSUN_STORE_DAMAGED if the identity is damaged, BOSUN_STORE_FORMAT.
 */
export function openActor(key: string, record: Uint8Array): ActorParts {
  let problem: BosunError | undefined;
  try {
    unseal(key, record);
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
    problem = error;
  }
  try {
    const reader = new ByteReader(record.subarray(ENVELOPE_BYTES));
    const identity = reader.bytes(reader.varint());
    if (reader.u32() !== checksum(identity, checksum(key))) throw damaged(key, 'is malformed');
    return { identity, state: problem ?? (reader.atEnd ? null : record.subarray(ENVELOPE_BYTES + reader.position)) };
  } catch (error) {
    throw problem ?? damaged(key, 'is malformed', { cause: error });
  }
}

/** The encoded form of an identity: without fields that follow from others, and without empty fields at the end. */
export function identityFields(identity: Identity): readonly unknown[] {
  const { address, agent, definition, version, parent, bond, childId, systemId, syncSnapshot, input } = identity;
  const fields: unknown[] = [
    address,
    agent,
    definition,
    version,
    // A child of a machine always has a parent, so the sign is free to distinguish it from a child of a Boss.
    bond === 'invoked' ? -parent : parent,
    address.endsWith(childId) ? childId.length : childId,
    effectOf(identity),
  ];
  if (input !== undefined) fields.push(systemId, syncSnapshot, input);
  else if (syncSnapshot) fields.push(systemId, true);
  else if (systemId !== null) fields.push(systemId);
  return fields;
}

/** The effect id, without its life where that is the parent's: from the first slash on. 0 if there is none. */
function effectOf({ effectId, parent }: Identity): 0 | string {
  if (effectId === null) return 0;
  return effectId.startsWith(`${parent}/`) ? effectId.slice(`${parent}`.length) : effectId;
}

type Fields = readonly [
  address: string,
  agent: string,
  definition: string,
  version: number,
  parent: number,
  childId: number | string,
  effect: 0 | string,
  systemId?: string | null,
  syncSnapshot?: boolean,
  input?: unknown,
];

export function identityFrom(life: number, fields: unknown): Identity {
  const [address, agent, definition, version, bound, child, effect, systemId = null, syncSnapshot = false, input] =
    fields as Fields;
  const parent = Math.abs(bound);
  const effectId = effect === 0 ? null : effect.startsWith('/') ? `${parent}${effect}` : effect;
  return identityOf({
    life,
    address,
    agent,
    definition,
    version,
    parent,
    bond: bound < 0 ? 'invoked' : 'supervised',
    childId: childIn(address, child),
    systemId,
    syncSnapshot,
    effectId,
    input,
  });
}

/** The child id; the same string as the address where the id is the whole address. */
function childIn(address: string, child: number | string): string {
  if (typeof child === 'string') return child;
  return child === address.length ? address : address.slice(address.length - child);
}
