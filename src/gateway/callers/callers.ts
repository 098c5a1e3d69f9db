/**
 * Authentication and rights of callers: bearer tokens from a list, JSON Web Tokens, grants, or, without the first two,
 * every program on this machine. Rules only; connections and HTTP extract the token.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { PROGRAM_SCOPES, type Scope, SCOPES } from '../../actors/api/procedure.ts';
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { disown, handled } from '../../user-code.ts';
import { CALL_MS } from '../limits.ts';
import { isPattern, matchesAny } from './address-patterns.ts';
import { GRANT_PREFIX, grantee } from './grants.ts';

/** The caller that a token stands for. */
export interface Caller {
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Patterns of the addresses that the caller may reach. */
  readonly addresses: readonly string[];
  /** Wall-clock time at which the token expires; undefined if it does not. */
  readonly expiresAtMs: number | undefined;
  /**
   * Whether the caller is the operator, who may call destructive methods even if the gateway refuses them to others,
   * and may give orders in other people's names.
   */
  readonly isOperator?: true;
  /** The only person in whose name the caller may speak. */
  readonly person?: string;
  /** Whether the caller is a coding agent, which may not speak in a person's name. */
  readonly isAgent?: true;
  /** The only methods that the caller may call, which its token names. Undefined if its scopes alone decide. */
  readonly methods?: ReadonlySet<string>;
  /** Facts about the caller that the issuer of its token has signed. */
  readonly claims?: Readonly<Record<string, string>>;
}

/** A token of the gateway, and the caller that it stands for. */
export interface TokenOptions {
  /** The token, at least 16 characters. */
  readonly token: string;
  /** The caller's id. Rates, sessions and keys belong to an id. */
  readonly id: string;
  /** The scopes of the caller. Default: all. */
  readonly scopes?: readonly Scope[];
  /** Patterns: `orders/*` one level, `orders/**` all levels. Default: every address. */
  readonly addresses?: readonly string[];
  /** The person who holds the token. The caller may speak in this name only. Default: none. */
  readonly person?: string;
  /**
   * Whether the holder is a coding agent or another program, by whatever door it comes: it may not send what people
   * say, and is recorded as `mcp:` followed by its id. Default: only what comes by MCP is an agent's.
   */
  readonly isAgent?: boolean;
}

/**
 * Options of JSON Web Tokens, which jose verifies. They need the claims `exp` and a non-empty `sub`. The claim `scope`
 * holds the scopes, separated by blanks; `bosun_addresses` is an array of patterns, default every address;
 * `bosun_person` is the person who holds the token; with `bosun_agent` true the holder is a coding agent.
 */
export interface JwtOptions {
  /** A key, or a function that finds one, such as jose's `createRemoteJWKSet`. */
  readonly key: Parameters<typeof jwtVerify>[1] | JWTVerifyGetKey;
  readonly audience: string | string[];
  readonly issuer?: string | string[];
  readonly algorithms?: string[];
}

export interface CallersOptions {
  readonly tokens: readonly TokenOptions[];
  readonly jwt: JwtOptions | undefined;
  /** The key of grants. */
  readonly grantKey?: Uint8Array | undefined;
  /** Token of the operator: at least 16 characters. */
  readonly operator?: string | undefined;
  readonly clock: Clock;
  /** Called when the function that finds the key has failed. */
  readonly keyFailed: (thrown: unknown) => void;
}

const TOKEN_CHARS_MIN = 16;
const EVERYWHERE = ['**'];

/**
 * The caller for everybody on this machine if no token is configured. Destructive methods depend on an option of the
 * gateway, not on a scope.
 */
const LOCAL: Caller = { id: 'local', scopes: new Set(SCOPES), addresses: EVERYWHERE, expiresAtMs: undefined };

/** The operator's caller id. */
const OPERATOR = 'operator';

/** The beginning of the names of programs, which no person and no token's id has. */
const PROGRAM_PREFIX = 'mcp:';

interface KnownCaller {
  readonly digest: Buffer;
  readonly caller: Caller;
}

