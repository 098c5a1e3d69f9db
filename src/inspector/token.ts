/**
 * Where the page keeps its token: in the memory of its tab, for as long as that lives. `#token=...` hands one in, and
 * leaves no trace.
 */

const KEY = 'bosun.token';

export function keptToken(): string | undefined {
  const [, given] = /^#token=([\w.~+/=-]+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    keepToken(given);
    history.replaceState(null, '', '#/');
  }
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}
