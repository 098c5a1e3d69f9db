/**
 * Checks the options of createGateway before use: allowed keys and the kind of each value. Combinations are checked
 * where the options are read.
 */
import { BosunError } from '../../errors.ts';
import {
  aCount,
  aFlag,
  aFunction,
  aText,
  closedObject,
  listOf,
  needed,
  objectWith,
  oneOf,
  type OptionRules,
  problemOfOptions,
  recordOf,
  rule,
} from '../../option-rules.ts';
import { isProcedure, SCOPES } from '../../actors/api/procedure.ts';
import { type JwtOptions, type TokenOptions } from '../callers/callers.ts';
import { GRANT_KEY_BYTES_MIN } from '../callers/grants.ts';
import { type McpRate } from '../callers/tool-rates.ts';
import { type Rate } from '../protocol/token-bucket.ts';
import type { GatewayOptions } from './server.ts';

const PORT_MAX = 65_535;

const above0 = rule('a number above 0', (value) => typeof value === 'number' && value > 0);
const rate = closedObject<Rate>({
  burst: needed('give the number of connections that may come at once', above0),
  perSecond: needed('give the number of connections per second', above0),
});
const token = closedObject<TokenOptions>({
  token: needed('give at least 16 characters', aText),
  id: needed('give the name of its owner', aText),
  scopes: listOf(oneOf(...SCOPES)),
  addresses: listOf(aText),
  person: aText,
  isAgent: aFlag,
});
const textOrTexts = rule(
  'a text or an array of texts',
  (value) => typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
);

const aPort = rule(
  `a port from 0 to ${PORT_MAX}`,
  (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= PORT_MAX,
);

/**
 * An origin as browsers write it; any other would never match. `null`, which every sandboxed page has, and `*` are
 * refused.
 */
const anOrigin = rule(
  'an origin as browsers send it, such as https://app.example: in small letters, without a path and a usual port',
  (value) =>
    typeof value === 'string' &&
    /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s@*]+$/.test(value) &&
    (!/^https?:/.test(value) || (URL.canParse(value) && new URL(value).origin === value)),
);

/** The ports above those of the system that fetch blocks: Fetch standard, "port blocking". */
const BLOCKED_PORTS: ReadonlySet<unknown> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** Whether no browser and no fetch would reach a gateway at this port. */
function isBlocked(port: unknown): boolean {
  return BLOCKED_PORTS.has(port);
}

const GATEWAY_RULES: OptionRules<GatewayOptions> = {
  port: (value) =>
    aPort(value) ?? (isBlocked(value) ? 'is a port that browsers and fetch refuse; take another' : undefined),
  host: aText,
  server: objectWith('an HTTP server of Node', 'listeners', 'address', 'removeAllListeners'),
  path: rule(
    'a path that begins with a slash, such as /bosun',
    (value) => typeof value === 'string' && /^\/[^?#\s]*$/.test(value),
  ),
  hosts: listOf(aText),
  origins: listOf(anOrigin),
  connectRate: rate,
  connections: aCount,
  connectionsPerCaller: aCount,
  tokens: listOf(token),
  jwt: closedObject<JwtOptions>({
    key: needed('give the key that verifies signatures, or a function that finds it', () => undefined),
    audience: needed('give the audience of the tokens', textOrTexts),
    issuer: textOrTexts,
    algorithms: listOf(aText),
  }),
  grantKey: rule(
    `a Uint8Array of ${GRANT_KEY_BYTES_MIN} bytes or more`,
    (value) => value instanceof Uint8Array && value.length >= GRANT_KEY_BYTES_MIN,
  ),
  operator: aText,
  destructive: aFlag,
  rate,
  mcpRate: closedObject<McpRate>({ perSecond: aCount, perMinute: aCount, allPerMinute: aCount }),
  selectors: recordOf(recordOf(aFunction)),
  procedures: recordOf(rule('a procedure, as procedure() makes it', isProcedure)),
  clock: objectWith('a clock', 'wallMs', 'monotonicMs', 'setTimeout', 'defer'),
  log: aFunction,
  announce: rule(
    'the path of a directory, or false',
    (value) => value === false || (typeof value === 'string' && value !== ''),
  ),
};

/** Checks the options of a gateway. Throws BOSUN_CONFIG_INVALID. */
export function checkGatewayOptions(system: unknown, options: unknown): void {
  const isSystem = (system as { readonly closed?: unknown } | null | undefined)?.closed instanceof Promise;
  const problem = isSystem
    ? problemOfOptions(options, GATEWAY_RULES)
    : 'its first argument must be a system made by createSystem';
  if (problem !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', `createGateway: ${problem}`);
}
