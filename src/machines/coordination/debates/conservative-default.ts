/**
 * The more cautious of two positions (CA-122): by the order of risk that is declared for its kind of value, and where
 * that cannot tell them apart by a decision tree that always ends. Pure.
 */
import { z } from 'zod';
import { type Side } from './level-two.ts';

/** `lowest`, `highest`: the number that is cautious. A list: names, the most cautious first. */
export const riskOrder = z.union([z.enum(['lowest', 'highest']), z.array(z.string().max(200)).min(2).max(100)]);
export type RiskOrder = z.infer<typeof riskOrder>;

/** What a side holds. */
export const position = z.object({
  statement: z.string().min(1).max(2_000),
  /** In the unit of its kind; null where it is no value. */
  value: z
    .union([z.number(), z.string().max(200)])
    .nullable()
    .default(null),
  /** How bad it would be if it were wrong, in whatever unit both sides use: higher is worse. Null: not said. */
  worstCase: z.number().nullable().default(null),
  isReversible: z.boolean().nullable().default(null),
  isVerified: z.boolean().nullable().default(null),
});
export type Position = z.infer<typeof position>;

/** Orders of the kinds of value that come with it; a host declares its own beside them. */
export const RISK_ORDERS: Readonly<Record<string, RiskOrder>> = {
  'target-price': 'lowest',
  risk: 'highest',
  margin: 'lowest',
  growth: 'lowest',
  'discount-rate': 'highest',
  confidence: 'lowest',
  rating: ['sell', 'underweight', 'hold', 'overweight', 'buy'],
  view: ['sceptical', 'neutral', 'optimistic'],
};

interface ConservativeChoice {
  readonly side: Side;
  /** Why, in words: the rule, and what it saw. */
  readonly rationale: string;
}

/** @param order Null: the kind has none, and the decision tree decides. */
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

/** The lower, the more cautious; null: not to be compared. */
function rankOf(value: Position['value'], order: RiskOrder): number | null {
  if (Array.isArray(order)) {
    const index = typeof value === 'string' ? order.indexOf(value) : -1;
    return index === -1 ? null : index;
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return order === 'lowest' ? value : -value;
}

/** One question after the other, until one tells the positions apart. The last one always does. */
function decisionTree({ challenger, challenged }: Readonly<Record<Side, Position>>): ConservativeChoice {
  const questions: readonly { readonly rank: (position: Position) => number | null; readonly because: string }[] = [
    { rank: ({ worstCase }) => worstCase, because: 'it does less harm if it is wrong' },
    {
      rank: ({ isReversible }) => (isReversible === null ? null : Number(!isReversible)),
      because: 'it can be taken back',
    },
    {
      rank: ({ isVerified }) => (isVerified === null ? null : Number(!isVerified)),
      because: 'it rests on what was verified',
    },
  ];
  for (const { rank, because } of questions) {
    const [a, b] = [rank(challenger), rank(challenged)];
    if (a !== null && b !== null && a !== b)
      return { side: a < b ? 'challenger' : 'challenged', rationale: `not comparable by value; ${because}` };
  }
  return {
    side: 'challenger',
    rationale: 'not comparable by value; the more sceptical view is that of whoever doubts the finding',
  };
}
