/**
 * Encodes values as bytes and back, on msgpackr with shared record structures: the keys of an object are written once
 * per store, and an object becomes a number and its values. The journal stores each structure no later than its first
 * use.
 *
 * Decoded values equal the encoded ones for everything that admission accepts (undefined, null, booleans, numbers,
 * well-formed strings, bigints, Date, Map, Set, Uint8Array, Error, Table, arrays, plain objects) and for references.
 * They come back immutable, as admission makes them; errors as plain Error objects with name, message, stack, code and
 * cause. Of dates and bytes that were changed in place the original is written.
 * Negative zero, ill-formed strings and the key `__proto__` must be kept out before.
 *
 * A concealed value is packed by itself without shared structures, then encrypted (key-ring.ts).
 */
import { Packr, REUSE_BUFFER_MODE } from 'msgpackr';
import { type Codec, type Conceal, Concealed, type Deltas, type ReferenceCoding } from '../../actors/model/ports.ts';
import { BosunError, messageOf } from '../../errors.ts';
import { sealed } from '../../sealed-values.ts';
import { isTable } from '../../table.ts';
import { bind, type Binding, claimReaders, registerExtensions } from './codec-extensions.ts';
import { type KeyRing } from './key-ring.ts';
import { PackedDeltas } from './deltas.ts';
import { FIXED_STRUCTURES, isLost } from './structures.ts';

/**
 * The number of structures of one store. It suffices for two hundred agents of ten shapes each; two copies of all are
 * some 400 KB to read at open. Further shapes are written with their keys each time: larger, never wrong.
 */
export const STRUCTURES_MAX = 2_048;

/**
 * The number of encodes that must have met a shape before it is shared. An object used as a dictionary passes through a
 * new shape with every key it gains, and each is met twice at most (in the change and in the fold); such shapes must
 * not fill the table.
 */
const SIGHTINGS_MIN = 3;

/**
 * The largest number of keys of a shared shape. Larger objects are usually dictionaries, and their keys are the
 * smallest part of their size.
 */
const SHARED_KEYS_MAX = 32;

/**
 * The number of shapes met fewer than {@link SIGHTINGS_MIN} times that are remembered; the count starts anew when there
 * are more.
 */
const CANDIDATES_MAX = 4_096;

export interface LearnedStructure {
  readonly number: number;
  readonly keys: readonly string[];
}

/** A part of a shared buffer, valid until the next encode. */
export interface Span {
  bytes: Uint8Array;
  start: number;
  end: number;
}

export interface StructuredCodec extends Codec {
  /** Decodes like `decode`, but leaves objects and arrays open to changes. */
  decodeOpen(bytes: Uint8Array): unknown;
  /** Releases everything that it holds. No call may follow. */
  close(): void;
  /** Encodes like `encode`, without a copy. */
  encodeShared(value: unknown): Readonly<Span>;
  /** Structures learned since the last call. They must be stored with the encoded bytes, or before them. */
  takeNewStructures(): readonly LearnedStructure[];
}

/**
 * Creates the codec of a store.
 *
 * @param stored Structures that earlier codecs of the same store have learned, in the order of their numbers.
 * @param keys The key ring for concealed values; without one, nothing is concealed and no concealed value can be read.
 * `encode` throws BOSUN_VALUE_REFUSED, `decode` BOSUN_STORE_DAMAGED.
 */
export function createCodec(
  references: ReferenceCoding,
  stored: readonly (readonly string[])[] = [],
  keys?: KeyRing,
): StructuredCodec {
  registerExtensions();
  return new MessagePackCodec(references, stored, keys);
}

const PACKING = { moreTypes: true, copyBuffers: true, freezeData: true, useToJSON: false };

