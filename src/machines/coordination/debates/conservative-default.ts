/**
 * The conservative default: the more cautious of two positions (CA-122), by the risk order declared for its kind of
 * value, or else by a decision tree that always ends. Pure.
 */
import { z } from 'zod';
import { type Side } from './level-two.ts';

/**
 * The order of risk of a kind of value: whether the `lowest` or the `highest` number is cautious, or a list of names,
 * the most cautious first.
 */
export const riskOrder = z.union([z.enum(['lowest', 'highest']), z.array(z.string().max(200)).min(2).max(100)]);
export type RiskOrder = z.infer<typeof riskOrder>;

/** The position of a side. */
export const position = z.object({
  statement: z.string().min(1).max(2_000),
  /** The value, in the unit of its kind; null if the position states no value. */
  value: z
    .union([z.number(), z.string().max(200)])
    .nullable()
    .default(null),
  /** The damage if the position were wrong, in a unit that both sides use: higher is worse. Null: not given. */
  worstCase: z.number().nullable().default(null),
  isReversible: z.boolean().nullable().default(null),
  isVerified: z.boolean().nullable().default(null),
});
export type Position = z.infer<typeof position>;

interface ConservativeChoice {
  readonly side: Side;
  /** The reason in words: the rule and the values that it compared. */
  readonly rationale: string;
}

/**
 * Chooses the more cautious position.
 *
 * @param order The risk order of the kind; with null the decision tree decides.
 */
export function conservativeChoice(
  positions: Readonly<Record<Side, Position>>,
  kind: string,
  order: RiskOrder | null,
): ConservativeChoice {
  const { challenger, challenged } = positions;
  const rank =
    order === null
      ? null
      : { challenger: rankOf(challenger.value, order), challenged: rankOf(challenged.value, order) };
  if (rank !== null && rank.challenger !== null && rank.challenged !== null && rank.challenger !== rank.challenged) {
    const side = rank.challenger < rank.challenged ? 'challenger' : 'challenged';
    const name = Array.isArray(order) ? `first of ${order.join(', ')}` : `the ${String(order)} ${kind}`;
    return {
      side,
      rationale:
        `${name}: ${String(positions[side].value)} is more cautious than ` +
        `${String(positions[otherSide(side)].value)}`,
    };
  }
  return decisionTree(positions);
}

export function otherSide(side: Side): Side {
  return side === 'challenger' ? 'challenged' : 'challenger';
}

/** The rank of a value, lower being more cautious; null if it cannot be compared. */
function rankOf(value: Position['value'], order: RiskOrder): number | null {
  if (Array.isArray(order)) {
    const index = typeof value === 'string' ? order.indexOf(value) : -1;
    return index === -1 ? null : index;
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return order === 'lowest' ? value : -value;
}

/**
 * Asks one question after the other until one distinguishes the positions. If none does, the challenger's position is
 * chosen.
 */
function decisionTree({ challenger, challenged }: Readonly<Record<Side, Position>>): ConservativeChoice {
  const questions: readonly { readonly rank: (position: Position) => number | null; readonly because: string }[] = [
    { rank: ({ worstCase }) => worstCase, because: 'it does less harm if it is wrong' },
    {
      rank: ({ isReversible }) => (isReversible === null ? null : Number(!isReversible)),
      because: 'it can be reversed',
    },
    {
      rank: ({ isVerified }) => (isVerified === null ? null : Number(!isVerified)),
      because: 'it is verified',
    },
  ];
  for (const { rank, because } of questions) {
    const [a, b] = [rank(challenger), rank(challenged)];
    if (a !== null && b !== null && a !== b)
      return { side: a < b ? 'challenger' : 'challenged', rationale: `not comparable by value; ${because}` };
  }
  return {
    side: 'challenger',
    rationale: 'not comparable by value; the side that doubts the finding is the more sceptical one',
  };
}
