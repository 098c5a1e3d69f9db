/** Sends that a client may repeat: per session, the highest sequence that was accepted (design P3). */
import { BosunError } from '../errors.ts';
import { admit } from './admission.ts';
import { type EpochDraft } from './epoch-draft.ts';
import { keyText, rowKey } from './rows.ts';

export interface Session {
  readonly id: string;
  /** Raised by the client with every new send. */
  readonly sequence: number;
}

export class Sessions {
  readonly #draft: EpochDraft;
  /** By the text of the session's key. */
  readonly #sequences = new Map<string, number>();

  constructor(draft: EpochDraft, rows: ReadonlyMap<string, unknown> = new Map()) {
    this.#draft = draft;
    for (const [key, sequence] of rows) this.#sequences.set(key, sequence as number);
  }

  /** Enters the sequence and returns true, unless it was accepted before. Throws BOSUN_VALUE_REFUSED. */
  accept({ id, sequence }: Session): boolean {
    admit(id, 'session id');
    if (!Number.isSafeInteger(sequence)) throw new BosunError('BOSUN_VALUE_REFUSED', 'the sequence of a session is a whole number');
    const key = keyText(id);
    if (sequence <= (this.#sequences.get(key) ?? 0)) return false;
    this.#sequences.set(key, sequence);
    this.#draft.put(rowKey('d', key), sequence);
    return true;
  }
}
