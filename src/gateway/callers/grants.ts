/**
 * Grants: tokens that name the methods that their holders may call, and carry facts about them. A host issues them for
 * a time, such as one session of a coding agent, and keeps no list of them. Rules only.
 */
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { type Clock, systemClock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { isPattern } from './address-patterns.ts';
import type { Caller } from './callers.ts';
import { firstIssue } from './wire-errors.ts';

/** Fewest bytes of a key of grants. */
export const GRANT_KEY_BYTES_MIN = 32;

/** The beginning of the ids of grants' holders, which no other caller has. */
export const GRANT_PREFIX = 'grant:';

const AUDIENCE = 'bosun:grant';
const ALGORITHM = 'HS256';

/** Most characters of a token, in a header as in a frame. */
const TOKEN_CHARS_MAX = 8_192;

const CONTENT = z.object({
  sub: z.string().refine((id) => id.trim() !== '', 'is blank'),
  exp: z.number().positive(),
  bosun_methods: z.array(z.string().min(1)),
  bosun_addresses: z.array(z.string().refine(isPattern, 'is not an address pattern')),
  bosun_claims: z.record(z.string(), z.string()),
});

/** A grant to be issued. */
export interface GrantOptions {
  /** The gateway's `grantKey`. */
  readonly key: Uint8Array;
  /** The id of the holder, to whom rates and keys belong: `grant:` goes before it. */
  readonly id: string;
  /** The methods and procedures that the holder may call, and no others. */
  readonly methods: readonly string[];
  /** Patterns of the addresses that the holder may reach. */
  readonly addresses: readonly string[];
  /** Facts about the holder, which procedures are given. */
  readonly claims: Readonly<Record<string, string>>;
  /** Milliseconds for which the grant is valid, rounded up to a whole second. */
  readonly expiresInMs: number;
  /** Default: the clock of this machine. */
  readonly clock?: Pick<Clock, 'wallMs'>;
}

/**
 * Issues a grant.
 *
 * @returns The token.
 * @throws BOSUN_CONFIG_INVALID for a content that no gateway accepts, or a token that is too long for a header.
 */
export async function issueGrant(grant: GrantOptions): Promise<string> {
  const { key, id, methods, addresses, claims, expiresInMs, clock = systemClock } = grant;
  if (key.length < GRANT_KEY_BYTES_MIN) throw refused(`the key has fewer than ${GRANT_KEY_BYTES_MIN} bytes`);
  const parsed = CONTENT.safeParse({
    sub: id,
    exp: Math.ceil((clock.wallMs() + expiresInMs) / 1_000),
    bosun_methods: methods,
    bosun_addresses: addresses,
    bosun_claims: claims,
  });
  if (!parsed.success) throw refused(firstIssue(parsed.error, 'grant'));
  const token = await new SignJWT(parsed.data).setProtectedHeader({ alg: ALGORITHM }).setAudience(AUDIENCE).sign(key);
  if (token.length > TOKEN_CHARS_MAX) throw refused(`the token would have more than ${TOKEN_CHARS_MAX} characters`);
  return token;
}

/** The caller of a grant; undefined for a token that is none, is expired, or was signed with another key. */
export async function grantee(
  token: string,
  key: Uint8Array,
  clock: Pick<Clock, 'wallMs'>,
): Promise<Caller | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, {
      audience: AUDIENCE,
      algorithms: [ALGORITHM],
      currentDate: new Date(clock.wallMs()),
      requiredClaims: ['sub', 'exp'],
    });
    const content = CONTENT.parse(payload);
    return {
      id: `${GRANT_PREFIX}${content.sub}`,
      scopes: new Set(['actor:read', 'actor:send']),
      addresses: content.bosun_addresses,
      expiresAtMs: content.exp * 1_000,
      isAgent: true,
      methods: new Set(content.bosun_methods),
      claims: Object.freeze(content.bosun_claims),
    };
  } catch {
    // Naming the failed check would help only attackers.
    return undefined;
  }
}

/** The facts about a row that decide for whom it exists. */
export interface GrantableRow {
  readonly method: string;
  /** Whether the row is only for callers whose token names its method. */
  readonly isGranted: boolean;
}

/** Whether a row exists for a caller whose token names these methods; undefined for a token that names none. */
export function isOpenTo(methods: Caller['methods'], { method, isGranted }: GrantableRow): boolean {
  return methods === undefined ? !isGranted : methods.has(method);
}

/** Checks that a method exists for a caller. Throws BOSUN_FORBIDDEN, with the way out. */
export function checkGranted({ methods }: Caller, method: string, isGranted = false): void {
  if (isOpenTo(methods, { method, isGranted })) return;
  const wayOut =
    methods === undefined
      ? `${method} is only for callers whose token names it: connect with the token of a session`
      : `this token may call ${[...methods].join(', ') || 'nothing'}, and not ${method}`;
  throw new BosunError('BOSUN_FORBIDDEN', wayOut, { details: { method } });
}

function refused(why: string): BosunError {
  return new BosunError('BOSUN_CONFIG_INVALID', `issueGrant: ${why}`);
}
