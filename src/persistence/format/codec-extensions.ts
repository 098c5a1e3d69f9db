/**
 * The extensions of MessagePack for values that msgpackr does not know, or would write otherwise: references, errors,
 * tables, concealed values, and dates and bytes of which an original is kept.
 */
import { addExtension } from 'msgpackr';
import { Concealed, type ReferenceCoding } from '../../actors/model/ports.ts';
import { assert } from '../../assert.ts';
import { retold } from '../../errors.ts';
import { isTable, leavesOf, type Table, tableOfRows } from '../../table.ts';
import { copyOf, isAnyKept, originalOf } from '../../unfreezable.ts';
import { concealedFrom } from './key-ring.ts';

/** Extension types of MessagePack. msgpackr has one registry per process, so they avoid common choices. */
const REFERENCE_TYPE = 0x4c;
const ERROR_TYPE = 0x45;
const CONCEALED_TYPE = 0x53;
const TABLE_TYPE = 0x54;

/**
 * The coding in use. Extensions know neither their Packr nor its options, so it is bound for the length of one
 * synchronous call. While none is bound they match nothing: other users of msgpackr in the process see no difference. A
 * second copy of this module, of any version, is such a user: it writes only with its own classes, and it reads with
 * the extension registered last for a type; so each decode registers its own.
 */
let bound: Binding | null = null;
let registered = false;

export interface Binding {
  readonly references: ReferenceCoding;
  /** Decrypts a value; returns the given one where the key is missing. */
  reveal(concealed: Concealed): unknown;
}

/** Binds the coding in use; null for none. Returns the one that was bound before. */
export function bind(binding: Binding | null): Binding | null {
  const outer = bound;
  bound = binding;
  return outer;
}

class BoundError {
  static [Symbol.hasInstance](value: unknown): boolean {
    return bound !== null && value instanceof Error;
  }
}

class BoundTable {
  static [Symbol.hasInstance](value: unknown): boolean {
    return bound !== null && isTable(value);
  }
}

class BoundPart {
  static [Symbol.hasInstance](value: object): boolean {
    return bound !== null && isAnyKept() && originalOf(value) !== undefined;
  }
}

class BoundReference {
  static [Symbol.hasInstance](value: unknown): boolean {
    return bound !== null && value instanceof bound.references.Class;
  }
}

/** Registers what is written, once per process. */
export function registerExtensions(): void {
  if (registered) return;
  registered = true;
  addExtension({ ...ERRORS, Class: BoundError, write: errorFields });
  addExtension({
    ...CONCEALED,
    Class: Concealed,
    write: (concealed: Concealed) => [concealed.type, concealed.bytes()],
  });
  addExtension({ ...TABLES, Class: BoundTable, write: tableFields });
  // Without a type: the original is written as the date or bytes that it is.
  addExtension({ Class: BoundPart, write: (part: object) => copyOf(originalOf(part)!) } as never);
  addExtension({ ...REFERENCES, Class: BoundReference, write: referenceFields });
}

/**
 * Registers the readers. An extension without a class is one entry in msgpackr's table of readers, so this may be
 * repeated.
 */
export function claimReaders(): void {
  addExtension(ERRORS);
  addExtension(CONCEALED);
  addExtension(TABLES);
  addExtension(REFERENCES);
}

const ERRORS = { type: ERROR_TYPE, read: retold };
const CONCEALED = { type: CONCEALED_TYPE, read: concealedValue };
const TABLES = { type: TABLE_TYPE, read: tableFrom };
const REFERENCES = { type: REFERENCE_TYPE, read: referenceFrom };

/** The stored parts of a table, in key order. */
type TableFields = readonly [keys: readonly string[], rows: readonly unknown[]];

function tableFields(of: Table<unknown>): TableFields {
  const leaves = leavesOf(of);
  return [leaves.flatMap(({ keys }) => keys), leaves.flatMap(({ rows }) => rows)];
}

function tableFrom([keys, rows]: TableFields): Table<unknown> {
  return tableOfRows(keys, rows);
}

function referenceFields(reference: object): [life: number, address: string] {
  assert(bound !== null, 'references are encoded by a codec');
  const { life, address } = bound.references.encode(reference);
  return [life, address];
}

function referenceFrom([life, address]: [life: number, address: string]): object {
  assert(bound !== null, 'references are decoded by a codec');
  return bound.references.decode({ life, address });
}

function concealedValue([type, bytes]: [type: string | undefined, bytes: Uint8Array]): unknown {
  assert(bound !== null, 'what is concealed is decoded by a codec');
  return bound.reveal(concealedFrom(bytes, type));
}

interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: unknown;
  readonly cause?: unknown;
}

function errorFields(error: Error & { code?: unknown }): ErrorFields {
  const { name, message, stack } = error;
  return {
    name,
    message,
    stack,
    ...('code' in error && { code: error.code }),
    ...('cause' in error && { cause: error.cause }),
  };
}
