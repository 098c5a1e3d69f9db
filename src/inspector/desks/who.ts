/** The name under which somebody answers, typed once: kept in the browser, and believed by the desks. */
import { signal } from '@preact/signals';

const KEY = 'bosun.name';

export const ownName = signal(localStorage.getItem(KEY) ?? '');

export function setOwnName(name: string): void {
  ownName.value = name;
  localStorage.setItem(KEY, name);
}
