/**
 * The cards about provisional decisions that are due at a gate (CA-125): raised when the gate is reached, and settled
 * when all of these debates are over, however they ended. Pure.
 */
import { type Table } from '../../../table.ts';
import { notify, settle } from '../../people/notice.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { type Turn } from '../../rules/turn.ts';
import { type provisionalList } from './debate-records.ts';

/** A gate with an open card. */
interface DueReview {
  readonly gate: string;
  /** Ids of the debates of its card that are not over. */
  readonly debates: readonly string[];
}

/** The part of the facilitator's context about these cards. */
export interface DueReviews {
  readonly due: Table<DueReview>;
}

type DueTurn = Pick<Turn<DueReviews, never>, 'context' | 'assign' | 'send'>;

/** Tells people about the provisional decisions of a gate, if there are any. */
export function tellDue(
  turn: DueTurn,
  { gate, audience }: { readonly gate: string; readonly audience: readonly string[] },
  { headline: title, items }: ReturnType<typeof provisionalList>,
): void {
  if (items.length === 0) return;
  const detail = items.map(({ topic }) => topic).join('; ');
  notify(turn, { subject: `gate ${gate}`, kind: 'provisionals.due', priority: 'HIGH', title, detail, audience });
  const debates = items.map(({ debate }) => debate);
  turn.assign({ due: turn.context.due.set(nameKey(gate), { gate, debates }) });
}

/** Notes the end of a debate, and settles the cards of gates at which no other one is due. */
export function dueNoMore(turn: DueTurn, debate: string): void {
  for (const [key, { gate, debates: before }] of turn.context.due) {
    if (!before.includes(debate)) continue;
    const debates = before.filter((id) => id !== debate);
    const { due } = turn.context;
    turn.assign({ due: debates.length === 0 ? due.delete(key) : due.set(key, { gate, debates }) });
    const because = 'all provisional decisions are reviewed';
    if (debates.length === 0) settle(turn, { subject: `gate ${gate}`, kinds: ['provisionals.due'], because });
  }
}
