/**
 * Who calls, and what they may do: bearer tokens from a list, JSON Web Tokens, or, where neither is configured, whoever
 * is on this machine. Rules only; what carries the token is the business of connections and HTTP.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { isPattern, matchesAny } from './address-patterns.ts';

/**
 * `actor:read`: look at actors and subscribe. `actor:send`: send and ask. `actor:admin`: start, stop and mend actors.
 * `system:read`: look at the system as a whole.
 */
export const SCOPES = ['actor:read', 'actor:send', 'actor:admin', 'system:read'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Patterns of the addresses that the caller may reach. */
  readonly addresses: readonly string[];
  /** Wall clock; undefined for a token that does not expire. */
  readonly expiresAtMs: number | undefined;
  /**
   * Whoever runs the system: may destroy whatever the gateway allows others, and may say for whom an order is given.
   */
  readonly isOperator?: true;
}

export interface TokenOptions {
  /** At least 16 characters. */
  readonly token: string;
  /** Who that is: rates, sessions and keys belong to an id. */
  readonly id: string;
  /** Default: all. */
  readonly scopes?: readonly Scope[];
  /** Patterns: `orders/*` one level, `orders/**` all levels. Default: every address. */
  readonly addresses?: readonly string[];
}

/**
 * Checked by jose. The claim `scope` has the scopes, separated by blanks; `bosun_addresses` is an array of patterns,
 * default every address.
 */
export interface JwtOptions {
  /** A key, or what finds one, such as jose's `createRemoteJWKSet`. */
  readonly key: Parameters<typeof jwtVerify>[1] | JWTVerifyGetKey;
  readonly audience: string | string[];
  readonly issuer?: string | string[];
  readonly algorithms?: string[];
}

export interface CallersOptions {
  readonly tokens: readonly TokenOptions[];
  readonly jwt: JwtOptions | undefined;
  /** Token of whoever runs the system: at least 16 characters. */
  readonly operator?: string | undefined;
  readonly clock: Clock;
}

const TOKEN_CHARS_MIN = 16;
const EVERYWHERE = ['**'];

/** Whoever is on this machine, where no token is configured. What destroys is the gateway's option, not a scope. */
const LOCAL: Caller = { id: 'local', scopes: new Set(SCOPES), addresses: EVERYWHERE, expiresAtMs: undefined };

/** The id of whoever has the operator's token. */
const OPERATOR = 'operator';

interface KnownCaller {
  readonly digest: Buffer;
  readonly caller: Caller;
}

export class Callers {
  readonly #known: readonly KnownCaller[];
  readonly #jwt: JwtOptions | undefined;
  readonly #isForAnybody: boolean;
  readonly #clock: Clock;

  /** Throws BOSUN_CONFIG_INVALID. */
  constructor({ tokens, jwt, operator, clock }: CallersOptions) {
    this.#known = [...tokens.map(knownOf), ...(operator === undefined ? [] : [operatorOf(operator)])];
    this.#jwt = jwt;
    this.#isForAnybody = tokens.length === 0 && jwt === undefined;
    this.#clock = clock;
    const twice = this.#known.find(({ digest }, index) =>
      this.#known.some((other, at) => at < index && other.digest.equals(digest)),
    );
    if (twice !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', 'a gateway was given one token twice');
  }

  /** Whether callers have to show who they are. */
  get areAsked(): boolean {
    return !this.#isForAnybody;
  }

  /** Rejects with BOSUN_UNAUTHENTICATED, whose message does not say what was wrong with which token. */
  async authenticate(token: string | undefined): Promise<Caller> {
    if (this.#isForAnybody && (token === undefined || this.#known.length === 0)) return LOCAL;
    if (token === undefined) throw new BosunError('BOSUN_UNAUTHENTICATED', 'a token is needed');
    const digest = digestOf(token);
    let found: Caller | undefined;
    // All of them, so that the time says nothing of which one it was.
    for (const known of this.#known) if (timingSafeEqual(known.digest, digest)) found = known.caller;
    found ??= await this.#verified(token);
    if (found === undefined) throw new BosunError('BOSUN_UNAUTHENTICATED', 'the token is not valid');
    return found;
  }

  async #verified(token: string): Promise<Caller | undefined> {
    if (this.#jwt === undefined) return undefined;
    const { key, audience, issuer, algorithms } = this.#jwt;
    try {
      const options = {
        audience,
        ...(issuer !== undefined && { issuer }),
        ...(algorithms !== undefined && { algorithms }),
        currentDate: new Date(this.#clock.wallMs()),
        requiredClaims: ['sub'],
      };
      const { payload } = await (typeof key === 'function'
        ? jwtVerify(token, key, options)
        : jwtVerify(token, key, options));
      return callerOf(payload);
    } catch {
      // Which check failed helps only whoever tries out tokens.
      return undefined;
    }
  }
}

/** Throws BOSUN_FORBIDDEN. */
export function checkScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.has(scope))
    throw new BosunError('BOSUN_FORBIDDEN', `the scope ${scope} is needed`, { details: { scope } });
}

export function mayReach(caller: Caller, address: string): boolean {
  return matchesAny(caller.addresses, address);
}

/** Throws BOSUN_FORBIDDEN, also where nobody lives: who may not look must not learn that either. */
export function checkAddressed(caller: Caller, address: string): void {
  if (!mayReach(caller, address))
    throw new BosunError('BOSUN_FORBIDDEN', 'this address is not among those that the caller may reach');
}

function callerOf({ sub, scope, exp, bosun_addresses: addresses = EVERYWHERE }: JWTPayload): Caller | undefined {
  const isList =
    Array.isArray(addresses) && addresses.every((pattern) => typeof pattern === 'string' && isPattern(pattern));
  if (typeof sub !== 'string' || !isList) return undefined;
  const named = typeof scope === 'string' ? scope.split(' ') : [];
  return {
    id: `jwt:${sub}`,
    scopes: new Set(SCOPES.filter((one) => named.includes(one))),
    addresses: addresses as string[],
    expiresAtMs: exp === undefined ? undefined : exp * 1_000,
  };
}

function knownOf({ token, id, scopes = SCOPES, addresses = EVERYWHERE }: TokenOptions): KnownCaller {
  const invalid = (what: string) => new BosunError('BOSUN_CONFIG_INVALID', `token of ${JSON.stringify(id)}: ${what}`);
  if (token.length < TOKEN_CHARS_MIN) throw invalid(`has fewer than ${TOKEN_CHARS_MIN} characters`);
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) throw invalid(`${JSON.stringify(unknown)} is no scope`);
  const wrong = addresses.find((pattern) => !isPattern(pattern));
  if (wrong !== undefined) throw invalid(`${JSON.stringify(wrong)} is no pattern of addresses`);
  return { digest: digestOf(token), caller: { id, scopes: new Set(scopes), addresses, expiresAtMs: undefined } };
}

function operatorOf(token: string): KnownCaller {
  const { digest, caller } = knownOf({ token, id: OPERATOR });
  return { digest, caller: { ...caller, isOperator: true } };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
