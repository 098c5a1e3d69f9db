/**
 * The refusals of events that are sent together: the one error that has them all, and how those of a part are told by
 * the indexes of the whole. Pure.
 */
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { type SendRefusal } from '../world/mailbox/inbound.ts';

/**
 * Rejects a group of sends. Throws BOSUN_SENDS_REFUSED if any of `count` events was refused.
 *
 * @param refused Refusals in any order.
 */
export function throwRefused(count: number, refused: readonly SendRefusal[]): void {
  const inOrder = refused.toSorted((a, b) => a.index - b.index);
  const [first] = inOrder;
  if (first === undefined) return;
  const others = refused.length === 1 ? '' : ` (and ${refused.length - 1} more)`;
  throw new BosunError(
    'BOSUN_SENDS_REFUSED',
    `the event at index ${first.index} of ${count} was refused${others}: ${first.error.message}`,
    { cause: first.error, details: { refused: inOrder } },
  );
}

/** The refusals in BOSUN_SENDS_REFUSED; undefined for any other error. */
export function refusalsIn(error: unknown): readonly SendRefusal[] | undefined {
  return isBosunError(error, 'BOSUN_SENDS_REFUSED') ? (error.details['refused'] as SendRefusal[]) : undefined;
}

/**
 * Waits for a part of the events. Any error but BOSUN_SENDS_REFUSED is the refusal of each. Never rejects.
 *
 * @param indexes The index of each event of the part in the whole.
 */
export async function refusalsOf(sent: Promise<unknown>, indexes: readonly number[]): Promise<SendRefusal[]> {
  try {
    await sent;
    return [];
  } catch (thrown) {
    const refused = refusalsIn(thrown);
    if (refused !== undefined) return refused.map(({ index, error }) => ({ index: indexes[index]!, error }));
    return indexes.map((index) => refusalOf(thrown, index));
  }
}

/** The refusal of one event, made from the error thrown for it. */
export function refusalOf(thrown: unknown, index: number): SendRefusal {
  if (isBosunError(thrown)) return { index, error: thrown };
  const message = `the event at index ${index}: ${messageOf(thrown)}`;
  return { index, error: new BosunError('BOSUN_EVENT_INVALID', message, { cause: thrown }) };
}