/** A token that nobody can guess. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

export class Callers {
  readonly #known: readonly KnownCaller[];
  readonly #jwt: JwtOptions | undefined;
  readonly #grantKey: Uint8Array | undefined;
  readonly #isForAnybody: boolean;
  readonly #clock: Clock;
  readonly #keyFailed: (thrown: unknown) => void;

  /** Makes the callers. Throws BOSUN_CONFIG_INVALID. */
  constructor({ tokens, jwt, grantKey, operator, clock, keyFailed }: CallersOptions) {
    this.#known = [...tokens.map(knownOf), ...(operator === undefined ? [] : [operatorOf(operator)])];
    this.#jwt = jwt;
    this.#grantKey = grantKey;
    this.#isForAnybody = tokens.length === 0 && jwt === undefined;
    this.#clock = clock;
    this.#keyFailed = keyFailed;
    const twice = this.#known.find(({ digest }, index) =>
      this.#known.some((other, at) => at < index && other.digest.equals(digest)),
    );
    if (twice !== undefined) throw new BosunError('BOSUN_CONFIG_INVALID', 'the gateway was given the same token twice');
  }

  /** Whether callers must authenticate. */
  get areAsked(): boolean {
    return !this.#isForAnybody;
  }

  /**
   * Returns the caller of a token. Rejects with BOSUN_UNAUTHENTICATED, whose message does not reveal what was wrong
   * with the token.
   */
  async authenticate(token: string | undefined): Promise<Caller> {
    if (token === undefined && this.#isForAnybody) return LOCAL;
    if (token === undefined) throw new BosunError('BOSUN_UNAUTHENTICATED', 'a token is needed');
    const digest = digestOf(token);
    let found: Caller | undefined;
    // Compare with all of them, so that the time taken does not reveal which one matched.
    for (const known of this.#known) if (timingSafeEqual(known.digest, digest)) found = known.caller;
    found ??= (await this.grantee(token)) ?? (await this.#verified(token));
    if (found === undefined) throw new BosunError('BOSUN_UNAUTHENTICATED', 'the token is not valid');
    return found;
  }

  /** The caller of a token that is a valid grant; undefined for any other. */
  async grantee(token: string): Promise<Caller | undefined> {
    return this.#grantKey === undefined ? undefined : await grantee(token, this.#grantKey, this.#clock);
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
        requiredClaims: ['sub', 'exp'],
      };
      const { payload } = await (typeof key === 'function'
        ? jwtVerify(token, this.#finder(key), options)
        : jwtVerify(token, key, options));
      return callerOf(payload);
    } catch {
      // Naming the failed check would help only attackers.
      return undefined;
    }
  }

  /** The host's function that finds a key, whose failures and whose silence are reported. */
  #finder(find: JWTVerifyGetKey): JWTVerifyGetKey {
    return async (...asked) => {
      let cancel: Cancel | undefined;
      const late = new Promise<never>((_, reject) => {
        const why = new BosunError('BOSUN_TIMEOUT', `it gave no key within ${CALL_MS} ms`);
        cancel = this.#clock.setTimeout(() => reject(why), CALL_MS);
      });
      try {
        const found = await Promise.race([handled(find(...asked)), late]);
        disown(found);
        return found;
      } catch (thrown) {
        if (!isUnknownKey(thrown)) this.#keyFailed(thrown);
        throw thrown;
      } finally {
        cancel?.();
      }
    };
  }
}

/**
 * The caller as a coding agent acts for it, with a name that no person can have. The operator and persons keep their
 * rights. A caller without a token may not administer, since nobody has chosen its rights.
 */
export function asAgent(caller: Caller): Caller {
  if (caller.isOperator === true || caller.person !== undefined || caller.isAgent === true) return caller;
  return {
    ...caller,
    id: `${PROGRAM_PREFIX}${caller.id}`,
    isAgent: true,
    ...(caller === LOCAL && { scopes: new Set(PROGRAM_SCOPES) }),
  };
}

/** Matches a name under which the operator lets a program call: `mcp:` and 1 to 64 letters, digits and -_.@+. */
const PROGRAM = /^mcp:[A-Za-z0-9\-_.@+]{1,64}$/;

/**
 * The caller for a program that states its name. The operator's becomes a caller of its own that may read and send; any
 * other becomes a coding agent. No caller gains a right this way.
 *
 * @throws BOSUN_CALL_INVALID for an invalid name.
 */
export function programOf(caller: Caller, id: string): Caller {
  if (!PROGRAM.test(id))
    throw new BosunError(
      'BOSUN_CALL_INVALID',
      'the name of a program must be mcp: followed by 1 to 64 letters, digits or -_.@+',
    );
  if (caller.isOperator !== true) return asAgent(caller);
  return {
    id,
    scopes: new Set(PROGRAM_SCOPES),
    addresses: EVERYWHERE,
    expiresAtMs: caller.expiresAtMs,
    isAgent: true,
  };
}

/** Checks a scope. Throws BOSUN_FORBIDDEN if the caller lacks it. */
export function checkScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.has(scope))
    throw new BosunError('BOSUN_FORBIDDEN', `the scope ${scope} is needed`, { details: { scope } });
}

