/** The page's actions as shell commands: with `bosun`, and with curl. Pure. */

export interface Twin {
  /** The command for `bosun`; undefined if the command line has no such verb. */
  readonly bosun: string | undefined;
  readonly curl: string;
}

export interface GatewayPlace {
  /** The gateway's URL, for example `http://127.0.0.1:4180`, or with a path `https://example.org/bosun`. */
  readonly url: string;
  /** Whether callers need a token. */
  readonly isGuarded: boolean;
}

export function sendTwin(
  gateway: GatewayPlace,
  address: string,
  { type, ...fields }: { readonly type: string; readonly [field: string]: unknown },
): Twin {
  const rest = Object.keys(fields).length === 0 ? [] : [quoted(JSON.stringify(fields))];
  return {
    bosun: ['bosun send', quoted(address), quoted(type), ...rest, ...elsewhere(gateway)].join(' '),
    curl: posted(gateway, `/v1/actors/${encodeURIComponent(address)}/send`, { event: { type, ...fields } }),
  };
}

/** Orders that are verbs of the command line by the same name. */
const VERBS: ReadonlySet<string> = new Set(['suspend', 'resume', 'kill', 'stop', 'restart']);

export function orderTwin(gateway: GatewayPlace, address: string, order: string, reason: string): Twin {
  const because = reason === '' ? [] : ['--reason', quoted(reason)];
  return {
    bosun: VERBS.has(order)
      ? ['bosun', order, quoted(address), ...because, ...elsewhere(gateway)].join(' ')
      : undefined,
    curl: posted(gateway, `/v1/actors/${encodeURIComponent(address)}/${order}`, reason === '' ? {} : { reason }),
  };
}

export interface DeadLetterOrder {
  readonly order: 'redeliver' | 'discard';
  readonly number: number;
  /** The event that replaces the letter's own. */
  readonly event: object | undefined;
  readonly reason: string;
}

export function letterTwin(gateway: GatewayPlace, { order, number, event, reason }: DeadLetterOrder): Twin {
  const because = reason === '' ? [] : ['--reason', quoted(reason)];
  const body = { number, ...(event !== undefined && { event }), ...(reason !== '' && { reason }) };
  return {
    // The command line cannot edit an event before redelivery.
    bosun:
      event === undefined
        ? ['bosun deadletters', order, String(number), ...because, ...elsewhere(gateway)].join(' ')
        : undefined,
    curl: posted(gateway, `/v1/dead-letters/${order}`, body),
  };
}

function posted({ url, isGuarded }: GatewayPlace, path: string, body: object): string {
  const token = isGuarded ? ` -H "Authorization: Bearer $BOSUN_TOKEN"` : '';
  return (
    `curl -X POST ${quoted(url + path)}${token} -H 'Content-Type: application/json' -d ` +
    `${quoted(JSON.stringify(body))}`
  );
}

/** The option that names a gateway which `bosun` does not find by itself: on another machine, or under a path. */
function elsewhere({ url }: GatewayPlace): string[] {
  const { hostname, pathname } = new URL(url);
  const isFound = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && pathname === '/';
  return isFound ? [] : ['--url', quoted(url)];
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
