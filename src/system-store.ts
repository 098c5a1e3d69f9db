/** A system's use of its store: the options of the journal, the scrubber, and reports of damage. */
import { type Subscription } from './actors/world/actor-view.ts';
import { type ActorState, type Journal } from './actors/model/ports.ts';
import { type Clock } from './clock.ts';
import { BosunError } from './errors.ts';
import { callBack, type Log } from './log.ts';
import { type JournalOptions } from './persistence/journal/journal.ts';
import { KeyRing } from './persistence/format/key-ring.ts';
import { type ScrubberParts } from './persistence/upkeep/scrubber.ts';
import { type SystemOptions } from './system-options.ts';

/** Damage found in the store, and its subscribers. */
export class DamageReports {
  readonly #log: Log;
  readonly #found: BosunError[] = [];
  readonly #watchers = new Set<(damage: BosunError) => unknown>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** All damage, oldest first. */
  list(): readonly BosunError[] {
    return [...this.#found];
  }

  watch(handler: (damage: BosunError) => void): Subscription {
    this.#watchers.add(handler);
    return { unsubscribe: () => void this.#watchers.delete(handler) };
  }

  readonly tell = (damage: BosunError): void => {
    this.#found.push(damage);
    this.#log(damage.message, damage.details);
    for (const watcher of [...this.#watchers]) callBack(this.#log, 'a handler of damage', () => watcher(damage));
  };
}

/** Derives the options of the journal. Throws BOSUN_CONFIG_INVALID. */
export function journalOptionsOf(
  { journal, durability, recoverTo, ...options }: SystemOptions,
  { damage, log }: { damage: DamageReports; log: Log },
): JournalOptions {
  return {
    ...journal,
    keys: keysOf(options),
    ...(durability !== undefined && { durability }),
    ...(recoverTo !== undefined && { recoverTo }),
    onDamage: damage.tell,
    onSetAside: ({ recoveredTo, moved }) => {
      log(
        `the journal goes on from epoch ${recoveredTo}; ${moved.size} ${moved.size === 1 ? 'epoch' : 'epochs'} ` +
          'behind it were set aside:',
        [...moved.values()],
      );
    },
  };
}

/**
 * Derives the options of the scrubber.
 *
 * @returns null if it is off.
 */
export function scrubberPartsOf(
  { scrub, hold = false, durability = 'disk' }: SystemOptions,
  {
    journal,
    damage,
    ...rest
  }: {
    journal: Journal;
    damage: DamageReports;
    clock: Clock;
    log: Log;
    stateOf: (life: number) => { readonly address: string; readonly state: ActorState } | undefined;
  },
): Omit<ScrubberParts, 'store'> | null {
  if (scrub === false || (scrub === undefined && (hold || durability === 'memory'))) return null;
  return { ...scrub, ...rest, decode: (bytes) => journal.codec.decode(bytes), onDamage: damage.tell };
}

/**
 * Creates the key ring.
 *
 * @returns undefined if nothing is encrypted. Throws BOSUN_CONFIG_INVALID.
 */
function keysOf({
  secretKey,
  previousSecretKeys = [],
}: Pick<SystemOptions, 'secretKey' | 'previousSecretKeys'>): KeyRing | undefined {
  if (secretKey !== undefined) return new KeyRing(secretKey, previousSecretKeys);
  if (previousSecretKeys.length > 0)
    throw new BosunError('BOSUN_CONFIG_INVALID', 'previous secret keys can only decrypt: give a secret key too');
  return undefined;
}
