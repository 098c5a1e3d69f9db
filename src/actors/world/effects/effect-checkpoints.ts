/**
 * The values that an effect keeps for its later starts: one checkpoint, and memos by name. This file decides what may
 * be kept; effects.ts decides when. One table for both: the checkpoint has the empty name, which no memo can have.
 */
import { disown } from '../../../user-code.ts';
import { BosunError } from '../../../errors.ts';
import { EFFECT_KEPT_BYTES_MAX, EFFECT_MEMO_NAME_CHARS_MAX, EFFECT_MEMOS_MAX } from '../../../limits.ts';
import { keptKey } from '../../model/row-keys.ts';
import { admit } from '../../model/value-check.ts';
import { type Cell, type EffectCheckpoint } from '../cell.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'codec' | 'draft' | 'own'>;

export const CHECKPOINT = '';

/** Checks the name of a memo. Throws BOSUN_VALUE_REFUSED for an invalid one, or one more than an effect may keep. */
export function checkMemoName(cell: Cell, name: unknown): asserts name is string {
  const { address } = cell;
  disown(name);
  if (typeof name !== 'string' || name === '' || name.length > EFFECT_MEMO_NAME_CHARS_MAX || !name.isWellFormed()) {
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `the name of a result of ${address} must be text of 1 to ${EFFECT_MEMO_NAME_CHARS_MAX} characters`,
    );
  }
  const kept = cell.kept ?? new Map<string, EffectCheckpoint>();
  if (!kept.has(name) && kept.size - (kept.has(CHECKPOINT) ? 1 : 0) >= EFFECT_MEMOS_MAX) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${address} would keep more than ${EFFECT_MEMOS_MAX} results`);
  }
}

/**
 * Admits a value to be kept. Throws BOSUN_VALUE_REFUSED for a value that is not data, or where the effect would keep
 * too much.
 */
export function admitCheckpoint(world: Needs, cell: Cell, name: string, value: unknown): EffectCheckpoint {
  const { address } = cell;
  const admitted = admit(
    value,
    name === CHECKPOINT ? `checkpoint of ${address}` : `result "${name}" of ${address}`,
    world.own,
  );
  const bytes = world.codec.encode(admitted).byteLength;
  let others = 0;
  for (const [other, keepsake] of cell.kept ?? []) if (other !== name) others += keepsake.bytes;
  if (others + bytes <= EFFECT_KEPT_BYTES_MAX) return { value: admitted, bytes };
  throw new BosunError('BOSUN_VALUE_REFUSED', `${address} would keep more than ${EFFECT_KEPT_BYTES_MAX} bytes`);
}

/** Stores a kept value that has been admitted. */
export function putCheckpoint({ draft }: Needs, cell: Cell, name: string, keepsake: EffectCheckpoint): void {
  cell.keep(name, keepsake);
  const { bytes, value } = keepsake;
  draft.putOf(cell.life, keptKey(cell.life, name), Object.freeze([name, bytes, value]), (conceal) => [
    name,
    bytes,
    conceal(value),
  ]);
}
