/**
 * The scrubber: reads the store of a running system in the background, in small slices, and reports records that do not
 * match their checksum or disagree with memory. So damage that nobody reads is found while a backup without it still
 * exists. It repairs nothing, and it yields: it pauses after each slice.
 */
import { type Store } from '../../actors/model/ports.ts';
import { type ActorState } from '../../actors/model/state.ts';
import { type Cancel, type Clock } from '../../clock.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { SCRUB_BYTES, SCRUB_INTERVAL_MS, SCRUB_RECORDS } from '../../limits.ts';
import { openActor } from '../format/actor-record.ts';
import { damaged, placed, unseal } from '../format/envelope.ts';
import { decodeEpoch } from '../journal/epoch-format.ts';
import { EVERY_KEY, numberIn, PREFIX } from '../format/keys.ts';
import { readSegment } from '../journal/segments.ts';

export interface ScrubOptions {
  /** Pause between two slices, in milliseconds. Default: SCRUB_INTERVAL_MS. */
  readonly intervalMs?: number;
  /** Records of one slice. Default: SCRUB_RECORDS. */
  readonly records?: number;
}

export interface ScrubberParts extends ScrubOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The state of an actor as of the last durable epoch; undefined for a dead actor. */
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
  /** Whether the last slice could not be read; this is logged once. */
  #isBlind = false;
  /** Complete passes over the store so far. */
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

  /** Stops it; resolves when no slice is under way. `start` continues at the same place. */
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

  /** Reads a slice and schedules the next one. Never rejects. */
  async #read(): Promise<void> {
    try {
      if (!(await this.#readSlice())) this.#beginAnew();
      this.#isBlind = false;
    } catch (error) {
      if (!this.#isStopped) this.#failed(error);
    }
    this.#slice = null;
    this.#arm();
  }

  /**
   * Reports a failed slice. A slice that fails for another reason than damage, as in an outage of the store, is read
   * again later.
   */
  #failed(error: unknown): void {
    if (isBosunError(error, 'BOSUN_STORE_DAMAGED')) {
      // LevelDB cannot read a block, and cannot continue after it.
      this.#tell(this.#next, placed(error, {}));
      this.#beginAnew();
      return;
    }
    if (!this.#isBlind) this.#parts.log(`the scrubber cannot read the store, and tries again: ${messageOf(error)}`);
    this.#isBlind = true;
  }

  /**
   * Reads a slice.
   *
   * @returns Whether there are records behind it.
   */
  async #readSlice(): Promise<boolean> {
    let records = 0;
    let bytes = 0;
    for await (const batch of this.#parts.store.scan({ gte: this.#next, lt: EVERY_KEY.lt, limit: this.#records })) {
      for (const [key, value] of batch) {
        if (this.#isStopped) return true;
        this.#check(key, value);
        records += 1;
        bytes += value.length;
        // Nothing sorts between a key and the same key followed by the first of all characters.
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
    // Records that were set aside may be damaged; that is known.
    if (key.startsWith(PREFIX.aside)) return;
    try {
      if (key.startsWith(PREFIX.epoch)) decodeEpoch(numberIn(key), value);
      else if (key.startsWith(PREFIX.segment)) this.#checkSegment(key, value);
      else {
        unseal(key, value);
        if (key.startsWith(PREFIX.state) || key.startsWith(PREFIX.enrolled)) this.#compare(key, value);
      }
    } catch (error) {
      // Whatever reading throws, the records behind this one are read too.
      this.#tell(key, error instanceof BosunError ? error : damaged(key, 'is malformed', { cause: error }));
    }
  }

  #checkSegment(key: string, value: Uint8Array): void {
    for (const { row } of readSegment(key, value))
      if (row === undefined) throw damaged(key, 'has a message that does not match its checksum');
  }

  /**
   * Compares a folded state with memory. It is as old as its fold: it may be older than memory, never newer, and equals
   * it at the same age.
   */
  #compare(key: string, record: Uint8Array): void {
    const life = numberIn(key);
    const living = this.#parts.stateOf(life);
    if (living === undefined) return;
    const { state: folded } = openActor(key, record);
    if (!(folded instanceof Uint8Array)) return;
    const { seq, hash } = this.#parts.decode(folded) as ActorState;
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