/**
 * The rights of a caller as a text: callers with the same text read the same of every actor. Its name, its person, its
 * claims and the methods that its token names are no part of them.
 */
export function rightsOf({ scopes, addresses, isOperator }: Caller): string {
  return JSON.stringify([[...scopes].sort(), [...addresses].sort(), isOperator === true]);
}

export function mayReach(caller: Caller, address: string): boolean {
  return matchesAny(caller.addresses, address);
}

/**
 * Checks an address. Throws BOSUN_FORBIDDEN if the caller may not reach it, even if no actor lives there, so as not to
 * reveal that.
 */
export function checkAddressed(caller: Caller, address: string): void {
  if (!mayReach(caller, address)) throw new BosunError('BOSUN_FORBIDDEN', 'the caller may not reach this address');
}

function callerOf(payload: JWTPayload): Caller | undefined {
  const { sub, scope, exp, bosun_addresses: addresses = EVERYWHERE, bosun_person: person } = payload;
  const { bosun_agent: isAgent = false } = payload;
  const isList =
    Array.isArray(addresses) && addresses.every((pattern) => typeof pattern === 'string' && isPattern(pattern));
  // A token that names nobody, or never expires, is a mistake that would otherwise go unnoticed.
  if (typeof sub !== 'string' || sub.trim() === '' || exp === undefined || !isList) return undefined;
  if (person !== undefined && !isPerson(person)) return undefined;
  if (typeof isAgent !== 'boolean' || (isAgent && person !== undefined)) return undefined;
  const named = typeof scope === 'string' ? scope.split(' ') : [];
  const caller: Caller = {
    id: `jwt:${sub}`,
    scopes: new Set(SCOPES.filter((one) => named.includes(one))),
    addresses: addresses as string[],
    expiresAtMs: exp * 1_000,
    ...(person !== undefined && { person }),
  };
  return isAgent ? asAgent(caller) : caller;
}

/** Whether the error says that there is no such key, which anybody can cause. */
function isUnknownKey(thrown: unknown): boolean {
  try {
    return thrown instanceof errors.JWKSNoMatchingKey || thrown instanceof errors.JWKSMultipleMatchingKeys;
  } catch {
    return false;
  }
}

/** Whether a value is a name of a person: not blank, of at most 200 characters, and not like that of a program. */
function isPerson(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 200) return false;
  return value.trim() !== '' && ![PROGRAM_PREFIX, GRANT_PREFIX].some((prefix) => value.trim().startsWith(prefix));
}

/** Matches ids of callers that no token of the host stands for. */
const TAKEN = /^(operator|local)$|^(mcp|jwt|grant):/;

function knownOf(options: TokenOptions): KnownCaller {
  const { id } = options;
  if (TAKEN.test(id))
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `token of ${JSON.stringify(id)}: the id is that of another caller; take one that is not operator or local, and ` +
        'does not begin with mcp:, jwt: or grant:',
    );
  return checkedCaller(options);
}

function checkedCaller({
  token,
  id,
  scopes = SCOPES,
  addresses = EVERYWHERE,
  person,
  isAgent = false,
}: TokenOptions): KnownCaller {
  const invalid = (what: string) => new BosunError('BOSUN_CONFIG_INVALID', `token of ${JSON.stringify(id)}: ${what}`);
  if (token.length < TOKEN_CHARS_MIN) throw invalid(`has fewer than ${TOKEN_CHARS_MIN} characters`);
  if (id.trim() === '') throw invalid('the id is empty');
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) throw invalid(`${JSON.stringify(unknown)} is not a scope`);
  const wrong = addresses.find((pattern) => !isPattern(pattern));
  if (wrong !== undefined) throw invalid(`${JSON.stringify(wrong)} is not an address pattern`);
  if (person !== undefined && !isPerson(person))
    throw invalid('the person is blank, longer than 200 characters, or begins with mcp: or grant:, as programs do');
  if (person !== undefined && isAgent) throw invalid('its holder is a person or an agent, not both');
  const caller: Caller = {
    ...{ id, scopes: new Set(scopes), addresses, expiresAtMs: undefined },
    ...(person !== undefined && { person }),
  };
  return { digest: digestOf(token), caller: isAgent ? asAgent(caller) : caller };
}

function operatorOf(token: string): KnownCaller {
  const { digest, caller } = checkedCaller({ token, id: OPERATOR });
  return { digest, caller: { ...caller, isOperator: true } };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