class MessagePackCodec implements StructuredCodec {
  readonly conceal: Conceal | undefined;
  readonly #binding: Binding;
  readonly #packr: Packr;
  /**
   * A packer without shared structures: for concealed values, because the names in a learned structure would be
   * legible; and for other stores, which have other structures.
   */
  readonly #plain = new Packr({ ...PACKING, shouldShareStructure: () => false } as ConstructorParameters<
    typeof Packr
  >[0]);
  /** A reader that does not freeze; made when it is first used. */
  #open: Packr | undefined;
  /** Every structure that a finished encode may have used, by number. */
  readonly #known: (readonly string[])[];
  readonly #sightings = new Map<string, number>();
  /** Whether a stored structure is lost. Values written with it must not come back with other keys. */
  readonly #hasLost: boolean;
  #taken: number;
  #whole: Uint8Array = new Uint8Array();
  readonly #span: Span = { bytes: new Uint8Array(), start: 0, end: 0 };

  constructor(references: ReferenceCoding, stored: readonly (readonly string[])[], keys: KeyRing | undefined) {
    this.conceal =
      keys &&
      ((value, type) => (value instanceof Concealed ? value : keys.conceal(this.#encodeBy(this.#plain, value), type)));
    this.#binding = {
      references,
      reveal: (concealed) => {
        const bytes = keys?.reveal(concealed);
        return bytes === undefined ? concealed : (this.#plain.unpack(bytes) as unknown);
      },
    };
    this.#known = [...FIXED_STRUCTURES, ...stored];
    this.#taken = this.#known.length;
    this.#hasLost = stored.some(isLost);
    this.#packr = new Packr({
      // msgpackr calls this at the first use and after an encode that threw, whose structures it forgets. It keeps
      // marks of its own on the lists, hence the copies.
      getStructures: () => this.#known.map((keys) => [...keys]),
      saveStructures: (structures: string[][]) => this.#learn(structures),
      // Once its table is full, msgpackr 2.1 assigns one id twice within an encode; #isShared keeps it from filling up.
      maxSharedStructures: STRUCTURES_MAX + 1,
      shouldShareStructure: (keys) => this.#isShared(keys),
      ...PACKING,
    } as ConstructorParameters<typeof Packr>[0]);
  }

  encode(value: unknown): Uint8Array {
    return this.#encodeBy(this.#packr, value);
  }

  encodeShared(value: unknown): Readonly<Span> {
    return this.#spanOf(this.#packr, value);
  }

  deltas(): Deltas {
    return new PackedDeltas((value) => this.encodeShared(value));
  }

  #encodeBy(packr: Packr, value: unknown): Uint8Array {
    const { bytes, start, end } = this.#spanOf(packr, value);
    // From Node's pool: a separate buffer costs more than its contents.
    const copy = Buffer.allocUnsafe(end - start);
    copy.set(bytes.subarray(start, end));
    return copy;
  }

  #spanOf(packr: Packr, value: unknown): Readonly<Span> {
    const outer = bind(this.#binding);
    try {
      const span = this.#span;
      // msgpackr returns its whole buffer, with the start and end of the result; or, after an encode that has learned
      // structures, the result alone.
      const packed = packr.pack(value, REUSE_BUFFER_MODE) as Uint8Array & Partial<Span>;
      const { start = 0, end = packed.length } = packed;
      span.bytes = packed;
      span.start = start;
      span.end = end;
      return span;
    } catch (error) {
      if (error instanceof BosunError) throw error;
      throw new BosunError('BOSUN_VALUE_REFUSED', `the value cannot be encoded: ${messageOf(error)}`, { cause: error });
    } finally {
      bind(outer);
    }
  }

  decode(bytes: Uint8Array): unknown {
    return sealed(this.#decodeBy(this.#packr, bytes));
  }

  decodeOpen(bytes: Uint8Array): unknown {
    const getStructures = () => this.#known.map((keys) => [...keys]);
    this.#open ??= new Packr({ ...PACKING, freezeData: false, getStructures } as object);
    return this.#decodeBy(this.#open, bytes);
  }

  #decodeBy(packr: Packr, bytes: Uint8Array): unknown {
    const outer = bind(this.#binding);
    if (outer === null) claimReaders();
    try {
      const value: unknown = packr.unpack(this.#wholeOf(bytes), {
        start: bytes.byteOffset,
        end: bytes.byteOffset + bytes.length,
      } as never);
      if (this.#hasLost && usesLostStructure(value)) {
        throw new BosunError('BOSUN_STORE_DAMAGED', 'a stored value needs a record structure that is damaged');
      }
      return value;
    } catch (error) {
      if (error instanceof BosunError) throw error;
      throw new BosunError('BOSUN_STORE_DAMAGED', 'a stored value cannot be decoded', { cause: error });
    } finally {
      bind(outer);
    }
  }

  /**
   * The whole buffer that the bytes are in: msgpackr keeps a view of its input, which can then be the same for all
   * values of an epoch.
   */
  #wholeOf({ buffer }: Uint8Array): Uint8Array {
    if (this.#whole.buffer !== buffer) this.#whole = new Uint8Array(buffer);
    return this.#whole;
  }

  pack(value: unknown): Uint8Array {
    return this.#encodeBy(this.#plain, value);
  }

  unpack(bytes: Uint8Array): unknown {
    return sealed(this.#decodeBy(this.#plain, bytes));
  }

  close(): void {
    // msgpackr keeps the Packr that read last, and this one knows every actor through its references.
    NOBODY.unpack(NIL);
  }

  takeNewStructures(): readonly LearnedStructure[] {
    if (this.#taken === this.#known.length) return NONE;
    const first = this.#taken;
    this.#taken = this.#known.length;
    return this.#known.slice(first).map((keys, i) => ({ number: first + i, keys }));
  }

  #learn(structures: string[][]): void {
    const { sharedLength } = structures as string[][] & { sharedLength: number };
    for (let i = this.#known.length; i < sharedLength; i++) this.#known.push([...(structures[i] as string[])]);
  }

  /** Decides whether a shape becomes a shared structure. msgpackr calls this whenever a shape is not in the table. */
  #isShared(keys: readonly string[]): boolean {
    // msgpackr uses a property of this name on its own lookup tables.
    if (keys.includes('__keys__')) throw new BosunError('BOSUN_VALUE_REFUSED', 'the key "__keys__" is reserved');
    // Structures of the current encode are not in #known yet; each of them holds at least one sighting.
    if (keys.length > SHARED_KEYS_MAX || this.#known.length + this.#pending() >= STRUCTURES_MAX) return false;
    const shape = keys.join('\0');
    const sightings = (this.#sightings.get(shape) ?? 0) + 1;
    if (sightings < SIGHTINGS_MIN) {
      if (this.#sightings.size >= CANDIDATES_MAX) this.#sightings.clear();
      this.#sightings.set(shape, sightings);
      return false;
    }
    this.#sightings.delete(shape);
    return true;
  }

  /** The number of structures that msgpackr has numbered in the current encode and not yet reported. */
  #pending(): number {
    const { structures } = this.#packr as unknown as { structures: { sharedLength?: number } };
    return Math.max(0, (structures.sharedLength ?? 0) - this.#known.length);
  }
}

const NONE: readonly LearnedStructure[] = [];

/** A Packr that replaces a closed codec in msgpackr's memory. */
const NOBODY = new Packr();
const NIL = Uint8Array.of(0xc0);

function usesLostStructure(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Concealed || ArrayBuffer.isView(value)) return false;
  if (Array.isArray(value)) return value.some(usesLostStructure);
  if (isTable(value)) return [...value.values()].some(usesLostStructure);
  if (value instanceof Map) return [...value].some(usesLostStructure);
  if (value instanceof Set) return [...value].some(usesLostStructure);
  if (value instanceof Error) return [value.cause, (value as { code?: unknown }).code].some(usesLostStructure);
  return isLost(Object.keys(value)) || Object.values(value).some(usesLostStructure);
}
