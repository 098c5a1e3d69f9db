/**
 * Admission of requests by their headers: Host must be one of our names (against DNS rebinding), and the Origin of a
 * browser's page must be one of ours too. Rules only.
 */
import { isAddress } from './network-address.ts';

export interface OriginRules {
  /** The address on which the server listens. */
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

/**
 * Paths of health probes. They may be requested by a container's address, which is not known beforehand, or without any
 * Host. Their answers are public, and DNS cannot make an address point here.
 */
const PROBES: readonly string[] = ['/healthz', '/readyz'];

/** Why a request for a path is refused; undefined if it is not. */
export function refusalOf(
  path: string,
  headers: Headers,
  { host, hosts, origins }: OriginRules,
): 'host' | 'origin' | undefined {
  const named = nameIn(headers.host);
  const ours = [...LOOPBACK, host.includes(':') ? `[${host}]` : host, ...hosts];
  const isProbe = PROBES.includes(path) && (headers.host === undefined || (named !== undefined && isAddress(named)));
  if (!isProbe && (named === undefined || !ours.includes(named))) return 'host';
  const { origin } = headers;
  // Programs send no Origin; browsers do with every WebSocket and every request that could change something.
  if (origin === undefined)
    return headers['sec-fetch-site'] === 'cross-site' && !isVisit(headers) ? 'origin' : undefined;
  const isOurs =
    origin === `http://${headers.host}` || origin === `https://${headers.host}` || origins.includes(origin);
  return isOurs ? undefined : 'origin';
}

/**
 * The origin of the page that a request comes from, if it is one of `origins`. Undefined for refused requests, for
 * programs and for the gateway's own pages, which need no permission to read answers.
 */
export function guestOf(path: string, headers: Headers, rules: OriginRules): string | undefined {
  const { origin } = headers;
  const isGuest = origin !== undefined && rules.origins.includes(origin);
  return isGuest && refusalOf(path, headers, rules) === undefined ? origin : undefined;
}

/** Whether a request follows a link from another page. The linking page cannot read the answer. */
function isVisit(headers: Headers): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** The host name without port (`127.0.0.1:4180`: `127.0.0.1`); undefined for an invalid host. */
function nameIn(host: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase();
}
