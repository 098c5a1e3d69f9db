/**
 * Upgrades of older stores: at open they are brought to the current format, a version at a time, by the steps
 * registered here. The manifest says which format a store has. A step and the manifest of its version are one synced
 * write, so a store is never between two formats; a newer store is refused and left as it is.
 */
import { type Store, type StoreWrite } from '../../actors/model/ports.ts';
import { FORMAT, isRead, seal, unsealAny, isSound } from './envelope.ts';
import { BosunError } from '../../errors.ts';
import { MANIFEST_KEY } from './keys.ts';

export interface Upgrade {
  /** The format from which it upgrades to the next one. */
  readonly from: number;
  /**
   * Returns all changes: every record whose bytes mean something else in the next format. They are held in memory and
   * written at once. Throws BOSUN_STORE_DAMAGED for a record that it cannot read; then nothing has changed.
   */
  run(store: Store): Promise<readonly StoreWrite[]>;
}

/** All steps, from the first stable format on, which is 6. */
export const UPGRADES: readonly Upgrade[] = [
  // 7 has keyspaces that a build of 6 would not see: results of ended actors, and the audit as records. Its other
  // records are as they were, and are read under the number that they have.
  { from: 6, run: () => Promise.resolve([]) },
];

/**
 * Upgrades a store to the current format.
 *
 * @param manifest The record under the manifest's key.
 * @throws BOSUN_STORE_FORMAT for a newer store or an older one without a step, BOSUN_STORE_DAMAGED.
 */
export async function upgrade(
  store: Store,
  manifest: Uint8Array,
  upgrades: readonly Upgrade[] = UPGRADES,
): Promise<void> {
  const { format, payload } = unsealAny(MANIFEST_KEY, manifest);
  for (let version = format; version !== FORMAT; version++) {
    const step = upgrades.find(({ from }) => from === version);
    if (step === undefined) throw foreign(store, format);
    const writes = await step.run(store);
    await store.write([...writes, { key: MANIFEST_KEY, value: seal(MANIFEST_KEY, payload, version + 1) }], {
      sync: true,
    });
  }
}

/**
 * Refuses a store of another format, for tools that read a store as it is. Rejects with BOSUN_STORE_FORMAT if
 * another build wrote it; a missing or damaged manifest is left to the caller.
 */
export async function refuseForeign(store: Store): Promise<void> {
  const manifest = await store.get(MANIFEST_KEY);
  if (manifest === undefined || isRead(manifest[0]!) || !isSound(MANIFEST_KEY, manifest)) return;
  throw foreign(store, manifest[0]!);
}

function foreign({ name }: Store, format: number): BosunError {
  const what =
    `${name} is a store of format ${format}, and this build of Bosun reads format ${FORMAT}: run it with the build ` +
    'that wrote it, or begin anew in a fresh directory or with --fresh';
  return new BosunError('BOSUN_STORE_FORMAT', what, { details: { directory: name, format, reads: FORMAT } });
}
