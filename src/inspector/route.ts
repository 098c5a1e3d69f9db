/**
 * Conversion between routes and addresses: `#/actor/stages/AAPL?q=x` has a view, the rest of the path, and a query.
 * Pure.
 */

export interface PageRoute {
  /** Name of the view. */
  readonly view: string;
  /** The path after the view's name, such as an actor's address. */
  readonly rest: string;
  readonly query: Readonly<Record<string, string>>;
}

export function routeOf(hash: string): PageRoute {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', ...rest] = path.split('/').map(decoded);
  return {
    view: view === '' ? 'tree' : view,
    rest: rest.join('/'),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

export function hrefOf(view: string, rest = '', query: Readonly<Record<string, string>> = {}): string {
  const path = [view === 'tree' ? '' : view, ...(rest === '' ? [] : rest.split('/').map(encoded))].join('/');
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return `#/${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`;
}

export function actorHref(address: string): string {
  return hrefOf('actor', address);
}

/** Encodes a part of a path. A few characters of addresses are legal and stay readable. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(/%(3A|40|2B)/g, decodeURIComponent);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
