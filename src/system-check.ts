/** Checks what a start would do to a stopped store. */
import { type CheckedActor } from './actors/loop/versions/check.ts';
import { type SystemOptions } from './system-options.ts';
import { Shard } from './shard.ts';

/**
 * Returns what starting a system with these agents would do to each actor in a stopped store. Migrations are tried on
 * the stored states; nothing is written and nothing runs. Rejects with BOSUN_STORE_*.
 */
export async function checkStore(
  options: Pick<SystemOptions, 'agents' | 'resolveAgent' | 'store' | 'log' | 'secretKey' | 'previousSecretKeys'>,
): Promise<CheckedActor[]> {
  const system = new Shard({ ...options, hold: true });
  await system.start();
  try {
    return system.readings();
  } finally {
    await system.stop();
  }
}
