/** The session of a spoke around this process: who is inside of one spawns nothing, whatever door it takes. */
import { existsSync } from 'node:fs';
import { BosunError } from '../../errors.ts';
import { Proc } from '../../spokes/proc.ts';
import { STORE_MARK } from '../../spokes/processes.ts';
import { type DataDirectory, identityOf } from '../store/data-directory.ts';
import { type Environment } from '../surroundings.ts';

const SPOKE_MARK = 'BOSUN_SPOKE';

/** Throws BOSUN_SPAWN_REFUSED if this process belongs to the session of a spoke. */
export function refuseInSpoke(env: Environment, proc = new Proc()): void {
  if (!environments(env, proc).some(isOfSpoke)) return;
  throw new BosunError(
    'BOSUN_SPAWN_REFUSED',
    `spokes never spawn, and this is the session of one (${SPOKE_MARK} is set): recommend a role in the hand-off`,
  );
}

/**
 * Throws BOSUN_FORBIDDEN for the data directory of the run to which this process belongs as a spoke: the operator's
 * token lies there, and a spoke speaks by its own.
 */
export function refuseOwnRun(env: Environment, directory: DataDirectory, proc = new Proc()): void {
  if (!existsSync(directory.path)) return;
  const store = identityOf(directory);
  if (!environments(env, proc).some((one) => isOfSpoke(one) && one[STORE_MARK] === store)) return;
  throw new BosunError(
    'BOSUN_FORBIDDEN',
    `${directory.path} is that of the run to which this session belongs: its door is BOSUN_URL, with BOSUN_TOKEN`,
  );
}

function isOfSpoke(env: Environment): boolean {
  return (env[SPOKE_MARK] ?? '') !== '';
}

/** The environments of this process and of all above it: a command may take the marks away from its own. */
function environments(own: Environment, proc: Proc): Environment[] {
  const found = [own];
  for (let stat = proc.state(process.pid); stat !== undefined; stat = proc.state(stat.parent)) {
    const entries = proc.environment(stat.pid)?.split('\0') ?? [];
    found.push(Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2))));
  }
  return found;
}
