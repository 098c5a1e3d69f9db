/** The keys of a store, from the environment: the only place where the command line reads them. */
import { type SystemOptions } from '../../system-options.ts';
import { type Environment } from '../surroundings.ts';

/** BOSUN_SECRET_KEY and BOSUN_SECRET_KEY_PREVIOUS (separated by commas) as options of a system. */
export function secretKeysOf(env: Environment): Pick<SystemOptions, 'secretKey' | 'previousSecretKeys'> {
  const secretKey = env['BOSUN_SECRET_KEY'] ?? '';
  const previousSecretKeys = (env['BOSUN_SECRET_KEY_PREVIOUS'] ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  return { ...(secretKey !== '' && { secretKey }), ...(previousSecretKeys.length > 0 && { previousSecretKeys }) };
}
