/**
 * The changes of an epoch in the form of its section: packed one by one as the turns end, so that writing an epoch at
 * full load is one copy. Each carries the hash of the state after it, which chains the changes of an actor.
 */
import { type Deltas } from '../../actors/model/ports.ts';
import { checksumOfPart } from '../../checksum.ts';
import { type ByteReader, ByteWriter } from './bytes.ts';
import type { Span } from './codec.ts';

/** One change of one actor's state, decoded. */
export interface Delta {
  readonly life: number;
  /** The sequence number of the state after this change. */
  readonly seq: number;
  readonly hash: number;
  /** The encoded StateChange. */
  readonly body: Uint8Array;
}

export class PackedDeltas implements Deltas {
  readonly #writer = new ByteWriter();
  readonly #encode: (change: object) => Readonly<Span>;

  constructor(encode: (change: object) => Readonly<Span>) {
    this.#encode = encode;
  }

  get isEmpty(): boolean {
    return this.#writer.length === 0;
  }

  add(life: number, before: { readonly seq: number; readonly hash: number }, change: object): number {
    const { bytes, start, end } = this.#encode(change);
    const hash = checksumOfPart(bytes, start, end, before.hash);
    const writer = this.#writer;
    writer.varint(life);
    writer.varint(before.seq + 1);
    writer.u32(hash);
    writer.varint(end - start);
    writer.part(bytes, start, end);
    return hash;
  }

  take(): Uint8Array {
    const packed = this.#writer.copy();
    this.#writer.reset();
    return packed;
  }
}

/** Reads all changes until the end of the bytes. */
export function readDeltas(reader: ByteReader): Delta[] {
  const deltas: Delta[] = [];
  while (!reader.atEnd) {
    const life = reader.varint();
    const seq = reader.varint();
    const hash = reader.u32();
    deltas.push({ life, seq, hash, body: reader.bytes(reader.varint()) });
  }
  return deltas;
}
