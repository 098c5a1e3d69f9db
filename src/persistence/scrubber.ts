/**
 * The scrubber: reads the store of a running system in the background, a small slice at a time, and tells of records
 * that do not match their checksum, or disagree with memory. Damage that nobody reads is found while a backup without
 * it still exists. It repairs nothing, and it gives way: one slice is read and checked, then it waits.
 */
import { type Store } from '../actors/model/ports.ts';
import { type ActorState } from '../actors/model/state.ts';
import { type Cancel, type Clock } from '../clock.ts';
import { BosunError, isBosunError, messageOf } from '../errors.ts';
import { SCRUB_BYTES, SCRUB_INTERVAL_MS, SCRUB_RECORDS } from '../limits.ts';
import { damaged, placed, unseal } from './envelope.ts';
import { decodeEpoch } from './epoch-format.ts';
import { EVERY_KEY, numberIn, PREFIX } from './keys.ts';

export interface ScrubOptions {
  /** Between the end of one slice and the beginning of the next. Default: SCRUB_INTERVAL_MS. */
  readonly intervalMs?: number;
  /** Of one slice. Default: SCRUB_RECORDS. */
  readonly records?: number;
}

export interface ScrubberParts extends ScrubOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** As of the last durable epoch; undefined for the dead. */
  readonly stateOf: (life: number) => { readonly address: string; readonly state: ActorState } | undefined;
  readonly decode: (bytes: Uint8Array) => unknown;
  /** Called once for each damaged record. */
  readonly onDamage: (damage: BosunError) => void;
  readonly log: (...args: unknown[]) => void;
}

export class Scrubber {
  readonly #parts: ScrubberParts;
  readonly #intervalMs: number;
  readonly #records: number;
  readonly #told = new Set<string>();
  #next = EVERY_KEY.gte;
  #cancel: Cancel | null = null;
  #slice: Promise<void> | null = null;
  #isStopped = false;
  /** Whole passes over the store so far. */
  passes = 0;

  constructor(parts: ScrubberParts) {
    this.#parts = parts;
    this.#intervalMs = parts.intervalMs ?? SCRUB_INTERVAL_MS;
    this.#records = parts.records ?? SCRUB_RECORDS;
  }

  start(): void {
    this.#isStopped = false;
    this.#arm();
  }

  /** Resolves when no slice is under way; `start` goes on where it was. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#slice;
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.setTimeout(() => void (this.#slice = this.#read()), this.#intervalMs, {
      isBackground: true,
    });
  }

  /** Never rejects. What cannot be read for another reason than damage ends the scrubbing: writes will meet it too. */
  async #read(): Promise<void> {
    try {
      if (!(await this.#readSlice())) this.#beginAnew();
    } catch (error) {
      if (this.#isStopped) return;
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) {
        this.#parts.log(`the scrubber has ended: ${messageOf(error)}`);
        return;
      }
      // LevelDB cannot read a block, and so not on from here.
      this.#tell(this.#next, placed(error, {}));
      this.#beginAnew();
    }
    this.#slice = null;
    this.#arm();
  }

  /** @returns Whether there is more behind it. */
  async #readSlice(): Promise<boolean> {
    let records = 0;
    let bytes = 0;
    for await (const batch of this.#parts.store.scan({ gte: this.#next, lt: EVERY_KEY.lt, limit: this.#records })) {
      for (const [key, value] of batch) {
        if (this.#isStopped) return true;
        this.#check(key, value);
        records += 1;
        bytes += value.length;
        // Nothing sorts between a key and the same key with the first of all characters behind it.
        this.#next = `${key}${EVERY_KEY.gte}`;
        if (bytes >= SCRUB_BYTES) return true;
      }
    }
    return records >= this.#records;
  }

  #beginAnew(): void {
    this.#next = EVERY_KEY.gte;
    this.passes += 1;
  }

  #check(key: string, value: Uint8Array): void {
    // What was set aside may be damaged; that is known.
    if (key.startsWith(PREFIX.aside)) return;
    try {
      if (key.startsWith(PREFIX.epoch)) decodeEpoch(numberIn(key), value);
      else {
        const payload = unseal(key, value);
        if (key.startsWith(PREFIX.state)) this.#compare(key, payload);
      }
    } catch (error) {
      if (!(error instanceof BosunError)) throw error;
      this.#tell(key, error);
    }
  }

  /**
   * A folded state is as old as its fold: it may be behind memory, never ahead of it, and where both are as old they
   * agree.
   */
  #compare(key: string, payload: Uint8Array): void {
    const life = numberIn(key);
    const living = this.#parts.stateOf(life);
    if (living === undefined) return;
    const { seq, hash } = this.#parts.decode(payload) as ActorState;
    const { address, state } = living;
    if (seq > state.seq)
      throw damaged(key, `is at change ${seq} of ${address}, which is at ${state.seq}`, { life, address, seq });
    if (seq === state.seq && hash !== state.hash)
      throw damaged(key, `disagrees with memory about ${address} at change ${seq}`, { life, address, seq });
  }

  #tell(key: string, damage: BosunError): void {
    if (this.#told.has(key) || this.#isStopped) return;
    this.#told.add(key);
    this.#parts.onDamage(damage);
  }
}
