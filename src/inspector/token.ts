/** Storage of the token: the session storage of the tab. `#token=...` passes one in and is removed from the address. */

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
