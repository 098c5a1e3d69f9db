/** The keys of the kernel's rows, within the keyspaces of ports.ts. Numbers have a fixed width so that they sort. */
import { type RowKey, type Keyspace, KEYSPACE, keyWithin } from './ports.ts';

/** A number as fourteen hexadecimal digits, which hold every safe integer. */
export function ordered(number: number): string {
  return number.toString(16).padStart(14, '0');
}

export function rowKey(keyspace: Keyspace, key: string | number): RowKey {
  return `${keyspace}!${typeof key === 'number' ? ordered(key) : key}`;
}

/** Encodes any text as part of a key: characters that a key cannot hold are percent-encoded. `text` is well-formed. */
export function keyText(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** The key of a Boss's record of a child. */
export function childKey(boss: number, childId: string): RowKey {
  return `${KEYSPACE.children}!${ordered(boss)}!${childId}`;
}

/** Splits the key of a child's record, as it is within its keyspace. */
export function childIn(key: string): readonly [boss: number, childId: string] {
  const separator = key.indexOf('!');
  return [parseInt(key.slice(0, separator), 16), key.slice(separator + 1)];
}

/** The key of a kept turn. */
export function turnKey(life: number, number: number): RowKey {
  return `${KEYSPACE.turns}!${ordered(life)}!${ordered(number)}`;
}

/** The life whose turn is stored under the key. */
export function lifeOfTurn(key: RowKey): number {
  return parseInt(keyWithin(key), 16);
}

/** The key of a checkpoint or memo of an effect. */
export function keptKey(effect: number, name: string): RowKey {
  return `${KEYSPACE.keepsakes}!${ordered(effect)}!${keyText(name)}`;
}
