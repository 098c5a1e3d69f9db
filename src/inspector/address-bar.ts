/** The page's route in the address bar, read and changed. */
import { signal } from '@preact/signals';
import { hrefOf, type PageRoute, routeOf } from './route.ts';

export const route = signal<PageRoute>({ view: 'tree', rest: '', query: {} });

export function followAddressBar(): void {
  const read = () => (route.value = routeOf(location.hash));
  addEventListener('hashchange', read);
  read();
}

export function go(href: string): void {
  location.hash = href;
}

/** Changes the query of the present view without a history entry. */
export function setQuery(query: Readonly<Record<string, string>>): void {
  const { view, rest } = route.value;
  history.replaceState(null, '', hrefOf(view, rest, query));
  route.value = routeOf(location.hash);
}
