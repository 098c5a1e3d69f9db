/** The restart strategies and their differences. They have OTP's names, except `dynamic`. Pure. */
import { unreachable } from '../assert.ts';

export const STRATEGIES = ['one_for_one', 'one_for_all', 'rest_for_one', 'dynamic'] as const;

export type Strategy = (typeof STRATEGIES)[number];

/** The place of a child in the order of first starts among its siblings. */
interface Placed {
  readonly position: number;
}

interface StrategyRules {
  /**
   * Whether a child is restarted together with a failed one. A group ends in the reverse order of its starts and starts
   * in that order, from initial states. Undefined: a child is restarted alone, as its spec says.
   */
  readonly joins?: (child: Placed, failed: Placed) => boolean;
  /** Whether its children are many of one template: their specs are not stored, and they end all at once. */
  readonly isOfTemplate: boolean;
}

export function rulesOf(strategy: Strategy): StrategyRules {
  switch (strategy) {
    case 'one_for_one':
      return { isOfTemplate: false };
    case 'one_for_all':
      return { isOfTemplate: false, joins: () => true };
    case 'rest_for_one':
      return { isOfTemplate: false, joins: (child, failed) => child.position >= failed.position };
    // OTP's simple_one_for_one.
    case 'dynamic':
      return { isOfTemplate: true };
    default:
      return unreachable(strategy);
  }
}

/**
 * The children that are restarted together with a failed one, including it, in the order of their starts; undefined
 * where it is restarted alone.
 */
export function restartGroup<Child extends Placed>(
  strategy: Strategy,
  failed: Placed,
  children: Iterable<Child>,
): Child[] | undefined {
  const { joins } = rulesOf(strategy);
  return joins && [...children].filter((child) => joins(child, failed)).sort((a, b) => a.position - b.position);
}
