/** What the page is about to do, as a line for a shell: by `bosun`, and by curl. Pure. */

export interface Twin {
  /** Undefined where the command line has no such verb. */
  readonly bosun: string | undefined;
  readonly curl: string;
}

export interface GatewayOrigin {
  /** `http://127.0.0.1:4180`. */
  readonly origin: string;
  /** Whether callers have to show a token. */
  readonly isGuarded: boolean;
}

export function sendTwin(
  gateway: GatewayOrigin,
  address: string,
  { type, ...fields }: { readonly type: string; readonly [field: string]: unknown },
): Twin {
  const rest = Object.keys(fields).length === 0 ? [] : [quoted(JSON.stringify(fields))];
  return {
    bosun: ['bosun send', quoted(address), quoted(type), ...rest].join(' '),
    curl: posted(gateway, `/v1/actors/${encodeURIComponent(address)}/send`, { event: { type, ...fields } }),
  };
}

/** Orders that the command line has as verbs of the same name. */
const VERBS: ReadonlySet<string> = new Set(['suspend', 'resume', 'kill', 'stop', 'restart']);

export function orderTwin(gateway: GatewayOrigin, address: string, order: string, reason: string): Twin {
  const because = reason === '' ? [] : ['--reason', quoted(reason)];
  return {
    bosun: VERBS.has(order) ? ['bosun', order, quoted(address), ...because].join(' ') : undefined,
    curl: posted(gateway, `/v1/actors/${encodeURIComponent(address)}/${order}`, reason === '' ? {} : { reason }),
  };
}

export interface DeadLetterOrder {
  readonly order: 'redeliver' | 'discard';
  readonly number: number;
  /** In the place of the letter's own. */
  readonly event: object | undefined;
  readonly reason: string;
}

export function letterTwin(gateway: GatewayOrigin, { order, number, event, reason }: DeadLetterOrder): Twin {
  const because = reason === '' ? [] : ['--reason', quoted(reason)];
  const body = { number, ...(event !== undefined && { event }), ...(reason !== '' && { reason }) };
  return {
    // The command line redelivers what is there; it does not edit.
    bosun: event === undefined ? ['bosun deadletters', order, String(number), ...because].join(' ') : undefined,
    curl: posted(gateway, `/v1/dead-letters/${order}`, body),
  };
}

function posted({ origin, isGuarded }: GatewayOrigin, path: string, body: object): string {
  const token = isGuarded ? ` -H "Authorization: Bearer $BOSUN_TOKEN"` : '';
  return (
    `curl -X POST ${quoted(origin + path)}${token} -H 'Content-Type: application/json' -d ` +
    `${quoted(JSON.stringify(body))}`
  );
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
