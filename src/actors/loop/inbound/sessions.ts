/**
 * Sends that a client may repeat: per session, the highest sequence that was accepted (design P3). A session is
 * remembered for SESSION_WINDOW_MS of kernel time after its last send; at most SESSIONS_MAX are.
 */
import { BosunError } from '../../../errors.ts';
import { SESSION_WINDOW_MS, SESSIONS_MAX } from '../../../limits.ts';
import { admit } from '../../model/value-check.ts';
import { type Session } from '../../world/mailbox/inbound.ts';
import { type EpochDraft } from '../../world/epoch-draft.ts';
import { type Recovered, type RowKey, KEYSPACE, keyspaceOf, keyWithin } from '../../model/ports.ts';
import { keyText, rowKey } from '../../model/row-keys.ts';

/** Its row: the last sequence, and the kernel time of its send. */
export type SessionRow = readonly [sequence: number, usedAtMs: number];

/**
 * A session in use is not put behind the others with each of its sends; so it may be forgotten this much later, never
 * earlier.
 */
const PLACED_EVERY_MS = 60_000;

/** Old sessions forgotten at a time: more than one send can add, few enough not to be felt. */
const FORGOTTEN_AT_ONCE = 8;

interface Known {
  readonly key: RowKey;
  sequence: number;
  usedAtMs: number;
  /** When it was put behind all others. */
  placedAtMs: number;
}

export class Sessions {
  readonly #draft: EpochDraft;
  readonly #nowMs: () => number;
  /** By id; the one that was used longest ago comes first, give or take {@link PLACED_EVERY_MS}. */
  readonly #known = new Map<string, Known>();
  /** None was used before. */
  #oldestMs = -Infinity;
  /** Sessions whose record is damaged: nobody knows what they have sent. */
  readonly #damaged = new Map<string, BosunError>();

  constructor(draft: EpochDraft, recovered: Pick<Recovered, 'rows' | 'damage'>, nowMs: () => number) {
    this.#draft = draft;
    this.#nowMs = nowMs;
    const rows = [...((recovered.rows.get(KEYSPACE.sessions) ?? []) as Iterable<readonly [string, SessionRow]>)];
    for (const [text, row] of rows.sort(([, [, a]], [, [, b]]) => a - b))
      this.#known.set(decodeURIComponent(text), knownAs(text, row));
    for (const error of recovered.damage) {
      const key = String(error.details['key']);
      if (keyspaceOf(key) === KEYSPACE.sessions) this.#damaged.set(decodeURIComponent(keyWithin(key)), error);
    }
  }

  /**
   * Throws BOSUN_VALUE_REFUSED for what is no session, BOSUN_SESSIONS_FULL for a new one while too many are remembered,
   * BOSUN_STORE_DAMAGED for one whose record is damaged.
   */
  check({ id, sequence }: Session): void {
    if (!Number.isSafeInteger(sequence))
      throw new BosunError('BOSUN_VALUE_REFUSED', 'the sequence of a session is a whole number');
    if (!this.#known.has(id)) this.#meet(admit(id, 'session id'));
  }

  /** Enters the sequence of a checked session and returns true, unless it was accepted before. */
  accept({ id, sequence }: Session): boolean {
    // It may have been forgotten while its event waited for room.
    const known = this.#known.get(id) ?? this.#remember(id);
    if (sequence <= known.sequence) return false;
    const nowMs = this.#nowMs();
    known.sequence = sequence;
    known.usedAtMs = nowMs;
    if (nowMs - known.placedAtMs > PLACED_EVERY_MS) this.#place(id, known, nowMs);
    this.#draft.put(known.key, [sequence, nowMs]);
    this.#forgetOld(nowMs);
    return true;
  }

  #meet(id: string): void {
    const damage = this.#damaged.get(id);
    if (damage !== undefined) throw damage;
    this.#forgetOld(this.#nowMs());
    if (this.#known.size >= SESSIONS_MAX) {
      throw new BosunError(
        'BOSUN_SESSIONS_FULL',
        `${SESSIONS_MAX} sessions are remembered; one is forgotten when it has been silent for ${SESSION_WINDOW_MS} ms`,
      );
    }
    this.#remember(id);
  }

  #remember(id: string): Known {
    const known = knownAs(keyText(id), [0, this.#nowMs()]);
    this.#known.set(id, known);
    return known;
  }

  #place(id: string, known: Known, nowMs: number): void {
    known.placedAtMs = nowMs;
    this.#known.delete(id);
    this.#known.set(id, known);
  }

  #forgetOld(nowMs: number): void {
    const before = nowMs - SESSION_WINDOW_MS;
    let left = FORGOTTEN_AT_ONCE;
    if (before < this.#oldestMs) return;
    for (const [id, { key, usedAtMs }] of this.#known) {
      if (usedAtMs > before || left-- === 0) {
        this.#oldestMs = usedAtMs;
        return;
      }
      this.#known.delete(id);
      this.#draft.remove(key);
    }
  }
}

function knownAs(text: string, [sequence, usedAtMs]: SessionRow): Known {
  return { key: rowKey(KEYSPACE.sessions, text), sequence, usedAtMs, placedAtMs: usedAtMs };
}
