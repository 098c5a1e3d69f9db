/**
 * Which requests may come in at all, by their headers: the Host has to be one of ours (a name that was made to point
 * here is another's), and the Origin of a browser's page has to be one of ours too. Rules only.
 */

export interface OriginRules {
  /** Where the server listens. */
  readonly host: string;
  /** Further names in `Host`, without port. */
  readonly hosts: readonly string[];
  /** Origins of pages that may connect beside those served from here, such as `https://app.example`. */
  readonly origins: readonly string[];
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function isLoopback(host: string): boolean {
  return host === '::1' || LOOPBACK.includes(host);
}

interface Headers {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
  readonly 'sec-fetch-mode'?: string | string[] | undefined;
  readonly 'sec-fetch-dest'?: string | string[] | undefined;
}

/** Why a request is turned away; undefined where it is not. */
export function refusalOf(headers: Headers, { host, hosts, origins }: OriginRules): 'host' | 'origin' | undefined {
  const named = nameIn(headers.host);
  if (named === undefined || ![...LOOPBACK, host.includes(':') ? `[${host}]` : host, ...hosts].includes(named))
    return 'host';
  const { origin } = headers;
  // Programs send no Origin. Browsers do with every WebSocket and every request that could change something.
  if (origin === undefined)
    return headers['sec-fetch-site'] === 'cross-site' && !isVisit(headers) ? 'origin' : undefined;
  const isOurs =
    origin === `http://${headers.host}` || origin === `https://${headers.host}` || origins.includes(origin);
  return isOurs ? undefined : 'origin';
}

/** Somebody follows a link to here: the other page sees nothing of what comes. */
function isVisit(headers: Headers): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** `127.0.0.1:4180`: `127.0.0.1`. Undefined for what is no host. */
function nameIn(host: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase();
}
