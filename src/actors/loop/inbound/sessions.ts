/**
 * Sends that a client may repeat: the highest accepted sequence of each session (design P3). A session is remembered
 * for SESSION_WINDOW_MS of kernel time after its last send; beyond SESSIONS_MAX, the oldest session of the caller with
 * the most gives way.
 */
import { BosunError } from '../../../errors.ts';
import { REPEAT_MS_MIN, SESSION_WINDOW_MS, SESSIONS_MAX } from '../../../limits.ts';
import { admit } from '../../model/value-check.ts';
import { type Session } from '../../world/mailbox/inbound.ts';
import { type EpochDraft } from '../../world/epoch-draft.ts';
import { Remembered } from '../../world/remembered.ts';
import { type Recovered, type RowKey, KEYSPACE, keyspaceOf, keyWithin } from '../../model/ports.ts';
import { keyText, rowKey } from '../../model/row-keys.ts';

/** The row of a session: the last sequence, and the kernel time of its send. */
export type SessionRow = readonly [sequence: number, usedAtMs: number];

/**
 * Milliseconds by which a session may be forgotten late, since it is moved behind the others at most this often. It is
 * never forgotten early.
 */
const PLACED_EVERY_MS = 60_000;

interface Known {
  readonly id: string;
  readonly key: RowKey;
  sequence: number;
  usedAtMs: number;
  /** The time at which it was moved behind all others. */
  placedAtMs: number;
  /** The row of the last send, and the draft that has it. */
  row: [sequence: number, usedAtMs: number];
  notedIn: number;
}

export class Sessions {
  readonly #draft: EpochDraft;
  readonly #nowMs: () => number;
  /** Sessions in order of use, within {@link PLACED_EVERY_MS}. */
  readonly #known = new Remembered<Known>();
  /** Sessions whose record is damaged, so that their last sequence is unknown. */
  readonly #damaged = new Map<string, BosunError>();

  constructor(draft: EpochDraft, recovered: Pick<Recovered, 'rows' | 'damage'>, nowMs: () => number) {
    this.#draft = draft;
    this.#nowMs = nowMs;
    const rows = [...((recovered.rows.get(KEYSPACE.sessions) ?? []) as Iterable<readonly [string, SessionRow]>)];
    for (const [text, row] of rows.sort(([, [, a]], [, [, b]]) => a - b))
      this.#known.enter(decodeURIComponent(text), knownAs(decodeURIComponent(text), row));
    for (const error of recovered.damage) {
      const key = String(error.details['key']);
      if (keyspaceOf(key) === KEYSPACE.sessions) this.#damaged.set(decodeURIComponent(keyWithin(key)), error);
    }
  }

  /**
   * Checks a session. Throws BOSUN_VALUE_REFUSED for an invalid one, BOSUN_SESSIONS_FULL for a new one while too many
   * are remembered and none gives way, BOSUN_STORE_DAMAGED for one with a damaged record.
   */
  check({ id, sequence }: Session): void {
    if (!Number.isSafeInteger(sequence))
      throw new BosunError('BOSUN_VALUE_REFUSED', 'the sequence of a session must be a whole number');
    if (this.#known.get(id) === undefined) this.#meet(admit(id, 'session id'));
  }

  /** Whether the sequence was accepted before. */
  isRepeat({ id, sequence }: Session): boolean {
    return sequence <= (this.#known.get(id)?.sequence ?? 0);
  }

  /** Enters the sequence of a checked session and returns true, unless it was accepted before. */
  accept({ id, sequence }: Session): boolean {
    // The session may have been forgotten while its event waited for room.
    const known = this.#known.get(id) ?? this.#remember(id);
    if (sequence <= known.sequence) return false;
    const nowMs = this.#nowMs();
    known.sequence = sequence;
    known.usedAtMs = nowMs;
    if (nowMs - known.placedAtMs > PLACED_EVERY_MS) {
      known.placedAtMs = nowMs;
      this.#known.enter(id, known);
    }
    this.#note(known);
    this.#forgetOld(nowMs);
    return true;
  }

  /** Updates the row. All sends of the session share it until its epoch is closed, because nobody reads it earlier. */
  #note(known: Known): void {
    const { ordinal } = this.#draft;
    if (known.notedIn === ordinal) {
      known.row[0] = known.sequence;
      known.row[1] = known.usedAtMs;
      return;
    }
    known.notedIn = ordinal;
    known.row = [known.sequence, known.usedAtMs];
    this.#draft.put(known.key, known.row);
  }

  #meet(id: string): void {
    const damage = this.#damaged.get(id);
    if (damage !== undefined) throw damage;
    const nowMs = this.#nowMs();
    this.#forgetOld(nowMs);
    if (this.#known.size >= SESSIONS_MAX) this.#makeRoom(nowMs);
    this.#remember(id);
  }

  #makeRoom(nowMs: number): void {
    const known = this.#known.toGiveWay(nowMs);
    if (known === undefined)
      throw new BosunError(
        'BOSUN_SESSIONS_FULL',
        `no room: ${SESSIONS_MAX} sessions are remembered, each for at least ${REPEAT_MS_MIN} ms after its last send`,
      );
    this.#known.leave(known.id);
    this.#draft.remove(known.key);
  }

  #remember(id: string): Known {
    const known = knownAs(id, [0, this.#nowMs()]);
    this.#known.enter(id, known);
    return known;
  }

  #forgetOld(nowMs: number): void {
    this.#known.forgetThrough(nowMs - SESSION_WINDOW_MS, ({ key }) => this.#draft.remove(key));
  }
}

function knownAs(id: string, [sequence, usedAtMs]: SessionRow): Known {
  return {
    id,
    key: rowKey(KEYSPACE.sessions, keyText(id)),
    sequence,
    usedAtMs,
    placedAtMs: usedAtMs,
    row: [0, 0],
    notedIn: -1,
  };
}
