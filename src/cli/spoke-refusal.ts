/** The refusal of runs inside the session of a spoke: spokes never spawn. */
import { BosunError } from '../errors.ts';
import { type Environment } from './surroundings.ts';

/** Throws BOSUN_SPAWN_REFUSED if this process belongs to the session of a spoke. */
export function refuseInSpoke(env: Environment): void {
  if ((env['BOSUN_SPOKE'] ?? '') === '') return;
  throw new BosunError(
    'BOSUN_SPAWN_REFUSED',
    'spokes never spawn, and this is the session of one (BOSUN_SPOKE is set): recommend a role in the hand-off',
  );
}
