/**
 * Stores of older formats: at open they are brought to the present one, a version at a time, by steps that are
 * registered here. The manifest says which format a store has. A step and the manifest of its version are one synced
 * write, so a store is never between two formats; a newer one is refused and left as it is.
 */
import { type Store, type StoreWrite } from '../actors/model/ports.ts';
import { FORMAT, seal, unsealAny, isSound } from './envelope.ts';
import { BosunError } from '../errors.ts';
import { MANIFEST_KEY } from './keys.ts';

export interface Upgrade {
  /** It leads from this format to the next. */
  readonly from: number;
  /**
   * Reads what it needs and gives back all that changes, every record of the older format among it. It is held in
   * memory and written at once. Throws BOSUN_STORE_DAMAGED for what it cannot read; then nothing has changed.
   */
  run(store: Store): Promise<readonly StoreWrite[]>;
}

/** Every step there is. There are none before the format is declared stable. */
export const UPGRADES: readonly Upgrade[] = [];

/**
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
 * For those who read a store as it is. Rejects with BOSUN_STORE_FORMAT where another build wrote it; a manifest that is
 * missing or damaged is their affair.
 */
export async function refuseForeign(store: Store): Promise<void> {
  const manifest = await store.get(MANIFEST_KEY);
  if (manifest === undefined || manifest[0] === FORMAT || !isSound(MANIFEST_KEY, manifest)) return;
  throw foreign(store, manifest[0]!);
}

function foreign({ name }: Store, format: number): BosunError {
  const what =
    `${name} is a store of format ${format}, and this build of Bosun reads format ${FORMAT}: run it with the build ` +
    'that wrote it, or begin anew in a fresh directory or with --fresh';
  return new BosunError('BOSUN_STORE_FORMAT', what, { details: { directory: name, format, reads: FORMAT } });
}
