/**
 * The kernel's side of the row tables of ports.ts: how their keys are formed. Numbers sort because their width is
 * fixed.
 */
import { type RowKey, type Table } from './ports.ts';

/** Fourteen hexadecimal digits hold every safe integer. */
export function ordered(number: number): string {
  return number.toString(16).padStart(14, '0');
}

export function rowKey(table: Table, key: string | number): RowKey {
  return `${table}!${typeof key === 'number' ? ordered(key) : key}`;
}

/** Any text as part of a key: what a key cannot hold is percent-encoded. `text` is well-formed. */
export function keyText(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** Key of a Boss's child in table `b`. */
export function childKey(boss: number, childId: string): RowKey {
  return `b!${ordered(boss)}!${childId}`;
}

/** Key of a turn that is kept. */
export function turnKey(life: number, place: number): RowKey {
  return `j!${ordered(life)}!${place.toString(16).padStart(4, '0')}`;
}

/** Key of what an effect keeps under a name. */
export function keptKey(effect: number, name: string): RowKey {
  return `k!${ordered(effect)}!${keyText(name)}`;
}
