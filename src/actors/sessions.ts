/** Sends that a client may repeat: per session, the highest sequence that was accepted (design P3). */
import { BosunError } from '../errors.ts';
import { admit } from './admission.ts';
import { type Session } from './arrival.ts';
import { type EpochDraft } from './epoch-draft.ts';
import { type RowKey } from './ports.ts';
import { keyText, rowKey } from './rows.ts';

interface Known {
  readonly key: RowKey;
  sequence: number;
}

export class Sessions {
  readonly #draft: EpochDraft;
  readonly #known = new Map<string, Known>();
  /** Sequences as they were on disk at the start, by the text of the session's key. */
  readonly #recovered: ReadonlyMap<string, unknown>;

  constructor(draft: EpochDraft, rows: ReadonlyMap<string, unknown> = new Map()) {
    this.#draft = draft;
    this.#recovered = rows;
  }

  /** Throws BOSUN_VALUE_REFUSED for what is no session. */
  check({ id, sequence }: Session): void {
    if (!this.#known.has(id)) this.#meet(id);
    if (!Number.isSafeInteger(sequence)) throw new BosunError('BOSUN_VALUE_REFUSED', 'the sequence of a session is a whole number');
  }

  /** Enters the sequence of a checked session and returns true, unless it was accepted before. */
  accept({ id, sequence }: Session): boolean {
    const known = this.#known.get(id)!;
    if (sequence <= known.sequence) return false;
    known.sequence = sequence;
    this.#draft.put(known.key, sequence);
    return true;
  }

  #meet(id: string): void {
    const text = keyText(admit(id, 'session id'));
    this.#known.set(id, { key: rowKey('d', text), sequence: (this.#recovered.get(text) as number | undefined) ?? 0 });
  }
}
