/** The session in whose name a caller of the gateway speaks, from the claims of its token alone. */
import { type ProcedureCaller } from './actors/api/procedure.ts';
import { BosunError } from './errors.ts';
import { type Role } from './machines/hub/roles.ts';

/** The session that a token stands for. */
export interface SessionClaims {
  readonly session: string;
  readonly run: string;
  readonly plan: string;
  readonly role: Role;
  /** The address of its actor. */
  readonly actor: string;
}

/** The session of a caller. Throws BOSUN_FORBIDDEN for a token of something else. */
export function sessionOf({ claims }: ProcedureCaller): SessionClaims {
  if (claims?.['session'] === undefined) throw new BosunError('BOSUN_FORBIDDEN', 'the token is not that of a session');
  return claims as unknown as SessionClaims;
}
