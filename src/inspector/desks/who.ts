/** The user's name in answers, entered once and kept in the browser. Desks trust it. */
import { signal } from '@preact/signals';

const KEY = 'bosun.name';

export const ownName = signal(localStorage.getItem(KEY) ?? '');

export function setOwnName(name: string): void {
  ownName.value = name;
  localStorage.setItem(KEY, name);
}
