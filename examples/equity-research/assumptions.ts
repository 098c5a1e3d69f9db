/**
 * The judgements that a valuation cannot do without, with their defaults and reasons. None of them is a fact about a
 * company. An item's input in `plan.yaml` may replace any of them; what was used is part of every report.
 */
import { z } from 'zod';
import { ratesAreApart } from './dcf.ts';

/** Rates are fractions a year: 0.09 is 9 %. */
const Assumptions = z
  .strictObject({
    /**
     * Return that an investor asks for. A round long-run figure for shares of large US companies, the same for all
     * five so that the reports compare; a real study would derive one per company.
     */
    discountRate: z.number().min(0.03).max(0.3).default(0.09),
    /** Growth for ever after the forecast: about what long-run inflation with a little real growth would give. */
    terminalGrowth: z.number().min(-0.02).max(0.05).default(0.025),
    /** Years in which growth fades from its start to the terminal rate. */
    forecastYears: z.int().min(5).max(30).default(10),
    /** Start growth is the historic revenue CAGR, but at least this: a shrinking past need not go on. */
    growthFloor: z.number().min(-0.2).max(0).default(0),
    /** ... and at most this: four years of strong growth are no ground for expecting more of it from a larger base. */
    growthCap: z.number().min(0.01).max(0.4).default(0.12),
    /**
     * The cash flow that grows. `latest` is that of the last fiscal year; `three-year-mean-margin` is the last revenue
     * times the mean free-cash-flow margin of three years, which evens out a year of heavy investment.
     */
    baseFreeCashFlow: z.enum(['latest', 'three-year-mean-margin']).default('latest'),
  })
  .refine(ratesAreApart, { error: 'discountRate must exceed terminalGrowth by at least 0.01', path: ['discountRate'] });

/** A complete set of assumptions. */
export type Assumptions = Readonly<z.output<typeof Assumptions>>;

/**
 * Completes an item's input with the defaults.
 *
 * @param input `undefined` or `null` when the plan gives none.
 * @throws Error with one line per problem; an unknown name is a problem, since it is probably a slip.
 */
export function readAssumptions(input: unknown): Assumptions {
  const parsed = Assumptions.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new Error(`The item's input is not a set of valuation assumptions: ${problems.join('; ')}`);
}
