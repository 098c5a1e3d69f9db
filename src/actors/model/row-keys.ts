/**
 * The kernel's side of the keyspaces of ports.ts: how keys of rows are formed. Numbers sort because their width is
 * fixed.
 */
import { type RowKey, type Keyspace, KEYSPACE } from './ports.ts';

/** Fourteen hexadecimal digits hold every safe integer. */
export function ordered(number: number): string {
  return number.toString(16).padStart(14, '0');
}

export function rowKey(keyspace: Keyspace, key: string | number): RowKey {
  return `${keyspace}!${typeof key === 'number' ? ordered(key) : key}`;
}

/** Any text as part of a key: what a key cannot hold is percent-encoded. `text` is well-formed. */
export function keyText(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** Key of a Boss's record of a child. */
export function childKey(boss: number, childId: string): RowKey {
  return `${KEYSPACE.children}!${ordered(boss)}!${childId}`;
}

/** Whose record it is, by its key within the keyspace. */
export function childIn(key: string): readonly [boss: number, childId: string] {
  const separator = key.indexOf('!');
  return [parseInt(key.slice(0, separator), 16), key.slice(separator + 1)];
}

/** Key of a turn that is kept. */
export function turnKey(life: number, place: number): RowKey {
  return `${KEYSPACE.turns}!${ordered(life)}!${place.toString(16).padStart(4, '0')}`;
}

/** Key of what an effect keeps under a name. */
export function keptKey(effect: number, name: string): RowKey {
  return `${KEYSPACE.keepsakes}!${ordered(effect)}!${keyText(name)}`;
}
